package engine

import (
	"strings"
	"sync"

	"github.com/flosch/pongo2/v6"
	"github.com/nikolalohinski/gonja/v2"
	gonjaexec "github.com/nikolalohinski/gonja/v2/exec"
	"github.com/pcc-lang/pcc/bench/workload"
)

// pongoSetup turns off escaping and adds a filter, which pongo2 can do for the
// whole process only.
var pongoSetup = sync.OnceValue(func() error {
	pongo2.SetAutoescape(false)
	return pongo2.RegisterFilter("trim", func(in, _ *pongo2.Value) (*pongo2.Value, *pongo2.Error) {
		return pongo2.AsValue(strings.TrimSpace(in.String())), nil
	})
})

// pongo speaks Django's language: the same as Jinja's on most workloads, with
// filters of its own on W2.
func pongo() *Engine {
	return compiled(&Engine{Name: "pongo2 v6"}, []string{"pongo2", "jinja"}, "",
		func(src string) (*pongo2.Template, error) {
			if err := pongoSetup(); err != nil {
				return nil, err
			}
			return pongo2.FromString(src)
		},
		func(t *pongo2.Template, s *workload.Set) (string, error) { return t.Execute(s.Map) })
}

func gonjaEngine() *Engine {
	return compiled(&Engine{Name: "gonja v2"}, []string{"jinja"}, "",
		func(src string) (*gonjaexec.Template, error) { return gonja.FromString(src) },
		func(t *gonjaexec.Template, s *workload.Set) (string, error) {
			return t.ExecuteToString(gonjaexec.NewContext(s.Map))
		})
}
