package prompt_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/prompt"
)

// TestSchemaNeeds holds what the schema requires against what a render needs:
// the fields of a list's items are needed of each item, the list is not.
func TestSchemaNeeds(t *testing.T) {
	front := func(vars string) string { return "---\nvariables:\n  " + vars + "\n---\n" }
	for _, c := range []struct{ name, src, want string }{
		{"items of a loop", "{loop xs as x}{{ x.a }}{/loop}",
			`{"type": "object", "properties": {"xs": {"type": "array", "items": {"type": "object", "properties": {"a": {}}, "required": ["a"]}}}}`},
		{"a declared list", front("h: {type: list, required: false}") + "{loop h as x}{{ x.a }}{/loop}",
			`{"type": "object", "properties": {"h": {"type": "array", "items": {"type": "object", "properties": {"a": {}}, "required": ["a"]}}}}`},
		{"a declared list that is required", front("h: {type: list}") + "{loop h as x}{{ x.a }}{/loop}",
			`{"type": "object", "properties": {"h": {"type": "array", "items": {"type": "object", "properties": {"a": {}}, "required": ["a"]}}}, "required": ["h"]}`},
		{"a declared map", front("u: {type: map, required: false}") + "{{ u.name }}",
			`{"type": "object", "properties": {"u": {"type": "object", "properties": {"name": {}}, "required": ["name"]}}}`},
		{"a path", "{{ a.b.c }}",
			`{"type": "object", "properties": {"a": {"type": "object", "properties": {"b": {"type": "object", "properties": {"c": {}}, "required": ["c"]}}, "required": ["b"]}}, "required": ["a"]}`},
		{"the root map", `{{ vars["user-name"] }}{loop vars["x-s"] as x}{{ x.y }}{/loop}`,
			`{"type": "object", "properties": {"user-name": {}, "x-s": {"type": "array", "items": {"type": "object", "properties": {"y": {}}, "required": ["y"]}}}, "required": ["user-name"]}`},
		{"lists in lists", "{loop rows as r}{loop r as c}{{ c.v }}{/loop}{/loop}",
			`{"type": "object", "properties": {"rows": {"type": "array", "items": {"type": "array", "items": {"type": "object", "properties": {"v": {}}, "required": ["v"]}}}}}`},
		{"a bare loop", "{loop xs}{name} {item.x}{/loop}",
			`{"type": "object", "properties": {"name": {}, "xs": {"type": "array", "items": {"type": "object", "properties": {"name": {}, "x": {}}, "required": ["x"]}}}}`},
		{"a bare loop over texts", "{loop xs}{greeting} {item}{/loop}",
			`{"type": "object", "properties": {"greeting": {}, "xs": {"type": "array", "items": {"properties": {"greeting": {}}}}}}`},
		{"bare loops in each other", "{loop xs}{loop ys}{{ z > 1 }}{/loop}{/loop}",
			`{"type": "object", "properties": {"z": {}, "ys": {"items": {"properties": {"z": {}}}}, "xs": {"type": "array", "items": {"properties": {"z": {},
				"ys": {"type": "array", "items": {"properties": {"z": {"type": "number"}}}}}}}}}`},
		{"a loop in a bare loop", "{loop xs}{loop ys as y}{{ y.z }}{/loop}{/loop}",
			`{"type": "object", "properties": {"ys": {"items": {"properties": {"z": {}}}}, "xs": {"type": "array", "items": {"properties": {
				"ys": {"type": "array", "items": {"properties": {"z": {}}}}}}}}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := compiler.Compile(c.src, compiler.WithSyntax("brace"))
			if c.src[0] == '-' {
				p, err = compiler.Compile(c.src)
			}
			if err != nil {
				t.Fatal(err)
			}
			b, err := prompt.Schema(p)
			if err != nil {
				t.Fatal(err)
			}
			var got, want map[string]any
			if err := json.Unmarshal(b, &got); err != nil {
				t.Fatal(err)
			}
			delete(got, "$schema")
			if err := json.Unmarshal([]byte(c.want), &want); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("schema (-want +got):\n%s", d)
			}
		})
	}
}

// TestRootMapNames: what vars["a b"] reads is the variable `a b`, in lists and
// in errors.
func TestRootMapNames(t *testing.T) {
	p, err := compiler.Compile(`{{ vars["user-name"] }}`)
	if err != nil {
		t.Fatal(err)
	}
	if v := p.Variables(); len(v) != 1 || v[0].Name != "user-name" || !v[0].Required {
		t.Errorf("variables: %+v", v)
	}
	_, err = p.Render(map[string]any{})
	if d := firstDiagnostic(t, err); d.Code != "PCC301" || cmp.Diff([]string{"user-name"}, d.Names) != "" {
		t.Errorf("%v names %q", d, d.Names)
	}
	_, err = compiler.Compile("---\nvariables:\n  user-name: {}\n---\n" + `{{ vars["user-nam"] }} {{ vars["user-name"] }}`)
	if d := firstDiagnostic(t, err); d.Code != "PCC202" || cmp.Diff([]string{"user-nam"}, d.Names) != "" {
		t.Errorf("%v names %q", d, d.Names)
	}
}

// firstDiagnostic is the first finding that err holds.
func firstDiagnostic(t *testing.T, err error) *diag.Diagnostic {
	t.Helper()
	var d *diag.Diagnostic
	if !errors.As(err, &d) {
		t.Fatalf("no diagnostic: %v", err)
	}
	return d
}

// TestBareLoopsBind: a type that has a name in one of the places where nested
// bare loops look for it is enough.
func TestBareLoopsBind(t *testing.T) {
	type leaf struct {
		Z int `json:"z"`
	}
	type inItems struct {
		Xs []struct {
			Ys []leaf `json:"ys"`
		} `json:"xs"`
	}
	type inData struct {
		Xs []struct{} `json:"xs"`
		Ys []leaf     `json:"ys"`
	}
	type nowhere struct {
		Xs []struct {
			Ys []struct{} `json:"ys"`
		} `json:"xs"`
	}
	for _, src := range []string{"{loop xs}{loop ys}{{ z }}{/loop}{/loop}", "{loop xs}{loop ys as y}{{ y.z }}{/loop}{/loop}"} {
		p, err := compiler.Compile(src)
		if err != nil {
			t.Fatal(err)
		}
		for _, data := range []any{inItems{}, inData{}} {
			if err := p.Bind(data); err != nil {
				t.Errorf("%s with %T: %v", src, data, err)
			}
		}
		if err := p.Bind(nowhere{}); err == nil {
			t.Errorf("%s: z is nowhere", src)
		}
	}
}
