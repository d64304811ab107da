package fuzz

import (
	"math/rand/v2"
	"path"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/parser/document"
	"github.com/pcc-lang/pcc/prompt"
	"github.com/pcc-lang/pcc/vm"
)

// TestVerifier holds the verifier against all that the golden cases, Jinja's
// too, and the golden documents compile to, and against that code with changes:
// it is refused, or it runs to an end.
func TestVerifier(t *testing.T) {
	var programs []*vm.Program
	for _, s := range goldens(t) {
		for _, more := range [][]compiler.Option{nil, {compiler.WithoutPass(compiler.PassFuse), compiler.WithoutPass(compiler.PassSwitch)}} {
			syntax := s.syntax
			if p, err := compileSeed(&s, append(more, compiler.WithSyntax(compiler.Syntax(syntax)))...); err == nil {
				programs = append(programs, p)
			}
		}
	}
	natives := len(programs)
	archives, err := filepath.Glob("../testdata/document/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range archives {
		ar, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files := fstest.MapFS{}
		for _, f := range ar.Files {
			files[f.Name] = &fstest.MapFile{Data: f.Data}
		}
		for _, f := range ar.Files {
			if !document.IsDocument(f.Name) {
				continue
			}
			name := f.Name
			if path.Base(name) == "config.yaml" { // of an agent, which is a folder
				name = path.Dir(name)
			}
			set, err := prompt.Load(files, name)
			if err != nil {
				continue
			}
			for _, p := range set.All() {
				programs = append(programs, p)
			}
		}
	}
	t.Logf("%d programs, %d of documents", len(programs), len(programs)-natives)
	if len(programs) < 300 || len(programs)-natives < 5 {
		t.Fatalf("%d programs, %d of documents", len(programs), len(programs)-natives)
	}
	mutants := 40
	if testing.Short() || raceEnabled {
		mutants = 5
	}
	r := rand.New(rand.NewPCG(1, 2))
	for _, p := range programs {
		if err := p.Verify(); err != nil {
			t.Fatalf("%s: %v", p.Name(), err)
		}
		for range mutants {
			mutate(t, p.Image(), r)
		}
	}
}
