package diag

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/pcc-lang/pcc/ast/source"
)

// sample is a list with one diagnostic that uses every field, and one that
// uses as few as possible.
func sample() List {
	f := source.New("dir/a b.md", "é {when x}\n{nmae}\n")
	g := source.New("/abs/b.md", "{include \"a b.md\"}")
	return List{
		{
			Code: "PCC104", Message: "`when` <is> never closed", File: f,
			Span: source.Span{Start: 3, End: 11}, SpanLabel: "opened here",
			Labels: []Label{{Span: source.Span{Start: 12, End: 18}, Message: "used here"},
				{File: g, Span: source.Span{Start: 0, End: 18}, Message: "included here"}},
			Note:  "the text is read as brace",
			Help:  "add {/when}",
			Trace: []string{"include a b.md"},
			Names: []string{"x"},
			Fix:   &Fix{Span: source.Span{Start: 19, End: 19}, Replacement: "{/when}\n"},
		},
		{Severity: Warning, Message: "100%:\nodd"},
	}
}

func TestJSON(t *testing.T) {
	var b bytes.Buffer
	if err := JSON(&b, sample()); err != nil {
		t.Fatal(err)
	}
	want := `{"code":"PCC104","severity":"error","message":"` + "`when`" + ` <is> never closed",` +
		`"file":"dir/a b.md","line":1,"column":3,"endLine":1,"endColumn":11,"offset":3,"endOffset":11,` +
		`"note":"the text is read as brace","help":"add {/when}","labels":[` +
		`{"message":"opened here","file":"dir/a b.md","line":1,"column":3,"endLine":1,"endColumn":11,"offset":3,"endOffset":11},` +
		`{"message":"used here","file":"dir/a b.md","line":2,"column":1,"endLine":2,"endColumn":7,"offset":12,"endOffset":18},` +
		`{"message":"included here","file":"/abs/b.md","line":1,"column":1,"endLine":1,"endColumn":19,"offset":0,"endOffset":18}],` +
		`"trace":["include a b.md"],"names":["x"],` +
		`"fix":{"replacement":"{/when}\n","file":"dir/a b.md","line":3,"column":1,"endLine":3,"endColumn":1,"offset":19,"endOffset":19}}
{"severity":"warning","message":"100%:\nodd"}
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestSARIF(t *testing.T) {
	var b bytes.Buffer
	if err := SARIF(&b, sample(), SARIFOptions{Version: "1.2.3"}); err != nil {
		t.Fatal(err)
	}
	var log struct {
		Schema  string `json:"$schema"`
		Version string
		Runs    []struct {
			ColumnKind string
			Tool       struct {
				Driver struct {
					Name, Version string
					Rules         []struct{ ID string }
				}
			}
			Results []map[string]any
		}
	}
	if err := json.Unmarshal(b.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	if log.Version != "2.1.0" || len(log.Runs) != 1 {
		t.Fatalf("not one run of SARIF 2.1.0: %s", b.String())
	}
	run := log.Runs[0]
	if run.ColumnKind != "unicodeCodePoints" || run.Tool.Driver.Name != "pcc" || run.Tool.Driver.Version != "1.2.3" ||
		len(run.Tool.Driver.Rules) != 1 || run.Tool.Driver.Rules[0].ID != "PCC104" {
		t.Errorf("wrong run head: %+v", run)
	}
	region := func(sl, sc, el, ec, off, n float64) map[string]any {
		return map[string]any{"startLine": sl, "startColumn": sc, "endLine": el, "endColumn": ec, "byteOffset": off, "byteLength": n}
	}
	at := func(uri string, region map[string]any) map[string]any {
		return map[string]any{"artifactLocation": map[string]any{"uri": uri}, "region": region}
	}
	message := func(s string) map[string]any { return map[string]any{"text": s} }
	want := []map[string]any{
		{
			"ruleId": "PCC104", "ruleIndex": 0.0, "level": "error",
			"message": message("`when` <is> never closed\nthe text is read as brace\nadd {/when}"),
			"locations": []any{map[string]any{
				"physicalLocation": at("dir/a%20b.md", region(1, 3, 1, 11, 3, 8)), "message": message("opened here")}},
			"relatedLocations": []any{
				map[string]any{"id": 1.0, "physicalLocation": at("dir/a%20b.md", region(2, 1, 2, 7, 12, 6)), "message": message("used here")},
				map[string]any{"id": 2.0, "physicalLocation": at("file:///abs/b.md", region(1, 1, 1, 19, 0, 18)), "message": message("included here")},
			},
			"fixes": []any{map[string]any{
				"description": message("add {/when}"),
				"artifactChanges": []any{map[string]any{
					"artifactLocation": map[string]any{"uri": "dir/a%20b.md"},
					"replacements": []any{map[string]any{
						"deletedRegion": region(3, 1, 3, 1, 19, 0), "insertedContent": message("{/when}\n")}},
				}},
			}},
		},
		{"level": "warning", "message": message("100%:\nodd")},
	}
	if diff := cmp.Diff(want, run.Results); diff != "" {
		t.Errorf("results (-want +got)\n%s", diff)
	}
}

func TestSARIFEmpty(t *testing.T) {
	var b bytes.Buffer
	if err := SARIF(&b, nil, SARIFOptions{}); err != nil {
		t.Fatal(err)
	}
	// The standard wants arrays, not null, where there is nothing.
	if !strings.Contains(b.String(), `"results": []`) || !strings.Contains(b.String(), `"rules": []`) {
		t.Errorf("no empty arrays in\n%s", b.String())
	}
}

func TestGitHub(t *testing.T) {
	l := sample()
	l[0].File.Name = "a,b:c.md"
	l = append(l, &Diagnostic{Severity: Note, Message: "n"})
	var b bytes.Buffer
	if err := GitHub(&b, l); err != nil {
		t.Fatal(err)
	}
	want := "::error file=a%2Cb%3Ac.md,line=1,col=3,endLine=1,endColumn=11,title=PCC104::`when` <is> never closed%0Anote: the text is read as brace%0Ahelp: add {/when}\n" +
		"::warning::100%25:%0Aodd\n" +
		"::notice::n\n"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// No control character, and nothing else that a terminal would obey or hide,
// stands in a workflow command, whatever the names and messages hold: line
// breaks have GitHub's escapes, others are shown.
func TestGitHubControls(t *testing.T) {
	hostile := "a\x1b[31m\r\n::warning::b\x00\x7f\u009b\u202e\xff\rc"
	d := New("PCC104", source.New(hostile, "x"), source.Span{End: 1}, "%s", hostile).WithHelp("%s", hostile)
	d.Code = Code(hostile)
	var b bytes.Buffer
	if err := GitHub(&b, List{d}); err != nil {
		t.Fatal(err)
	}
	const data = "a␛[31m%0D%0A::warning::b␀␡<U+009B><U+202E><FF>%0Dc"
	property := strings.ReplaceAll(data, ":", "%3A")
	want := "::error file=" + property + ",line=1,col=1,endLine=1,endColumn=2,title=" + property + "::" + data + "%0Ahelp: " + data + "\n"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestExplain(t *testing.T) {
	var b bytes.Buffer
	err := Explain(&b, Entry{
		Code: "PCC999", Severity: Warning, Title: "a title", Help: "do it",
		Explain: strings.Repeat("word ", 20) + "\n\nSecond\nparagraph.",
		Bad:     "{when x}\n\n  y", Good: "{x}\n", Data: `{"x": 1}`,
	})
	if err != nil {
		t.Fatal(err)
	}
	want := `PCC999 (warning): a title

word word word word word word word word word word word word word word word
word word word word word

Second paragraph.

Wrong:

    {when x}

      y

with the data:

    {"x": 1}

Right:

    {x}

Help: do it
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// brokenWriter fails at once.
type brokenWriter struct{}

var errBroken = errors.New("broken")

func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }

func TestWriteErrorsComeBack(t *testing.T) {
	for name, err := range map[string]error{
		"Text":    Text(brokenWriter{}, sample(), TextOptions{}),
		"JSON":    JSON(brokenWriter{}, sample()),
		"SARIF":   SARIF(brokenWriter{}, sample(), SARIFOptions{}),
		"GitHub":  GitHub(brokenWriter{}, sample()),
		"Explain": Explain(brokenWriter{}, Entry{Title: "x"}),
	} {
		if !errors.Is(err, errBroken) {
			t.Errorf("%s: error %v, want the writer's", name, err)
		}
	}
}

func TestCodes(t *testing.T) {
	l := List{{Code: "PCC201"}, {Code: "PCC104"}, {}, {Code: "PCC201"}}
	if diff := cmp.Diff([]Code{"PCC104", "PCC201"}, l.Codes()); diff != "" {
		t.Error(diff)
	}
}

func TestWorst(t *testing.T) {
	for want, l := range map[Severity]List{
		Error:    {{Severity: Note}, {Severity: Error}, {Severity: Warning}},
		Warning:  {{Severity: Note}, {Severity: Warning}},
		Note:     {{Severity: Note}},
		Note + 1: nil,
	} {
		if got := l.Worst(); got != want {
			t.Errorf("worst of %d diagnostics is %v, want %v", len(l), got, want)
		}
	}
}

// TestInvisibleInJSON: what a terminal would obey or hide is escaped in JSON and
// SARIF, and reads back as it was.
func TestInvisibleInJSON(t *testing.T) {
	name := "a\u202eb\u200b\U000e0041\x7f\u0085é\t😀.md"
	f := source.New(name, "{{")
	list := List{New("PCC110", f, source.Span{Start: 0, End: 2}, "the message has \u202e too")}
	for format, write := range map[string]func(*bytes.Buffer) error{
		"json":  func(b *bytes.Buffer) error { return JSON(b, list) },
		"sarif": func(b *bytes.Buffer) error { return SARIF(b, list, SARIFOptions{}) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		if i := strings.IndexFunc(b.String(), func(r rune) bool {
			_, hidden := visibleRune(r, utf8.RuneLen(r), 0)
			return hidden && r >= 0x20
		}); i >= 0 {
			t.Errorf("%s holds %q", format, b.String()[i:i+4])
		}
		if format == "json" {
			var read struct{ File, Message string }
			if err := json.Unmarshal(b.Bytes(), &read); err != nil || read.File != name || read.Message != "the message has \u202e too" {
				t.Errorf("%+q, %v", read, err)
			}
		}
	}
}
