package prompt

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/parser/document"
	"github.com/pcc-lang/pcc/vm"
)

// Test is a test of a prompt document: data, and what rendering it should
// give.
type Test struct {
	Name string
	// Prompt is the name of the program in the Set.
	Prompt string
	File   *source.File
	Span   source.Span // of the test's name, or of its start

	program *vm.Program
	missing error // why there is no program
	request bool  // an agent's, which need not expect anything
	data    vm.Value
	expect  *ast.Structure
}

// TestResult is the outcome of one test.
type TestResult struct {
	Test *Test
	// Failures say which expectations do not hold, and where they stand. They
	// hold no values.
	Failures diag.List
	// Diff shows expected and actual texts, for people; "" where nothing can be
	// shown.
	Diff string
	// Err is the error of the render, nil where it succeeded.
	Err error
	// Report is what the render gave, nil where it failed or was not needed.
	Report *vm.Report
	// Branches of the program that ran, with coverage.
	Branches []int
	// Edits would make the expectations hold: `text` and `messages` only.
	Edits []Edit
}

// Edit replaces a stretch of a file.
type Edit struct {
	File *source.File
	Span source.Span
	Text string
}

// Passed reports whether all expectations hold.
func (r *TestResult) Passed() bool { return len(r.Failures) == 0 }

// Tests lists the tests of the documents in the set: those under `tests:` and,
// of agent folders, those in tests/.
func (s *Set) Tests() []*Test {
	if s.doc != nil {
		return s.testsOf(s.doc, "")
	}
	var all []*Test
	seen := map[*ast.Document]bool{}
	for _, n := range s.docNames() {
		if d := s.docs[n]; !seen[d] {
			seen[d] = true
			all = append(all, s.testsOf(d, n)...)
		}
	}
	return all
}

func (s *Set) docNames() []string {
	names := make([]string, 0, len(s.docs))
	for n := range s.docs {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

func (s *Set) testsOf(d *ast.Document, name string) []*Test {
	var tests []*Test
	for i := range d.Tests {
		dt := &d.Tests[i]
		t := &Test{Name: dt.Name, File: dt.File, Span: dt.Span, expect: dt.Expect, data: vm.Null, request: d.Form == ast.FormAgent}
		if dt.Data != nil {
			t.data = compiler.ValueOf(dt.Data)
		}
		t.Prompt = name
		if dt.Entry != "" && name != "" {
			t.Prompt += "#" + dt.Entry
		} else if dt.Entry != "" {
			t.Prompt = dt.Entry
		}
		t.program, t.missing = s.Find(t.Prompt)
		tests = append(tests, t)
	}
	return tests
}

// Program is the program that the test renders; nil where there is none of the
// name that it gives.
func (t *Test) Program() *vm.Program { return t.program }

// Run renders the test's data and holds the outcome against the expectations. A
// test that expects nothing fails, but for the requests of agents, which need
// not: that they render is what they test. So does one whose render warns and
// that does not expect it.
func (t *Test) Run(ctx context.Context, opts ...vm.RenderOption) *TestResult {
	r := &TestResult{Test: t}
	if t.program == nil {
		why := diag.AsList(t.missing)[0]
		d := diag.New("PCC430", t.File, t.Span, "%s", why.Message)
		d.Help = "name the prompt with `entry:`; " + why.Help
		r.Failures = diag.List{d}
		return r
	}
	if !t.expectsSomething() && !t.request {
		d := diag.New("PCC430", t.File, t.Span, "the test expects nothing")
		d.Help = "say what holds, such as `expect: {contains: text}`; " + expectedKeys()
		r.Failures = diag.List{d}
		return r
	}
	if t.expectsOnly("variables") {
		t.check(r)
		return r
	}
	report, err := t.program.Report(ctx, t.data, opts...)
	r.Report, r.Err = report, err
	if report != nil {
		r.Branches = report.Branches
	}
	if err != nil && !t.Expects("error") {
		d := diag.New("PCC430", t.File, t.Span, "the render fails")
		d.Help = "expect it with `error:`, or mend the data"
		r.Failures = append(r.Failures, d)
		r.Diff = err.Error()
		return r
	}
	t.check(r)
	if r.warns() && !t.Expects("warnings") {
		d := diag.New("PCC430", t.File, t.Span, "the render warns")
		d.Help = "mend what it warns of, or expect it with `warnings: true`"
		r.Failures = append(r.Failures, d)
	}
	return r
}

// warns reports whether the render had something to warn of, as users are told it.
func (r *TestResult) warns() bool {
	return r.Report != nil && r.Test.program.Findings(r.Report).Worst() == diag.Warning
}

// check holds the outcome against each expectation.
func (t *Test) check(r *TestResult) {
	if t.expect == nil || t.expect.Kind != ast.SMap {
		return
	}
	for i := range t.expect.Map {
		e := &t.expect.Map[i]
		if check := expectations[e.Key]; check != nil {
			check(r, e, r.Report)
		}
	}
}

// Expects reports whether the test has an expectation of this key.
func (t *Test) Expects(key string) bool {
	if t.expect == nil {
		return false
	}
	_, ok := t.expect.Get(key)
	return ok
}

// expectsSomething reports whether any expectation is one that can be checked.
func (t *Test) expectsSomething() bool {
	if t.expect == nil {
		return false
	}
	return slices.ContainsFunc(t.expect.Map, func(e ast.Entry) bool { return expectations[e.Key] != nil })
}

// expectsOnly reports whether key is all that the test expects.
func (t *Test) expectsOnly(key string) bool {
	return t.Expects(key) && !slices.ContainsFunc(t.expect.Map, func(e ast.Entry) bool { return e.Key != key && expectations[e.Key] != nil })
}

func expectedKeys() string {
	keys := slices.Sorted(maps.Keys(expectations))
	return "the keys are " + strings.Join(keys[:len(keys)-1], ", ") + " and " + keys[len(keys)-1]
}

// expectations holds the check of each key of `expect`.
var expectations = map[string]func(*TestResult, *ast.Entry, *vm.Report){
	"text":         (*TestResult).expectText,
	"messages":     (*TestResult).expectMessages,
	"contains":     func(r *TestResult, e *ast.Entry, p *vm.Report) { r.expectParts(e, p, true) },
	"not_contains": func(r *TestResult, e *ast.Entry, p *vm.Report) { r.expectParts(e, p, false) },
	"matches":      (*TestResult).expectMatches,
	"error":        (*TestResult).expectError,
	"variables":    (*TestResult).expectVariables,
	"warnings":     (*TestResult).expectWarnings,
}

func (r *TestResult) fail(span source.Span, format string, args ...any) *diag.Diagnostic {
	d := diag.New("PCC430", r.Test.File, span, format, args...).WithHelp("mend the template, or what the test expects")
	r.Failures = append(r.Failures, d)
	return d
}

func (r *TestResult) diff(want, got string) {
	if r.Diff != "" {
		r.Diff += "\n"
	}
	r.Diff += diffLines(want, got)
}

// output shows the whole output, unless a difference shows it already.
func (r *TestResult) output(text string) {
	if r.Diff == "" {
		const most = 16 << 10
		more := ""
		if len(text) > most {
			more = fmt.Sprintf("\n    … (%d bytes more)", len(text)-most)
			text = strings.ToValidUTF8(text[:most], "")
		}
		r.Diff = "output:\n" + indented(text) + more
	}
}

// renderedText is the whole output: a text, or the contents of the messages,
// one after the other.
func renderedText(p *vm.Report) string {
	if p == nil {
		return ""
	}
	if len(p.Messages) == 1 && p.Messages[0].Parts.IsNull() {
		return p.Messages[0].Content
	}
	parts := make([]string, len(p.Messages))
	for i, m := range p.Messages {
		parts[i] = m.Content
		if !m.Parts.IsNull() {
			parts[i] = string(vm.AppendJSON(nil, m.Parts, vm.JSONOptions{}))
		}
	}
	return strings.Join(parts, "\n")
}

func (r *TestResult) expectText(e *ast.Entry, p *vm.Report) {
	want, got := compiler.TextOf(&e.Value), renderedText(p)
	if want == got {
		return
	}
	d := r.fail(e.KeySpan, "the text is another one")
	if a, b := strings.TrimRight(want, "\n"), strings.TrimRight(got, "\n"); a == b {
		d.Message = fmt.Sprintf("the text ends in another number of line breaks: %d are expected, and it has %d", len(want)-len(a), len(got)-len(b))
	} else {
		r.diff(want, got)
	}
	text := textStructure(got)
	r.edit(d, e, &text)
}

// edit replaces the value of an expectation; d says that it does not hold.
func (r *TestResult) edit(d *diag.Diagnostic, e *ast.Entry, value *ast.Structure) {
	d.Help = "mend the template, or run `pcc test -u` if the output is right"
	span, text := document.Replacement(r.Test.File, r.Test.expect, e, value)
	r.Edits = append(r.Edits, Edit{File: r.Test.File, Span: span, Text: text})
}

// expectMessages compares the keys that each expected message gives; a message
// may be written short, as {user: text}.
func (r *TestResult) expectMessages(e *ast.Entry, p *vm.Report) {
	if p == nil {
		return
	}
	var got []vm.Value
	for i := range p.Messages {
		got = append(got, p.Messages[i].Value())
	}
	want := expectedMessages(&e.Value)
	same := e.Value.Kind == ast.SList && len(want) == len(got)
	for i := 0; same && i < len(want); i++ {
		same = hasAll(got[i], want[i])
	}
	if same {
		return
	}
	d := r.fail(e.KeySpan, "the messages are others")
	actual, err := structureOf(vm.ListOf(got))
	if err != nil {
		return
	}
	r.diff(string(document.WriteYAML(&e.Value)), string(document.WriteYAML(&actual)))
	r.edit(d, e, &actual)
}

func expectedMessages(s *ast.Structure) []vm.Value {
	var out []vm.Value
	for i := range s.Items {
		m := &s.Items[i]
		if m.Kind == ast.SMap && len(m.Map) == 1 && m.Map[0].Key != "role" && m.Map[0].Key != "content" {
			short := vm.NewMap(2)
			short.Set("role", vm.String(m.Map[0].Key))
			short.Set("content", compiler.ValueOf(&m.Map[0].Value))
			out = append(out, vm.MapOf(short))
			continue
		}
		out = append(out, compiler.ValueOf(m))
	}
	return out
}

// hasAll reports whether got has all that want has, key by key.
func hasAll(got, want vm.Value) bool {
	m, ok := want.Map()
	if !ok {
		return false
	}
	env := vm.NewEnv(&vm.Dialect{}, vm.DefaultLimits())
	for i := range m.Len() {
		k, w := m.At(i)
		key, _ := k.Str()
		g, ok := vm.Lookup(got, key)
		if !ok {
			return false
		}
		if eq, err := env.Equal(g, w); err != nil || !eq {
			return false
		}
	}
	return true
}

// eachText is each for texts that must say something: an empty list holds whatever the
// output is, and an empty text is part of every output.
func (r *TestResult) eachText(e *ast.Entry, f func(*ast.Structure)) {
	if e.Value.Kind == ast.SList && len(e.Value.Items) == 0 {
		r.fail(e.KeySpan, "`%s` lists nothing, and so tests nothing", e.Key).WithHelp("list what is expected, or leave the key out")
		return
	}
	each(&e.Value, func(s *ast.Structure) {
		if compiler.TextOf(s) == "" {
			r.fail(s.Span(), "an empty text is part of every output, so that `%s` tests nothing here", e.Key).WithHelp("write what is expected; an empty output is `text: \"\"`")
			return
		}
		f(s)
	})
}

// each calls f for a text, or for each text of a list.
func each(s *ast.Structure, f func(*ast.Structure)) {
	if s.Kind != ast.SList {
		f(s)
		return
	}
	for i := range s.Items {
		f(&s.Items[i])
	}
}

func (r *TestResult) expectParts(e *ast.Entry, p *vm.Report, there bool) {
	text := renderedText(p)
	r.eachText(e, func(s *ast.Structure) {
		if strings.Contains(text, compiler.TextOf(s)) == there {
			return
		}
		what := "does not contain this"
		if !there {
			what = "contains this"
		}
		r.fail(s.Span(), "the output %s", what)
		r.output(text)
	})
}

func (r *TestResult) expectMatches(e *ast.Entry, p *vm.Report) {
	text := renderedText(p)
	r.eachText(e, func(s *ast.Structure) {
		re, err := regexp.Compile(compiler.TextOf(s))
		if err != nil {
			r.fail(s.Span(), "this is no regular expression").WithHelp("see the syntax of Go's package regexp")
			return
		}
		if work := matchWork(compiler.TextOf(s), text); work > maxMatchWork {
			r.fail(s.Span(), "this regular expression is too much work for an output of %d bytes", len(text)).
				WithHelp("write it with smaller counts such as {1,100}, or expect parts of the text with `contains`")
			return
		}
		if !re.MatchString(text) {
			r.fail(s.Span(), "the output does not match this")
			r.output(text)
		}
	})
}

// maxMatchWork bounds what one regular expression of a test may cost, as
// matchWork estimates it: some seconds. A match cannot be stopped.
const maxMatchWork = 250_000_000

// matchWork estimates the work of matching: package regexp takes time in
// proportion to the length of the text and to that of the expression's program.
func matchWork(expr, text string) int {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return 0
	}
	p, err := syntax.Compile(re.Simplify())
	if err != nil {
		return 0
	}
	return len(p.Inst) * len(text)
}

// isErrorCode reports whether a text looks like a code, or a part of one: a test means
// one code.
func isErrorCode(text string) bool {
	digits, ok := strings.CutPrefix(text, "PCC")
	return ok && strings.Trim(digits, "0123456789") == ""
}

// expectError takes true, a code, or a part of the message.
func (r *TestResult) expectError(e *ast.Entry, _ *vm.Report) {
	if e.Value.Kind == ast.SBool && !e.Value.Bool {
		if r.Err != nil {
			r.fail(e.KeySpan, "the render fails")
			r.Diff = r.Err.Error()
		}
		return
	}
	if r.Err == nil {
		r.fail(e.KeySpan, "the render does not fail")
		return
	}
	if e.Value.Kind == ast.SBool {
		return
	}
	want := compiler.TextOf(&e.Value)
	if strings.TrimSpace(want) == "" {
		r.fail(e.KeySpan, "an empty text is part of every error, so that `error` tests nothing here").
			WithHelp("write a code or a part of the message, or `error: true` for any error")
		return
	}
	if errors.Is(r.Err, &diag.Diagnostic{Code: diag.Code(want)}) || !isErrorCode(want) && strings.Contains(r.Err.Error(), want) {
		return
	}
	r.fail(e.KeySpan, "the render fails in another way")
	r.Diff = r.Err.Error()
}

// expectWarnings takes true or false.
func (r *TestResult) expectWarnings(e *ast.Entry, _ *vm.Report) {
	want := e.Value.Kind != ast.SBool || e.Value.Bool
	switch {
	case want && !r.warns():
		r.fail(e.KeySpan, "the render does not warn")
	case !want && r.warns():
		r.fail(e.KeySpan, "the render warns")
	}
}

// expectVariables takes a list of names, or a map from names to types.
func (r *TestResult) expectVariables(e *ast.Entry, _ *vm.Report) {
	types := map[string]string{}
	for _, v := range r.Test.program.Variables() {
		types[v.Name] = v.Type
	}
	want := map[string]bool{}
	each(&e.Value, func(s *ast.Structure) {
		if s.Kind == ast.SMap {
			for i := range s.Map {
				name, typ := s.Map[i].Key, compiler.TextOf(&s.Map[i].Value)
				want[name] = true
				if have, ok := types[name]; ok && typ != "" && have != typ {
					r.fail(s.Map[i].KeySpan, "`%s` is of type %s", name, have)
				}
			}
			return
		}
		want[compiler.TextOf(s)] = true
	})
	var missing, more []string
	for name := range want {
		if _, ok := types[name]; !ok {
			missing = append(missing, name)
		}
	}
	for name := range types {
		if !want[name] {
			more = append(more, name)
		}
	}
	slices.Sort(missing)
	slices.Sort(more)
	if missing != nil {
		r.fail(e.KeySpan, "the template does not read %s", diag.QuotedList(missing))
	}
	if more != nil {
		r.fail(e.KeySpan, "the template also reads %s", diag.QuotedList(more))
	}
}

func indented(s string) string { return "    " + strings.ReplaceAll(s, "\n", "\n    ") }

// maxDiffLines bounds the comparison, which is quadratic.
const maxDiffLines = 2000

// diffLines shows two texts line by line: common lines, `-` for expected and
// `+` for actual ones.
func diffLines(want, got string) string {
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	if len(a) > maxDiffLines || len(b) > maxDiffLines {
		return fmt.Sprintf("expected %d lines, got %d", len(a), len(b))
	}
	// common[i][j] is the length of the longest common run of a[i:] and b[j:].
	common := make([][]int32, len(a)+1)
	for i := range common {
		common[i] = make([]int32, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	var out []string
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			out = append(out, "  "+a[i])
			i, j = i+1, j+1
		case i < len(a) && (j == len(b) || common[i+1][j] >= common[i][j+1]):
			out = append(out, "- "+a[i])
			i++
		default:
			out = append(out, "+ "+b[j])
			j++
		}
	}
	return strings.Join(out, "\n")
}

// ApplyEdits returns the texts of the files that edits change, by file name.
// Edits of one file must not overlap; one that is given twice counts once.
func ApplyEdits(edits []Edit) map[string]string {
	byFile := map[*source.File][]Edit{}
	for _, e := range edits {
		byFile[e.File] = append(byFile[e.File], e)
	}
	out := map[string]string{}
	for f, list := range byFile {
		slices.SortStableFunc(list, func(a, b Edit) int { return int(b.Span.Start) - int(a.Span.Start) })
		text, last := f.Text, source.Pos(len(f.Text))+1
		for _, e := range list {
			if e.Span.Start >= last || e.Span.End > last {
				continue
			}
			text = text[:e.Span.Start] + e.Text + text[e.Span.End:]
			last = e.Span.Start
		}
		out[f.Name] = text
	}
	return out
}
