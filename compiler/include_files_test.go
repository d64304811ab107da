package compiler_test

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/compiler"
)

// countingFS counts how often something is asked of its files.
type countingFS struct {
	fstest.MapFS
	asked int
}

func (f *countingFS) Open(name string) (fs.File, error) { f.asked++; return f.MapFS.Open(name) }

func (f *countingFS) Stat(name string) (fs.FileInfo, error) { f.asked++; return f.MapFS.Stat(name) }

func (f *countingFS) ReadFile(name string) ([]byte, error) { f.asked++; return f.MapFS.ReadFile(name) }

// TestIncludesAskOnce: the files of very many include tags are asked for once each,
// and after many errors for none.
func TestIncludesAskOnce(t *testing.T) {
	const n = 2000
	tags := func(format string) string {
		var b strings.Builder
		for i := range n {
			if strings.Contains(format, "%") {
				fmt.Fprintf(&b, format, i)
			} else {
				b.WriteString(format)
			}
		}
		return b.String()
	}
	for name, tt := range map[string]struct {
		source string
		asked  int
		errors int
	}{
		"an empty file":       {tags(`{include "empty"}`), 10, 0},
		"a file":              {tags(`{include "x"}`), 10, 0},
		"a file in a folder":  {tags(`{include "a/inner"}`), 10, 0},
		"from the root":       {`{include "a/many"}`, 15, 0},
		"a missing file":      {tags(`{include "nope"}`), 10, 1},
		"many missing files":  {tags(`{include "nope%d"}`), 200, 21},
		"names that lead out": {tags(`{include "../nope%d"}`), 200, 21},
		"a file with errors":  {tags(`{include "bad"}`), 10, 1},
		"files with errors":   {tags(`{include "bad%d"}`), 200, 21},
	} {
		files := fstest.MapFS{"empty": {}, "x": {Data: []byte("{a}")}, "a/inner": {Data: []byte(`{include "x"}`)}, "bad": {Data: []byte("{/when}")},
			"a/many": {Data: []byte(tags(`{include "x"}`))}}
		for i := range n {
			files[fmt.Sprint("bad", i)] = files["bad"]
		}
		f := &countingFS{MapFS: files}
		_, err := compiler.Compile(tt.source, compiler.WithFS(f))
		l := diag.AsList(err)
		if len(l) != tt.errors {
			t.Errorf("%s: %d errors, want %d: %.300v", name, len(l), tt.errors, err)
		}
		if said := slices.ContainsFunc(l, func(d *diag.Diagnostic) bool { return d.Code == "PCC903" }); said != (tt.errors > 20) {
			t.Errorf("%s: that others are left out is told: %v", name, said)
		}
		if f.asked > tt.asked {
			t.Errorf("%s: files are asked for %d times, want %d at most", name, f.asked, tt.asked)
		}
	}
}
