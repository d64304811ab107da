package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// exportedOf are the exported names of a package: functions, types with their methods
// and fields (as Type.Name), constants and variables.
func exportedOf(t *testing.T, dir string) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	files, err := filepath.Glob(filepath.Join("../..", dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil {
					names[d.Name.Name] = true
					continue
				}
				of := d.Recv.List[0].Type
				if star, ok := of.(*ast.StarExpr); ok {
					of = star.X
				}
				if id, ok := of.(*ast.Ident); ok {
					names[id.Name+"."+d.Name.Name] = true
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.TypeSpec:
						names[s.Name.Name] = true
						if st, ok := s.Type.(*ast.StructType); ok {
							for _, field := range st.Fields.List {
								for _, id := range field.Names {
									names[s.Name.Name+"."+id.Name] = true
								}
							}
						}
					case *ast.ValueSpec:
						for _, id := range s.Names {
							names[id.Name] = true
						}
					}
				}
			}
		}
	}
	return names
}

// TestPagesNameGo: what pages call a name of a package of ours, such as
// compiler.WithStrict, is one.
func TestPagesNameGo(t *testing.T) {
	packages := map[string]map[string]bool{}
	for _, name := range []string{"compiler", "prompt", "chat", "vm"} {
		packages[name] = exportedOf(t, name)
	}
	mentioned := regexp.MustCompile(`\b(compiler|prompt|chat|vm)\.([A-Z]\w*)(?:\.([A-Z]\w*))?`)
	options := regexp.MustCompile("`(With[A-Z]\\w*|Err[A-Z]\\w*)`")
	n := 0
	for _, page := range pages(t) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range mentioned.FindAllStringSubmatch(string(text), -1) {
			n++
			known := packages[m[1]]
			switch {
			case !known[m[2]]:
				t.Errorf("%s: there is no %s.%s", filepath.Base(page), m[1], m[2])
			case m[3] != "" && !known[m[2]+"."+m[3]] && !packages["vm"][m[2]+"."+m[3]]: // types of vm have aliases
				t.Errorf("%s: there is no %s.%s.%s", filepath.Base(page), m[1], m[2], m[3])
			}
		}
		for _, m := range options.FindAllStringSubmatch(string(text), -1) {
			n++
			if !packages["compiler"][m[1]] && !packages["chat"][m[1]] && !packages["prompt"][m[1]] {
				t.Errorf("%s: no package has %s", filepath.Base(page), m[1])
			}
		}
	}
	if n < 50 {
		t.Errorf("%d names", n)
	}
}

// TestPageLinks: the links of pages lead to files and headings that are there.
func TestPageLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	inCode := regexp.MustCompile("`[^`\n]*`")
	headings := map[string]map[string]bool{}
	slugs := func(page string) map[string]bool {
		if headings[page] == nil {
			headings[page] = map[string]bool{}
			text, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(string(text)) {
				if title, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); ok && line[0] == '#' {
					title = regexp.MustCompile(`[^\pL\pN _-]`).ReplaceAllString(strings.ToLower(strings.TrimSpace(title)), "")
					headings[page][strings.ReplaceAll(title, " ", "-")] = true
				}
			}
		}
		return headings[page]
	}
	n := 0
	others := []string{"../../CONTRIBUTING.md", "../../CHANGELOG.md", "../../.github/SECURITY.md"}
	for _, page := range append(pages(t), others...) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		fence := ""
		for line := range strings.Lines(string(text)) {
			mark := strings.TrimLeft(line, "`")
			switch ticks := line[:len(line)-len(mark)]; {
			case fence != "" && line == fence+"\n":
				fence = ""
				continue
			case fence == "" && len(ticks) >= 3:
				fence = ticks
			}
			if fence != "" {
				continue
			}
			for _, m := range link.FindAllStringSubmatch(inCode.ReplaceAllString(line, ""), -1) {
				file, anchor, _ := strings.Cut(m[1], "#")
				if strings.Contains(file, "://") {
					continue
				}
				n++
				target := page
				if file != "" {
					target = filepath.Join(filepath.Dir(page), file)
				}
				if _, err := os.Stat(target); err != nil {
					t.Errorf("%s: the link %s leads to no file", filepath.Base(page), m[1])
				} else if anchor != "" && !slugs(target)[anchor] {
					t.Errorf("%s: the link %s leads to no heading", filepath.Base(page), m[1])
				}
			}
		}
	}
	if n < 50 {
		t.Errorf("%d links", n)
	}
}
