package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// TestBatchKilled kills a batch at many moments and goes on with --resume each
// time: in the end no row is lost, doubled or out of order, and until then
// there is no finished output.
func TestBatchKilled(t *testing.T) {
	if testing.Short() || raceEnabled {
		t.Skip("starts many processes")
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		rows func() []byte
		args []string
	}{
		{"all rows", func() []byte { return batchRows(30_000) }, nil},
		{"a shard", func() []byte { return batchRows(40_000) }, []string{"--shard", "2/3"}},
		{"rows that fail", func() []byte {
			return bytes.ReplaceAll(batchRows(30_000), []byte(`7", "plan"`), []byte(`7, "plan"`))
		}, []string{"--on-error", "skip"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			put := func(name string, b []byte) {
				if err := os.WriteFile(filepath.Join(dir, name), b, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			put("t.md", []byte(batchTemplate))
			put("rows.jsonl", tt.rows())
			args := append([]string{"batch", "t.md", "--rows", "rows.jsonl"}, tt.args...)
			batch := func(more ...string) *exec.Cmd {
				cmd := exec.Command(exe)
				cmd.Args = append(append([]string{"pcc"}, args...), more...)
				cmd.Dir = dir
				cmd.Stdout, cmd.Stderr = io.Discard, io.Discard
				return cmd
			}
			whole := batch()
			var want bytes.Buffer
			whole.Stdout = &want
			start := time.Now()
			_ = whole.Run() // rows that fail make its exit code 1
			took := time.Since(start)
			if want.Len() == 0 {
				t.Fatal("no output")
			}
			final := filepath.Join(dir, "out.jsonl")
			// killed runs the batch to its end through kills at moments that go by
			// the time it takes, and returns how many there were.
			killed := func(took time.Duration) (kills int) {
				for i := 0; ; i++ {
					if i == 200 {
						t.Fatal("the batch makes no headway")
					}
					cmd := batch("-o", "out.jsonl", "--resume")
					if err := cmd.Start(); err != nil {
						t.Fatal(err)
					}
					done := make(chan struct{})
					go func() { defer close(done); _ = cmd.Wait() }()
					select {
					case <-done:
					case <-time.After(took/6 + time.Duration(i%7)*took/40 + time.Duration(i/20)*took/4):
						_ = cmd.Process.Kill()
						<-done
						kills++
					}
					if b, err := os.ReadFile(final); err == nil {
						if !bytes.Equal(b, want.Bytes()) {
							t.Fatalf("%d bytes, want %d: %d rows, want %d", len(b), want.Len(), bytes.Count(b, []byte("\n")), bytes.Count(want.Bytes(), []byte("\n")))
						}
						return kills
					}
				}
			}
			kills := killed(took)
			for range 3 { // the machine may have become faster since it was timed
				if kills >= 2 {
					break
				}
				if err := os.Remove(final); err != nil {
					t.Fatal(err)
				}
				took /= 3
				kills = killed(took)
			}
			if kills < 2 {
				t.Errorf("killed only %d times in %v", kills, took)
			}
		})
	}
}
