package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/parser/document"
)

// configName is the file of settings that is looked for from the current
// folder upward.
const configName = "pcc.yaml"

// configurable are the flags that variables and the settings file may set: those
// that say how templates are read and run, none that name input or output.
var configurable = []string{
	"format", "color", "syntax", "delimiters", "undefined", "strict", "root", "guard", "as", "no-system-role",
	"max-steps", "max-output", "max-memory", "max-loop-turns", "max-depth", "max-value-depth", "max-source",
	"max-includes", "max-calls", "max-digits", "timeout", "duplicate-keys", "profile", "jinja",
}

// configure sets the flags that the command line left open: from PCC_* first,
// then from the nearest pcc.yaml.
func (a *app) configure(cmd *cobra.Command) error {
	set := map[string]bool{}
	cmd.Flags().Visit(func(f *pflag.Flag) { set[f.Name] = true })
	for _, name := range configurable {
		f := cmd.Flags().Lookup(name)
		if f == nil || set[name] {
			continue
		}
		variable := "PCC_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
		if v, ok := a.lookupEnv(variable); ok && v != "" {
			if err := cmd.Flags().Set(name, v); err != nil {
				return usagef("%s: %s", variable, flagCause(err))
			}
			set[name] = true
		}
	}
	path, text, err := findConfig()
	if err != nil || path == "" {
		return err
	}
	file := source.New(path, text)
	settings, l := document.ReadYAML(file, source.Span{End: source.Pos(len(text))}, document.YAMLOptions{})
	if l.HasErrors() {
		return a.report(l)
	}
	if settings == nil || settings.Kind == ast.SNull {
		return nil
	}
	if settings.Kind != ast.SMap {
		return fmt.Errorf("%s: settings are a map of names and values", path)
	}
	for _, e := range settings.Map {
		f := cmd.Flags().Lookup(e.Key)
		switch {
		case !slices.Contains(configurable, e.Key):
			d := &diag.Diagnostic{Severity: diag.Warning, File: file, Span: e.KeySpan,
				Message: fmt.Sprintf("`%s` is no setting", e.Key), Help: "settings are " + oneOf(configurable)}
			if near, ok := diag.Near(e.Key, configurable); ok {
				d.Help = fmt.Sprintf("did you mean `%s`?", near)
			}
			a.found = append(a.found, d)
		case f == nil || set[e.Key]:
			// A setting of other commands, or one that the user overrides.
		default:
			for _, v := range settingValues(e.Value) {
				v, err := ofFile(path, e.Key, v)
				if err == nil {
					err = cmd.Flags().Set(e.Key, v)
				}
				if err != nil {
					a.found = append(a.found, &diag.Diagnostic{File: file, Span: e.Value.Span(),
						Message: fmt.Sprintf("`%s`: %s", e.Key, flagCause(err))})
				}
			}
		}
	}
	if a.found.HasErrors() {
		return errSettings
	}
	return nil
}

// errSettings stops a command whose settings are wrong; the reasons stand
// among the findings.
var errSettings = errors.New("the settings are not valid")

// settingValues are the texts of a scalar, or of each scalar of a list.
func settingValues(s ast.Structure) []string {
	if s.Kind == ast.SList {
		var all []string
		for _, item := range s.Items {
			all = append(all, settingValues(item)...)
		}
		return all
	}
	if s.Source != "" {
		return []string{s.Source}
	}
	return []string{s.Str}
}

// flagCause is the part of pflag's error that is not about the flag's spelling.
func flagCause(err error) string {
	if _, cause, ok := strings.Cut(err.Error(), " flag: "); ok {
		return cause
	}
	return err.Error()
}

// findConfig looks for pcc.yaml in the current folder and those above it.
func findConfig() (path, text string, err error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", "", nil // a folder that is gone has no settings
	}
	start := dir
	for {
		path := filepath.Join(dir, configName)
		info, err := os.Stat(path)
		if err == nil && info.Mode().IsRegular() {
			b, err := os.ReadFile(path)
			if err != nil {
				return "", "", err
			}
			if rel, err := filepath.Rel(start, path); err == nil {
				path = rel
			}
			return path, string(b), nil
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) {
			return "", "", err
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", "", nil
		}
		dir = parent
	}
}
