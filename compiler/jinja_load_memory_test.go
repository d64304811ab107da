package compiler

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/vm"
)

// A render pays for the templates that are compiled for it, by the byte, and
// more than that the programs do not take.
func TestLoadedTemplatesArePaidFor(t *testing.T) {
	const n = 2000
	for _, tag := range []string{"{{ a }}", "{% if a %}b{% endif %}", "{{ a+b+c }}", "{% for x in xs %}{{ x.y }}{% endfor %}", "some text {# and a comment #}"} {
		source := strings.Repeat(tag, n)
		files := fstest.MapFS{"part": {Data: []byte(source)}}
		for _, how := range []string{`{% include "part" %}`, `{% import "part" as p with context %}`, `{% from "part" import x with context %}`, `{% extends "part" %}`} {
			p, err := Compile(how, WithProfile("jinja"), WithFS(files))
			if err != nil {
				t.Fatal(err)
			}
			measured := strings.Contains(how, "include")
			before, kept := int64(0), int64(0)
			if measured {
				before = heapNow()
			}
			first, err := p.Report(context.Background(), map[string]any{"xs": []int{}, "a": "", "b": "", "c": ""})
			if err != nil {
				t.Fatal(how, tag, err)
			}
			if measured {
				kept = heapNow() - before
			}
			second, err := p.Report(context.Background(), map[string]any{"xs": []int{}, "a": "", "b": "", "c": ""})
			if err != nil {
				t.Fatal(how, tag, err)
			}
			paid := first.Memory - second.Memory
			if paid < int64(len(source)) || paid < kept-64<<10 || first.Steps-second.Steps < int64(len(source)) {
				t.Errorf("%s of %q: %d bytes and %d steps were charged for %d bytes of source, which take %d",
					how, tag, paid, first.Steps-second.Steps, len(source), kept)
			}
			runtime.KeepAlive(p)
		}
	}
}

func heapNow() int64 {
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return int64(s.HeapAlloc)
}

// What a program keeps of the templates that it loads is bounded, and a render
// that cannot pay for one does not spoil it for those that can.
func TestLoadedTemplatesAreBounded(t *testing.T) {
	files := fstest.MapFS{}
	for i := range 5 {
		files[fmt.Sprint("t", i)] = &fstest.MapFile{Data: []byte(strings.Repeat("text ", 200))}
	}
	p, err := Compile("{% for n in names %}{% include n %}{% endfor %}", WithProfile("jinja"), WithFS(files), WithLimits(vm.Limits{SourceBytes: 3500}))
	if err != nil {
		t.Fatal(err)
	}
	render := func(memory int64, names ...string) string {
		_, err := p.Report(context.Background(), map[string]any{"names": names}, vm.WithLimits(vm.Limits{Memory: memory}))
		var list diag.List
		if err == nil {
			return ""
		}
		if !errors.As(err, &list) {
			return err.Error()
		}
		if !strings.Contains(list[0].Error(), "template") && list[0].Code == "PCC902" || list[0].Kind != "limit" {
			t.Errorf("%v is of kind %q", list[0], list[0].Kind)
		}
		return string(list[0].Code)
	}
	for _, tt := range []struct {
		memory int64
		names  []string
		want   string
	}{
		{30_000, []string{"t0"}, "PCC905"},
		{1 << 20, []string{"t0", "t1", "t2"}, ""},
		{30_000, []string{"t0", "t1", "t2"}, ""},
		{1 << 20, []string{"t3"}, "PCC902"},
		{1 << 20, []string{"t2", "t1", "t0"}, ""},
	} {
		if got := render(tt.memory, tt.names...); got != tt.want {
			t.Errorf("%v with %d bytes: %q, want %q", tt.names, tt.memory, got, tt.want)
		}
	}
}
