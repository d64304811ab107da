package main

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pcc-lang/pcc/bench/measure"
)

// rows are runs of three templates: one that every engine renders, one in which the
// order of keys and numbers shows, and one that refuses the request.
const rows = `{"id": "chat-a-one", "template": "{% for m in messages %}\n{{ m.role }}: {{ m.content }}\n{% endfor %}\n", "context": {"messages": [{"role": "user", "content": "hi"}]}, "expect": "user: hi\n"}
{"id": "chat-a-two", "template": "{% for m in messages %}\n{{ m.role }}: {{ m.content }}\n{% endfor %}\n", "context": {"messages": []}, "expect": ""}
{"id": "chat-b-one", "template": "{{ tools|tojson }} {{ strftime_now('%d %b %Y') }}", "context": {"messages": [], "tools": [{"z": 3, "a": 1.50, "m": [true, null, "x"]}]}, "expect": "[{\"z\": 3, \"a\": 1.5, \"m\": [true, null, \"x\"]}] 09 Mar 2026"}
{"id": "chat-c-one", "template": "{{ raise_exception('no') }}", "context": {"messages": []}, "error": {"type": "TemplateError"}}
`

func compared(t *testing.T, text string) *comparison {
	t.Helper()
	models, err := read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := newComparison(models, engines())
	c.check()
	return c
}

// TestExact: each engine gives what is recorded, but for the order of keys, which
// maps of Go lack.
func TestExact(t *testing.T) {
	c := compared(t, rows)
	if got, want := c.total(), (score{rows: 4, prompts: 3, errors: 1, templates: 3}); got != want {
		t.Errorf("the rows count as %+v, want %+v", got, want)
	}
	for i, want := range []score{{4, 3, 1, 3}, {3, 2, 1, 2}, {4, 3, 1, 3}, {3, 2, 1, 2}} {
		if c.scores[i] != want {
			t.Errorf("%s: %+v, want %+v", c.engines[i].name, c.scores[i], want)
		}
	}
}

// TestMissed: a prompt that differs, one that should have been an error, and an
// error that should have been a prompt are told from what is exact.
func TestMissed(t *testing.T) {
	c := compared(t, `{"id": "chat-a-one", "template": "{{ x }}", "context": {"messages": [], "x": "1"}, "expect": "2"}
{"id": "chat-a-two", "template": "{{ x }}", "context": {"messages": [], "x": "1"}, "error": {}}
{"id": "chat-b-one", "template": "{{ raise_exception('no') }}", "context": {"messages": []}, "expect": ""}
{"id": "chat-b-two", "template": "{{ raise_exception('no') }}", "context": {"messages": []}, "error": {}}`)
	for i, e := range c.engines {
		if want := (score{rows: 1, errors: 1}); c.scores[i] != want {
			t.Errorf("%s: %+v, want %+v", e.name, c.scores[i], want)
		}
	}
}

func TestSafely(t *testing.T) {
	if err := safely(func() error { panic("x") }); err == nil || !strings.Contains(err.Error(), "panic: x") {
		t.Errorf("a panic gives %v", err)
	}
}

func TestReadRefuses(t *testing.T) {
	for _, text := range []string{"{", `{"id": "chat"}`} {
		if _, err := read(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), "line 1") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestRun goes through the whole command with very short batches.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "jinja"), 0o755); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(rows)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "jinja", "chat.jsonl.gz"), b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	o := measure.Options{Rounds: 1, Batch: 100 * time.Microsecond}
	var out strings.Builder
	if err := run(&out, dir, 1, true, false, o); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Exact, of 3 templates", "4 (100.0 %)", "request to prompt"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("there is no %q in\n%s", want, out.String())
		}
	}
	out.Reset()
	if err := run(&out, dir, 2, false, false, o); err != nil || !strings.Contains(out.String(), "Exact, of 2 templates") {
		t.Errorf("%v\n%s", err, out.String())
	}
	if err := run(&out, "", 1, false, false, o); err == nil {
		t.Error("no folder was taken")
	}
}
