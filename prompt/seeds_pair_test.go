package prompt_test

import (
	"encoding/json"
	"testing"

	"github.com/pcc-lang/pcc/prompt"
)

func jsonText(v any) string {
	b, _ := json.Marshal(v)
	return string(b)
}

// runPair runs a row of phronomy.jsonl.
func runPair(t *testing.T, r *seedRow) seedResult {
	in := r.in
	text, ok := field(in, "template").Str()
	if !ok {
		return noCounterpart("a template that is no text")
	}
	if str(in, "keys") == "string" {
		return noCounterpart("Ruby tells symbols from strings")
	}
	var system *string
	if s, ok := field(in, "system_template").Str(); ok {
		system = &s
	}
	p, err := prompt.NewPair(text, system)
	if err != nil {
		return loadError(err)
	}
	arg := field(in, "arg")
	text2 := func(s string, err error) seedResult {
		if err != nil {
			return fails(err)
		}
		return value(s)
	}
	switch call := str(in, "call"); call {
	case "format":
		return text2(p.Format(arg))
	case "format_system":
		s, err := p.FormatSystem(arg)
		if err != nil {
			return fails(err)
		}
		if s == nil {
			return value(nil)
		}
		return value(*s)
	case "invoke":
		out, err := p.Invoke(arg)
		if err != nil {
			return fails(err)
		}
		return value(out)
	case "variables":
		names := p.Variables()
		if names == nil {
			names = []string{}
		}
		return value(names)
	case "batch":
		inputs := []any{}
		if l, ok := arg.List(); ok {
			for _, v := range l.Items {
				inputs = append(inputs, v)
			}
		}
		out, err := p.Batch(background, inputs)
		if err != nil {
			return fails(err)
		}
		return value(out)
	case "stream":
		out := []*prompt.PairResult{}
		for r, err := range p.Stream(background, arg) {
			if err != nil {
				return fails(err)
			}
			out = append(out, r)
		}
		return value(map[string]any{"chunks": out, "result": out[len(out)-1]})
	case "instructions":
		vars := any(arg)
		if s, ok := arg.Str(); ok {
			vars = map[string]any{"input": s}
		}
		if s, err := p.FormatSystem(vars); s != nil || err != nil {
			if err != nil {
				return fails(err)
			}
			return value(*s)
		}
		return text2(p.Format(vars))
	case "trace":
		return noCounterpart("the trace hook has another shape")
	default:
		t.Errorf("%s: unknown call %q", r.id, call)
	}
	return seedResult{}
}
