package main

import (
	"errors"
	"fmt"
	"io"
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
	"max-steps", "max-output", "max-memory", "max-iterations", "max-depth", "max-value-depth", "max-source", "max-compile-memory",
	"max-includes", "max-calls", "max-digits", "timeout", "duplicate-keys", "profile", "jinja", "exclude",
}

// configure sets the flags that the command line left open: from PCC_* first,
// then from the nearest pcc.yaml.
func (a *app) configure(cmd *cobra.Command) error {
	set := map[string]bool{}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		set[f.Name] = true
		a.given = append(a.given, f.Name)
	})
	for _, name := range configurable {
		f := cmd.Flags().Lookup(name)
		if f == nil || set[name] {
			continue
		}
		variable := variableOf(name)
		if v, ok := a.lookupEnv(variable); ok && v != "" {
			if err := cmd.Flags().Set(name, v); err != nil {
				return usagef("%s: %s", variable, settingCause(f, v, err))
			}
			set[name] = true
		}
	}
	a.nearVariables()
	path, text, err := a.readConfig()
	if err != nil || path == "" {
		return err
	}
	file := source.New(path, text)
	settings, l := document.ReadYAML(file, source.Span{End: source.Pos(len(text))}, document.YAMLOptions{})
	if l.HasErrors() {
		a.found = append(a.found, l...)
		return errSettings
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
						Message: fmt.Sprintf("`%s`: %s", e.Key, settingCause(f, v, err))})
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

// settingCause says what is wrong with the value of a variable or setting.
func settingCause(f *pflag.Flag, value string, err error) string {
	if f.Value.Type() == "bool" {
		return fmt.Sprintf("this is true or false, not %q", value) // the standard library's error names its functions
	}
	return flagCause(err)
}

// flagCause is the part of pflag's error that is not about the flag's spelling.
func flagCause(err error) string {
	if _, cause, ok := strings.Cut(err.Error(), " flag: "); ok {
		return cause
	}
	return err.Error()
}

// maxConfigBytes is the longest settings file, as with documents.
const maxConfigBytes = 1 << 20

// configVariable names the settings file, as --config does.
const configVariable = "PCC_CONFIG"

// noConfig is the name that stands for no settings file.
const noConfig = "none"

// readConfig reads the settings file: that of --config or PCC_CONFIG, or the nearest
// pcc.yaml from the current folder upward. The path is "" where there is none.
func (a *app) readConfig() (path, text string, err error) {
	path = a.config
	if path == "" {
		path, _ = a.lookupEnv(configVariable)
	}
	if path == noConfig {
		return "", "", nil
	}
	if path != "" {
		b, err := a.readInput(path, maxConfigBytes)
		return path, string(b), err
	}
	if path, err = findConfig(); path == "" || err != nil {
		return "", "", err
	}
	// The file may have been replaced since it was found: its owner is asked of
	// the open file.
	f, info, err := a.openInput(path)
	if err != nil {
		return "", "", err
	}
	defer f.Close()
	if !a.trusts(path, info) {
		d := &diag.Diagnostic{Severity: diag.Warning, Message: path + " is not taken, as it or its folder belongs to another user",
			Help: "to take it all the same name it: --config " + path + "; --config " + noConfig + " takes none"}
		a.found = append(a.found, d)
		return "", "", nil
	}
	if info.Size() > maxConfigBytes {
		return "", "", configTooLong(path)
	}
	b, err := io.ReadAll(io.LimitReader(f, maxConfigBytes+1))
	if err == nil && len(b) > maxConfigBytes {
		err = configTooLong(path)
	}
	return path, string(b), err
}

func configTooLong(path string) error {
	return fmt.Errorf("%s is longer than the %s bytes that settings may have", path, writeAmount(maxConfigBytes))
}

// findConfig looks for pcc.yaml in the current folder and those above it. What
// stands there under that name is the settings file, whatever it is.
func findConfig() (path string, err error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", nil // a folder that is gone has no settings
	}
	start := dir
	for {
		path := filepath.Join(dir, configName)
		_, err := os.Lstat(path)
		if err == nil {
			if rel, err := filepath.Rel(start, path); err == nil {
				path = rel
			}
			return path, nil
		}
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
		case dir != start:
			return "", nil // WASI shows no folder above those that it was given
		default:
			return "", err
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", nil
		}
		dir = parent
	}
}

// nearVariables warns of PCC_* variables that set nothing and are spelt nearly
// like one that does. Others may belong to other programs.
func (a *app) nearVariables() {
	known := map[string]bool{configVariable: true}
	names := []string{configVariable}
	for _, name := range configurable {
		known[variableOf(name)] = true
		names = append(names, variableOf(name))
	}
	for _, entry := range a.environ() {
		name, value, _ := strings.Cut(entry, "=")
		if !strings.HasPrefix(name, "PCC_") || known[name] || value == "" {
			continue
		}
		if near, ok := diag.Near(name, names); ok {
			a.found = append(a.found, &diag.Diagnostic{Severity: diag.Warning, Message: fmt.Sprintf("the variable `%s` sets nothing", name),
				Help: fmt.Sprintf("did you mean `%s`?", near)})
		}
	}
}

// variableOf is the variable that sets a flag.
func variableOf(flag string) string {
	return "PCC_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}
