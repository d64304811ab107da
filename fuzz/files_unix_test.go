//go:build unix

package fuzz

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/prompt"
)

// swap replaces path by turns with each of the others, all in one folder, as
// fast as it can, until stop is closed. Renames are atomic: whoever opens the
// path finds one of them.
func swap(t *testing.T, path string, makers []func(path string) error) (stop func()) {
	t.Helper()
	quit, done := make(chan struct{}), make(chan struct{})
	turn := func(i int) error {
		tmp := path + ".next"
		os.RemoveAll(tmp)
		if err := makers[i%len(makers)](tmp); err != nil {
			return err
		}
		if err := os.Rename(tmp, path); err != nil { // over a folder
			os.RemoveAll(path)
			return os.Rename(tmp, path)
		}
		return nil
	}
	if err := turn(0); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(done)
		for i := 1; ; i++ {
			select {
			case <-quit:
				return
			default:
				if err := turn(i); err != nil {
					t.Error(err)
					return
				}
			}
		}
	}()
	return func() { close(quit); <-done }
}

// TestFilesUnderRaces reads templates while their files are replaced with links
// to the outside, pipes, folders and devices: nothing from outside is read, and
// nobody waits.
func TestFilesUnderRaces(t *testing.T) {
	const canary = "OUTSIDE-7f3a"
	for _, tt := range []struct {
		name string
		file string // that is replaced
		run  func(dir string) (string, error)
	}{
		{"include when compiling", "part.txt", func(dir string) (string, error) {
			p, err := compiler.CompileFile(filepath.Join(dir, "main.txt"), compiler.WithSyntax("brace"))
			if err != nil {
				return "", err
			}
			return p.Render(nil)
		}},
		{"include when rendering", "part.txt", func(dir string) (string, error) {
			p, err := compiler.Compile("{% include 'part.txt' %}", compiler.WithSyntax("jinja"), compiler.WithFS(compiler.DirFS(dir)))
			if err != nil {
				return "", err
			}
			return p.Render(nil)
		}},
		{"folder of an include", "sub", func(dir string) (string, error) {
			p, err := compiler.Compile("{% include 'sub/part.txt' %}", compiler.WithSyntax("jinja"), compiler.WithFS(compiler.DirFS(dir)))
			if err != nil {
				return "", err
			}
			return p.Render(nil)
		}},
		{"template of a document", "part.jinja", func(dir string) (string, error) {
			s, err := prompt.LoadFile(filepath.Join(dir, "agent.yaml"))
			if err != nil {
				return "", err
			}
			p, err := s.Find("")
			if err != nil {
				return "", err
			}
			ms, err := p.Messages(nil)
			if err != nil {
				return "", err
			}
			return ms[0].Content, nil
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			outer := t.TempDir()
			dir := filepath.Join(outer, "inside")
			outside := filepath.Join(outer, "outside")
			put := func(path, text string) {
				if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			put(filepath.Join(outside, "part.txt"), canary)
			put(filepath.Join(dir, "main.txt"), `{include "part.txt"}`)
			put(filepath.Join(dir, "agent.yaml"), "prompt:\n- user: part.jinja\n")
			good := func(path string) error { return os.WriteFile(path, []byte("fine"), 0o666) }
			link := func(to string) func(string) error { return func(path string) error { return os.Symlink(to, path) } }
			makers := []func(string) error{good, link("../outside/part.txt"), link(filepath.Join(outside, "part.txt")),
				good, func(path string) error { return syscall.Mkfifo(path, 0o600) }, link("/dev/zero"), link(filepath.Base(tt.file))}
			if tt.file == "sub" {
				folder := func(path string) error {
					if err := os.Mkdir(path, 0o777); err != nil {
						return err
					}
					return good(filepath.Join(path, "part.txt"))
				}
				makers = []func(string) error{folder, link("../outside"), link(outside), link(".."), good}
			}
			stop := swap(t, filepath.Join(dir, tt.file), makers)
			defer stop()
			fine, refused := 0, 0
			end := time.Now().Add(700 * time.Millisecond)
			for time.Now().Before(end) {
				s, err := tt.run(dir)
				switch {
				case strings.Contains(s, canary) || err != nil && strings.Contains(err.Error(), canary):
					t.Fatal("read from outside")
				case err != nil:
					refused++
				case s == "fine":
					fine++
				default:
					t.Fatalf("rendered %q", s)
				}
			}
			if fine == 0 || refused == 0 {
				t.Errorf("%d renders were fine and %d refused; both must happen", fine, refused)
			}
		})
	}
}
