package engine

import (
	"fmt"

	"github.com/pcc-lang/pcc/bench/qtpl"
	"github.com/pcc-lang/pcc/bench/workload"
)

var quicktemplateMaps = map[string]func(map[string]any) string{
	"W1": qtpl.GreetingMap,
	"W2": qtpl.AgentMap,
	"W3": qtpl.ChatMap,
	"W4": qtpl.ExamplesMap,
	"W5": qtpl.DocumentMap,
	"W6": qtpl.TreeMap,
}

// quicktemplateMap is generated Go code that reads maps. Its string functions
// write to a pooled buffer and copy that once.
func quicktemplateMap() *Engine {
	return &Engine{
		Name: "quicktemplate, map data", Group: Peer,
		Prepare: func(w *workload.Workload) (Render, error) {
			f := quicktemplateMaps[w.Name]
			return func(i int) (string, error) { return f(w.Sets[i].Map), nil }, nil
		},
	}
}

// quicktemplateStruct is generated Go code that reads structs.
func quicktemplateStruct() *Engine {
	return &Engine{
		Name: "quicktemplate, struct data", Group: Peer,
		Prepare: func(w *workload.Workload) (Render, error) {
			return func(i int) (string, error) {
				switch d := w.Sets[i].Struct.(type) {
				case *workload.Greeting:
					return qtpl.GreetingStruct(d), nil
				case *workload.Agent:
					return qtpl.AgentStruct(d), nil
				case *workload.Chat:
					return qtpl.ChatStruct(d), nil
				case *workload.Examples:
					return qtpl.ExamplesStruct(d), nil
				case *workload.Document:
					return qtpl.DocumentStruct(d), nil
				case *workload.Tree:
					return qtpl.TreeStruct(d), nil
				}
				return "", fmt.Errorf("no quicktemplate for %T", w.Sets[i].Struct)
			}, nil
		},
	}
}
