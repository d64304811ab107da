package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/pcc-lang/pcc"

// arrows says which packages of the module each may import, directly or
// through others: the order in which data flows.
var arrows = map[string][]string{
	"ast/source":        {},
	"ast/diag":          {"ast/source"},
	"ast":               {"ast/source", "ast/diag"},
	"lexer":             {"ast/source", "ast/diag"},
	"parser":            {"lexer", "ast", "ast/source", "ast/diag"},
	"parser/document":   {"parser", "lexer", "ast", "ast/source", "ast/diag", "internal/yamlout"},
	"internal/numfmt":   {},
	"internal/yamlout":  {},
	"vm/guard":          {},
	"internal/code":     {"ast/source"},
	"internal/size":     {},
	"internal/nofiles":  {},
	"vm":                {"internal/size", "internal/code", "vm/guard", "ast/source", "ast/diag", "internal/numfmt"},
	"vm/message":        {"internal/size", "internal/code", "vm", "vm/guard", "ast/source", "ast/diag", "internal/numfmt"},
	"stdlib":            {"internal/size", "internal/code", "vm", "vm/guard", "ast/source", "ast/diag", "internal/numfmt", "internal/yamlout"},
	"compiler":          {"internal/nofiles", "internal/size", "internal/code", "parser", "parser/document", "lexer", "ast", "ast/source", "ast/diag", "vm", "vm/guard", "stdlib", "internal/numfmt", "internal/yamlout"},
	"internal/gguf":     {},
	"internal/markdown": {},
	"docs":              {},
	"internal/schema":   {},
	"prompt":            {"internal/nofiles", "internal/schema", "internal/size", "internal/code", "compiler", "parser", "parser/document", "lexer", "ast", "ast/source", "ast/diag", "vm", "vm/message", "vm/guard", "stdlib", "internal/numfmt", "internal/yamlout"},
	// Only tests import it.
	"internal/conformance": {"internal/nofiles", "internal/size", "internal/code", "compiler", "parser", "parser/document", "lexer", "ast", "ast/source", "ast/diag", "vm", "vm/guard", "stdlib", "internal/numfmt", "internal/yamlout"},
	"chat":                 {"internal/nofiles", "internal/size", "internal/code", "compiler", "parser", "parser/document", "lexer", "ast", "ast/source", "ast/diag", "vm", "vm/guard", "stdlib", "internal/gguf", "internal/numfmt", "internal/yamlout"},
	"cmd/pcc":              {"internal/nofiles", "docs", "internal/markdown", "internal/schema", "internal/size", "internal/code", "chat", "prompt", "internal/gguf", "compiler", "parser", "parser/document", "lexer", "ast", "ast/source", "ast/diag", "vm", "vm/message", "vm/guard", "stdlib", "internal/numfmt", "internal/yamlout"},
}

// outside says which packages may import a third-party module directly. Others
// than these are not imported at all.
var outside = map[string][]string{
	"github.com/alecthomas/participle/v2":      {"lexer", "parser"},
	"gopkg.in/yaml.v3":                         {"parser/document", "ast", "internal/conformance", "cmd/pcc"},
	"github.com/go-json-experiment/json":       {"vm", "stdlib", "parser/document", "prompt", "chat", "cmd/pcc"},
	"github.com/spf13/cobra":                   {"cmd/pcc"},
	"github.com/spf13/pflag":                   {"cmd/pcc"},
	"github.com/mattn/go-isatty":               {"cmd/pcc"},
	"github.com/charmbracelet/colorprofile":    {"cmd/pcc"},
	"github.com/charmbracelet/x/term":          {"cmd/pcc"},
	"github.com/fsnotify/fsnotify":             {"cmd/pcc"},
	"golang.org/x/text":                        {"lexer", "parser", "vm/guard", "stdlib"},
	"github.com/rivo/uniseg":                   {"ast/diag"},
	"github.com/google/go-cmp":                 {}, // tests only
	"github.com/santhosh-tekuri/jsonschema/v6": {}, // tests only
	"github.com/rogpeppe/go-internal":          {}, // tests only
}

type listed struct {
	ImportPath                string
	Imports, Deps             []string
	TestImports, XTestImports []string
}

func list(t *testing.T) []listed {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports,Deps,TestImports,XTestImports", module+"/...")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.Bytes())
	}
	var all []listed
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

// TestArrows pins the order of the packages: none may import one that stands
// behind it.
func TestArrows(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range list(t) {
		name := strings.TrimPrefix(p.ImportPath, module+"/")
		allowed, ok := arrows[name]
		if !ok {
			if name != "fuzz" && !strings.HasPrefix(name, "fuzz/") && name != module {
				t.Errorf("package %s has no place in the table of arrows", name)
			}
			continue
		}
		seen[name] = true
		for _, dep := range p.Deps {
			inner, ours := strings.CutPrefix(dep, module+"/")
			if ours && !slices.Contains(allowed, inner) {
				t.Errorf("%s must not depend on %s", name, inner)
			}
		}
		for _, imp := range p.Imports {
			if m := thirdParty(imp); m != "" && !slices.Contains(outside[m], name) {
				t.Errorf("%s must not import %s", name, imp)
			}
		}
	}
	for name := range arrows {
		if !seen[name] {
			t.Errorf("package %s of the table is gone", name)
		}
	}
}

// TestThirdParties refuses modules that the table does not name, in tests too.
func TestThirdParties(t *testing.T) {
	for _, p := range list(t) {
		for _, imp := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
			if strings.Contains(strings.SplitN(imp, "/", 2)[0], ".") && !strings.HasPrefix(imp, module) && thirdParty(imp) == "" {
				t.Errorf("%s imports %s, which no table names", p.ImportPath, imp)
			}
		}
	}
}

// thirdParty is the module of an import path, "" for the standard library and
// our own.
func thirdParty(path string) string {
	for m := range outside {
		if path == m || strings.HasPrefix(path, m+"/") {
			return m
		}
	}
	return ""
}
