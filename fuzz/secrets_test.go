package fuzz

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/stdlib"
	"github.com/pcc-lang/pcc/vm"
)

// secret is what every text of the data holds in these tests. Diagnostics,
// reports and traces may name variables, types and places, never this.
const secret = "S3CRET-7f3a"

// marked is v with the secret in the place of, or within, every scalar; keys,
// which are names, stay.
func marked(v vm.Value, how func(vm.Value) vm.Value) vm.Value {
	if m, ok := v.Map(); ok {
		out := vm.NewMap(m.Len())
		for i := range m.Len() {
			k, x := m.At(i)
			out.Put(k, marked(x, how))
		}
		return vm.MapOf(out)
	}
	if l, ok := v.List(); ok {
		items := make([]vm.Value, len(l.Items))
		for i, x := range l.Items {
			items[i] = marked(x, how)
		}
		return vm.ListOf(items)
	}
	return how(v)
}

// markings make secrets of scalars such that they get far, or fail early.
var markings = map[string]func(vm.Value) vm.Value{
	"texts longer": func(v vm.Value) vm.Value {
		if s, ok := v.Str(); ok {
			return vm.String(s + secret)
		}
		return v
	},
	"all texts":   func(vm.Value) vm.Value { return vm.String(secret) },
	"all lists":   func(vm.Value) vm.Value { return vm.ListOf([]vm.Value{vm.String(secret)}) },
	"all maps":    func(vm.Value) vm.Value { return vm.Of(map[string]any{"name": secret}) },
	"all structs": func(vm.Value) vm.Value { return vm.Of(&struct{ Name, other string }{secret, secret}) },
	"all errors":  func(vm.Value) vm.Value { return vm.Of(errors.New(secret)) },
}

// disclosures lists where an error or a report shows the secret.
func disclosures(r *vm.Report, err error) (where []string) {
	look := func(what, text string) {
		if strings.Contains(text, secret) {
			where = append(where, fmt.Sprintf("%s: %.300s", what, text))
		}
	}
	var list diag.List
	if err != nil {
		for e := err; e != nil; e = errors.Unwrap(e) {
			look("an error", e.Error())
			look("an error, printed", fmt.Sprintf("%v %+v %#v", e, e, e))
		}
		var d *diag.Diagnostic
		if !errors.As(err, &list) && errors.As(err, &d) {
			list = diag.List{d}
		}
	}
	if r != nil {
		list = append(list, r.Warnings...)
		look("kept placeholders", fmt.Sprintf("%+v", r.Kept))
		look("dropped sections", fmt.Sprintf("%+v", r.Dropped))
	}
	for _, d := range list {
		look(string(d.Code), fmt.Sprint(d.Message, d.Help, d.SpanLabel, d.Trace, d.Names, d.Labels))
		if n := len(d.Error()); n > 4096 {
			where = append(where, fmt.Sprintf("%s: a message of %d bytes", d.Code, n))
		}
	}
	var b bytes.Buffer
	_ = diag.Text(&b, list, diag.TextOptions{})
	_ = diag.JSON(&b, list)
	_ = diag.SARIF(&b, list, diag.SARIFOptions{})
	_ = diag.GitHub(&b, list)
	look("a rendering of the diagnostics", b.String())
	return where
}

// TestSecretsInGoldens renders all golden cases with marked data.
func TestSecretsInGoldens(t *testing.T) {
	failed := 0
	for _, s := range goldens(t) {
		p, err := compileSeed(&s)
		if err != nil {
			continue
		}
		v, err := vm.DecodeJSON([]byte(s.data), vm.DecodeOptions{})
		if err != nil {
			continue
		}
		for name, how := range markings {
			r, err := p.Report(context.Background(), marked(v, how))
			if err != nil {
				failed++
			}
			for _, where := range disclosures(r, err) {
				t.Errorf("%s: %.200q shows data\n%s", name, s.template, where)
			}
		}
	}
	if failed < 200 {
		t.Errorf("only %d renders failed", failed)
	}
}

// TestSecretsInBuiltins calls each filter, test, function and method with
// marked values of all types in all places.
func TestSecretsInBuiltins(t *testing.T) {
	data := map[string]any{
		"s": secret, "l": []any{secret, 1}, "m": map[string]any{"k": secret, "j": 1}, "n": 7, "f": 0.5, "none": nil,
		"e": errors.New(secret), "o": &struct{ A string }{secret}, "b": []byte(secret), "fmt": secret + "%d{x}{0}%(k)s", "num": "12" + secret,
	}
	subjects := slices.Sorted(maps.Keys(data))
	d := stdlib.Jinja()
	failed := 0
	try := func(expr string) {
		p, err := compiler.Compile("{{ "+expr+" }}", compiler.WithSyntax("jinja"), compiler.WithUndefined("error"),
			compiler.WithLimits(vm.Limits{Steps: 100_000, Memory: 1 << 20, OutputBytes: 1 << 20}))
		if err != nil {
			return
		}
		r, err := p.Report(context.Background(), data)
		if err != nil {
			failed++
		}
		for _, where := range disclosures(r, err) {
			t.Errorf("{{ %s }}: %s", expr, where)
		}
	}
	calls := func(of func(x string) string) {
		for _, x := range subjects {
			try(of(x))
			for _, y := range subjects {
				try(of(x) + "(" + y + ")")
				try(of(x) + "(" + y + ", s)")
			}
			try(of(x) + "(s, l, m)")
			try(of(x) + "(**m)")
			try(of(x) + "(*l)")
		}
	}
	for name := range d.Filters {
		calls(func(x string) string { return x + " | " + name })
	}
	for name := range d.Tests {
		calls(func(x string) string { return x + " is " + name })
	}
	for name := range d.Globals {
		for _, x := range subjects {
			try(name + "(" + x + ")")
			try(name + "(" + x + ", s)")
		}
	}
	for _, methods := range d.Methods {
		for name := range methods {
			calls(func(x string) string { return x + "." + name })
		}
	}
	for _, op := range []string{"+", "-", "*", "/", "//", "%", "**", "~", "<", ">=", "in", "not in", "==", "and", "or"} {
		for _, x := range subjects {
			for _, y := range subjects {
				try(x + " " + op + " " + y)
			}
		}
	}
	for _, x := range subjects {
		for _, y := range subjects {
			try(x + "[" + y + "]")
			try(x + "[" + y + ":]")
			try(x + "[:" + y + ":" + y + "]")
		}
		try(x + "()")
		try("-" + x)
		try(x + ".nope.deeper")
	}
	if failed < 2000 {
		t.Errorf("only %d expressions failed", failed)
	}
}

// TestSecretsInHostFunctions fails in functions of the host, with and without
// values in what they panic with. What they return as an error is the host's
// own text, and shown.
func TestSecretsInHostFunctions(t *testing.T) {
	p, err := compiler.Compile("{{ x | bad }}", compiler.WithSyntax("brace"), compiler.WithFilter("bad", func(s string) string { panic(s) }))
	if err != nil {
		t.Fatal(err)
	}
	r, err := p.Report(context.Background(), map[string]any{"x": secret})
	if err == nil {
		t.Fatal("the panic is lost")
	}
	for _, where := range disclosures(r, err) {
		t.Error(where)
	}
}

// TestSecretsInDecoders feeds broken JSON and YAML.
func TestSecretsInDecoders(t *testing.T) {
	for _, s := range []string{
		`{"a": "` + secret + `", "a": 1}`, `{"a": ` + secret + `}`, `{"a": "` + secret, `{"` + secret + `": 1,}`,
		`["` + secret + `" "x"]`, `{"a": "\q` + secret + `"}`, `{"a": "` + secret + "\xff\"}", `"` + secret + `" x`, `1e999` + secret,
	} {
		_, err := vm.DecodeJSON([]byte(s), vm.DecodeOptions{})
		if err == nil {
			t.Errorf("%q is no error", s)
			continue
		}
		if strings.Contains(strings.ReplaceAll(err.Error(), `"`+secret+`"`, ""), secret) {
			t.Errorf("%q: %v", s, err)
		}
	}
}
