package compiler_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/fuzz/cases"
	"github.com/pcc-lang/pcc/internal/code"
	"github.com/pcc-lang/pcc/vm"
)

// allCases reads every golden case.
func allCases(t testing.TB) []*cases.Case {
	t.Helper()
	var all []*cases.Case
	for _, dir := range []string{"render", "errors", "code"} {
		archives, err := cases.ReadAll(filepath.Join("..", "testdata", dir))
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range archives {
			all = append(all, a.Cases...)
		}
	}
	return all
}

// elsewhere are codes of templates that no golden shows, each with the test
// that raises it.
var elsewhere = map[diag.Code]string{
	"PCC199": "trees made by programs, TestForeignNodes",
	"PCC206": "trees made by programs, TestForeignNodes",
	"PCC223": "options, TestBadFilters",
	"PCC241": "files, TestNotATemplate",
	"PCC243": "files, TestIncludedDocument",
	"PCC240": "documents, package prompt's tests of loading",
	"PCC299": "faults of the compiler itself, vm.TestVerifyRefuses",
	"PCC302": "panics of filters, TestHostileFilters",
	"PCC303": "Render on a chat program, vm.TestChatHasNoText",
	"PCC307": "types, vm.TestBindChecks",
	"PCC308": "types, vm.TestBindChecks",
	"PCC384": "Go values, TestSilentText", "PCC385": "documents, TestNearParts", "PCC442": "folders, script silence-cli",
	"PCC372": "requests, TestNearKeys", "PCC373": "requests, TestSuspectRequests", "PCC374": "requests, TestSuspectRequests",
	"PCC330": "data, vm.TestDecodeJSONErrors",
	"PCC331": "data, vm.TestDecodeJSONErrors",
	"PCC332": "data, vm.TestDecodeJSONErrors", "PCC333": "data, vm.TestDecodeJSONErrors",
	"PCC350": "documents", "PCC351": "documents", "PCC352": "documents", "PCC353": "documents", "PCC354": "documents", "PCC355": "documents, TestBlankPlaceholders",
	"PCC381": "reports of the command line",
	"PCC360": "forms of messages, message.TestFormRefuses", "PCC361": "forms of messages, message.TestFormRefuses", "PCC362": "forms of messages, message.TestFormRefuses", "PCC363": "forms of messages, message.TestParts",
	"PCC370": "chat requests, package chat's tests", "PCC371": "chat requests, package chat's tests",
	"PCC399": "faults of the compiler itself, vm.TestVerifyRefuses",
	"PCC902": "large sources, TestLargeSources",
	"PCC903": "many errors, TestManyErrors",
	"PCC906": "cyclic data, TestCyclicData",
	"PCC910": "contexts, vm.TestCancel",
	"PCC309": "data, TestDataWithoutNames",
	"PCC912": "data, vm.TestDecodeJSONErrors",
	"PCC914": "long lists and paths, TestTooManyParts",
	"PCC915": "large templates, TestJinjaHandsOnTooMuch",
	"PCC917": "many tags, TestManyTags",
	"PCC916": "the room of a program, TestProgramRoom",
	"PCC918": "large templates, TestCompileMemoryTells",
	"PCC920": "documents", "PCC921": "documents", "PCC922": "documents", "PCC923": "documents",
}

// TestEveryCode checks that each code of templates has a golden rendering, and
// that elsewhere lists none in vain.
func TestEveryCode(t *testing.T) {
	shown := map[diag.Code]bool{}
	re := regexp.MustCompile(`(?m)^(?:error|warning|note)\[(PCC\d+)\]`)
	for _, c := range allCases(t) {
		for _, section := range []string{"errors", "warnings"} {
			text, _ := c.Want(section)
			for _, m := range re.FindAllStringSubmatch(text, -1) {
				shown[diag.Code(m[1])] = true
			}
		}
		// A case that is named after a code shows that code.
		if code, _, _ := strings.Cut(c.Name, " "); strings.HasPrefix(code, "PCC") && elsewhere[diag.Code(code)] == "" {
			e, _ := c.Want("errors")
			w, _ := c.Want("warnings")
			if !strings.Contains(e+w, "["+code+"]") {
				t.Errorf("%s: the case %q does not show %s", c.Archive.Path, c.Name, code)
			}
		}
	}
	tests := testNames(t)
	for code, why := range elsewhere {
		if name := regexp.MustCompile(`Test\w+`).FindString(why); name != "" && !tests[name] {
			t.Errorf("%s: there is no %s", code, name)
		}
	}
	for _, e := range diag.Entries() {
		if e.Code.Stage() == diag.DocumentStage || e.Form == "document" { // documents have goldens of their own
			continue
		}
		why, other := elsewhere[e.Code]
		if !shown[e.Code] && !other {
			t.Errorf("no golden shows %s: %s", e.Code, e.Title)
		}
		if shown[e.Code] && other {
			t.Errorf("%s has a golden now; it need not be listed (%s)", e.Code, why)
		}
	}
}

// testNames lists the tests of the packages compiler and vm.
func testNames(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	for _, pattern := range []string{"*_test.go", "../vm/*_test.go", "../vm/message/*_test.go", "../prompt/*_test.go", "../chat/*_test.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range regexp.MustCompile(`(?m)^func (Test\w+)`).FindAllStringSubmatch(string(src), -1) {
				names[m[1]] = true
			}
		}
	}
	return names
}

// boundOpcodes are those of code that is bound to a Go type while it runs; the
// compiler emits none. The vm package's tests hold each of them.
var boundOpcodes = []code.Op{code.OpEmitField, code.OpField, code.OpJumpFieldFalse, code.OpSwitchField}

// TestEveryOpcode checks that the golden cases between them make the compiler
// emit every opcode of the native language and of Jinja.
func TestEveryOpcode(t *testing.T) {
	emitted := map[code.Op]bool{}
	collect := func(p *vm.Program) {
		for _, f := range p.Image().Functions {
			for _, ins := range f.Code {
				emitted[ins.Op] = true
			}
		}
	}
	for _, c := range allCases(t) {
		opts, err := options(c)
		if err != nil {
			t.Fatal(err)
		}
		for _, off := range [][]compiler.Option{nil, {compiler.WithoutPass(compiler.PassFuse)}} {
			if p, err := compiler.Compile(c.Template, append(slices.Clone(opts), off...)...); err == nil {
				collect(p)
			}
		}
	}
	for op := code.OpText; op <= code.OpFinish; op++ {
		if op > code.OpEndCapture && op < code.OpResolve || slices.Contains(boundOpcodes, op) {
			continue // documents; code bound to a type
		}
		if !emitted[op] {
			t.Errorf("no golden case emits %s", op)
		}
	}
}
