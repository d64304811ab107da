package engine

import (
	"bytes"
	"strings"

	"github.com/CloudyKit/jet/v6"
	"github.com/aymerick/raymond"
	"github.com/cbroglie/mustache"
	"github.com/osteele/liquid"
	"github.com/pcc-lang/pcc/bench/workload"
)

func jetEngine() *Engine {
	set := jet.NewSet(jet.NewInMemLoader(), jet.WithSafeWriter(nil))
	set.AddGlobal("trim", strings.TrimSpace)
	return compiled(&Engine{Name: "jet v6"}, []string{"jet"}, "",
		func(src string) (*jet.Template, error) { return set.Parse("t", src) },
		func(t *jet.Template, s *workload.Set) (string, error) {
			var b bytes.Buffer
			err := t.Execute(&b, nil, s.Map)
			return b.String(), err
		})
}

func mustacheEngine() *Engine {
	helpers := map[string]any{
		"trim": func(text string, render mustache.RenderFunc) (string, error) {
			s, err := render(text)
			return strings.TrimSpace(s), err
		},
	}
	return compiled(&Engine{Name: "mustache (cbroglie)"}, []string{"mustache"}, "no comparisons",
		func(src string) (*mustache.Template, error) { return mustache.ParseString(src) },
		func(t *mustache.Template, s *workload.Set) (string, error) { return t.Render(s.Map, helpers) })
}

func handlebars() *Engine {
	helpers := map[string]any{
		"trim": strings.TrimSpace,
		"is": func(a, b string, options *raymond.Options) string {
			if a == b {
				return options.Fn()
			}
			return options.Inverse()
		},
	}
	return compiled(&Engine{Name: "raymond (Handlebars)"}, []string{"handlebars"}, "",
		func(src string) (*raymond.Template, error) {
			t, err := raymond.Parse(src)
			if err == nil {
				t.RegisterHelpers(helpers)
			}
			return t, err
		},
		func(t *raymond.Template, s *workload.Set) (string, error) { return t.Exec(s.Map) })
}

func liquidEngine() *Engine {
	engine := liquid.NewEngine()
	return compiled(&Engine{Name: "liquid (osteele)"}, []string{"liquid"}, "",
		func(src string) (*liquid.Template, error) {
			t, err := engine.ParseString(src)
			if err != nil { // a nil SourceError must not become a non-nil error
				return nil, err
			}
			return t, nil
		},
		func(t *liquid.Template, s *workload.Set) (string, error) {
			out, err := t.RenderString(s.Map)
			if err != nil {
				return "", err
			}
			return out, nil
		})
}
