package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/parser/document"
	"github.com/pcc-lang/pcc/vm"
)

// testFlags are the flags of `pcc test`.
type testFlags struct {
	templateFlags
	run    string
	update bool
	cover  bool
	junit  string
}

func (a *app) testCommand() *cobra.Command {
	var f testFlags
	cmd := &cobra.Command{
		Use:   "test PATH…",
		Short: "Run the tests of prompt documents and agents",
		Long: `Runs the tests that prompt documents hold under tests:, those in a folder tests
beside them, and those of agents. A folder stands for all documents and agents in
it. Files of tests are named after their document: tests/support.yaml or
tests/support_refunds.yaml for support.yaml, with one test or a list of them;
those of an agent are tests/test….yaml.

A test gives data and what it expects: text, messages, contains, not_contains,
matches, error or variables. With -u the expected texts and messages that do not
hold are replaced in the files by what was rendered.`,
		Example: `  pcc test prompts/
  pcc test support.yaml -run refund
  pcc test support.yaml -u
  pcc test prompts/ --cover --junit report.xml`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("test: PATH is missing; `.` is this folder")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			a.strict = f.strict
			return a.test(args, &f)
		},
	}
	f.add(cmd.Flags())
	cmd.Flags().StringVar(&f.run, "run", "", "run only the tests whose name matches this regular expression")
	cmd.Flags().BoolVarP(&f.update, "update", "u", false, "take what was rendered as the expected texts and messages")
	cmd.Flags().BoolVar(&f.cover, "cover", false, "tell which branches no test took")
	cmd.Flags().StringVar(&f.junit, "junit", "", "also write a JUnit XML report to this file")
	return cmd
}

// testRun is one test that was run.
type testRun struct {
	suite  string // the path that holds it
	result *compiler.TestResult
	took   time.Duration
}

func (a *app) test(paths []string, f *testFlags) error {
	pattern, err := regexp.Compile(f.run)
	if err != nil {
		return usagef("--run: %v", err)
	}
	var runs []testRun
	edits := map[string]string{}
	for _, path := range paths {
		set, dir, err := a.loadTests(path, f)
		if err != nil {
			return err
		}
		if set == nil {
			continue
		}
		mine, err := a.runTests(set, path, pattern)
		if err != nil {
			return err
		}
		runs = append(runs, mine...)
		if f.update {
			for name, text := range editsOf(mine) {
				edits[filepath.Join(dir, filepath.FromSlash(name))] = text
			}
		}
		showTestsUnder(dir, set, mine)
		for _, w := range set.Warnings() {
			if w.Code == "PCC425" { // a file of tests that is not run
				a.found = append(a.found, w)
			}
		}
		if f.cover {
			a.reportCoverage(set, mine)
		}
	}
	for _, name := range slices.Sorted(mapKeys(edits)) {
		if err := a.writeFile(name, []byte(edits[name])); err != nil {
			return cannotWrite(name, err)
		}
	}
	if len(runs) == 0 && !a.found.HasErrors() {
		a.found = append(a.found, noTests(f.run))
	}
	if err := a.writeResult("", a.testReport(runs, f.update)); err != nil {
		return err
	}
	if f.junit != "" {
		if err := a.writeFile(f.junit, junitReport(runs)); err != nil {
			return cannotWrite(f.junit, err)
		}
	}
	return nil
}

// noTests says that nothing was run. A pattern that matches nothing is most
// likely misspelt.
func noTests(pattern string) *diag.Diagnostic {
	if pattern != "" {
		return &diag.Diagnostic{Message: "no test has a name that matches --run", Help: "without --run all tests are run"}
	}
	return &diag.Diagnostic{Severity: diag.Note, Message: "there are no tests",
		Help: "write them under `tests:` in a document, or in tests/NAME.yaml beside NAME.yaml or NAME.md; those of an agent are tests/test….yaml"}
}

func mapKeys(m map[string]string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// loadTests loads a document, an agent or a whole folder. dir is the folder
// that the names of its files are relative to.
func (a *app) loadTests(path string, f *testFlags) (set *compiler.Set, dir string, err error) {
	opts, err := f.options()
	if err != nil {
		return nil, "", err
	}
	opts = append(opts, compiler.WithTestFiles())
	if f.cover {
		opts = append(opts, compiler.WithCoverage())
	}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "", missingFile(path)
	}
	if err != nil {
		return nil, "", err
	}
	load, base := compiler.Load, filepath.Base(path)
	dir = filepath.Dir(filepath.Clean(path))
	if info.IsDir() {
		dir, base = path, "."
		if !document.IsAgent(compiler.DirFS(path), ".") {
			load = compiler.LoadDir
		}
	}
	root, err := rootOf(dir)
	if err != nil {
		return nil, "", err
	}
	set, err = load(root, base, opts...)
	if err != nil {
		if l, ok := err.(diag.List); ok {
			showUnder(dir, l, nil)
		}
		return nil, "", a.report(err)
	}
	return set, dir, nil
}

// runTests runs the tests of a set, in order.
func (a *app) runTests(set *compiler.Set, path string, pattern *regexp.Regexp) ([]testRun, error) {
	var runs []testRun
	for _, t := range set.Tests() {
		if !pattern.MatchString(t.Name) {
			continue
		}
		start := time.Now()
		r := t.Run(a.ctx)
		if a.ctx.Err() != nil {
			return nil, errInterrupted
		}
		suite := path
		if t.Prompt != "" && set.Form() == "" {
			suite = filepath.Join(path, filepath.FromSlash(t.Prompt))
		}
		runs = append(runs, testRun{suite, r, time.Since(start)})
	}
	return runs, nil
}

func editsOf(runs []testRun) map[string]string {
	var all []compiler.Edit
	for _, r := range runs {
		all = append(all, r.result.Edits...)
	}
	return compiler.ApplyEdits(all)
}

// showTestsUnder makes the names of files those that the user knows.
func showTestsUnder(dir string, set *compiler.Set, runs []testRun) {
	l := append(diag.List(nil), set.Warnings()...)
	for _, r := range runs {
		// A test file of an agent is part of no program.
		l = append(l, diag.New("PCC430", r.result.Test.File, r.result.Test.Span, ""))
	}
	showUnder(dir, l, set)
}

// testReport tells what passed and what failed, suite by suite. With update
// the failures that were mended are no findings.
func (a *app) testReport(runs []testRun, update bool) []byte {
	var b bytes.Buffer
	passed, failed, updated := 0, 0, 0
	for i := 0; i < len(runs); {
		suite := runs[i].suite
		bad, n := 0, 0
		var details bytes.Buffer
		for ; i < len(runs) && runs[i].suite == suite; i++ {
			n++
			r := runs[i].result
			switch {
			case r.Passed():
				passed++
				continue
			case update && len(r.Edits) == len(r.Failures):
				updated++
				fmt.Fprintf(&details, "  updated %s\n", r.Test.Name)
				continue
			}
			failed++
			bad++
			fmt.Fprintf(&details, "  FAIL %s\n", r.Test.Name)
			if r.Diff != "" {
				fmt.Fprintf(&details, "%s\n", indent(printable(r.Diff), "    "))
			}
			a.found = append(a.found, r.Failures...)
		}
		state := "ok  "
		if bad > 0 {
			state = "FAIL"
		}
		fmt.Fprintf(&b, "%s %s (%s)\n%s", state, suite, plural(n, "test"), details.String())
	}
	fmt.Fprintf(&b, "%d passed, %d failed", passed, failed)
	if updated > 0 {
		fmt.Fprintf(&b, ", %d updated", updated)
	}
	b.WriteByte('\n')
	return b.Bytes()
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func indent(s, by string) string { return by + strings.ReplaceAll(s, "\n", "\n"+by) }

// printable makes control characters visible: rendered text must not steer a
// terminal.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x20 && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 {
			return '\u2423'
		}
		return r
	}, s)
}

// reportCoverage finds the branches that no test took, as notes.
func (a *app) reportCoverage(set *compiler.Set, runs []testRun) {
	taken := map[*vm.Program]map[int]bool{}
	for _, r := range runs {
		p := r.result.Test.Program()
		if taken[p] == nil {
			taken[p] = map[int]bool{}
		}
		for _, b := range r.result.Branches {
			taken[p][b] = true
		}
	}
	total, ran := 0, 0
	for _, p := range set.All() {
		img := p.Image()
		for i, b := range img.Branches {
			total++
			if taken[p][i] {
				ran++
				continue
			}
			d := diag.New("PCC431", img.Sites[b.Site].File, source.Span{Start: b.Span.Start, End: b.Span.Start + 1}, "no test takes this branch")
			a.found = append(a.found, d)
		}
	}
	if total > 0 {
		d := diag.New("PCC432", nil, source.Span{}, "the tests take %d of %s", ran, plural(total, "branch"))
		d.Message = strings.Replace(d.Message, "branchs", "branches", 1)
		a.found = append(a.found, d)
	}
}

// The elements of a JUnit report, as continuous integration servers read it.
type (
	junitSuites struct {
		XMLName xml.Name     `xml:"testsuites"`
		Suites  []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Name    string        `xml:"name,attr"`
		Class   string        `xml:"classname,attr"`
		Time    string        `xml:"time,attr"`
		Failure *junitFailure `xml:"failure"`
	}
	junitFailure struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

func junitReport(runs []testRun) []byte {
	var out junitSuites
	for _, r := range runs {
		if n := len(out.Suites); n == 0 || out.Suites[n-1].Name != r.suite {
			out.Suites = append(out.Suites, junitSuite{Name: r.suite})
		}
		s := &out.Suites[len(out.Suites)-1]
		c := junitCase{Name: r.result.Test.Name, Class: r.suite, Time: fmt.Sprintf("%.3f", r.took.Seconds())}
		if !r.result.Passed() {
			s.Failures++
			var lines []string
			for _, d := range r.result.Failures {
				lines = append(lines, d.Error())
			}
			c.Failure = &junitFailure{Message: r.result.Failures[0].Message, Text: strings.Join(lines, "\n") + "\n" + printable(r.result.Diff)}
		}
		s.Tests++
		s.Cases = append(s.Cases, c)
	}
	b, err := xml.MarshalIndent(&out, "", "  ")
	if err != nil {
		return nil
	}
	return append([]byte(xml.Header), append(b, '\n')...)
}
