package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// writeResult writes the result to standard output, or to the file of -o, which
// must not be one that was read. In a terminal control characters are shown.
func (a *app) writeResult(path string, result []byte) error {
	if path == "" || path == "-" {
		if a.isTerminal(a.stdout) {
			result = []byte(visibleText(string(result)))
			a.openLine = len(result) > 0 && result[len(result)-1] != '\n'
		}
		_, err := a.stdout.Write(result)
		return err
	}
	if err := a.refuseInput(path); err != nil {
		return err
	}
	if err := a.writeFile(path, result); err != nil {
		return cannotWrite(path, err)
	}
	return nil
}

// cannotWrite names the file that the user named, not the temporary one.
func cannotWrite(path string, err error) error {
	var at *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &at):
		err = at.Err
	case errors.As(err, &link):
		err = link.Err
	}
	return fmt.Errorf("cannot write %s: %w", path, err)
}

// writeFile replaces the file at path as a whole: whoever reads it sees the old
// or the new content, and a failure leaves the old one. The file's mode is
// kept, and a link is followed. What is no regular file (a device, a pipe) is
// written as it is.
func (a *app) writeFile(path string, content []byte) (err error) {
	perm, exists := fs.FileMode(0o666), false
	switch info, err := os.Stat(path); {
	case err == nil && !info.Mode().IsRegular():
		if info.IsDir() {
			return errors.New("it is a folder")
		}
		f, err := openDevice(path, info)
		if err != nil {
			return err
		}
		_, err = f.Write(content)
		return errors.Join(err, f.Close())
	case err == nil:
		if path, err = filepath.EvalSymlinks(path); err != nil {
			return err
		}
		perm, exists = info.Mode().Perm(), true
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	f, err := a.createTemp(path, perm)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			a.discardTemp()
		}
	}()
	if _, err = f.Write(content); err != nil {
		return err
	}
	if exists {
		// The umask may have taken bits away that the old file had.
		if err = f.Chmod(perm); err != nil {
			return err
		}
	}
	if err = f.Sync(); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	if err = os.Rename(f.Name(), path); err != nil {
		return err
	}
	a.keepTemp()
	syncDir(filepath.Dir(path))
	return nil
}

// openDevice opens for writing what is no regular file. A pipe in a folder may
// have no reader, and would make the command wait.
func openDevice(path string, info fs.FileInfo) (*os.File, error) {
	if info.Mode()&fs.ModeNamedPipe != 0 && !isDescriptor(path) {
		return nil, errors.New("it is a pipe; write to standard output and redirect that")
	}
	return os.OpenFile(path, os.O_WRONLY, 0)
}

// createTemp creates a file beside path that only a rename makes visible under
// that name. Its mode is never wider than the final one, and whoever owns the
// folder cannot have put a file or link there before (O_EXCL).
func (a *app) createTemp(path string, perm fs.FileMode) (*os.File, error) {
	for i := 0; ; i++ {
		name := filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s.%d-%d.tmp", filepath.Base(path), os.Getpid(), i))
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
		if errors.Is(err, fs.ErrExist) && i < 100 {
			continue
		}
		if err == nil {
			a.mu.Lock()
			a.temp = name
			a.mu.Unlock()
		}
		return f, err
	}
}

// keepTemp forgets the temporary file, which has its final name now.
func (a *app) keepTemp() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.temp = ""
}

// discardTemp removes the temporary file of an unfinished write.
func (a *app) discardTemp() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.temp != "" {
		os.Remove(a.temp)
		a.temp = ""
	}
}

// syncDir makes the rename last through a power failure, where the system can.
func syncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		d.Close()
	}
}
