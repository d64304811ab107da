package engine

import (
	"strings"
	"unsafe"

	"github.com/pcc-lang/pcc/bench/handwritten"
	"github.com/pcc-lang/pcc/bench/workload"
)

// handwrittenMaps are the renderers of package handwritten by workload.
var handwrittenMaps = map[string]func([]byte, map[string]any) []byte{
	"W1": handwritten.GreetingMap,
	"W2": handwritten.AgentMap,
	"W3": handwritten.ChatMap,
	"W4": handwritten.ExamplesMap,
	"W5": handwritten.DocumentMap,
	"W6": handwritten.TreeMap,
}

// handwrittenStructs are the renderers for data in structs.
var handwrittenStructs = map[string]func([]byte, any) []byte{
	"W1": ofStruct(handwritten.GreetingStruct),
	"W2": ofStruct(handwritten.AgentStruct),
	"W3": ofStruct(handwritten.ChatStruct),
	"W4": ofStruct(handwritten.ExamplesStruct),
	"W5": ofStruct(handwritten.DocumentStruct),
	"W6": ofStruct(handwritten.TreeStruct),
}

func ofStruct[T any](f func([]byte, *T) []byte) func([]byte, any) []byte {
	return func(b []byte, data any) []byte { return f(b, data.(*T)) }
}

// asString is the one string that shares b's memory, so that a renderer that
// makes a buffer of its own needs no second allocation.
func asString(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// outputs renders all sets of a workload by hand. Their lengths are what the
// floor is told beforehand.
func outputs(w *workload.Workload) ([]string, error) {
	f, err := written(handwrittenMaps, w)
	if err != nil {
		return nil, err
	}
	out := make([]string, len(w.Sets))
	for i := range w.Sets {
		out[i] = string(f(nil, w.Sets[i].Map))
	}
	return out, nil
}

// uncleared returns an empty buffer that holds n bytes and that the runtime
// has not filled with zeros.
func uncleared(n int) []byte {
	var b strings.Builder
	b.Grow(n)
	return unsafe.Slice(unsafe.StringData(b.String()), b.Cap())[:0]
}

func cleared(n int) []byte { return make([]byte, 0, n) }

// floors are the hand-written renderers. They are given the exact length of
// each output, which no engine is.
func floors() []*Engine {
	return []*Engine{
		floor("memcpy of the output", func(w *workload.Workload, want []string) Render {
			return func(i int) (string, error) {
				return asString(append(cleared(len(want[i])), want[i]...)), nil
			}
		}),
		floor(Baseline, func(w *workload.Workload, want []string) Render {
			f, n := handwrittenMaps[w.Name], lengths(want)
			return func(i int) (string, error) { return asString(f(cleared(n[i]), w.Sets[i].Map)), nil }
		}),
		floor("hand-written, map data, uncleared buffer", func(w *workload.Workload, want []string) Render {
			f, n := handwrittenMaps[w.Name], lengths(want)
			return func(i int) (string, error) { return asString(f(uncleared(n[i]), w.Sets[i].Map)), nil }
		}),
		reusing(floor("hand-written, map data, reused buffer", func(w *workload.Workload, want []string) Render {
			f := handwrittenMaps[w.Name]
			var buf []byte
			return func(i int) (string, error) {
				buf = f(buf[:0], w.Sets[i].Map)
				return asString(buf), nil
			}
		})),
		floor("hand-written, struct data", func(w *workload.Workload, want []string) Render {
			f, n := handwrittenStructs[w.Name], lengths(want)
			return func(i int) (string, error) { return asString(f(cleared(n[i]), w.Sets[i].Struct)), nil }
		}),
	}
}

// floor makes an engine of a function that is told the outputs.
func floor(name string, render func(w *workload.Workload, want []string) Render) *Engine {
	return &Engine{Name: name, Prepare: func(w *workload.Workload) (Render, error) {
		want, err := outputs(w)
		if err != nil {
			return nil, err
		}
		return render(w, want), nil
	}}
}

func reusing(e *Engine) *Engine {
	e.Reuses = true
	return e
}

// lengths keeps no output alive, so that the collector has no more to do than
// in a program that renders.
func lengths(want []string) []int {
	n := make([]int, len(want))
	for i, s := range want {
		n[i] = len(s)
	}
	return n
}
