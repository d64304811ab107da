// Package cases reads the golden cases under testdata: templates with data and
// what must come of them.
//
// What enters: txtar archives. What leaves: Cases, as the tests of package
// compiler check them and the fuzz targets take their seeds from them.
//
// An archive holds many cases. A file in it is a section of a case and named
// `case/section`; `section` alone belongs to all cases of the archive. Sections:
//
//	template     the template; one line break at its end does not count; with
//	             the option `escapes: true` it may hold Go's \n, \xNN and \uNNNN
//	options      lines `key: value`, see Options
//	data.json    the data of the render, `{}` where it is absent
//	files/NAME   a file that the template may include
//
// and what is expected: output, messages, errors, warnings, kept, variables,
// code. An expectation that is absent is not looked at, except for errors and
// warnings, which are then none.
package cases

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"
)

// Case is one golden case.
type Case struct {
	Name     string
	Archive  *Archive
	Template string
	Data     string            // JSON
	Files    map[string]string // by name
	Options  map[string]string
	want     map[string]string
}

// Want returns an expectation; ok is false where the case has none of the name.
func (c *Case) Want(section string) (text string, ok bool) {
	text, ok = c.want[section]
	return text, ok
}

// Set replaces an expectation, or adds it; an empty text removes it.
func (c *Case) Set(section, text string) { c.Archive.set(c.Name+"/"+section, text) }

// Archive is one file of cases.
type Archive struct {
	Path  string
	Cases []*Case

	ar      *txtar.Archive
	changed bool
}

// expectations are the sections that say what must come of a case.
var expectations = []string{"output", "findings", "messages", "errors", "warnings", "kept", "variables", "code"}

// Read reads one archive.
func Read(path string) (*Archive, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	a := &Archive{Path: path, ar: txtar.Parse(b)}
	shared := Case{Files: map[string]string{}, Options: map[string]string{}}
	byName := map[string]*Case{}
	for _, f := range a.ar.Files {
		name, section, ok := strings.Cut(f.Name, "/")
		if !ok || name == "files" {
			if err := shared.section(f.Name, string(f.Data)); err != nil {
				return nil, fmt.Errorf("%s: %s: %w", path, f.Name, err)
			}
			continue
		}
		c := byName[name]
		if c == nil {
			c = &Case{Name: name, Archive: a, Files: map[string]string{}, Options: map[string]string{}, want: map[string]string{}}
			byName[name] = c
			a.Cases = append(a.Cases, c)
		}
		if err := c.section(section, string(f.Data)); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", path, f.Name, err)
		}
	}
	for _, c := range a.Cases {
		c.inherit(&shared)
	}
	return a, nil
}

// section takes over one section.
func (c *Case) section(name, text string) error {
	if file, ok := strings.CutPrefix(name, "files/"); ok {
		c.Files[file] = strings.TrimSuffix(text, "\n")
		return nil
	}
	switch name {
	case "template":
		c.Template = strings.TrimSuffix(text, "\n")
	case "data.json":
		c.Data = text
	case "options":
		for line := range strings.Lines(text) {
			key, value, ok := strings.Cut(strings.TrimSpace(line), ":")
			if !ok {
				return fmt.Errorf("no option: %q", line)
			}
			c.Options[key] = strings.TrimSpace(value)
		}
	default:
		if c.want == nil || !slices.Contains(expectations, name) {
			return errors.New("there is no such section")
		}
		c.want[name] = text
	}
	return nil
}

// inherit takes over what the archive gives all its cases, and normalises.
func (c *Case) inherit(shared *Case) {
	for k, v := range shared.Options {
		if _, own := c.Options[k]; !own {
			c.Options[k] = v
		}
	}
	for k, v := range shared.Files {
		if _, own := c.Files[k]; !own {
			c.Files[k] = v
		}
	}
	if c.Template == "" {
		c.Template = shared.Template
	}
	if c.Data == "" {
		c.Data = shared.Data
	}
	if c.Data == "" {
		c.Data = "{}"
	}
	if c.Options["escapes"] == "true" {
		if s, err := strconv.Unquote(`"` + strings.ReplaceAll(c.Template, `"`, `\"`) + `"`); err == nil {
			c.Template = s
		}
	}
	if c.Options["crlf"] == "true" {
		c.Template = strings.ReplaceAll(c.Template, "\n", "\r\n")
		for k, v := range c.Files {
			c.Files[k] = strings.ReplaceAll(v, "\n", "\r\n")
		}
	}
}

// ReadAll reads all archives under a folder, in the order of their names.
func ReadAll(dir string) ([]*Archive, error) {
	var all []*Archive
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".txtar" {
			return err
		}
		a, err := Read(path)
		all = append(all, a)
		return err
	})
	return all, err
}

func (a *Archive) set(name, text string) {
	i := slices.IndexFunc(a.ar.Files, func(f txtar.File) bool { return f.Name == name })
	switch {
	case i >= 0 && text == "":
		a.ar.Files = slices.Delete(a.ar.Files, i, i+1)
	case i >= 0 && string(a.ar.Files[i].Data) == text, i < 0 && text == "":
		return
	case i >= 0:
		a.ar.Files[i].Data = []byte(text)
	default: // behind the case's last section
		at := len(a.ar.Files)
		prefix, _, _ := strings.Cut(name, "/")
		for j, f := range a.ar.Files {
			if strings.HasPrefix(f.Name, prefix+"/") {
				at = j + 1
			}
		}
		a.ar.Files = slices.Insert(a.ar.Files, at, txtar.File{Name: name, Data: []byte(text)})
	}
	a.changed = true
}

// Save writes the archive back if an expectation was changed.
func (a *Archive) Save() error {
	if !a.changed {
		return nil
	}
	return os.WriteFile(a.Path, txtar.Format(a.ar), 0o644)
}

// Visible ends a text with a line break, so that it can be a section, and
// shows what an editor would lose: carriage returns, and blanks and the lack of
// a line break at the end of lines are part of the text.
func Visible(s string) string {
	s = strings.ReplaceAll(s, "\r", "␍")
	return s + "\n"
}
