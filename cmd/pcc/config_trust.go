package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/pcc-lang/pcc/vm"
)

// A pcc.yaml comes with the folder that it stands in, and may be as hostile as
// the templates there. It can lower a limit and not raise one, and name a root
// of templates in its own folder and not outside: what a template at the top of
// that folder could read as well. It is taken only where both belong to the user,
// as a parent folder such as /tmp may be everybody's (git does the same, after
// CVE-2022-24765).

// trusts reports whether the settings file at path, opened as info, is the
// user's, and so are its folder and the link that it may be.
func (a *app) trusts(path string, info fs.FileInfo) bool {
	named, err := os.Lstat(path)
	if err != nil || !a.isOwn(named) || !a.isOwn(info) {
		return false
	}
	folder, err := os.Stat(filepath.Dir(path))
	return err == nil && a.isOwn(folder)
}

// ofFile is the value of a setting as the settings file at path may set it.
func ofFile(path, name, value string) (string, error) {
	if name == "root" {
		return rootOfFile(filepath.Dir(path), value)
	}
	for _, l := range limitFlags(&vm.Limits{}) {
		var most int64
		if l.name == name && (&amount{wide: &most}).Set(value) == nil && most > l.def {
			return "", fmt.Errorf("a file of settings can lower this limit from %s; to raise it, use the flag", writeAmount(l.def))
		}
	}
	return value, nil
}

func rootOfFile(dir, root string) (string, error) {
	outside := errors.New("a file of settings can name a folder beside or below itself; for another use the flag")
	if !filepath.IsLocal(filepath.FromSlash(root)) {
		return "", outside
	}
	full := filepath.Join(dir, filepath.FromSlash(root))
	// A link must not lead out either.
	real, err := filepath.EvalSymlinks(full)
	if err != nil {
		return full, nil // it is not there, which is reported when it is used
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return "", err
	}
	if real, err = filepath.Abs(real); err != nil {
		return "", err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return "", err
	}
	if rel, err := filepath.Rel(dir, real); err != nil || !filepath.IsLocal(rel) {
		return "", outside
	}
	return full, nil
}
