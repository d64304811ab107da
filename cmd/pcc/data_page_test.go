package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/internal/markdown"
	"github.com/pcc-lang/pcc/parser/document"
	"github.com/pcc-lang/pcc/vm"
)

// goValues are the rows of docs/data.md about values of Go.
var goValues = []struct {
	source string
	value  any
}{
	{`"a text"`, "a text"},
	{`Status("open")`, status("open")},
	{`true`, true},
	{`3`, 3},
	{`uint64(math.MaxUint64)`, uint64(math.MaxUint64)},
	{`3.0`, 3.0},
	{`float32(0.1)`, float32(0.1)},
	{`big.NewInt(3)`, big.NewInt(3)},
	{`json.Number("2.50")`, json.Number("2.50")},
	{`nil`, nil},
	{`(*string)(nil)`, (*string)(nil)},
	{`[]string{"a", "b"}`, []string{"a", "b"}},
	{`[2]int{1, 2}`, [2]int{1, 2}},
	{`map[string]int{"b": 1, "a": 2}`, map[string]int{"b": 1, "a": 2}},
	{`map[int]string{10: "x", 2: "y"}`, map[int]string{10: "x", 2: "y"}},
	{"struct{ Name string }{\"Ada\"}", struct{ Name string }{"Ada"}},
	{"json.RawMessage(`{\"z\": 1, \"a\": 2}`)", json.RawMessage(`{"z": 1, "a": 2}`)},
	{`[]byte("a text")`, []byte("a text")},
	{`time.Date(2026, 3, 9, 10, 0, 0, 0, time.UTC)`, time.Date(2026, 3, 9, 10, 0, 0, 0, time.UTC)},
	{`90 * time.Second`, 90 * time.Second},
	{`errors.New("late")`, errors.New("late")},
	{`netip.MustParseAddr("10.0.0.1")`, netip.MustParseAddr("10.0.0.1")},
	{`func() {}`, func() {}},
}

type status string

// typeOf is a template that prints the type of v, as contracts call it.
const typeOf = `{{ "null" if v is none else "boolean" if v is boolean else "integer" if v is integer ` +
	`else "number" if v is number else "string" if v is string else "list" if v is list else "map" if v is map else "" }}`

// TestDataPage: the tables of docs/data.md show what each value is and prints as.
// PCC_UPDATE=1 writes what comes out.
func TestDataPage(t *testing.T) {
	const page = "../../docs/data.md"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	out := string(text)
	for _, table := range []struct {
		name   string
		decode func(string) (vm.Value, error)
	}{
		{"json", func(s string) (vm.Value, error) { return vm.DecodeJSON([]byte(s), vm.DecodeOptions{}) }},
		{"yaml", func(s string) (vm.Value, error) {
			v, l := document.DecodeYAMLData(&source.File{Name: "v.yaml", Text: "v: " + s}, document.YAMLOptions{})
			if l.HasErrors() {
				return vm.Null, l
			}
			m, _ := compiler.ValueOf(v).Map()
			inner, _ := m.Get("v")
			return inner, nil
		}},
	} {
		out = inTable(t, out, table.name, func(rows []string) (all []string) {
			if len(rows) < 10 {
				t.Errorf("%s: %d rows", table.name, len(rows))
			}
			for _, row := range rows {
				first := markdown.Cells(row)[0]
				v, err := table.decode(strings.ReplaceAll(strings.Trim(first, "`"), `\|`, "|"))
				if err != nil {
					t.Fatalf("%s: %v", first, err)
				}
				all = append(all, tableRow(first, typeCell(t, v), printCell(t, "{{ v }}", "", false, v),
					printCell(t, "{{ v }}", compiler.SyntaxJinja, false, v), printCell(t, "{{ v|json }}", "", false, v)))
			}
			return all
		})
	}
	out = inTable(t, out, "go", func([]string) (all []string) {
		for _, row := range goValues {
			quoted := "`" + row.source + "`"
			if strings.Contains(row.source, "`") {
				quoted = "`` " + row.source + " ``"
			}
			v := vm.Of(row.value)
			plain, host := printCell(t, "{{ v }}", "", false, v), printCell(t, "{{ v }}", "", true, v)
			if host == plain {
				host = ""
			}
			all = append(all, tableRow(cell(quoted), typeCell(t, v), plain, printCell(t, "{{ v }}", compiler.SyntaxJinja, false, v), host))
		}
		return all
	})
	isCurrent(t, page, []byte(out))
}

// TestDataLimits: the bounds that docs/data.md lists are those of data on the command
// line; what is at them is read, what is beyond ends with the code.
func TestDataLimits(t *testing.T) {
	nested := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	name := filepath.Join(t.TempDir(), "t.md")
	if err := os.WriteFile(name, []byte("{{ x is defined }}"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		ending, in, beyond, code string
	}{
		{"json", `{"x": ` + nested(63) + `}`, `{"x": ` + nested(64) + `}`, "PCC912"},
		{"json", `{"x": ` + strings.Repeat("1", 4300) + `}`, `{"x": ` + strings.Repeat("1", 4301) + `}`, "PCC912"},
		{"yaml", "x: " + nested(64), "x: " + nested(65), "PCC921"},
		{"yaml", "x: " + strings.Repeat("a", 1<<20-3), "x: " + strings.Repeat("a", 1<<20-2), "PCC920"},
		{"yaml", "x: [" + strings.Repeat("1,", 49_997) + "]", "x: [" + strings.Repeat("1,", 50_000) + "]", "PCC922"},
		{"yaml", "a: &a 1\nx: [" + strings.Repeat("*a,", 100) + "]", "a: &a 1\nx: [" + strings.Repeat("*a,", 101) + "]", "PCC923"},
	} {
		for text, want := range map[string]string{tt.in: "", tt.beyond: tt.code} {
			data := filepath.Join(t.TempDir(), "data."+tt.ending)
			if err := os.WriteFile(data, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			var stdout, stderr bytes.Buffer
			code := newApp(t.Context(), nil, &stdout, &stderr).run([]string{"render", name, "-d", data, "--config", "none"})
			if (code == exitOK) != (want == "") || !strings.Contains(stderr.String(), want) {
				t.Errorf("%s of %d bytes, %s: exit %d, %.300s", tt.ending, len(text), tt.code, code, &stderr)
			}
		}
	}
}

// inTable replaces the rows of the table of a page that stands between comments with
// a name.
func inTable(t *testing.T, page, name string, rows func([]string) []string) string {
	t.Helper()
	begin, end := "<!-- "+name+" -->\n", "<!-- /"+name+" -->\n"
	before, rest, ok := strings.Cut(page, begin)
	table, after, closed := strings.Cut(rest, end)
	lines := strings.SplitAfter(table, "\n")
	if !ok || !closed || len(lines) < 3 {
		t.Fatalf("the page has no table %s", name)
	}
	return before + begin + lines[0] + lines[1] + strings.Join(rows(lines[2:len(lines)-1]), "") + end + after
}

// tableRow is a row of a table in Markdown.
func tableRow(cells ...string) string { return "| " + strings.Join(cells, " | ") + " |\n" }

func typeCell(t *testing.T, v vm.Value) string {
	t.Helper()
	return strings.Trim(printCell(t, typeOf, "", false, v), "`–")
}

// printCell is what a template prints of v, or the code of the error.
func printCell(t *testing.T, template string, syntax compiler.Syntax, host bool, v vm.Value) string {
	t.Helper()
	opts := []compiler.Option{compiler.WithSyntax(syntax)}
	if host {
		opts = append(opts, compiler.WithHostMethods())
	}
	p, err := compiler.Compile(template, opts...)
	if err != nil {
		t.Fatal(err)
	}
	data := vm.NewMap(1)
	data.Set("v", v)
	text, err := p.Render(data)
	var e *compiler.Error
	switch {
	case errors.As(err, &e):
		return string(e.Code)
	case err != nil:
		t.Fatal(err)
	case text == "":
		return "–"
	}
	return "`" + cell(text) + "`"
}
