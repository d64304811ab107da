// Package gonja has the names of github.com/nikolalohinski/gonja/v2 that its users
// call, with PCC behind them: templates render byte for byte as in Python's Jinja2,
// in a sandbox and under limits, and errors tell the place and what to do.
//
//	t, err := gonja.FromString("Hello {{ name | capitalize }}!")
//	text, err := t.ExecuteToString(exec.NewContext(map[string]any{"name": "bob"}))
//
// The README lists what differs.
package gonja

import (
	"path/filepath"

	"github.com/pcc-lang/pcc/contrib/gonja/config"
	"github.com/pcc-lang/pcc/contrib/gonja/exec"
	"github.com/pcc-lang/pcc/contrib/gonja/loaders"
)

// FromString compiles a template. It reads no files: for includes give
// exec.NewTemplate a loader.
func FromString(source string) (*exec.Template, error) {
	return exec.NewSource("", source, config.New(), nil, nil)
}

// FromBytes is FromString for bytes.
func FromBytes(source []byte) (*exec.Template, error) { return FromString(string(source)) }

// FromFile compiles the template of a file. Includes are read from its folder, and
// from nowhere else.
func FromFile(path string) (*exec.Template, error) {
	loader, err := loaders.NewFileSystemLoader(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	return exec.NewTemplate(filepath.Base(path), config.New(), loader, nil)
}

// Must panics on an error, for templates that are part of the program.
func Must(t *exec.Template, err error) *exec.Template {
	if err != nil {
		panic(err)
	}
	return t
}
