package parser

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/lexer"
)

var update = flag.Bool("update", false, "rewrite the expected trees in testdata")

// knownFilters are the filters that the tests' soft placeholders may name.
func knownFilters(name string) bool {
	switch name {
	case "upper", "default", "join", "indent", "truncate":
		return true
	}
	return false
}

func nearFilter(name string) (string, bool) {
	return diag.Near(name, []string{"upper", "default", "join", "indent", "truncate", "sort"})
}

// golden renders what a template parses to: the tree, then the diagnostics.
func golden(name, src, syntax string) string {
	o := Options{Filters: knownFilters, NearFilter: nearFilter}
	if syn, ok := lexer.ByName(syntax); ok {
		o.Syntax = syn
	}
	t, list := Parse(source.New(name, src), o)
	var b strings.Builder
	fmt.Fprintf(&b, "%s", dumpBody(t.Body))
	if t.Chat {
		b.WriteString("chat\n")
	}
	for _, d := range list {
		fmt.Fprintf(&b, "%s: %s\n", d.Severity, d.Error())
		if d.Note != "" {
			fmt.Fprintf(&b, "  note: %s\n", d.Note)
		}
		fmt.Fprintf(&b, "  help: %s\n", d.Help)
		for _, l := range d.Labels {
			p := l.File.Position(l.Span.Start)
			fmt.Fprintf(&b, "  %d:%d: %s\n", p.Line, p.Column, l.Message)
		}
	}
	return b.String()
}

// TestGolden parses each file NAME.SYNTAX of the archives in testdata/parser and
// compares with the file NAME.want behind it. A line break that ends the file is
// not part of the template unless the name begins with "nl-".
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("../testdata/parser/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no golden files", err)
	}
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var out []txtar.File
		for i, f := range a.Files {
			name, syntax, _ := strings.Cut(f.Name, ".")
			if syntax == "want" {
				continue
			}
			out = append(out, f)
			src := string(f.Data)
			if !strings.HasPrefix(name, "nl-") {
				src = strings.TrimSuffix(src, "\n")
			}
			got := golden(name, src, syntax)
			out = append(out, txtar.File{Name: name + ".want", Data: []byte(got)})
			want := ""
			if i+1 < len(a.Files) && a.Files[i+1].Name == name+".want" {
				want = string(a.Files[i+1].Data)
			}
			if !*update && got != want {
				t.Errorf("%s: %s: %s\n%s", filepath.Base(file), f.Name, src, cmp.Diff(want, got))
			}
		}
		if *update {
			a.Files = out
			if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestCodes parses the examples of the codes of this stage: the bad one raises
// the code, the good one does not.
func TestCodes(t *testing.T) {
	for _, e := range diag.Entries() {
		stage := e.Code.Stage()
		if e.Form != "" && e.Form != "template" || e.Syntax == "jinja" || stage > diag.SyntaxStage && stage != diag.LimitStage {
			continue
		}
		has := func(src string) bool {
			o := Options{Filters: knownFilters, NearFilter: nearFilter}
			if syn, ok := lexer.ByName(e.Syntax); ok {
				o.Syntax = syn
			}
			_, list := Parse(source.New("x", src), o)
			for _, d := range list {
				if d.Code == e.Code {
					return true
				}
			}
			return false
		}
		if !has(e.Bad) {
			t.Errorf("%s: the bad example does not raise it: %s\n%s", e.Code, e.Bad, golden("x", e.Bad, e.Syntax))
		}
		if has(e.Good) {
			t.Errorf("%s: the good example raises it: %s", e.Code, e.Good)
		}
	}
}
