package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/parser/document"
	"github.com/pcc-lang/pcc/prompt"
)

// testFlags are the flags of `pcc test`.
type testFlags struct {
	templateFlags
	run     string
	verbose bool
	update  bool
	cover   bool
	junit   string
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
matches, error, warnings or variables. One that expects nothing fails, but for the
requests of agents; so does one with a key that means nothing, and one whose render
warns where it does not expect that. A document that does not load fails, and the
others are tested. With -u the expected texts and messages that do not hold are
replaced in the files by what was rendered.`,
		Example: `  pcc test prompts/
  pcc test support.yaml -run refund
  pcc test support.yaml -v
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
	cmd.Flags().BoolVarP(&f.verbose, "verbose", "v", false, "tell each test, and what it rendered")
	addExclude(cmd.Flags(), &f.templateFlags.exclude)
	cmd.Flags().BoolVarP(&f.update, "update", "u", false, "take what was rendered as the expected texts and messages")
	cmd.Flags().BoolVar(&f.cover, "cover", false, "tell which branches no test took")
	cmd.Flags().StringVar(&f.junit, "junit", "", "also write a JUnit XML report to this file")
	return cmd
}

// testRun is one test that was run.
type testRun struct {
	suite  string // the path that holds it
	result *prompt.TestResult
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
		set, dir, broken, err := a.loadTests(path, f)
		if err != nil {
			return err
		}
		runs = append(runs, unloaded(path, set != nil, broken)...)
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
		a.showTestsUnder(dir, set, mine)
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
	if err := a.writeText("", a.testReport(runs, f)); err != nil {
		return err
	}
	if f.junit != "" {
		if err := a.refuseInput(f.junit); err != nil {
			return err
		}
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
// that the names of its files are relative to; broken are the faults of documents
// that do not load.
func (a *app) loadTests(path string, f *testFlags) (set *prompt.Set, dir string, broken diag.List, err error) {
	opts, err := f.options(a.asked)
	if err != nil {
		return nil, "", nil, err
	}
	opts = append(opts, compiler.WithTestFiles())
	if f.cover {
		opts = append(opts, compiler.WithCoverage())
	}
	opts = append(opts, a.asked("exclude", compiler.WithExclude(f.exclude...)))
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "", nil, missingFile(path)
	}
	if err != nil {
		return nil, "", nil, err
	}
	base := filepath.Base(path)
	dir = filepath.Dir(filepath.Clean(path))
	tree := false
	if info.IsDir() {
		dir, base = path, "."
		tree = !document.IsAgent(compiler.DirFS(path), ".")
	}
	root, err := a.rootOf(dir)
	if err != nil {
		return nil, "", nil, err
	}
	if tree { // what is broken in it does not keep the rest from its tests
		set, list := prompt.LoadAll(root, base, opts...)
		broken, _ := splitErrors(list) // the set has the warnings
		a.showUnder(dir, broken, nil)
		return set, dir, broken, nil
	}
	set, err = prompt.Load(root, base, opts...)
	if l, ok := err.(diag.List); ok {
		a.showUnder(dir, l, nil)
		broken, warnings := splitErrors(l)
		a.found = append(a.found, warnings...)
		return nil, "", broken, nil
	}
	if err != nil {
		return nil, "", nil, a.report(err)
	}
	return set, dir, nil, nil
}

// splitErrors parts the errors of a list from the rest.
func splitErrors(l diag.List) (errs, rest diag.List) {
	for _, d := range l {
		if d.Severity == diag.Error {
			errs = append(errs, d)
		} else {
			rest = append(rest, d)
		}
	}
	return errs, rest
}

// unloaded makes of the faults of documents that do not load a failed test of each:
// their own tests are not known. In a tree each is a suite by the name of the file, or
// of the agent, that the fault stands in.
func unloaded(path string, tree bool, broken diag.List) []testRun {
	var runs []testRun
	at := map[string]int{}
	for _, d := range broken {
		suite := path
		if tree && d.File != nil {
			f, _ := d.File.Root(0)
			suite = suiteOf(path, f.Name)
		}
		i, known := at[suite]
		if !known {
			i = len(runs)
			at[suite] = i
			runs = append(runs, testRun{suite: suite, result: &prompt.TestResult{Test: &prompt.Test{Name: "the document loads", File: d.File}}})
		}
		runs[i].result.Failures = append(runs[i].result.Failures, d)
	}
	return runs
}

// suiteOf is the agent below the folder root that the file name belongs to, or the
// file itself.
func suiteOf(root, name string) string {
	root = filepath.Clean(root)
	for dir := filepath.Dir(name); dir != root && len(dir) > len(root); dir = filepath.Dir(dir) {
		if document.IsAgent(compiler.DirFS(dir), ".") {
			return dir
		}
	}
	return name
}

// runTests runs the tests of a set, in order.
func (a *app) runTests(set *prompt.Set, path string, pattern *regexp.Regexp) ([]testRun, error) {
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
	var all []prompt.Edit
	for _, r := range runs {
		all = append(all, r.result.Edits...)
	}
	return prompt.ApplyEdits(all)
}
