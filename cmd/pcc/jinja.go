package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/vm"
)

// jinjaSetting is one option of --jinja, named as in Python's Environment.
type jinjaSetting struct {
	name string
	set  func(o *compiler.JinjaOptions, value string) error
}

// jinjaSettings are the options that --jinja takes.
var jinjaSettings = []jinjaSetting{
	flagSetting("trim_blocks", func(o *compiler.JinjaOptions) *bool { return &o.Syntax.TrimBlocks }),
	flagSetting("lstrip_blocks", func(o *compiler.JinjaOptions) *bool { return &o.Syntax.LstripBlocks }),
	flagSetting("keep_trailing_newline", func(o *compiler.JinjaOptions) *bool { return &o.Syntax.KeepTrailingNewline }),
	textSetting("newline_sequence", func(o *compiler.JinjaOptions) *string { return &o.Syntax.NewlineSequence }),
	textSetting("block_start_string", func(o *compiler.JinjaOptions) *string { return &o.Syntax.BlockStart }),
	textSetting("block_end_string", func(o *compiler.JinjaOptions) *string { return &o.Syntax.BlockEnd }),
	textSetting("variable_start_string", func(o *compiler.JinjaOptions) *string { return &o.Syntax.VariableStart }),
	textSetting("variable_end_string", func(o *compiler.JinjaOptions) *string { return &o.Syntax.VariableEnd }),
	textSetting("comment_start_string", func(o *compiler.JinjaOptions) *string { return &o.Syntax.CommentStart }),
	textSetting("comment_end_string", func(o *compiler.JinjaOptions) *string { return &o.Syntax.CommentEnd }),
	textSetting("line_statement_prefix", func(o *compiler.JinjaOptions) *string { return &o.Syntax.LineStatementPrefix }),
	textSetting("line_comment_prefix", func(o *compiler.JinjaOptions) *string { return &o.Syntax.LineCommentPrefix }),
	listSetting("extensions", map[string]func(*compiler.JinjaOptions){
		"loopcontrols": func(o *compiler.JinjaOptions) { o.Syntax.LoopControls = true },
		"do":           func(o *compiler.JinjaOptions) { o.Syntax.Do = true },
		"generation":   func(o *compiler.JinjaOptions) { o.Syntax.Generation = true },
	}),
	choiceSetting("autoescape", map[string]compiler.Autoescape{"false": compiler.AutoescapeOff,
		"true": compiler.AutoescapeOn, "by_name": compiler.AutoescapeByName},
		func(o *compiler.JinjaOptions) *compiler.Autoescape { return &o.Autoescape }),
	choiceSetting("undefined", map[string]vm.UndefinedKind{"default": vm.UndefinedDefault,
		"chainable": vm.UndefinedChainable, "strict": vm.UndefinedStrict, "debug": vm.UndefinedDebug},
		func(o *compiler.JinjaOptions) *vm.UndefinedKind { return &o.Undefined }),
	choiceSetting("sandbox", map[string]vm.Sandbox{"false": vm.SandboxNone, "true": vm.SandboxOn,
		"sandbox": vm.SandboxOn, "immutable": vm.SandboxImmutable},
		func(o *compiler.JinjaOptions) *vm.Sandbox { return &o.Sandbox }),
}

func flagSetting(name string, field func(*compiler.JinjaOptions) *bool) jinjaSetting {
	return choiceSetting(name, map[string]bool{"true": true, "false": false}, field)
}

func textSetting(name string, field func(*compiler.JinjaOptions) *string) jinjaSetting {
	return jinjaSetting{name, func(o *compiler.JinjaOptions, value string) error {
		*field(o) = strings.NewReplacer(`\n`, "\n", `\r`, "\r").Replace(value)
		return nil
	}}
}

func choiceSetting[T any](name string, values map[string]T, field func(*compiler.JinjaOptions) *T) jinjaSetting {
	return jinjaSetting{name, func(o *compiler.JinjaOptions, value string) error {
		v, ok := values[value]
		if !ok {
			return wrongValue(name, value, values)
		}
		*field(o) = v
		return nil
	}}
}

func listSetting(name string, values map[string]func(*compiler.JinjaOptions)) jinjaSetting {
	return jinjaSetting{name, func(o *compiler.JinjaOptions, value string) error {
		for part := range strings.SplitSeq(value, ",") {
			set, ok := values[strings.TrimSpace(part)]
			if !ok {
				return wrongValue(name, part, values)
			}
			set(o)
		}
		return nil
	}}
}

func wrongValue[T any](name, value string, values map[string]T) error {
	return fmt.Errorf("%s must be %s, not %q", name, oneOf(slices.Sorted(maps.Keys(values))), value)
}

// setJinja applies one `name=value` of --jinja.
func setJinja(o *compiler.JinjaOptions, arg string) error {
	name, value, ok := strings.Cut(arg, "=")
	if !ok {
		value = "true" // `--jinja trim_blocks`
	}
	var names []string
	for _, s := range jinjaSettings {
		if s.name == name {
			return s.set(o, value)
		}
		names = append(names, s.name)
	}
	if near, ok := diag.Near(name, names); ok {
		return fmt.Errorf("there is no option %q; did you mean %s?", name, near)
	}
	return fmt.Errorf("there is no option %q; options are %s", name, oneOf(names))
}
