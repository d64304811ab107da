package engine

import (
	"strings"
	"text/template"

	"github.com/pcc-lang/pcc/bench/workload"
)

var goTextFuncs = template.FuncMap{"trim": strings.TrimSpace}

func goText() *Engine {
	return compiled(&Engine{Name: "text/template"}, []string{"gotext"}, "",
		func(src string) (*template.Template, error) {
			return template.New("").Funcs(goTextFuncs).Parse(src)
		},
		func(t *template.Template, s *workload.Set) (string, error) {
			var b strings.Builder
			err := t.Execute(&b, s.Map)
			return b.String(), err
		})
}
