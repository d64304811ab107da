package prompt_test

import (
	"context"
	"errors"
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/chat"
	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/prompt"
	"github.com/pcc-lang/pcc/vm"
)

// TestOptionsMayBeNil: callers choose options by conditions, and leave nil what they
// do not choose.
func TestOptionsMayBeNil(t *testing.T) {
	files := fstest.MapFS{"a.md": {Data: []byte("hi")}, "a.yaml": {Data: []byte("messages:\n- user: hi\n")}, "a.jinja": {Data: []byte("hi")}}
	pair, err := prompt.NewPair("hi", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]func() error{
		"Compile":         func() error { _, err := compiler.Compile("hi", nil, compiler.WithStrict(), nil); return err },
		"Check":           func() error { return compiler.Check("hi", nil).Err() },
		"CompileFile":     func() error { _, err := compiler.CompileFile("a.md", compiler.WithFS(files), nil); return err },
		"CompileSource":   func() error { _, err := compiler.CompileSource(nil, nil); return err },
		"WithDefaults":    func() error { _, err := compiler.Compile("hi", compiler.WithDefaults(nil)); return err },
		"CompileMatching": func() error { _, err := compiler.CompileMatching(files, []string{"*.md"}, nil); return err },
		"ChatTemplate":    func() error { _, err := compiler.ChatTemplate("hi", nil); return err },
		"Undeclared":      func() error { _, err := compiler.Undeclared("hi", nil); return err },
		"Load":            func() error { _, err := prompt.Load(files, "a.yaml", nil); return err },
		"LoadDir":         func() error { _, err := prompt.LoadDir(files, ".", nil); return err },
		"LoadText":        func() error { _, err := prompt.LoadText("a.yaml", "messages:\n- user: hi\n", nil, nil); return err },
		"CheckDocument":   func() error { return prompt.CheckDocument(files, "a.yaml", nil).Err() },
		"NewChat":         func() error { _, err := prompt.NewChat([]vm.Message{{Role: "user"}}, prompt.Spec{}, nil); return err },
		"Batch":           func() error { _, err := pair.Batch(t.Context(), []any{"x"}, nil); return err },
		"Trace":           func() error { _, err := pair.Trace(nil, nil).Invoke("x"); return err },
		"chat.New":        func() error { _, err := chat.New("hi", chat.Config{}, nil); return err },
		"chat.LoadFS":     func() error { _, err := chat.LoadFS(files, "a.jinja", nil, chat.WithCompiler(nil)); return err },
		"render": func() error {
			_, err := compiler.Must(compiler.Compile("hi")).RenderContext(context.Background(), nil, vm.RenderOption{})
			return err
		},
	} {
		if err := f(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestFileSystemsMayBeNil: reading from no file system is an error with a code.
func TestFileSystemsMayBeNil(t *testing.T) {
	var none fs.FS
	for name, f := range map[string]func() error{
		"Load":                  func() error { _, err := prompt.Load(none, "a.yaml"); return err },
		"LoadDir":               func() error { _, err := prompt.LoadDir(none, "."); return err },
		"CheckDocument":         func() error { return prompt.CheckDocument(none, "a.yaml").Err() },
		"CompileFS":             func() error { _, err := compiler.CompileFS(none, "a.md"); return err },
		"CompileMatching":       func() error { _, err := compiler.CompileMatching(none, []string{"*"}); return err },
		"chat.LoadFS":           func() error { _, err := chat.LoadFS(none, "."); return err },
		"chat.LoadFS of a file": func() error { _, err := chat.LoadFS(none, "a.jinja"); return err },
		"an included file": func() error {
			_, err := prompt.LoadText("a.yaml", "messages:\n- user: {file: b.md}\n", none)
			return err
		},
	} {
		err := f()
		var d *diag.Diagnostic
		if err == nil || !errors.As(err, &d) || d.Code == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if v := vm.BigInt(nil); !v.IsNull() {
		t.Errorf("an integer of nil is %v", v)
	}
	if _, err := vm.New(nil); err == nil {
		t.Error("a program without code")
	}
}
