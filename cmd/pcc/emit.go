package main

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/lexer"
	"github.com/pcc-lang/pcc/parser"
	"github.com/pcc-lang/pcc/parser/document"
	"github.com/pcc-lang/pcc/stdlib"
)

// emitters are the stages that --emit shows. The one without a function is
// made of the compiled program.
var emitters = []struct {
	name string
	emit func(f *source.File, o parser.Options) ([]byte, diag.List)
}{
	{"bytecode", nil},
	{"ast", emitTree},
	{"tokens", emitTokens},
}

func emitNames() []string {
	names := make([]string, len(emitters))
	for i, e := range emitters {
		names[i] = e.name
	}
	return names
}

// emit prints what stage makes of the template at path, or, for bytecode, of
// each prompt of a document.
func (a *app) emit(path, stage, output string, t *templateFlags) error {
	i := slices.Index(emitNames(), stage)
	if emitters[i].emit == nil {
		return a.emitCode(path, output, t)
	}
	if document.IsDocument(path) {
		return usagef("--emit %s is for templates; of documents there is --emit bytecode", stage)
	}
	f, err := a.readTemplate(path, t)
	if err != nil {
		return err
	}
	filters := stdlib.Native().Filters
	o := parser.Options{
		Depth:   t.limits.Depth,
		Filters: func(name string) bool { return filters[name] != nil },
		NearFilter: func(name string) (string, bool) {
			return diag.Near(name, slices.Collect(maps.Keys(filters)))
		},
	}
	if t.syntax != "auto" {
		o.Syntax, _ = lexer.ByName(t.syntax)
	}
	out, l := emitters[i].emit(f, o)
	a.found = append(a.found, l...)
	return a.writeText(output, out)
}

func (a *app) emitCode(path, output string, t *templateFlags) error {
	prompts, err := a.load(path, t)
	if len(prompts) == 0 || err != nil {
		return err
	}
	var l lines
	for _, p := range prompts {
		if len(prompts) > 1 {
			l.printf("== %s\n", p.name)
		}
		l.b.WriteString(p.Disassemble())
	}
	return a.writeText(output, l.b.Bytes())
}

// readTemplate reads a template without compiling it.
func (a *app) readTemplate(path string, t *templateFlags) (*source.File, error) {
	limit := t.limits.OrDefault().SourceBytes
	if path == "-" {
		b, err := a.readStdin("the template", limit)
		return source.New(stdinName, string(b)), err
	}
	if err := statTemplate(path); err != nil {
		return nil, err
	}
	b, err := a.readInput(path, limit)
	return source.New(path, string(b)), err
}

// emitTree prints the tree that the parser makes.
func emitTree(f *source.File, o parser.Options) ([]byte, diag.List) {
	t, l := document.ReadTemplate(f, o)
	return dumpTree(t), l
}

// emitTokens prints what the scanner offers to the parser, with the tokens
// inside tags. A candidate that does not parse is text in the end.
func emitTokens(f *source.File, o parser.Options) ([]byte, diag.List) {
	t, _ := document.ReadTemplate(f, o) // finds the syntax
	_, body, _ := document.SplitFrontMatter(f)
	d := &tokenDumper{file: f}
	syn, ok := lexer.ByName(t.Syntax)
	switch {
	case !ok:
		return nil, diag.List{{Message: "tokens are shown for the named syntaxes only", Help: "give --syntax"}}
	case syn.Jinja:
		d.jinja(body)
	default:
		d.native(body, syn)
	}
	return d.b.Bytes(), d.found
}

type tokenDumper struct {
	b     bytes.Buffer
	file  *source.File
	found diag.List
}

// line writes "line:column  KIND  text".
func (d *tokenDumper) line(indent, kind string, s source.Span) {
	at := d.file.Position(s.Start)
	fmt.Fprintf(&d.b, "%-8s %s%-8s %q\n", fmt.Sprintf("%d:%d", at.Line, at.Column), indent, kind, d.file.Slice(s))
}

// pieces names the kinds of the scanner's pieces.
var pieces = map[lexer.PieceKind]string{lexer.Comment: "comment", lexer.Tag: "tag", lexer.CloseTag: "closing",
	lexer.OpenDelims: "openers", lexer.CloseDelims: "closers"}

func (d *tokenDumper) native(body source.Span, syn *lexer.Syntax) {
	s := lexer.NewScanner(d.file.Text, int(body.Start), int(body.End), syn)
	last := int(body.Start)
	for {
		p := s.Next()
		if p.Start > last {
			d.line("", "text", spanOf(last, p.Start))
		}
		if p.Kind == lexer.EndOfText {
			return
		}
		d.line("", pieces[p.Kind], spanOf(p.Start, p.End))
		last = p.End
		if p.Kind == lexer.Tag {
			closer := syn.Close
			if p.Hard {
				closer += syn.Close
			}
			if end, ok := d.tokens(lexer.Expr{Src: d.file.Text, Pos: p.Inside, End: int(body.End), Close: closer}); ok {
				s.Accept(end)
				last = end
			}
		}
	}
}

// tokens writes the tokens of a tag up to its closing delimiter; ok is false,
// and nothing is written, where there is none.
func (d *tokenDumper) tokens(x lexer.Expr) (end int, ok bool) {
	look := x
	for {
		switch t := look.Next(); t.Kind {
		case lexer.Invalid:
			return 0, false
		case lexer.EOF:
			if x.Close != "" && !look.Closed {
				return 0, false
			}
			for t := x.Next(); t.Kind != lexer.EOF; t = x.Next() {
				d.line("  ", t.Kind.String(), t.Span())
			}
			if x.Close != "" {
				d.line("  ", "close", t.Span())
			}
			return int(t.End), true
		}
	}
}

func spanOf(start, end int) source.Span {
	return source.Span{Start: source.Pos(start), End: source.Pos(end)}
}

// jinjaPieces names the kinds of the Jinja scanner's pieces.
var jinjaPieces = map[lexer.JinjaKind]string{lexer.JinjaText: "text", lexer.JinjaOutput: "output",
	lexer.JinjaTag: "tag", lexer.JinjaComment: "comment"}

func (d *tokenDumper) jinja(body source.Span) {
	s := lexer.NewJinjaScanner(d.file, body, lexer.JinjaOptions{}, parser.DefaultDepth,
		func(x *diag.Diagnostic) { d.found = append(d.found, x) })
	var x lexer.Expr
	for p := s.Next(); p.Kind != lexer.JinjaEOF; p = s.Next() {
		tag := p.Kind == lexer.JinjaOutput || p.Kind == lexer.JinjaTag
		if tag {
			s.Tokens(&p, &x)
			s.Finish(&p, &x)
		}
		d.line("", jinjaPieces[p.Kind], p.Span)
		if tag && !p.Broken {
			d.tokens(lexer.Expr{Src: d.file.Text, Pos: int(p.Inside.Start), End: int(p.Inside.End), Python: true})
		}
	}
}
