package prompt_test

import (
	"errors"
	"sort"
	"strings"
	"testing"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/parser/document"
	"github.com/pcc-lang/pcc/prompt"
	"github.com/pcc-lang/pcc/vm"
)

// runAgentForge runs a row of agentforge.jsonl.
func runAgentForge(t *testing.T, r *seedRow) seedResult {
	in := r.in
	version := str(in, "version")
	if version == "" {
		version = "head"
	}
	opts := []compiler.Option{compiler.WithForm("agentforge"), compiler.WithAgentForgeVersion(version)}
	data := field(in, "data")
	switch fn := str(in, "fn"); fn {
	case "extract", "check", "render", "unescape":
		text, ok := field(in, "template").Str()
		if !ok {
			return loadError(errors.New("a template is a text")) // Go's types see to that
		}
		p, err := compiler.Compile(text, opts...)
		if err != nil {
			return loadError(err)
		}
		switch fn {
		case "extract":
			return value(usesOf(p))
		case "check":
			if len(p.Missing(data)) > 0 {
				return value(nil)
			}
			return value(text)
		}
		s, err := p.Render(data)
		if err != nil {
			return fails(err)
		}
		return value(s)
	case "markdown":
		if n, _ := field(in, "indent").Int64(); n != 0 {
			return noCounterpart("an internal function's indentation")
		}
		return renderAgentForge("{v}", mapOf("v", field(in, "value")), opts)
	case "persona":
		if has(field(in, "settings"), "static_char_cap") || len(yamlOf(field(in, "static"))) > 8000 {
			return noCounterpart("the persona's length is capped outside of prompts")
		}
		return renderAgentForge("{v}", mapOf("v", field(in, "static")), opts)
	case "validate_format", "check_format":
		_, err := loadPrompts(field(in, "prompts"), version)
		if err != nil {
			return loadError(err)
		}
		return value(nil)
	case "fix_placeholders":
		s, list := document.ReadText("prompts.yaml", str(in, "yaml"), document.YAMLOptions{Placeholders: document.PlaceholdersText})
		if err := list.Err(); err != nil {
			return loadError(err)
		}
		document.FixPlaceholders(s)
		return value(plainJSON(structureValue(s)))
	case "validate":
		s, err := loadPrompts(mapOf("system", "{system}", "user", "{user}"), "head")
		if err != nil {
			return loadError(err)
		}
		if _, res := chatOf(s, field(in, "rendered")); res.err != nil {
			return res
		}
		return value(nil)
	case "render_prompts":
		// Validation is a function of its own, but for one version.
		var opts []compiler.Option
		if version != "f5760dd" {
			opts = append(opts, compiler.WithBlankSystem())
		}
		s, err := loadPrompts(onlyPrompts(field(in, "prompts")), version, opts...)
		if err != nil {
			return loadError(err)
		}
		return renderPrompts(s, data, has(field(in, "prompts"), "System"))
	case "load_and_render":
		s, err := prompt.LoadText("agent.yaml", str(in, "yaml"), nil, compiler.WithBlankSystem())
		if err != nil {
			return loadError(err)
		}
		return renderPrompts(s, data, false)
	default:
		t.Errorf("%s: unknown function %q", r.id, fn)
	}
	return seedResult{}
}

func structureValue(s *ast.Structure) vm.Value { return compiler.ValueOf(s) }

func renderAgentForge(text string, data vm.Value, opts []compiler.Option) seedResult {
	p, err := compiler.Compile(text, opts...)
	if err != nil {
		return loadError(err)
	}
	s, err := p.Render(data)
	if err != nil {
		return fails(err)
	}
	return value(s)
}

// usesOf lists the names in the order of the text, each as often as it stands
// there.
func usesOf(p *vm.Program) []string {
	type use struct {
		at   int
		name string
	}
	var uses []use
	for _, v := range p.Variables() {
		for _, u := range v.Uses {
			uses = append(uses, use{u.Offset, v.Name})
		}
	}
	sort.SliceStable(uses, func(i, j int) bool { return uses[i].at < uses[j].at })
	names := []string{}
	for _, u := range uses {
		names = append(names, u.name)
	}
	return names
}

// loadPrompts loads prompts as a document of their version.
func loadPrompts(prompts vm.Value, version string, opts ...compiler.Option) (*prompt.Set, error) {
	key := "prompts"
	if version == "v0.4.0" {
		key = "Prompts"
	}
	opts = append(opts, compiler.WithAgentForgeVersion(version))
	return prompt.LoadText("agent.json", yamlOf(mapOf(key, prompts)), nil, opts...)
}

// onlyPrompts drops what render_prompts passes over.
func onlyPrompts(prompts vm.Value) vm.Value {
	m := vm.NewMap(2)
	for _, key := range []string{"system", "user", "System", "User"} {
		if has(prompts, key) {
			m.Set(key, field(prompts, key))
		}
	}
	return vm.MapOf(m)
}

func renderPrompts(s *prompt.Set, data vm.Value, capital bool) seedResult {
	ms, res := chatOf(s, data)
	if res.err != nil {
		return res
	}
	out := map[string]any{"system": "", "user": ""}
	for _, m := range ms {
		out[m.Role] = m.Content
	}
	if capital {
		named := map[string]any{}
		for k, v := range out {
			named[strings.ToUpper(k[:1])+k[1:]] = v
		}
		out = named
	}
	return value(out)
}
