package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/vm"
)

// syntaxNames are the values of --syntax.
var syntaxNames = []string{"auto", "brace", "angle", "single-brace", "double-brace", "single-angle", "double-angle", "jinja"}

// templateFlags say how a template is read and what it may cost.
type templateFlags struct {
	syntax     string
	delimiters string
	undefined  string
	root       string
	strict     bool
	profile    string
	jinja      []string
	document   documentFlags
	limits     vm.Limits
	timeout    time.Duration
	blank      bool // a blank system message of an AgentForge document is left out
	exclude    []string
}

func (t *templateFlags) add(f *pflag.FlagSet) {
	t.syntax = "auto"
	f.Var(&choice{&t.syntax, syntaxNames}, "syntax", "concrete syntax: "+oneOf(syntaxNames))
	f.StringVar(&t.delimiters, "delimiters", "", "soft delimiters of your own, such as '[[ ]]'")
	f.Var(&choice{&t.undefined, []string{"keep", "error", "empty"}}, "undefined",
		"what a placeholder without a value does: keep, error or empty (default: by the tag)")
	f.StringVar(&t.root, "root", "", "folder that includes may read (default: the template's own)")
	f.Var(&choice{&t.profile, profileNames}, "profile", "Jinja environment: "+oneOf(profileNames))
	f.StringArrayVar(&t.jinja, "jinja", nil, "one option of the Jinja environment, such as trim_blocks=true or undefined=strict")
	f.BoolVar(&t.strict, "strict", false, "treat warnings as errors")
	f.BoolVar(&t.blank, "blank-system", false, "leave a system message of an AgentForge document out that is blank, instead of an error")
	t.document.add(f)
	t.addLimits(f)
}

// limitFlag is a limit that has a flag; the default comes from the machine.
type limitFlag struct {
	name, usage string
	wide        *int64
	narrow      *int
	def         int64
}

// limitFlags are the flags of limits that set l.
func limitFlags(l *vm.Limits) []limitFlag {
	d := vm.DefaultLimits()
	return []limitFlag{
		{"max-steps", "steps of one render", &l.Steps, nil, d.Steps},
		{"max-output", "bytes of output", &l.OutputBytes, nil, d.OutputBytes},
		{"max-memory", "bytes that one render may allocate", &l.Memory, nil, d.Memory},
		{"max-iterations", "iterations of all loops", &l.Iterations, nil, d.Iterations},
		{"max-source", "bytes of a template", &l.SourceBytes, nil, d.SourceBytes},
		{"max-compile-memory", "bytes that compiling a template may take", &l.CompileMemory, nil, d.CompileMemory},
		{"max-depth", "nesting of blocks and brackets", nil, &l.Depth, int64(d.Depth)},
		{"max-value-depth", "nesting of values", nil, &l.ValueDepth, int64(d.ValueDepth)},
		{"max-calls", "nesting of macros and recursive loops", nil, &l.MacroDepth, int64(d.MacroDepth)},
		{"max-includes", "nesting of includes", nil, &l.IncludeDepth, int64(d.IncludeDepth)},
		{"max-digits", "digits of an integer", nil, &l.NumberDigits, int64(d.NumberDigits)},
	}
}

func (t *templateFlags) addLimits(f *pflag.FlagSet) {
	for _, l := range limitFlags(&t.limits) {
		f.Var(&amount{l.wide, l.narrow}, l.name, fmt.Sprintf("most %s (default %s)", l.usage, writeAmount(l.def)))
	}
	f.Var((*timeout)(&t.timeout), "timeout", "longest time of a render, such as 500ms (default: none)")
}

// options are the compiler's options for the template called name.
func (t *templateFlags) options(asked asker) ([]compiler.Option, error) {
	var o []compiler.Option
	if t.syntax != "auto" {
		o = append(o, asked("syntax", compiler.WithSyntax(compiler.Syntax(t.syntax))))
	}
	if t.delimiters != "" && t.syntax != "auto" {
		return nil, usagef("--delimiters is a syntax of its own, so --syntax %s cannot stand beside it", t.syntax)
	}
	if t.delimiters != "" {
		open, end, ok := strings.Cut(strings.TrimSpace(t.delimiters), " ")
		if !ok {
			return nil, usagef("--delimiters wants the opening and the closing one with a blank between, such as '[[ ]]'")
		}
		o = append(o, asked("delimiters", compiler.WithDelimiters(open, strings.TrimSpace(end))))
	}
	jinja, err := t.jinjaOptions(asked)
	if err != nil {
		return nil, err
	}
	o = append(o, jinja...)
	if t.undefined != "" {
		o = append(o, asked("undefined", compiler.WithUndefined(compiler.Undefined(t.undefined))))
	}
	if t.blank {
		o = append(o, asked("blank-system", compiler.WithBlankSystem()))
	}
	if t.strict {
		o = append(o, compiler.WithStrict())
	}
	o = append(o, t.document.options(asked)...)
	return append(o, compiler.WithLimits(t.limits)), nil
}

// jinjaOptions are the options that --profile and --jinja add up to.
func (t *templateFlags) jinjaOptions(asked asker) ([]compiler.Option, error) {
	if t.profile == "" && len(t.jinja) == 0 {
		return nil, nil
	}
	if t.syntax != "auto" && t.syntax != "jinja" {
		return nil, usagef("--profile and --jinja are for Jinja templates, not for --syntax %s", t.syntax)
	}
	profile := orDefault(t.profile, "jinja")
	o, _ := compiler.Profile(profile).Options()
	for _, arg := range t.jinja {
		if err := setJinja(&o, arg); err != nil {
			return nil, usagef("--jinja %s: %v", arg, err)
		}
	}
	return []compiler.Option{asked("profile", compiler.WithProfile(compiler.Profile(profile))), asked("jinja", compiler.WithJinja(o))}, nil
}

// amount is a flag for a positive number, with K, M and G for powers of 1024.
type amount struct {
	wide   *int64
	narrow *int
}

func (n *amount) Type() string { return "N" }

func (n *amount) String() string {
	switch {
	case n.wide != nil && *n.wide != 0:
		return writeAmount(*n.wide)
	case n.narrow != nil && *n.narrow != 0:
		return writeAmount(int64(*n.narrow))
	}
	return ""
}

func (n *amount) Set(s string) error {
	digits, shift := s, 0
	for i, unit := range []string{"K", "M", "G"} {
		if d, ok := strings.CutSuffix(strings.ToUpper(s), unit); ok {
			digits, shift = d, 10*(i+1)
		}
	}
	v, err := strconv.ParseInt(strings.ReplaceAll(digits, "_", ""), 10, 64)
	if err != nil || v <= 0 || v > (1<<62)>>shift || n.narrow != nil && v<<shift > 1<<31-1 {
		return fmt.Errorf("%q is no positive number (such as 5000, 64K or 2M)", s)
	}
	if n.wide != nil {
		*n.wide = v << shift
	} else {
		*n.narrow = int(v << shift)
	}
	return nil
}

// timeout is the value of --timeout.
type timeout time.Duration

func (t *timeout) Type() string { return "duration" }

func (t *timeout) String() string {
	if *t == 0 {
		return ""
	}
	return time.Duration(*t).String()
}

func (t *timeout) Set(s string) error {
	d, err := time.ParseDuration(s)
	if err != nil || d <= 0 {
		return fmt.Errorf("%q is no length of time (such as 500ms, 2s or 1m)", s)
	}
	*t = timeout(d)
	return nil
}

// writeAmount is the inverse of amount's Set.
func writeAmount(v int64) string {
	for i, unit := range []string{"G", "M", "K"} {
		shift := 10 * (3 - i)
		if v >= 1<<shift && v%(1<<shift) == 0 {
			return fmt.Sprintf("%d%s", v>>shift, unit)
		}
	}
	return strconv.FormatInt(v, 10)
}
