package engine

import (
	"github.com/pcc-lang/pcc/bench/qtpl"
	"github.com/pcc-lang/pcc/bench/workload"
	"github.com/valyala/bytebufferpool"
	"github.com/valyala/quicktemplate"
)

var quicktemplateMaps = map[string]func(map[string]any) string{
	"W1": qtpl.GreetingMap,
	"W2": qtpl.AgentMap,
	"W3": qtpl.ChatMap,
	"W4": qtpl.ExamplesMap,
	"W5": qtpl.DocumentMap,
	"W6": qtpl.TreeMap,
}

var quicktemplateStructs = map[string]func(any) string{
	"W1": fromStruct(qtpl.GreetingStruct),
	"W2": fromStruct(qtpl.AgentStruct),
	"W3": fromStruct(qtpl.ChatStruct),
	"W4": fromStruct(qtpl.ExamplesStruct),
	"W5": fromStruct(qtpl.DocumentStruct),
	"W6": fromStruct(qtpl.TreeStruct),
}

func fromStruct[T any](f func(*T) string) func(any) string {
	return func(data any) string { return f(data.(*T)) }
}

var quicktemplateStreams = map[string]func(*quicktemplate.Writer, map[string]any){
	"W1": qtpl.StreamGreetingMap,
	"W2": qtpl.StreamAgentMap,
	"W3": qtpl.StreamChatMap,
	"W4": qtpl.StreamExamplesMap,
	"W5": qtpl.StreamDocumentMap,
	"W6": qtpl.StreamTreeMap,
}

// quicktemplateMap is generated Go code that reads maps. Its string functions
// write to a pooled buffer and copy that once.
func quicktemplateMap() *Engine {
	return &Engine{Name: "quicktemplate, map data", Prepare: func(w *workload.Workload) (Render, error) {
		f, err := written(quicktemplateMaps, w)
		return func(i int) (string, error) { return f(w.Sets[i].Map), nil }, err
	}}
}

// quicktemplateStruct is generated Go code that reads structs.
func quicktemplateStruct() *Engine {
	return &Engine{Name: "quicktemplate, struct data", Prepare: func(w *workload.Workload) (Render, error) {
		f, err := written(quicktemplateStructs, w)
		return func(i int) (string, error) { return f(w.Sets[i].Struct), nil }, err
	}}
}

// quicktemplateReused writes into a buffer that it keeps.
func quicktemplateReused() *Engine {
	return reusing(&Engine{Name: "quicktemplate, map data, reused buffer", Prepare: func(w *workload.Workload) (Render, error) {
		f, err := written(quicktemplateStreams, w)
		var buf bytebufferpool.ByteBuffer
		return func(i int) (string, error) {
			buf.Reset()
			qw := quicktemplate.AcquireWriter(&buf)
			f(qw, w.Sets[i].Map)
			quicktemplate.ReleaseWriter(qw)
			return asString(buf.B), nil
		}, err
	}})
}
