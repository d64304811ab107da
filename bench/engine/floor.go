package engine

import (
	"fmt"
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

// handwrittenStruct calls the struct renderer of the workload's type.
func handwrittenStruct(b []byte, data any) []byte {
	switch d := data.(type) {
	case *workload.Greeting:
		return handwritten.GreetingStruct(b, d)
	case *workload.Agent:
		return handwritten.AgentStruct(b, d)
	case *workload.Chat:
		return handwritten.ChatStruct(b, d)
	case *workload.Examples:
		return handwritten.ExamplesStruct(b, d)
	case *workload.Document:
		return handwritten.DocumentStruct(b, d)
	case *workload.Tree:
		return handwritten.TreeStruct(b, d)
	}
	panic(fmt.Sprintf("no hand-written renderer for %T", data))
}

// asString is the one string that shares b's memory, so that a renderer that
// makes a buffer of its own needs no second allocation.
func asString(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// outputs renders all sets of a workload by hand; their lengths are what the
// floor is told beforehand.
func outputs(w *workload.Workload) []string {
	out := make([]string, len(w.Sets))
	for i := range w.Sets {
		out[i] = string(handwrittenMaps[w.Name](nil, w.Sets[i].Map))
	}
	return out
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
	byMap := func(w *workload.Workload, buffer func(int) []byte) Render {
		want, f := outputs(w), handwrittenMaps[w.Name]
		return func(i int) (string, error) {
			return asString(f(buffer(len(want[i])), w.Sets[i].Map)), nil
		}
	}
	return []*Engine{
		{
			Name: "memcpy of the output",
			Prepare: func(w *workload.Workload) (Render, error) {
				want := outputs(w)
				return func(i int) (string, error) {
					return asString(append(cleared(len(want[i])), want[i]...)), nil
				}, nil
			},
		},
		{
			Name: Baseline,
			Prepare: func(w *workload.Workload) (Render, error) {
				return byMap(w, cleared), nil
			},
		},
		{
			Name: "hand-written, map data, uncleared buffer",
			Prepare: func(w *workload.Workload) (Render, error) {
				return byMap(w, uncleared), nil
			},
		},
		{
			Name:   "hand-written, map data, reused buffer",
			Reuses: true,
			Prepare: func(w *workload.Workload) (Render, error) {
				f := handwrittenMaps[w.Name]
				var buf []byte
				return func(i int) (string, error) {
					buf = f(buf[:0], w.Sets[i].Map)
					return asString(buf), nil
				}, nil
			},
		},
		{
			Name: "hand-written, struct data",
			Prepare: func(w *workload.Workload) (Render, error) {
				want := outputs(w)
				return func(i int) (string, error) {
					return asString(handwrittenStruct(cleared(len(want[i])), w.Sets[i].Struct)), nil
				}, nil
			},
		},
	}
}
