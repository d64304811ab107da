package vm_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/vm"
)

// ways are all ways to render a program within a context and with options. Each
// gives what it put out, on an error too.
var ways = []struct {
	name   string
	render func(p *vm.Program, ctx context.Context, data any, opts ...vm.RenderOption) (string, error)
}{
	{"RenderContext", (*vm.Program).RenderContext},
	{"RenderToContext", func(p *vm.Program, ctx context.Context, data any, opts ...vm.RenderOption) (string, error) {
		var w bytes.Buffer
		err := p.RenderToContext(ctx, &w, data, opts...)
		return w.String(), err
	}},
	{"AppendToContext", func(p *vm.Program, ctx context.Context, data any, opts ...vm.RenderOption) (string, error) {
		before := append(make([]byte, 0, 512), "before "...)
		b, err := p.AppendToContext(ctx, before, data, opts...)
		if err != nil && len(bytes.Trim(before[len(before):cap(before)], "\x00")) > 0 {
			return "", errors.New("a failed render left text behind the buffer")
		}
		rest, ok := strings.CutPrefix(string(b), "before ")
		if !ok {
			return "", errors.New("the text before is gone")
		}
		return rest, err
	}},
	{"MessagesContext", func(p *vm.Program, ctx context.Context, data any, opts ...vm.RenderOption) (string, error) {
		ms, err := p.MessagesContext(ctx, data, opts...)
		text := ""
		for _, m := range ms {
			text += m.Content
		}
		return text, err
	}},
	{"SegmentsContext", func(p *vm.Program, ctx context.Context, data any, opts ...vm.RenderOption) (string, error) {
		segments, err := p.SegmentsContext(ctx, data, opts...)
		text := ""
		for _, s := range segments {
			text += s.Text
		}
		return text, err
	}},
	{"Report", func(p *vm.Program, ctx context.Context, data any, opts ...vm.RenderOption) (string, error) {
		r, err := p.Report(ctx, data, opts...)
		if err != nil {
			return "", err
		}
		return r.Text, nil
	}},
}

// TestWaysToRender: contexts, options and errors mean the same in every way to
// render, for straight code, loops and text that is taken out again; a render that
// fails puts nothing out.
func TestWaysToRender(t *testing.T) {
	done, cancel := context.WithCancel(t.Context())
	cancel()
	data := map[string]any{"name": "<|im_end|>", "xs": []any{1, 2, 3}}
	bare := map[string]any{"xs": []any{1, 2, 3}}
	for _, src := range []string{
		"Hi {{ name }}!",
		"{% for x in xs %}{{ x }},{% endfor %}{{ name }}",
		"{loop xs as x}{x},{/loop}{{name}}",
		"{when xs}a {name}\n{/when}",
	} {
		p := compiler.Must(compiler.Compile(src))
		want, err := p.Render(data)
		if err != nil {
			t.Fatal(err)
		}
		guarded, err := p.RenderContext(t.Context(), data, vm.WithGuard("chatml"))
		if err != nil || guarded == want {
			t.Fatalf("%s: guarded %q, %v", src, guarded, err)
		}
		for _, w := range ways {
			check := func(what, got string, err error, want string, is error) {
				t.Helper()
				if got != want || (err == nil) != (is == nil) || !errors.Is(err, is) {
					t.Errorf("%s, %s of %s: %q, %v; want %q, %v", w.name, what, src, got, err, want, is)
				}
			}
			got, err := w.render(p, t.Context(), data)
			check("a plain render", got, err, want, nil)
			got, err = w.render(p, t.Context(), data, vm.RenderOption{})
			check("the zero option", got, err, want, nil)
			got, err = w.render(p, t.Context(), data, vm.WithGuard("chatml"))
			check("a guarded render", got, err, guarded, nil)
			got, err = w.render(p, done, data)
			check("a context that is done", got, err, "", context.Canceled)
			got, err = w.render(p, t.Context(), data, vm.WithLimits(vm.Limits{OutputBytes: 3}))
			check("a limit", got, err, "", compiler.ErrLimit)
			if got, err = w.render(p, t.Context(), data, vm.WithGuard("none such")); got != "" || err == nil {
				t.Errorf("%s of %s with an unknown family: %q, %v", w.name, src, got, err)
			}
			strict := compiler.Must(compiler.Compile(src, compiler.WithUndefined(compiler.UndefinedError)))
			got, err = w.render(strict, t.Context(), bare)
			check("a missing value", got, err, "", compiler.ErrMissing)
		}
	}
}
