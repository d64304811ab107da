package compiler_test

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/prompt"
	"github.com/pcc-lang/pcc/vm"
)

// hostFailure is an error of the host program's own.
type hostFailure struct{ id int }

func (hostFailure) Error() string { return "the ledger is closed" }

// What led to an error is found by errors.Is and errors.As, through the list.
func TestCauses(t *testing.T) {
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	long := make([]any, 5000)
	for name, c := range map[string]struct {
		run  func() error
		want func(error) bool
	}{
		"cancelled context": {func() error {
			p := compile(t, "{loop xs as x}{{ x }}{/loop}")
			_, err := p.RenderContext(cancelled, map[string]any{"xs": long})
			return err
		}, func(err error) bool { return errors.Is(err, context.Canceled) }},
		"filter": {func() error {
			p := compile(t, "{{ x|ledger }}", compiler.WithFilter("ledger", func(string) (string, error) { return "", hostFailure{7} }))
			_, err := p.Render(map[string]any{"x": "a"})
			return err
		}, func(err error) bool {
			var f hostFailure
			return errors.As(err, &f) && f.id == 7
		}},
		"diagnostic of another program in a filter": {func() error {
			inner := compile(t, "{{ y }}")
			p := compile(t, "{{ x|nested }}", compiler.WithFilter("nested", func(string) (string, error) { return inner.Render(nil) }))
			_, err := p.Render(map[string]any{"x": "a"})
			return err
		}, func(err error) bool {
			var d *diag.Diagnostic
			return errors.As(err, &d) && d.Code == "PCC325" && errors.Is(err, &diag.Diagnostic{Code: "PCC301"})
		}},
		"template file": {func() error {
			_, err := compiler.CompileFile("testdata/there/is/none.md")
			return err
		}, func(err error) bool { return errors.Is(err, fs.ErrNotExist) }},
		"include": {func() error {
			_, err := compiler.Compile(`{include "none.md"}`, compiler.WithFS(fstest.MapFS{}))
			return err
		}, func(err error) bool { return errors.Is(err, fs.ErrNotExist) }},
		"document": {func() error {
			_, err := prompt.Load(fstest.MapFS{}, "none.yaml")
			return err
		}, func(err error) bool { return errors.Is(err, fs.ErrNotExist) }},
		"file of a document": {func() error {
			_, err := prompt.Load(fstest.MapFS{"a.yaml": {Data: []byte("messages: [{user: {file: none.md}}]")}}, "a.yaml")
			return err
		}, func(err error) bool { return errors.Is(err, fs.ErrNotExist) }},
		"folder": {func() error {
			_, err := prompt.LoadDir(fstest.MapFS{}, "none")
			return err
		}, func(err error) bool {
			return errors.Is(err, fs.ErrNotExist) && strings.Contains(err.Error(), `"none"`)
		}},
	} {
		err := c.run()
		if err == nil || !c.want(err) {
			t.Errorf("%s: %v", name, err)
		}
		if l, ok := err.(diag.List); !ok || len(l) == 0 {
			t.Errorf("%s: the error is a %T, not a list", name, err)
		}
	}
}

// Data without names is refused with its Go type; none at all is no data.
func TestDataWithoutNames(t *testing.T) {
	p := compile(t, "a{x}")
	chat := compile(t, `{message user}Hi{/message}`)
	type named []string
	for _, c := range []struct {
		data any
		want string
	}{
		{3, "an int"}, {"s", "a string"}, {true, "a bool"}, {2.5, "a number"}, {[]byte(`{"x": 1}`), "[]uint8"}, {json.RawMessage(`[1]`), "this is a list"},
		{[]int{}, "[]int"}, {named{"a"}, "named"}, {vm.ListOf(nil), "this is a list"}, {make(chan int), "chan int"},
	} {
		_, err := p.Render(c.data)
		if !errors.Is(err, &diag.Diagnostic{Code: "PCC309"}) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%T: %v", c.data, err)
		}
		if _, err := chat.Messages(c.data); !errors.Is(err, &diag.Diagnostic{Code: "PCC309"}) {
			t.Errorf("%T: messages: %v", c.data, err)
		}
		var d *diag.Diagnostic
		_, isBytes := c.data.([]byte)
		if errors.As(err, &d) && (isBytes && !strings.Contains(d.Help, "vm.DecodeJSON")) {
			t.Errorf("%T: help %q", c.data, d.Help)
		}
	}
	var none *struct{ X int }
	for _, data := range []any{nil, map[string]any{}, map[string]int{}, vm.NewMap(0), vm.Null, none, struct{}{}, &struct{}{}} {
		if got, err := p.Render(data); err != nil || got != "a{x}" {
			t.Errorf("%T: %q, %v", data, got, err)
		}
	}
}
