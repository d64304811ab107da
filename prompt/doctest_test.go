package prompt

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pcc-lang/pcc/compiler"
)

const tested = `template: |
  Hi {name}.
  {when vip|default(false)}
  Dear {name}!
  {else}
  Hello.
  {/when}
tests:
  - name: plain
    data: {name: Ann}
    expect:
      text: |
        Hi Ann.
        Hello.
  - name: wrong
    data: {name: Bob}
    expect:
      text: |-
        Hi Bill.
      contains: [Hi, Bye]
      not_contains: Hello
      matches: ^Hi \w+
      variables: [name, vap]
  - name: flow
    data: {name: "a \"b\""}
    expect: {text: x, contains: "a \"b\""}
  - name: error
    data: {}
    expect: {error: PCC301}
  - name: no error
    data: {name: C}
    expect: {error: true}
undefined: error
`

func runTests(t *testing.T, s *Set) map[string]*TestResult {
	t.Helper()
	out := map[string]*TestResult{}
	for _, test := range s.Tests() {
		out[test.Name] = test.Run(context.Background())
	}
	return out
}

func TestDocumentTests(t *testing.T) {
	fsys := filesOf("a.yaml", tested)
	s := mustLoad(t, fsys, "a.yaml")
	results := runTests(t, s)
	failures := map[string][]string{}
	var edits []Edit
	for name, r := range results {
		edits = append(edits, r.Edits...)
		for _, d := range r.Failures {
			failures[name] = append(failures[name], d.Message)
		}
	}
	want := map[string][]string{
		"wrong": {"the text is another one", "the output does not contain this", "the output contains this",
			"the template does not read `vap`", "the template also reads `vip`"},
		"flow":     {"the text is another one"},
		"no error": {"the render does not fail"},
	}
	if diff := cmp.Diff(want, failures); diff != "" {
		t.Error(diff)
	}
	// The difference stays where other expectations fail too.
	if want := "- Hi Bill.\n+ Hi Bob.\n+ Hello.\n+ "; results["wrong"].Diff != want {
		t.Errorf("the diff is %q, want %q", results["wrong"].Diff, want)
	}
	if want := "- x\n+ Hi a \"b\".\n+ Hello.\n+ "; results["flow"].Diff != want {
		t.Errorf("the diff is %q, want %q", results["flow"].Diff, want)
	}
	for _, d := range results["wrong"].Failures {
		if strings.Contains(d.Error(), "Bob") {
			t.Errorf("a finding holds a value: %v", d)
		}
	}

	// -u makes the texts hold, and changes nothing else.
	text := ApplyEdits(edits)["a.yaml"]
	fsys["a.yaml"].Data = []byte(text)
	again := runTests(t, mustLoad(t, fsys, "a.yaml"))
	if !again["flow"].Passed() || !again["plain"].Passed() {
		t.Errorf("after the update: %v\n%s", again["flow"].Failures, text)
	}
	for _, d := range again["wrong"].Failures {
		if d.Message == "the text is another one" {
			t.Errorf("the text was not updated:\n%s", text)
		}
	}
	wantText := strings.Replace(tested, "text: |-\n        Hi Bill.", "text: |\n        Hi Bob.\n        Hello.", 1)
	wantText = strings.Replace(wantText, "{text: x,", `{text: "Hi a \"b\".\nHello.\n",`, 1)
	if diff := cmp.Diff(wantText, text); diff != "" {
		t.Error(diff)
	}
}

func TestTemplateTests(t *testing.T) {
	s := mustLoad(t, filesOf("a.md", "---\ntests:\n  - name: one\n    data: {x: 1}\n    expect: {text: Hi 1}\n---\nHi {x}"), "a.md")
	r := runTests(t, s)
	if len(r) != 1 || !r["one"].Passed() {
		t.Errorf("got %v", r)
	}
}

func TestMessageTests(t *testing.T) {
	fsys := filesOf("c.yaml", `messages:
  - system: S {x}
  - user: U
    name: n
tests:
  - name: short
    data: {x: 1}
    expect:
      messages:
        - system: S 1
        - name: n
          role: user
          content: U
  - name: wrong
    data: {x: 2}
    expect:
      messages:
        - system: S 1
      contains: U
`)
	s := mustLoad(t, fsys, "c.yaml")
	results := runTests(t, s)
	if !results["short"].Passed() || results["wrong"].Passed() {
		t.Errorf("got %v, %v", results["short"].Failures, results["wrong"].Failures)
	}
	text := ApplyEdits(results["wrong"].Edits)["c.yaml"]
	fsys["c.yaml"].Data = []byte(text)
	if again := runTests(t, mustLoad(t, fsys, "c.yaml")); !again["wrong"].Passed() {
		t.Errorf("after the update: %v\n%s", again["wrong"].Failures, text)
	}
}

func TestCoverage(t *testing.T) {
	s := mustLoad(t, filesOf("a.yaml", tested), "a.yaml", WithCoverage())
	p, _ := s.Lookup("")
	ran := map[int]bool{}
	for _, r := range runTests(t, s) {
		for _, b := range r.Branches {
			ran[b] = true
		}
	}
	var lines []int
	for i := range p.Image().Branches {
		if !ran[i] {
			_, at := p.BranchPosition(i)
			lines = append(lines, at.Line)
		}
	}
	if diff := cmp.Diff([]int{4}, lines); diff != "" {
		t.Error("branches that no test took: " + diff)
	}
}

// TestCoverageOfBlocks wants a branch for every body of every kind of block, and
// only those noted that ran. Each body is a line.
func TestCoverageOfBlocks(t *testing.T) {
	for _, tt := range []struct {
		name, syntax, text string
		all, ran           []int
	}{
		{"when", "brace", "{when x}\na\n{else when yes}\nb\n{else}\nc\n{/when}", []int{2, 4, 6}, []int{4}},
		{"loop", "brace", "{loop xs as i}\na\n{else}\nb\n{/loop}", []int{2, 4}, []int{2}},
		{"switch", "brace", "{switch yes}\n{case 2}\na\n{case 1}\nb\n{default}\nc\n{/switch}", []int{3, 5, 7}, []int{5}},
		{"if", "jinja", "{% if x %}\na\n{% elif yes %}\nb\n{% else %}\nc\n{% endif %}", []int{1, 3, 5}, []int{3}},
		{"for", "jinja", "{% for i in xs %}a\n{% else %}b\n{% endfor %}", []int{1, 2}, []int{1}},
		{"for with a test", "jinja", "{% for i in xs if i > 5 %}a\n{% else %}b\n{% endfor %}", []int{1, 2}, []int{2}},
		{"recursive for", "jinja", "{% for i in xs recursive %}a\n{% else %}b\n{% endfor %}", []int{1, 2}, []int{1}},
	} {
		p, err := compiler.Compile(tt.text, WithSyntax(compiler.Syntax(tt.syntax)), WithCoverage())
		if err != nil {
			t.Fatal(err)
		}
		r, err := p.Report(context.Background(), map[string]any{"xs": []int{1, 2}, "yes": 1})
		if err != nil {
			t.Fatal(err)
		}
		lines := func(branches []int) []int {
			var out []int
			for _, i := range branches {
				_, at := p.BranchPosition(i)
				out = append(out, at.Line)
			}
			slices.Sort(out)
			return out
		}
		all := make([]int, len(p.Image().Branches))
		for i := range all {
			all[i] = i
		}
		if diff := cmp.Diff(tt.all, lines(all)); diff != "" {
			t.Errorf("%s: the branches (-want +got):\n%s", tt.name, diff)
		}
		if diff := cmp.Diff(tt.ran, lines(r.Branches)); diff != "" {
			t.Errorf("%s: those that ran (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestTestsOfTrees(t *testing.T) {
	files := treeFiles()
	var pairs []string
	for k, v := range files {
		pairs = append(pairs, "prompts/"+k, v)
	}
	pairs = append(pairs, "prompts/d.yaml", "templates: {one: 'A {x}'}\ntests:\n  - {entry: one, data: {x: 1}, expect: {text: A 1}}\n  - {entry: two, name: lost}\n")
	s, err := LoadDir(filesOf(pairs...), "prompts")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	for _, test := range s.Tests() {
		got[test.Prompt+" "+test.Name] = test.Run(context.Background()).Passed()
	}
	want := map[string]bool{"agent test_1": true, "agent test_2": true, "d.yaml#one test 1": true, "d.yaml#two lost": false}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestMarkupOfTests: what a render warns of is what a test counts as a warning:
// markup in angle brackets is none, unless the contract or the data knows the name.
func TestMarkupOfTests(t *testing.T) {
	for _, c := range []struct {
		head, body, data string
		warns            bool
	}{
		{"", "<name><br>text <sep>", "{name: A}", false},
		{"", "<name> <nmae>", "{name: A}", true},
		{"", "<name> <th>", "{name: A, tho: 1}", true},
		{"variables: {name: {type: string}, sep: {type: string, required: false}}\n", "<name><sep>", "{name: A}", true},
		{"variables: {name: {type: string}}\n", "<name><sep>", "{name: A}", false},
	} {
		src := "---\nsyntax: angle\n" + c.head + "tests: [{name: a, data: " + c.data + ", expect: {contains: A}}]\n---\n" + c.body
		set, err := LoadText("a.md", src, nil)
		if err != nil {
			t.Fatalf("%s: %v", src, err)
		}
		for _, test := range set.Tests() {
			r := test.Run(t.Context())
			if failed := len(r.Failures) > 0; failed != c.warns {
				t.Errorf("%s%s with %s: %v", c.head, c.body, c.data, r.Failures)
			}
		}
		strict, err := LoadText("a.md", src, nil, compiler.WithStrict())
		if err != nil {
			t.Fatalf("%s: %v", src, err)
		}
		for _, test := range strict.Tests() {
			if r := test.Run(t.Context()); (r.Err != nil) != c.warns {
				t.Errorf("%s%s with %s, strictly: %v", c.head, c.body, c.data, r.Err)
			}
		}
	}
}
