// Package nofiles stands in for a file system that nobody gave.
package nofiles

import (
	"errors"
	"io/fs"
)

// Or is fsys, or for nil a file system without files, so that reading one is an error
// rather than a panic.
func Or(fsys fs.FS) fs.FS {
	if fsys == nil {
		return none{}
	}
	return fsys
}

var errNone = errors.New("no file system is given")

type none struct{}

// Open implements fs.FS.
func (none) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: errNone}
}
