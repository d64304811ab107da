package engine

import (
	"encoding/json"

	"github.com/pcc-lang/pcc/bench/workload"
	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/vm"
)

// pcc are the ways to call PCC.
func pcc() []*Engine {
	native := func(src string) (*vm.Program, error) { return compiler.Compile(src) }
	brace := func(src string) (*vm.Program, error) {
		return compiler.Compile(src, compiler.WithSyntax("brace"))
	}
	jinja := func(src string) (*vm.Program, error) {
		return compiler.Compile(src, compiler.WithSyntax("jinja"))
	}
	fresh := func(p *vm.Program, s *workload.Set) (string, error) { return p.Render(s.Map) }
	return []*Engine{
		compiled(&Engine{Name: "PCC, map data"}, []string{"brace"}, "", native, fresh),
		compiled(&Engine{Name: "PCC, syntax given", CompileOnly: true}, []string{"brace"}, "", brace, fresh),
		pccReused(native),
		ofStructs(again(compiled(&Engine{Name: "PCC, struct data"}, []string{"brace"}, "", native,
			func(p *vm.Program, s *workload.Set) (string, error) { return p.Render(s.Struct) }))),
		pccDecoded(native),
		compiled(&Engine{Name: "PCC in Jinja, map data"}, []string{"jinja"}, "", jinja, fresh),
	}
}

// pccReused appends to a buffer that it keeps.
func pccReused(compile func(string) (*vm.Program, error)) *Engine {
	type kept struct {
		program *vm.Program
		buf     []byte
	}
	return again(reusing(compiled(&Engine{Name: "PCC, map data, reused buffer"}, []string{"brace"}, "",
		func(src string) (*kept, error) {
			p, err := compile(src)
			return &kept{program: p}, err
		},
		func(k *kept, s *workload.Set) (string, error) {
			var err error
			k.buf, err = k.program.AppendTo(k.buf[:0], s.Map)
			return asString(k.buf), err
		})))
}

// pccDecoded renders what PCC's own JSON decoder makes, as the command line
// does: maps that keep the order of their keys.
func pccDecoded(compile func(string) (*vm.Program, error)) *Engine {
	return &Engine{Name: "PCC, data of its own JSON decoder", Prepare: func(w *workload.Workload) (Render, error) {
		src, err := source(w, []string{"brace"}, "")
		if err != nil {
			return nil, err
		}
		p, err := compile(src)
		if err != nil {
			return nil, err
		}
		data := make([]vm.Value, len(w.Sets))
		for i, s := range w.Sets {
			b, err := json.Marshal(s.Map)
			if err != nil {
				return nil, err
			}
			if data[i], err = vm.DecodeJSON(b, vm.DecodeOptions{}); err != nil {
				return nil, err
			}
		}
		return func(i int) (string, error) {
			m, _ := data[i].Map()
			return p.Render(m)
		}, nil
	}}
}

// again takes an engine out of the compile tables: it compiles as another does.
func again(e *Engine) *Engine {
	e.Compile = nil
	return e
}

// ofStructs refuses workloads that have no struct form.
func ofStructs(e *Engine) *Engine {
	prepare := e.Prepare
	e.Prepare = func(w *workload.Workload) (Render, error) {
		if w.Sets[0].Struct == nil {
			return nil, &UnsupportedError{Reason: "the data has no struct form"}
		}
		return prepare(w)
	}
	return e
}
