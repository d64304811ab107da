package prompt_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"sort"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/internal/conformance"
	"github.com/pcc-lang/pcc/prompt"
	"github.com/pcc-lang/pcc/vm"
)

// seedRow is one recorded run of one of the systems whose documents are read.
type seedRow struct {
	id    string
	in    vm.Value // the input
	row   vm.Value
	stage string // of the expected error, "" where none is expected
	fails bool
	text  string // of the expected error
}

func field(v vm.Value, name string) vm.Value {
	x, _ := vm.Lookup(v, name)
	return x
}

func has(v vm.Value, name string) bool { _, ok := vm.Lookup(v, name); return ok }

func str(v vm.Value, name string) string {
	s, _ := field(v, name).Str()
	return s
}

// plainJSON is v as encoding/json decodes it, for comparisons in which the
// order of keys does not count.
func plainJSON(v vm.Value) any {
	var out any
	if err := json.Unmarshal(vm.AppendJSON(nil, v, vm.JSONOptions{}), &out); err != nil {
		return "no JSON: " + err.Error()
	}
	return out
}

// seedResult is what a row gave: a value or an error.
type seedResult struct {
	value any
	err   error
	stage string // where the error came: "load" or "render"
	na    string // why the row has no counterpart
}

func value(v any) seedResult         { return seedResult{value: v} }
func loadError(err error) seedResult { return seedResult{err: err, stage: "load"} }
func fails(err error) seedResult     { return seedResult{err: err, stage: "render"} }
func noCounterpart(why string) seedResult {
	return seedResult{na: why}
}

// check compares a row with what it should give; "" is a match.
func (r *seedRow) check(got seedResult) string {
	if r.fails {
		if got.err == nil {
			return fmt.Sprintf("gives %#v, wants the error %q", got.value, r.text)
		}
		if names := namesIn(r.text); names != nil && !sameNames(names, errorNames(got.err)) {
			return fmt.Sprintf("the error names %q, wants %q: %v", errorNames(got.err), names, got.err)
		}
		return ""
	}
	if got.err != nil {
		return "fails: " + got.err.Error()
	}
	want := r.want()
	if got.value == nil && want == nil {
		return ""
	}
	if v, ok := got.value.(vm.Value); ok {
		got.value = plainJSON(v)
	}
	b, err := json.Marshal(got.value)
	if err != nil {
		return err.Error()
	}
	var mine any
	_ = json.Unmarshal(b, &mine)
	if !reflect.DeepEqual(mine, want) {
		w, _ := json.Marshal(want)
		return fmt.Sprintf("\n\t got %s\n\twant %s", b, w)
	}
	return ""
}

// want is the expected result.
func (r *seedRow) want() any {
	expect := field(r.row, "expect")
	if strings.HasPrefix(r.id, "pdx") || strings.HasPrefix(r.id, "real-pdx") {
		return agentExpect(expect)
	}
	want := plainJSON(field(expect, "result"))
	if str(r.in, "op") == "save" {
		return savedData(want)
	}
	return want
}

var namesPattern = regexp.MustCompile(`(?:Required|Extra variables|not declared in template_variables|not used in template): \[([^\]]*)\]`)

// namesIn are the variables that an error of the original lists; nil where it
// lists none.
func namesIn(text string) []string {
	var names []string
	for _, m := range namesPattern.FindAllStringSubmatch(text, -1) {
		if strings.Contains(m[0], "Required") && strings.Contains(text, "Provided") {
			// The original lists all required names; the missing ones count.
			required, provided := splitNames(m[1]), splitNames(between(text, "Provided: [", "]"))
			for _, n := range required {
				if !slices.Contains(provided, n) {
					names = append(names, n)
				}
			}
			continue
		}
		names = append(names, splitNames(m[1])...)
	}
	return names
}

func between(s, from, to string) string {
	_, s, _ = strings.Cut(s, from)
	s, _, _ = strings.Cut(s, to)
	return s
}

func splitNames(list string) []string {
	var out []string
	for _, n := range strings.Split(list, ", ") {
		if n = strings.TrimSpace(n); len(n) >= 2 {
			out = append(out, n[1:len(n)-1])
		}
	}
	return out
}

func errorNames(err error) []string {
	var names []string
	var list diag.List
	var one *diag.Diagnostic
	switch {
	case errors.As(err, &list):
	case errors.As(err, &one):
		list = diag.List{one}
	}
	for _, d := range list {
		names = append(names, d.Names...)
	}
	return names
}

func sameNames(a, b []string) bool {
	a, b = slices.Clone(a), slices.Clone(b)
	sort.Strings(a)
	sort.Strings(b)
	return slices.Equal(slices.Compact(a), slices.Compact(b))
}

// TestSeedConformance runs every recorded run of the seed systems. A row equals
// the original, or stands in testdata/conformance/deviations.yaml.
func TestSeedConformance(t *testing.T) {
	dir := filepath.Join(conformance.Folder(t), "seeds")
	known := conformance.Deviations(t)
	for _, s := range []struct {
		file string
		run  func(*testing.T, *seedRow) seedResult
	}{
		{"agentforge", runAgentForge}, {"hf", runPromptTemplates}, {"phronomy", runPair}, {"pdx", runAgent},
	} {
		t.Run(s.file, func(t *testing.T) {
			passed, total, allowed, na := 0, 0, 0, 0
			for _, r := range seedRows(t, filepath.Join(dir, s.file+".jsonl")) {
				total++
				got := runSeed(t, r, s.run)
				d, deviates := known[r.id]
				if got.na != "" {
					na++
					if !deviates {
						t.Errorf("%s has no counterpart (%s), and is not listed", r.id, got.na)
					}
					continue
				}
				why := r.check(got)
				switch {
				case why == "" && deviates:
					t.Errorf("%s passes, but is listed as a deviation", r.id)
				case why == "":
					passed++
				case deviates:
					allowed++
					if d.Ours != "" && d.Ours != ours(got) {
						t.Errorf("%s: ours is %s, listed as %s", r.id, ours(got), d.Ours)
					}
				default:
					t.Errorf("%s (%s) %s", r.id, str(r.row, "note"), why)
				}
			}
			fmt.Printf("conformance seeds/%s: %d/%d passed, %d deviations, %d without counterpart\n", s.file, passed, total, allowed, na)
		})
	}
}

// runSeed runs a row. A panic is its result, so that the other rows run too.
func runSeed(t *testing.T, r *seedRow, run func(*testing.T, *seedRow) seedResult) (got seedResult) {
	defer func() {
		if p := recover(); p != nil {
			t.Errorf("%s: panic: %v", r.id, p)
			got = fails(fmt.Errorf("panic: %v", p))
		}
	}()
	return run(t, r)
}

// ours is a result as deviations.yaml gives it: JSON, or "error: " and the
// codes.
func ours(r seedResult) string {
	if r.err == nil {
		var b strings.Builder
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		_ = enc.Encode(r.value)
		return strings.TrimSpace(b.String())
	}
	var codes []string
	var list diag.List
	var one *diag.Diagnostic
	if errors.As(r.err, &list) {
		for _, d := range list {
			codes = append(codes, string(d.Code))
		}
	} else if errors.As(r.err, &one) {
		codes = append(codes, string(one.Code))
	}
	return strings.TrimSpace("error: " + strings.Join(codes, " "))
}

func seedRows(t *testing.T, name string) []*seedRow {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var rows []*seedRow
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		v, err := vm.DecodeJSON(lines.Bytes(), vm.DecodeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		r := &seedRow{id: str(v, "id"), in: field(v, "input"), row: v}
		if e := field(v, "error"); e.Kind() == vm.KindMap {
			r.fails, r.stage, r.text = true, str(e, "stage"), str(e, "message")
		}
		if e := field(field(v, "expect"), "populate_error"); e.Kind() == vm.KindMap {
			r.fails, r.stage, r.text = true, "populate", str(e, "message")
		}
		rows = append(rows, r)
	}
	return rows
}

// yamlOf writes a value as a document: JSON is YAML.
func yamlOf(v vm.Value) string { return string(vm.AppendJSON(nil, v, vm.JSONOptions{})) }

func mapOf(pairs ...any) vm.Value {
	m := vm.NewMap(len(pairs) / 2)
	for i := 0; i < len(pairs); i += 2 {
		m.Set(pairs[i].(string), vm.Of(pairs[i+1]))
	}
	return vm.MapOf(m)
}

// chatOf renders the main prompt of a set.
func chatOf(s *prompt.Set, data vm.Value) ([]vm.Message, seedResult) {
	p, err := s.Find("")
	if err != nil {
		return nil, loadError(err)
	}
	ms, err := p.Messages(data)
	if err != nil {
		return nil, fails(err)
	}
	return ms, seedResult{}
}

var noFiles = fstest.MapFS{}

// context is used where a run needs none of its own.
var background = context.Background()
