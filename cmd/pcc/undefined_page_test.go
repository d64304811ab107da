package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pcc-lang/pcc/internal/markdown"
)

// missingColumns are the columns of the tables in docs/undefined.md: how the
// template of a row is rendered, x being a name without a value.
var missingColumns = map[string][]string{
	"missing":            nil,
	"null":               {"-D", "x:=null"},
	"`undefined: keep`":  {"--undefined", "keep"},
	"`undefined: error`": {"--undefined", "error"},
	"`undefined: empty`": {"--undefined", "empty"},
	"`default`":          {"--jinja", "undefined=default"},
	"`--strict`":         {"--strict"},
	"`chainable`":        {"--jinja", "undefined=chainable"},
	"`strict`":           {"--jinja", "undefined=strict"},
	"`debug`":            {"--jinja", "undefined=debug"},
}

// TestUndefinedPage renders every row of the tables in docs/undefined.md that stand
// between comments with the name of a dialect, for each column. PCC_UPDATE=1 writes
// what comes out.
func TestUndefinedPage(t *testing.T) {
	const page = "../../docs/undefined.md"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "part.md"), []byte("[{v}]"), 0o600); err != nil {
		t.Fatal(err)
	}
	rows := map[string]int{}
	out := string(text)
	for _, dialect := range []string{"native", "keep", "angle", "jinja"} {
		begin := "<!-- " + dialect + " -->\n"
		_, header, _ := strings.Cut(out, begin)
		header, _, _ = strings.Cut(header, "\n")
		columns := markdown.Cells(header)[1:]
		out = inTable(t, out, dialect, func(lines []string) (all []string) {
			for _, line := range lines {
				row := []string{markdown.Cells(line)[0]}
				template := strings.Trim(strings.ReplaceAll(row[0], `\|`, "|"), "`")
				for _, column := range columns {
					args, ok := missingColumns[column]
					if !ok {
						t.Fatalf("no column is called %s", column)
					}
					row = append(row, missingCell(t, dir, dialect, template, args))
				}
				all = append(all, tableRow(row...))
			}
			rows[dialect] = len(all)
			return all
		})
	}
	if rows["native"] < 30 || rows["keep"] < 8 || rows["angle"] < 4 || rows["jinja"] < 30 {
		t.Errorf("rows of the tables: %v", rows)
	}
	isCurrent(t, page, []byte(out))
}

// missingCell renders a template without x and tells what comes out: the text, and
// the codes of errors and warnings.
func missingCell(t *testing.T, dir, dialect, template string, args []string) string {
	t.Helper()
	name := filepath.Join(dir, "t.md")
	switch dialect {
	case "jinja":
		name = filepath.Join(dir, "t.jinja")
	case "angle":
		args = append([]string{"--syntax", "angle"}, args...)
	}
	if err := os.WriteFile(name, []byte(template), 0o600); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	data := filepath.Join(dir, "data.json") // unlike names of -D, those of a file may be of no use
	if err := os.WriteFile(data, []byte(`{"name": "Ada", "user": {"name": "Ada"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	args = append([]string{"render", name, "-d", data, "--config", "none", "--format", "github"}, args...)
	code := newApp(t.Context(), nil, &stdout, &stderr).run(args)
	var said []string
	for _, c := range regexp.MustCompile(`PCC\d{3}`).FindAllString(stderr.String(), -1) {
		if c != "PCC382" && !slices.Contains(said, c) { // which values a row reads is not its matter
			said = append(said, c)
		}
	}
	if code != exitOK && (code != exitFindings || len(said) == 0 || stdout.Len() > 0) {
		t.Errorf("%s %v: exit %d, %s", template, args, code, &stderr)
	}
	shown := "–"
	switch text := strings.Join(strings.Fields(stdout.String()), " "); {
	case code != exitOK:
		shown = ""
	case text != "":
		shown = "`" + cell(text) + "`"
	}
	return strings.TrimSpace(fmt.Sprint(shown, " ", strings.Join(said, " ")))
}
