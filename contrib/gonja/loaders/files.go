package loaders

import (
	"errors"
	"io"
	"io/fs"
	"strings"
	"time"
)

// Files is the file system that a loader reads, for the includes of a template.
func Files(l Loader) fs.FS {
	if f, ok := l.(FS); ok {
		return f.Files
	}
	return files{l}
}

type files struct{ loader Loader }

// Open implements fs.FS. A loader that cannot read a name lacks it.
func (f files) Open(name string) (fs.File, error) {
	r, err := f.loader.Read(name)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			err = errors.Join(fs.ErrNotExist, err)
		}
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	b, err := io.ReadAll(r)
	if err != nil {
		return nil, &fs.PathError{Op: "read", Path: name, Err: err}
	}
	return &file{Reader: strings.NewReader(string(b)), name: name, size: int64(len(b))}, nil
}

// file is a template as a file.
type file struct {
	*strings.Reader
	name string
	size int64
}

func (f *file) Stat() (fs.FileInfo, error) { return info{f}, nil }
func (f *file) Close() error               { return nil }

type info struct{ f *file }

func (i info) Name() string       { return i.f.name }
func (i info) Size() int64        { return i.f.size }
func (i info) Mode() fs.FileMode  { return 0o444 }
func (i info) ModTime() time.Time { return time.Time{} }
func (i info) IsDir() bool        { return false }
func (i info) Sys() any           { return nil }
