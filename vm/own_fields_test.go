package vm_test

import (
	"bytes"
	"context"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/vm"
)

// TestOwnTypesInFields renders structs that hold vm's own types, by value and by
// pointer: the text is the same each time, by all ways, and never shows the
// fields of the Go types.
func TestOwnTypesInFields(t *testing.T) {
	m := vm.NewMap(1)
	m.Set("k", vm.String("v"))
	l := &vm.List{Items: []vm.Value{vm.String("a")}}
	for _, x := range []any{m, l, *l, &vm.Tuple{Items: l.Items}, vm.String("s"), vm.ListOf(l.Items), (*vm.Map)(nil), (*vm.List)(nil), []vm.Message{{Role: "user"}}, []*vm.List{l}, struct{ In *vm.List }{l}} {
		st := reflect.StructOf([]reflect.StructField{{Name: "X", Type: reflect.TypeOf(x)}})
		data := reflect.New(st)
		data.Elem().Field(0).Set(reflect.ValueOf(x))
		for _, src := range []string{"{{ X.Items|default('none') }}", "{{ X.Frozen|default('none') }}", "{{ X.Names|default('none') }}", "{{ X.Next|default('none') }}", "{{ X.k|default('none') }}", "{{ X.frozen|default('none') }}"} {
			p, err := compiler.Compile(src, compiler.WithSyntax("jinja"))
			if err != nil {
				t.Fatal(err)
			}
			want, wantErr := p.Render(data.Interface())
			if (wantErr != nil) || want != "none" && src != "{{ X.k|default('none') }}" {
				t.Errorf("%s of %T: %q, %v", src, x, want, wantErr)
			}
			check := func(how, got string, err error) {
				if got != want || (err == nil) != (wantErr == nil) {
					t.Errorf("%s of %T, %s: %q, %v, first %q", src, x, how, got, err, want)
				}
			}
			for range 3 {
				got, err := p.Render(data.Interface())
				check("again", got, err)
			}
			got, err := p.Render(data.Elem().Interface())
			check("by value", got, err)
			b, err := p.AppendTo(nil, data.Interface())
			check("AppendTo", string(b), err)
			if r, err := p.Report(context.Background(), data.Interface()); err != nil {
				check("Report", "", err)
			} else {
				check("Report", r.Text, nil)
			}
		}
	}
}

// TestFailedAppendLeavesNothing looks behind the buffer's length after a render
// that fails at its end.
func TestFailedAppendLeavesNothing(t *testing.T) {
	p, err := compiler.Compile("{{ secret }} {{ missing.x }}", compiler.WithSyntax("jinja"))
	if err != nil {
		t.Fatal(err)
	}
	type data struct {
		Secret string `json:"secret"`
	}
	for _, x := range []any{map[string]any{"secret": "hunter2"}, &data{"hunter2"}} {
		for _, room := range []int{10, 12, 64, 4096} {
			for range 3 {
				dst := append(make([]byte, 0, room), "before"...)
				got, err := p.AppendTo(dst, x)
				if err == nil || string(got) != "before" {
					t.Fatalf("%q, %v", got, err)
				}
				if rest := dst[len(dst):cap(dst)]; len(bytes.Trim(rest, "\x00")) > 0 {
					t.Errorf("%T, room %d: %q stays", x, room, rest)
				}
			}
		}
	}
}

// TestVerifyWhileRendering is for the race detector: Verify only reads.
func TestVerifyWhileRendering(t *testing.T) {
	p := mustCompile(t, "{a.b} {c}")
	var wg sync.WaitGroup
	for range 4 {
		wg.Add(2)
		go func() {
			defer wg.Done()
			p.Render(map[string]any{"a": map[string]any{"b": 1}, "c": strings.Repeat("x", 9)})
		}()
		go func() {
			defer wg.Done()
			if err := p.Verify(); err != nil {
				t.Error(err)
			}
		}()
	}
	wg.Wait()
}
