package compiler

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/vm"
)

// TestStrictRenders: what a render would warn of makes it fail in a strict
// program, whichever way it renders and whatever kind the data is; else it
// renders, and says so in its findings.
func TestStrictRenders(t *testing.T) {
	type record struct {
		Name string `json:"name"`
		Nmae string `json:"nmae"`
		Vip  bool   `json:"vip"`
	}
	maps := map[string]any{"name": "Ada", "nmae": "Ada", "vip": true}
	for _, c := range []struct{ src, syntax, code string }{
		{"{name}", "brace", ""},
		{"{when vip}{name}{/when}", "brace", ""},
		{"{nam}", "brace", "PCC380"},
		{"<nam>", "angle", "PCC380"},
		{"{{ name }}{ name }", "brace", "PCC209"},
		{"{{ name }}{nmea|default('')}", "brace", "PCC382"},
		{"{when vipp}x{/when}", "brace", "PCC301"},
		{"{loop things as x}{/loop}", "brace", "PCC301"},
		{"{when things is defined}x{/when}", "brace", ""},
		{"Hi {{ nmea }}", "jinja", "PCC355"},
		{"{% set x = nmea %}{{ x }}", "jinja", "PCC355"},
		{"{% if nmea %}x{% endif %}{{ nmea|default('') }}{{ nmea is defined }}{{ name }}", "jinja", ""},
	} {
		for name, data := range map[string]any{"map": maps, "struct": record{"Ada", "Ada", true}, "pointer": &record{"Ada", "Ada", true}} {
			p, err := Compile(c.src, WithSyntax(Syntax(c.syntax)), WithStrict())
			if err != nil {
				t.Fatalf("%s: %v", c.src, err)
			}
			ways := map[string]func() error{
				"Render":   func() error { _, err := p.Render(data); return err },
				"Report":   func() error { _, err := p.Report(context.Background(), data); return err },
				"Messages": func() error { _, err := p.Messages(data); return err },
				"AppendTo": func() error { _, err := p.AppendTo(nil, data); return err },
				"RenderTo": func() error { return p.RenderTo(&bytes.Buffer{}, data) },
				"segments": func() error { _, err := p.Report(context.Background(), data, vm.WithSegments()); return err },
			}
			for way, render := range ways {
				for range 2 { // the machine of a failed render is used again
					err := render()
					if c.code == "" && err != nil {
						t.Errorf("%s by %s of a %s: %v", c.src, way, name, err)
					}
					if c.code != "" && !errors.Is(err, &diag.Diagnostic{Code: diag.Code(c.code)}) {
						t.Errorf("%s by %s of a %s: %v, want %s", c.src, way, name, err, c.code)
					}
				}
			}
			lax, err := Compile(c.src, WithSyntax(Syntax(c.syntax)))
			if err != nil {
				t.Fatal(err)
			}
			r, err := lax.Report(context.Background(), data)
			if err != nil {
				t.Errorf("%s, not strict: %v", c.src, err)
				continue
			}
			findings := lax.Findings(r)
			// A loop's list has no near name in the data, and Jinja is lenient.
			if want := c.code != "" && c.src != "{loop things as x}{/loop}" && c.syntax != "jinja"; want != (len(findings) > 0) {
				t.Errorf("%s, not strict: %v", c.src, findings)
			}
		}
	}
}

// TestStrictMessages: a misspelt list of messages is told as the head of a block
// is: with a near name, or where names without a value are errors.
func TestStrictMessages(t *testing.T) {
	src := "{messages histroy}{message user}x{/message}"
	near := map[string]any{"history": []any{}}
	for _, c := range []struct {
		opts []Option
		data map[string]any
		code string
	}{
		{[]Option{WithStrict()}, near, "PCC301"},
		{[]Option{WithStrict()}, nil, "PCC301"},
		{[]Option{WithUndefined("error")}, nil, "PCC301"},
		{[]Option{WithUndefined("keep"), WithStrict()}, near, "PCC383"},
		{nil, nil, ""},
		{nil, near, ""},
	} {
		p, err := Compile(src, append(c.opts, WithSyntax("brace"))...)
		if err != nil {
			t.Fatal(err)
		}
		r, err := p.Report(context.Background(), c.data)
		if (err != nil) != (c.code != "") || err != nil && !errors.Is(err, &diag.Diagnostic{Code: diag.Code(c.code)}) {
			t.Errorf("%d options, %v: %v, want %q", len(c.opts), c.data, err, c.code)
		}
		if err == nil && (len(p.Findings(r)) > 0) != (c.data != nil) {
			t.Errorf("%v: findings %v", c.data, p.Findings(r))
		}
	}
}

// TestStrictNested: names that a strict render misses are told with what it would
// warn of, but a fault that ends it stands alone.
func TestStrictNested(t *testing.T) {
	p, err := Compile("{zzz}{{ yyy }}{ name }", WithSyntax("brace"), WithStrict())
	if err != nil {
		t.Fatal(err)
	}
	_, err = p.Render(map[string]any{"name": "Ada"})
	var l diag.List
	if !errors.As(err, &l) || len(l) != 3 || l[0].Code != "PCC380" || l[1].Code != "PCC301" || l[2].Code != "PCC209" {
		t.Errorf("got %v", err)
	}
	if p, err = Compile("{zzz}{{ name // name }}", WithSyntax("brace"), WithStrict()); err != nil {
		t.Fatal(err)
	}
	if _, err = p.Render(map[string]any{"name": 0}); !errors.As(err, &l) || len(l) != 1 || l[0].Code != "PCC322" {
		t.Errorf("got %v", err)
	}
}

// What is told of a template that stands alone names no file of a prompt tree.
func TestStrictJinjaHelp(t *testing.T) {
	for _, src := range []string{"{{ qqqq }}", "{{ user.qqqq }}"} {
		p, err := Compile(src, WithSyntax(SyntaxJinja), WithStrict())
		if err != nil {
			t.Fatal(err)
		}
		_, err = p.Render(map[string]any{"user": map[string]any{"name": "Ada"}})
		var d *diag.Diagnostic
		if !errors.As(err, &d) || d.Code != "PCC355" || strings.Contains(d.Help, "request") || strings.Contains(d.Help, "defaults.yaml") || !strings.Contains(d.Help, "default('')") {
			t.Errorf("%s: %+v", src, err)
		}
	}
}
