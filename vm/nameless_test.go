package vm_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/vm"
)

// TestNameless: data in which no name can be found is told as such, whether the
// template declares its variables or not.
func TestNameless(t *testing.T) {
	type key string
	for src, program := range map[string]*vm.Program{"plain": mustCompile(t, "{{ x }}"), "contract": mustCompile(t, "---\nvariables:\n  x: {type: string}\n---\n{{ x }}")} {
		for name, data := range map[string]any{
			"map[int]string": map[int]string{1: "a"}, "map[bool]any": map[bool]any{true: 1}, "raw": json.RawMessage(`["x"]`),
			"bytes": []byte(`{"x": "y"}`), "list": []int{1}, "text": "x", "number": 3, "pointer": &map[int]string{1: "a"},
		} {
			_, err := program.Render(data)
			if !errors.Is(err, &diag.Diagnostic{Code: "PCC309"}) {
				t.Errorf("%s, %s: %v", src, name, err)
			}
		}
		for name, data := range map[string]any{"map[string]string": map[string]string{"x": "y"}, "named keys": map[key]any{"x": "y"},
			"any keys": map[any]any{"x": "y"}, "struct": struct {
				X string `json:"x"`
			}{"y"}, "raw": json.RawMessage(`{"x": "y"}`)} {
			if s, err := program.Render(data); s != "y" || err != nil {
				t.Errorf("%s, %s: %q, %v", src, name, s, err)
			}
		}
	}
}

func mustCompile(t *testing.T, src string) *vm.Program {
	t.Helper()
	p, err := compiler.Compile(src, compiler.WithSyntax("brace"))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestMissingOptional: variables that are declared as optional are not missing.
func TestMissingOptional(t *testing.T) {
	p := mustCompile(t, "---\nvariables:\n  a: {type: string}\n  b: {type: map, required: false}\n  c: {type: string, default: x}\n---\n{a}{b.x}{b}{c}")
	if got := p.Missing(map[string]any{}); len(got) != 1 || got[0] != "a" {
		t.Errorf("got %q", got)
	}
}

// TestRenderToContext: a context and options hold for renders to a writer, and
// nothing is written where they end the render.
func TestRenderToContext(t *testing.T) {
	p := mustCompile(t, "{loop xs as x}{x}{/loop}")
	data := map[string]any{"xs": make([]any, 5000)}
	var w bytes.Buffer
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := p.RenderToContext(ctx, &w, data); !errors.Is(err, context.Canceled) || w.Len() > 0 {
		t.Errorf("cancelled: %v, %d bytes", err, w.Len())
	}
	if err := p.RenderToContext(context.Background(), &w, data, vm.WithLimits(vm.Limits{Iterations: 10})); !errors.Is(err, &diag.Diagnostic{Code: "PCC908"}) || w.Len() > 0 {
		t.Errorf("limited: %v, %d bytes", err, w.Len())
	}
	q := mustCompile(t, "Hi {name} <|im_{name}")
	for _, opts := range [][]vm.RenderOption{nil, {vm.WithSegments()}} {
		w.Reset()
		if err := q.RenderToContext(context.Background(), &w, map[string]any{"name": "Ada"}, opts...); err != nil || w.String() != "Hi Ada <|im_Ada" {
			t.Errorf("%q, %v", w.String(), err)
		}
	}
}
