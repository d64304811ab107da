package main

import (
	"encoding/xml"
	"fmt"
	"slices"
	"strings"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/parser/document"
	"github.com/pcc-lang/pcc/prompt"
	"github.com/pcc-lang/pcc/vm"
)

// showTestsUnder makes the names of files those that the user knows, and adds
// what the set was warned of to the findings. A key that a test does not have is
// an error here: what it was meant to check goes unchecked.
func (a *app) showTestsUnder(dir string, set *prompt.Set, runs []testRun) {
	var l diag.List
	for _, w := range set.Warnings() {
		if w.Severity == diag.Error {
			continue // it is among the findings
		}
		l = append(l, w)
	}
	own := slices.Clone(l)
	faults := set.TestFaults()
	for i, w := range own {
		isFault := slices.ContainsFunc(faults, func(d *diag.Diagnostic) bool {
			return d.Code == w.Code && d.File == w.File && d.Span == w.Span && d.Message == w.Message
		})
		if isFault || w.Kind == document.Unchecked {
			e := *w
			e.Severity = diag.Error
			own[i] = &e
		}
	}
	for _, r := range runs {
		// A test file of an agent is part of no program.
		l = append(l, diag.New("PCC430", r.result.Test.File, r.result.Test.Span, ""))
	}
	a.showUnder(dir, l, set)
	a.found = append(a.found, own...)
}

// testReport tells what passed and what failed, suite by suite. With --update
// the failures that were mended are no findings.
func (a *app) testReport(runs []testRun, f *testFlags) []byte {
	var b lines
	passed, failed, updated := 0, 0, 0
	for i := 0; i < len(runs); {
		suite := runs[i].suite
		bad, n := 0, 0
		var details lines
		for ; i < len(runs) && runs[i].suite == suite; i++ {
			n++
			r := runs[i].result
			state := "FAIL"
			switch {
			case r.Passed():
				passed++
				state = "ok  "
			case f.update && len(r.Edits) == len(r.Failures):
				updated++
				state = "updated"
			default:
				failed++
				bad++
				a.found = append(a.found, r.Failures...)
			}
			if state != "ok  " || f.verbose {
				details.printf("  %s %s\n", state, r.Test.Name)
			}
			if state == "FAIL" && r.Diff != "" {
				details.block("    ", r.Diff)
			}
			if f.verbose {
				showRendered(&details, r)
			}
			if r.Report != nil {
				a.found = append(a.found, a.testWarnings(r, f.verbose)...)
			}
		}
		state := "ok  "
		if bad > 0 {
			state = "FAIL"
		}
		b.printf("%s %s (%s)\n", state, suite, plural(n, "test"))
		b.b.Write(details.b.Bytes())
	}
	b.printf("%d passed, %d failed", passed, failed)
	if updated > 0 {
		b.printf(", %d updated", updated)
	}
	b.printf("\n")
	return b.b.Bytes()
}

// testWarnings are what the render of a test warned of, unless the test expects
// that; with all also its notes.
func (a *app) testWarnings(r *prompt.TestResult, all bool) diag.List {
	l := r.Test.Program().Findings(r.Report)
	return slices.DeleteFunc(l, func(d *diag.Diagnostic) bool {
		if d.Severity == diag.Warning {
			return r.Test.Expects("warnings")
		}
		return !all
	})
}

// showRendered shows what a test rendered.
func showRendered(l *lines, r *prompt.TestResult) {
	switch {
	case r.Report == nil:
	case !r.Test.Program().IsChat():
		l.block("    > ", r.Report.Text)
	default:
		for _, m := range r.Report.Messages {
			l.printf("    %s:\n", m.Role)
			text := m.Content
			if !m.Parts.IsNull() {
				text = string(vm.AppendJSON(nil, m.Parts, vm.JSONOptions{}))
			}
			l.block("    > ", text)
		}
	}
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// reportCoverage finds the branches that no test took, as notes.
func (a *app) reportCoverage(set *prompt.Set, runs []testRun) {
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
		c := junitCase{Name: diag.Visible(r.result.Test.Name), Class: r.suite, Time: fmt.Sprintf("%.3f", r.took.Seconds())}
		if !r.result.Passed() {
			s.Failures++
			var lines []string
			for _, d := range r.result.Failures {
				lines = append(lines, d.Error())
			}
			c.Failure = &junitFailure{Message: r.result.Failures[0].Message, Text: strings.Join(lines, "\n") + "\n" + visibleText(r.result.Diff)}
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
