// Package loaders reads templates and what they include.
package loaders

import (
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"testing/fstest"

	"github.com/pcc-lang/pcc/compiler"
)

// Loader reads templates.
type Loader interface {
	// Read returns the text of a template.
	Read(path string) (io.Reader, error)
	// Resolve returns the name by which Read finds a template.
	Resolve(path string) (string, error)
	// Inherit returns the loader of a template's includes.
	Inherit(from string) (Loader, error)
}

// FS is a Loader of a file system. Names that begin with a slash begin at its root.
type FS struct{ Files fs.FS }

// Resolve implements Loader.
func (l FS) Resolve(name string) (string, error) {
	clean := strings.TrimPrefix(path.Clean("/"+name), "/")
	if clean == "" || strings.Contains(name, "..") && !fs.ValidPath(strings.TrimPrefix(path.Clean(name), "/")) {
		return "", &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	return clean, nil
}

// Read implements Loader.
func (l FS) Read(name string) (io.Reader, error) {
	clean, err := l.Resolve(name)
	if err != nil {
		return nil, err
	}
	b, err := fs.ReadFile(l.Files, clean)
	if err != nil {
		return nil, err
	}
	return strings.NewReader(string(b)), nil
}

// Inherit implements Loader: names are the same everywhere.
func (l FS) Inherit(string) (Loader, error) { return l, nil }

// NewFileSystemLoader reads from a folder, "" is the current one. Links and names
// with .. cannot leave it.
func NewFileSystemLoader(root string) (Loader, error) {
	if root == "" {
		root = "."
	}
	files := compiler.DirFS(root)
	info, err := fs.Stat(files, ".")
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%s is not a folder", root)
	}
	return FS{files}, nil
}

// MustNewFileSystemLoader is NewFileSystemLoader for a folder that must be there.
func MustNewFileSystemLoader(root string) Loader { return must(NewFileSystemLoader(root)) }

// NewMemoryLoader reads from a map, whose keys begin with a slash.
func NewMemoryLoader(content map[string]string) (Loader, error) {
	files := fstest.MapFS{}
	for name, text := range content {
		clean, ok := strings.CutPrefix(name, "/")
		if !ok || !fs.ValidPath(clean) {
			return nil, fmt.Errorf("the key %q is no path that begins with a slash", name)
		}
		files[clean] = &fstest.MapFile{Data: []byte(text)}
	}
	return FS{files}, nil
}

// MustNewMemoryLoader is NewMemoryLoader for keys that are right.
func MustNewMemoryLoader(content map[string]string) Loader { return must(NewMemoryLoader(content)) }

// NewShiftedLoader is loader with one more template, which is called rootID.
func NewShiftedLoader(rootID string, rootContent io.Reader, loader Loader) (Loader, error) {
	b, err := io.ReadAll(rootContent)
	if err != nil {
		return nil, err
	}
	return &shifted{Loader: loader, id: rootID, text: string(b)}, nil
}

// MustNewShiftedLoader is NewShiftedLoader for content that can be read.
func MustNewShiftedLoader(rootID string, rootContent io.Reader, loader Loader) Loader {
	return must(NewShiftedLoader(rootID, rootContent, loader))
}

type shifted struct {
	Loader
	id, text string
}

func (s *shifted) Resolve(name string) (string, error) {
	if name == s.id {
		return name, nil
	}
	return s.Loader.Resolve(name)
}

func (s *shifted) Read(name string) (io.Reader, error) {
	if name == s.id {
		return strings.NewReader(s.text), nil
	}
	return s.Loader.Read(name)
}

func must(l Loader, err error) Loader {
	if err != nil {
		panic(err)
	}
	return l
}
