package compiler

import (
	"errors"
	"io/fs"
	"os"
)

// DirFS is the folder dir as a file system for templates: symbolic links and
// names with .. cannot leave it, even if files are renamed or replaced while
// they are read, and only regular files and folders are opened, so that a pipe
// or a device never makes a reader wait.
func DirFS(dir string) fs.FS { return rootFS(dir) }

// openIn opens name in root. What it is may have changed since somebody looked:
// the open file tells.
func openIn(root *os.Root, name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	f, err := root.OpenFile(name, os.O_RDONLY|nonBlocking, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		err = &fs.PathError{Op: "open", Path: name, Err: errors.New("it is not a regular file")}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
