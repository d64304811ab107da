package compiler

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
)

// TestMissingTemplates names more templates that are not there than a program
// may load, as data can. Later renders still load those that are there, and what
// is kept of the names is bounded.
func TestMissingTemplates(t *testing.T) {
	files := fstest.MapFS{"here": {Data: []byte("here")}, "later": {Data: []byte("later")}}
	p, err := Compile("{% for n in names %}{% include n ignore missing %}{% endfor %}", WithProfile("jinja"), WithFS(files))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"here", "later"} {
		var names []any
		for i := range maxTemplates + 10 {
			names = append(names, fmt.Sprint("missing", i))
		}
		names = append(names, "here", "missing1", strings.Repeat("m", maxMissingName+1))
		if got, err := p.Render(map[string]any{"names": names}); err != nil || got != "here" {
			t.Errorf("%q, %v", got, err)
		}
		if got, err := p.Render(map[string]any{"names": []any{name, "missing1", name}}); err != nil || got != name+name {
			t.Errorf("%q, %v", got, err)
		}
	}

	const size = 1 << 20 // of a name, which has to be read
	r, err := p.Report(context.Background(), map[string]any{"names": []any{strings.Repeat("m", size)}})
	if err != nil || r.Steps < size/64 {
		t.Errorf("%v, %v", r, err)
	}

	all := &loadedTemplates{by: map[string]*loadedTemplate{}}
	long := strings.Repeat("x", maxMissingName+1)
	for i := range 3*maxMissing + 7 {
		name := fmt.Sprint("n", i)
		if i%10 == 0 {
			name = long
		}
		x, err := all.find(name)
		if err != nil {
			t.Fatal(err)
		}
		if i == 5 { // it is there
			continue
		}
		all.lacks(x)
		if len(all.by) > maxMissing+1 || all.by[long] != nil || all.by["n5"] == nil && i > 5 || all.missing > maxMissing {
			t.Fatalf("%d names are kept, %d of them missing", len(all.by), all.missing)
		}
	}
	for i := range maxTemplates - 1 {
		if _, err := all.find(fmt.Sprint("there", i)); err != nil {
			t.Fatal(i, err)
		}
	}
	if _, err := all.find("one more"); err != errManyTemplates {
		t.Errorf("%v", err)
	}
}

// TestTemplateNames reads names as FileSystemLoader of Jinja2 3.1.6 does.
func TestTemplateNames(t *testing.T) {
	files := fstest.MapFS{"a": {Data: []byte("A")}, "sub/b": {Data: []byte("B")}, "..c": {Data: []byte("C")}}
	p, err := Compile("{% include n %}", WithProfile("jinja"), WithFS(files))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"a": "A", "./a": "A", "/a": "A", "a/": "A", "sub/b": "B", "sub//b": "B", "./sub/./b": "B", "..c": "C",
		"sub/../a": "", "../a": "", "..": "", ".": "", "": "", "/": "", "sub": "", "sub/": "", "a\x00": "", "./.": "", "\xff": "",
	} {
		got, err := p.Render(map[string]any{"n": name})
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v", name, got, err)
		}
		if err != nil && !strings.Contains(err.Error(), "PCC326") {
			t.Errorf("%q: %v", name, err)
		}
	}
}
