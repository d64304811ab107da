package document

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/source"
)

var update = flag.Bool("update", false, "rewrite the golden trees of documents")

// TestGoldenDocuments reads the documents in testdata/document. An archive
// holds the files of one document, which the comment's first line names, and
// the tree and findings that must come of it, in the file `golden`.
func TestGoldenDocuments(t *testing.T) {
	archives, err := filepath.Glob("../../testdata/document/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, name := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			files := fstest.MapFS{}
			golden := -1
			for i, f := range ar.Files {
				if f.Name == "golden" {
					golden = i
					continue
				}
				files[f.Name] = &fstest.MapFile{Data: f.Data}
			}
			path, _, _ := strings.Cut(string(ar.Comment), "\n")
			doc, diags := Read(files, path, Options{})
			var d dumper
			d.document(doc)
			for _, x := range diags {
				d.line("%s: %s", x.Severity, x.Error())
				if x.Help != "" {
					d.line("  help: %s", x.Help)
				}
			}
			got := d.b.String()
			if *update {
				if golden < 0 {
					ar.Files = append(ar.Files, txtar.File{Name: "golden"})
					golden = len(ar.Files) - 1
				}
				ar.Files[golden].Data = []byte(got)
				if err := os.WriteFile(name, txtar.Format(ar), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if golden < 0 {
				t.Fatal("no golden; run with -update")
			}
			if diff := cmp.Diff(string(ar.Files[golden].Data), got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// dumper writes the tree of a document: one node a line, with the place of
// texts in their files.
type dumper struct {
	b     strings.Builder
	depth int
	file  *source.File
}

func (d *dumper) line(format string, args ...any) {
	d.b.WriteString(strings.Repeat("  ", d.depth))
	fmt.Fprintf(&d.b, format, args...)
	d.b.WriteByte('\n')
}

func (d *dumper) document(doc *ast.Document) {
	if doc == nil {
		d.line("nothing")
		return
	}
	d.line("form %s, files %s", doc.Form, strings.Join(doc.Files, " "))
	for _, e := range doc.Entries {
		m := e.Template.Front
		d.line("entry %q syntax=%s chat=%v exact=%v populator=%s", e.Name, e.Template.Syntax, e.Template.Chat, e.Rules.Exact, e.Rules.Populator)
		d.depth++
		if m != nil && m.Meta.Contract {
			for _, v := range m.Meta.Variables {
				d.line("variable %s %s required=%v", v.Name, v.Type, v.Required)
			}
		}
		d.file = e.Template.File
		d.nodes(e.Template.Body)
		d.depth--
	}
	for _, t := range doc.Tests {
		d.line("test %q entry=%q data=%v expect=%v", t.Name, t.Entry, t.Data != nil, t.Expect != nil)
	}
}

func (d *dumper) nodes(nodes []ast.Node) {
	d.depth++
	for _, n := range nodes {
		d.node(n)
	}
	d.depth--
}

// expr is an expression's source.
func (d *dumper) expr(e ast.Expr) string {
	if l, ok := e.(*ast.Literal); ok && l.Kind == ast.StringLit {
		return fmt.Sprintf("%q", l.Str)
	}
	if n, ok := e.(*ast.Name); ok {
		return n.Name
	}
	return d.file.Slice(e.Span())
}

func (d *dumper) node(n ast.Node) {
	switch n := n.(type) {
	case *ast.Text:
		d.line("text %q", n.Value)
	case *ast.Output:
		f, at := d.file.Root(n.Start)
		p := f.Position(at)
		d.line("output %s at %s:%d:%d", d.expr(n.Expr), f.Name, p.Line, p.Column)
	case *ast.Message:
		d.line("message %s blank=%d", d.expr(n.Role), n.Blank)
		for i := range n.Keys {
			d.depth++
			d.line("key %s", n.Keys[i].Key)
			d.structure(&n.Keys[i].Value)
			d.depth--
		}
		if n.Content != nil {
			d.depth++
			d.line("content")
			d.structure(n.Content)
			d.depth--
		}
		d.nodes(n.Body)
	case *ast.Embedded:
		d.line("text of %s (%s)", n.File.Name, n.Syntax)
		outer := d.file
		d.file = n.File
		d.nodes(n.Body)
		d.file = outer
	case *ast.When:
		for _, b := range n.Branches {
			d.line("when %s level=%v", d.expr(b.Cond), n.Level)
			d.nodes(b.Body)
		}
		if n.HasElse {
			d.line("else")
			d.nodes(n.Else)
		}
	case *ast.Loop:
		d.line("loop %s as %s mode=%d level=%v", d.expr(n.Iter), n.Target.Name, n.Mode, n.Level)
		d.nodes(n.Body)
		if n.HasElse {
			d.line("else")
			d.nodes(n.Else)
		}
	case *ast.Switch:
		d.line("switch %s level=%v", d.expr(n.Subject), n.Level)
		d.depth++
		for _, c := range n.Cases {
			var values []string
			for _, v := range c.Values {
				values = append(values, d.expr(v))
			}
			d.line("case %s", strings.Join(values, " "))
			d.nodes(c.Body)
		}
		if n.HasDefault {
			d.line("default")
			d.nodes(n.Default)
		}
		d.depth--
	case *ast.Sections:
		d.line("sections of %s", n.Name)
		for _, s := range n.Items {
			d.depth++
			d.line("section %s", s.Name)
			d.nodes(s.Body)
			d.depth--
		}
	case *ast.Scoped:
		d.line("scope %q own=%v defaults=%v", n.Key, n.Own, n.Defaults != nil)
		d.nodes(n.Body)
	default:
		d.line("%T", n)
	}
}

func (d *dumper) structure(s *ast.Structure) {
	d.depth++
	defer func() { d.depth-- }()
	switch s.Kind {
	case ast.SMap:
		for i := range s.Map {
			d.line("%s:", s.Map[i].Key)
			d.structure(&s.Map[i].Value)
		}
	case ast.SList:
		for i := range s.Items {
			d.line("-")
			d.structure(&s.Items[i])
		}
	case ast.STemplate:
		d.nodes(s.Body)
	default:
		d.line("%s %q %s", s.Kind, s.Str, s.Source)
	}
}
