package chat

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
)

// TestFaultPlaces: a fault in a template is shown where it stands in the JSON
// file, whatever stands before it; `@` marks the place.
func TestFaultPlaces(t *testing.T) {
	for _, text := range []string{
		`{"chat_template": "{% if @%}"}`,
		`{"added": [{"a": "chat_template"}, "chat_template"],` + "\n" + ` "chat_template": "é\u00e9\n{% if @%}", "z": 1}`,
		`{"chat_template": [{"name": "a", "template": "A"}, {"more": {"template": "{% if %}"}, "template": "\"{% if @%}", "name": "b"}]}`,
		`{"chat_template": "{% if %}", "chat_template": "x\t{% if @%}"}`,
		`{"x": {"chat_template": "{% if %}"}, "chat_template": "{% if @%}"}`,
	} {
		at := strings.Index(text, "@")
		text = strings.Replace(text, "@", "", 1)
		_, err := LoadFS(memory("m/t.json", text), "m/t.json", WithFolder("models"))
		list := diag.AsList(err)
		if len(list) != 1 || list[0].File == nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		d := list[0]
		want := source.New("", text).Position(source.Pos(at))
		f, pos := d.File.Root(d.Span.Start)
		if got := f.Position(pos); got.Line != want.Line || got.Column != want.Column || f.Name != "models/m/t.json" {
			t.Errorf("%s: %s:%v, want %v", text, f.Name, got, want)
		}
	}
}

// TestPlacesOfManyTemplates: each item of a long list has its place.
func TestPlacesOfManyTemplates(t *testing.T) {
	config := func(n int) string {
		var b strings.Builder
		b.WriteString(`{"chat_template": [`)
		for i := range n {
			fmt.Fprintf(&b, `{"name": "n%d", "template": "{{ a }}\n"},`, i)
		}
		return strings.TrimSuffix(b.String(), ",") + "]}"
	}
	spans := templateSpans(config(20_000))
	if len(spans) != 20_000 {
		t.Fatalf("%d places", len(spans))
	}
	for _, s := range spans[len(spans)-2:] {
		if s.Len() != len(`"{{ a }}\n"`) {
			t.Errorf("a place of %d bytes", s.Len())
		}
	}
}
