package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/pcc-lang/pcc/compiler"
)

// openInput opens a file that a command reads, and remembers it: it may not be
// the output as well. Pipes and devices that lie in a folder are refused, as
// opening or reading one may wait for ever.
func (a *app) openInput(path string) (*os.File, fs.FileInfo, error) {
	mode := os.O_RDONLY
	if !isDescriptor(path) {
		mode |= nonBlocking
	}
	f, err := os.OpenFile(path, mode, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, missingFile(path)
	}
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	switch {
	case err != nil:
	case info.IsDir():
		err = usagef("%s is a folder; name a file", path)
	case !info.Mode().IsRegular() && !isDescriptor(path):
		err = fmt.Errorf("%s is no regular file; give it on standard input: `-`", path)
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	a.reads(info)
	return f, info, nil
}

// readInput is the content of a file that is not longer than most bytes.
func (a *app) readInput(path string, most int64) ([]byte, error) {
	f, info, err := a.openInput(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	tooLong := fmt.Errorf("%s is longer than %s bytes", path, writeAmount(most))
	if info.Size() > most {
		return nil, tooLong
	}
	b, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(b)) > most {
		return nil, tooLong
	}
	return b, err
}

// isDescriptor reports whether path is an open descriptor, such as the shell
// makes of <(command): unlike a pipe in a folder it has a writer.
func isDescriptor(path string) bool {
	dir := filepath.Dir(path)
	return dir == "/dev/fd" || dir == "/proc/self/fd" || path == "/dev/stdin" || path == "/dev/stdout" || path == "/dev/stderr" || path == os.DevNull
}

// reads remembers a file that the command reads.
func (a *app) reads(info fs.FileInfo) {
	if info == nil || !info.Mode().IsRegular() {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.inputs = append(a.inputs, info)
}

// readsStdin remembers the file that standard input is redirected from.
func (a *app) readsStdin() {
	if f, ok := a.stdin.(*os.File); ok {
		if info, err := f.Stat(); err == nil {
			a.reads(info)
		}
	}
}

// isInput reports whether path leads to a file that the command has read,
// whatever it is called there.
func (a *app) isInput(path string) bool {
	info, err := os.Stat(path)
	if err != nil {
		return false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, in := range a.inputs {
		if os.SameFile(in, info) {
			return true
		}
	}
	return false
}

// refuseInput is the error where an output would overwrite an input.
func (a *app) refuseInput(path string) error {
	if path == "" || path == "-" || !a.isInput(path) {
		return nil
	}
	return usagef("%s is a file that this command reads, and it would be overwritten; name another one", path)
}

// rootOf is the folder that a template's files cannot leave. It is read while
// templates render, too.
func (a *app) rootOf(dir string) (fs.FS, error) {
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s is no folder", dir)
	}
	return &readFS{compiler.DirFS(dir), a}, err
}

// readFS remembers the files that are opened in it.
type readFS struct {
	fs.FS
	app *app
}

func (r *readFS) Open(name string) (fs.File, error) {
	f, err := r.FS.Open(name)
	if err == nil && !r.app.measuring {
		if info, err := f.Stat(); err == nil {
			r.app.reads(info)
		}
	}
	return f, err
}

// Stat keeps a look at a file from opening it.
func (r *readFS) Stat(name string) (fs.FileInfo, error) { return fs.Stat(r.FS, name) }
