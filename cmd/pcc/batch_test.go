package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// batchRows makes rows such as a shop has: some text, a list of maps.
func batchRows(n int) []byte {
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&b, `{"id": %d, "name": "Customer %d", "plan": "pro", "items": [`, i, i)
		for j := range 5 {
			if j > 0 {
				b.WriteString(", ")
			}
			fmt.Fprintf(&b, `{"number": "K-%d", "status": "delivered", "days": %d}`, j, j)
		}
		fmt.Fprintf(&b, "], \"note\": %q}\n", strings.Repeat("some longer text that goes along with the row, ", 6))
	}
	return b.Bytes()
}

const batchTemplate = `Dear {{name}}, you have the {plan} plan.
{loop items as it}
- {it.number}: {it.status}{when it.days > 2} late{/when}
{/loop}
{note}
`

func BenchmarkBatch(b *testing.B) {
	path := filepath.Join(b.TempDir(), "t.md")
	if err := os.WriteFile(path, []byte(batchTemplate), 0o666); err != nil {
		b.Fatal(err)
	}
	rows := batchRows(20_000)
	b.SetBytes(int64(len(rows)))
	b.ReportAllocs()
	for b.Loop() {
		var errs bytes.Buffer
		if code := Main([]string{"batch", path, "--rows", "-"}, bytes.NewReader(rows), discard{}, &errs); code != exitOK {
			b.Fatal(errs.String())
		}
	}
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }

// TestBatchOrder renders enough rows for many chunks and wants each of them
// once, in order, with any number of workers.
func TestBatchOrder(t *testing.T) {
	const n = 20_000
	path := filepath.Join(t.TempDir(), "t.md")
	if err := os.WriteFile(path, []byte(batchTemplate), 0o666); err != nil {
		t.Fatal(err)
	}
	rows := batchRows(n)
	var first string
	for _, workers := range []string{"1", "2", "7"} {
		var out, errs bytes.Buffer
		if code := Main([]string{"batch", path, "--rows", "-", "--workers", workers}, bytes.NewReader(rows), &out, &errs); code != exitOK {
			t.Fatal(errs.String())
		}
		row := 0
		for line := range bytes.Lines(out.Bytes()) {
			row++
			var got struct {
				Row  int
				Text string
			}
			if err := json.Unmarshal(line, &got); err != nil {
				t.Fatal(err)
			}
			if got.Row != row || !strings.HasPrefix(got.Text, fmt.Sprintf("Dear Customer %d, you", row-1)) {
				t.Fatalf("line %d is row %d: %.40q", row, got.Row, got.Text)
			}
		}
		if row != n {
			t.Errorf("%d rows come out, want %d", row, n)
		}
		if first == "" {
			first = out.String()
		} else if first != out.String() {
			t.Errorf("%s workers give another output", workers)
		}
	}
}

// TestBatchResume stops a batch at every byte of its output, as a kill would,
// and wants the same result after --resume.
func TestBatchResume(t *testing.T) {
	files := map[string]string{"t.md": "{{ n }}", "rows.jsonl": "{\"n\": 1}\n{\"n\": 2}\n\n{\"n\": 3}\n{\"n\": 4}"}
	if code, _, stderr := runMain(t, files, "batch", "t.md", "--rows", "rows.jsonl", "-o", "out.jsonl"); code != exitOK {
		t.Fatal(stderr)
	}
	want, err := os.ReadFile("out.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove("out.jsonl"); err != nil {
		t.Fatal(err)
	}
	for cut := range len(want) + 1 {
		if err := os.WriteFile("out.jsonl.part", want[:cut], 0o666); err != nil {
			t.Fatal(err)
		}
		var out, errs bytes.Buffer
		code := Main([]string{"batch", "t.md", "--rows", "rows.jsonl", "-o", "out.jsonl", "--resume"}, strings.NewReader(""), &out, &errs)
		if code != exitOK {
			t.Fatalf("cut at %d: exit code %d\n%s", cut, code, errs.String())
		}
		got, err := os.ReadFile("out.jsonl")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Fatalf("cut at %d (-want +got)\n%s", cut, diff)
		}
		if _, err := os.Stat("out.jsonl.part"); err == nil {
			t.Fatalf("cut at %d: the .part file stays behind", cut)
		}
	}
}

// TestBatchLongRows puts rows of lengths around the chunk size next to each
// other.
func TestBatchLongRows(t *testing.T) {
	var rows bytes.Buffer
	var lengths []int
	for _, n := range []int{1, chunkBytes - 10, chunkBytes, chunkBytes + 1, 3 * chunkBytes, 2} {
		lengths = append(lengths, n)
		fmt.Fprintf(&rows, "{\"s\": %q}\n", strings.Repeat("x", n))
	}
	path := filepath.Join(t.TempDir(), "t.md")
	if err := os.WriteFile(path, []byte("{{ s }}"), 0o666); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	if code := Main([]string{"batch", path, "--rows", "-"}, &rows, &out, &errs); code != exitOK {
		t.Fatal(errs.String())
	}
	i := 0
	for line := range bytes.Lines(out.Bytes()) {
		if n := bytes.Count(line, []byte("x")) - 1; n != lengths[i] { // "text" has one
			t.Errorf("row %d has %d characters, want %d", i+1, n, lengths[i])
		}
		i++
	}
	if i != len(lengths) {
		t.Errorf("%d rows come out, want %d", i, len(lengths))
	}
}

// TestBatchMixedRows mixes rows longer than a chunk with short ones, and the
// strings of rows outlive the reader's memory.
func TestBatchMixedRows(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.md")
	if err := os.WriteFile(path, []byte("{name}"), 0o666); err != nil {
		t.Fatal(err)
	}
	var rows, want bytes.Buffer
	for i := range 40 {
		name := strings.Repeat(fmt.Sprintf("né%d ", i), 1<<(i*7%18))
		fmt.Fprintf(&rows, "{\"name\": %q}\r\n", name)
		fmt.Fprintf(&want, "{\"row\": %d, \"text\": %q}\n", i+1, name)
	}
	var out, errs bytes.Buffer
	if code := Main([]string{"batch", path, "--rows", "-", "--workers", "3"}, &rows, &out, &errs); code != exitOK {
		t.Fatal(errs.String())
	}
	if out.String() != want.String() {
		t.Error("other results")
	}
}

// heapWriter looks now and then how much of the heap is in use.
type heapWriter struct{ written, looked, most uint64 }

func (w *heapWriter) Write(p []byte) (int, error) {
	if w.written += uint64(len(p)); w.written-w.looked > 4<<20 {
		w.looked = w.written
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		w.most = max(w.most, m.HeapAlloc)
	}
	return len(p), nil
}

// TestBatchMemory renders short rows to long texts, and rows that keep many
// placeholders: what a batch holds at a time does not grow with the rows.
func TestBatchMemory(t *testing.T) {
	kept := strings.Repeat("x", 1000)
	for i := range 500 {
		kept += fmt.Sprintf("{nope%d}", i)
	}
	for name, tt := range map[string]struct {
		template, row string
		rows          int
		warnings      int
	}{
		"long texts":           {"{{ n }}" + strings.Repeat("x", 50_000), `{"n": 1}`, 12_000, 0},
		"longer texts":         {"{{ n }}" + strings.Repeat("x", 3_000_000), `{"n": 1}`, 200, 0},
		"kept placeholders":    {kept, `{}`, 2_000, 500},
		"rows that fail":       {"{{ n }}", `{"n": `, 40_000, 0},
		"rows without a value": {"{{ n }}", `{}`, 40_000, 0},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "t.md")
			if err := os.WriteFile(path, []byte(tt.template), 0o666); err != nil {
				t.Fatal(err)
			}
			before := new(heapWriter)
			before.Write(make([]byte, 5<<20))
			var out heapWriter
			var errs bytes.Buffer
			rows := strings.NewReader(strings.Repeat(tt.row+"\n", tt.rows))
			Main([]string{"batch", path, "--rows", "-", "--workers", "4", "--on-error", "emit"}, rows, &out, &errs)
			if out.most > before.most+256<<20 {
				t.Errorf("%d MB of heap are in use", out.most>>20)
			}
			if n := strings.Count(errs.String(), fmt.Sprintf("(%d rows, the first is 1)", tt.rows)); n != tt.warnings {
				t.Errorf("%d warnings of all rows, want %d:\n%.500s", n, tt.warnings, errs.String())
			}
		})
	}
}
