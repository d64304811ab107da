package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/parser/document"
	"github.com/pcc-lang/pcc/vm"
)

// maxDataBytes is the longest data that is read.
const maxDataBytes = 256 << 20

// maxRowsMemory is what all rows of a file may take that is read as a whole, in
// bytes: as much as one value.
const maxRowsMemory = 256 << 20

// dataFlags say where data comes from.
type dataFlags struct {
	files      []string
	sets       []string
	duplicates string
	lists      bool // a list is the messages of a conversation
}

func (d *dataFlags) add(f *pflag.FlagSet) {
	f.StringArrayVarP(&d.files, "data", "d", nil, "data FILE: .json, .yaml or .jsonl (one render a line), - for standard input; later files win")
	f.StringArrayVarP(&d.sets, "define", "D", nil, "one value: name=text or name:=json; dots lead into maps")
	d.duplicates = "refuse"
	f.Var(&choice{&d.duplicates, []string{"refuse", "last"}}, "duplicate-keys", "equal keys in a map of the data: refuse or last (the last wins)")
}

// given reports whether the command line names any data.
func (d *dataFlags) given() bool { return len(d.files)+len(d.sets) > 0 }

// rows reads the data: one map, or one a line if the last file is JSONL (many
// is true then). Findings are reported, and rows is nil then.
func (a *app) rows(d *dataFlags) (rows []vm.Value, many bool, err error) {
	if err := checkDefined(d.sets); err != nil {
		return nil, false, err
	}
	base := vm.NewMap(8)
	for i, path := range d.files {
		values, jsonl, err := a.readData(path, d)
		if err != nil {
			return nil, false, a.report(err)
		}
		if jsonl {
			if i != len(d.files)-1 || many {
				return nil, false, usagef("%s: data of many rows must be the last -d", path)
			}
			if len(values) == 0 {
				a.warnNoRows(path)
				values = []vm.Value{}
			}
			many, rows = true, values
			continue
		}
		m, ok := d.asMap(values[0])
		if !ok {
			return nil, false, a.report(notAMap(path))
		}
		merge(base, m)
	}
	if !many {
		rows = []vm.Value{vm.MapOf(vm.NewMap(0))}
	}
	for i, row := range rows {
		m, ok := d.asMap(row)
		if !ok {
			return nil, false, a.report(notAMap(fmt.Sprintf("row %d", i+1)))
		}
		whole := vm.NewMap(base.Len() + m.Len())
		merge(whole, base)
		merge(whole, m)
		for _, s := range d.sets {
			if err := define(whole, s); err != nil {
				return nil, false, a.report(err)
			}
		}
		rows[i] = vm.MapOf(whole)
	}
	return rows, many, nil
}

// warnNoRows says that a file of rows is empty, so that nothing is made of it.
func (a *app) warnNoRows(path string) {
	a.warn(fmt.Sprintf("%s holds no row, so nothing is rendered", path), "write one JSON object a line")
}

// asMap is the data of a render as a map.
func (d *dataFlags) asMap(v vm.Value) (*vm.Map, bool) {
	if d.lists && v.IsSequence() {
		m := vm.NewMap(1)
		m.Set("messages", v)
		return m, true
	}
	return v.Map()
}

func merge(into, from *vm.Map) {
	for i := range from.Len() {
		into.Put(from.At(i))
	}
}

func notAMap(what string) error {
	return diag.New("PCC309", nil, source.Span{}, "%s: data for a template is a map of names and values", what).
		WithHelp(`write it as {"name": "value"}`)
}

// readData reads one file of data by the ending of its name; standard input is
// JSON, a map a line, or YAML, whichever it looks like.
func (a *app) readData(path string, d *dataFlags) (values []vm.Value, many bool, err error) {
	var text []byte
	name := path
	if path == "-" {
		name = stdinName
		text, err = a.readStdin("data", maxDataBytes)
	} else {
		text, err = a.readInput(path, maxDataBytes)
	}
	if err != nil {
		return nil, false, hintData(path, err)
	}
	if ext := strings.ToLower(filepath.Ext(path)); slices.Contains(otherForms, ext) {
		return nil, false, usagef("%s: data is .json, .yaml or .jsonl, and %s is not read", path, ext)
	}
	switch form := dataForm(path, text); form {
	case "jsonl":
		values, err = a.decodeLines(name, text, d)
		return values, true, err
	case "yaml":
		v, err := decodeYAML(name, text, d)
		return []vm.Value{v}, false, err
	default:
		v, err := decodeJSON(name, text, 1, d)
		return []vm.Value{v}, false, err
	}
}

// otherForms are endings of data that people have and pcc does not read: as YAML
// they would give misleading errors.
var otherForms = []string{".toml", ".csv", ".tsv", ".xml", ".ini", ".xlsx", ".parquet"}

// hintData says how values are given on the command line, where -d got them.
func hintData(path string, err error) error {
	if strings.HasPrefix(strings.TrimSpace(path), "{") {
		return usagef("-d takes a file, and this is JSON; for single values there is -D name=text or -D name:=json, for all of them `-d -` and standard input")
	}
	if name, _, ok := strings.Cut(path, "="); ok {
		if _, statErr := os.Lstat(path); errors.Is(statErr, fs.ErrNotExist) {
			return usagef("-d takes a file, and there is none called %q; a single value is given with -D %s=…", path, name)
		}
	}
	return err
}

// dataHint says how what an argument looks like is given as data, "" where it does
// not look like any.
func dataHint(arg string) string {
	switch ext := strings.ToLower(filepath.Ext(arg)); {
	case strings.Contains(arg, "="):
		return "a value is given with -D"
	case ext == ".json", ext == ".jsonl", ext == ".ndjson", ext == ".yaml", ext == ".yml":
		return "data is given with -d"
	}
	return ""
}

// dataForm is "json", "jsonl" or "yaml".
func dataForm(path string, text []byte) string {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".json":
		return "json"
	case ".jsonl", ".ndjson":
		return "jsonl"
	case ".yaml", ".yml":
		return "yaml"
	}
	t := bytes.TrimSpace(text)
	if len(t) == 0 || t[0] != '{' {
		return "yaml"
	}
	// A first line that is a whole object, with another below, is JSONL.
	first, rest, _ := bytes.Cut(t, []byte("\n"))
	first, rest = bytes.TrimSpace(first), bytes.TrimSpace(rest)
	if len(rest) > 0 && rest[0] == '{' && first[len(first)-1] == '}' {
		return "jsonl"
	}
	return "json"
}

func (a *app) decodeLines(name string, text []byte, d *dataFlags) ([]vm.Value, error) {
	var values []vm.Value
	n, left := 0, maxRowsMemory
	for line := range bytes.Lines(text) {
		n++
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if n&1023 == 0 && a.ctx.Err() != nil {
			return nil, errInterrupted
		}
		v, err := vm.DecodeJSON(line, d.decodeOptions(&left))
		err = dataError(name, string(line), n, err)
		if err != nil {
			return nil, err
		}
		values = append(values, v)
	}
	return values, nil
}

// decodeJSON reads a value; line is that of the file on which text begins.
func decodeJSON(name string, text []byte, line int, d *dataFlags) (vm.Value, error) {
	v, err := vm.DecodeJSON(text, d.decodeOptions(nil))
	return v, dataError(name, string(text), line, err)
}

// decodeOptions are those of data in JSON; memory, where not nil, is what is left
// for all rows.
func (d *dataFlags) decodeOptions(memory *int) vm.DecodeOptions {
	return vm.DecodeOptions{MaxBytes: maxDataBytes, Memory: memory, LastDuplicate: d.duplicates == "last"}
}

// dataError makes a diagnostic of a decoder's error. It names the place and
// never shows the data.
func dataError(name, text string, line int, err error) error {
	var e *vm.Error
	if !errors.As(err, &e) {
		return err
	}
	d := &diag.Diagnostic{Code: diag.Code(e.CodeOf()), Message: e.Msg, Help: e.Help, Kind: e.Kind, Names: e.Names, Cause: e}
	if e.At.Line == 0 {
		d.Message = name + ": " + d.Message
		return d
	}
	d.Message = strings.TrimSuffix(d.Message, vm.Place(e.At))
	const most = 1 << 20 // of text that is kept to tell the place
	if e.At.Offset > most {
		d.Message = fmt.Sprintf("%s:%d:%d: %s", name, e.At.Line+line-1, e.At.Column, d.Message)
		return d
	}
	d.File = &source.File{Name: name, Text: strings.Clone(text[:min(len(text), e.At.Offset+1)]), Private: true, FirstLine: line}
	d.Span = spanOf(e.At.Offset, e.At.Offset+1)
	return d
}

func decodeYAML(name string, text []byte, d *dataFlags) (vm.Value, error) {
	f := &source.File{Name: name, Text: string(text), Private: true}
	s, l := document.DecodeYAMLData(f, document.YAMLOptions{DuplicatesLast: d.duplicates == "last"})
	if l.HasErrors() {
		for _, found := range l {
			switch found.Code {
			case "PCC403":
				found.Help = "remove one of the two entries, or let the last one win with --duplicate-keys last"
			case "PCC920", "PCC921", "PCC922", "PCC923": // the limits of documents, which no flag raises here
				found.Message = strings.Replace(found.Message, "the document", "the YAML data", 1)
				found.Help = "give large data as JSON, which has wider limits"
				if found.Code == "PCC921" {
					found.Help = "flatten the data"
				}
			}
		}
		return vm.Null, l
	}
	if s == nil {
		return vm.Null, nil
	}
	return compiler.ValueOf(s), nil
}

// define applies one -D to data: `name=text`, or `name:=json`. Each dot of the
// name leads into a map, which is made where there is none.
func define(data *vm.Map, arg string) error {
	name, text, ok := strings.Cut(arg, "=")
	if !ok {
		return usagef("-D %s: write name=text, or name:=json for numbers, lists and maps", arg)
	}
	value := vm.String(text)
	if n, isJSON := strings.CutSuffix(name, ":"); isJSON {
		name = n
		v, err := vm.DecodeJSON([]byte(text), vm.DecodeOptions{})
		var known *vm.Error
		switch {
		case errors.As(err, &known) && known.Code != "PCC330":
			help := known.Help
			if known.Code == "PCC331" {
				help = "remove one of the two entries" // the option is for files
			}
			return &diag.Diagnostic{Code: diag.Code(known.Code), Message: fmt.Sprintf("behind -D %s:= %s", name, known.Msg), Names: []string{name},
				Help: help, Cause: err}
		case err != nil:
			return &diag.Diagnostic{Code: "PCC330", Message: fmt.Sprintf("what stands behind -D %s:= is not JSON", name), Names: []string{name},
				Help: fmt.Sprintf("for a text write -D %s=text; JSON is 42, true, null, \"text\", [\"a\"] or {\"key\": 1}", name), Cause: err}
		}
		value = v
	}
	if strings.ContainsAny(name, "[]") {
		return usagef("-D %s=…: dots lead into maps, and nothing leads into lists; give the whole list: -D 'items:=[\"a\", \"b\"]'", name)
	}
	path := strings.Split(name, ".")
	for _, key := range path {
		if key == "" {
			return usagef("-D %s: a name is missing before `=`", arg)
		}
	}
	for _, key := range path[:len(path)-1] {
		inner := vm.NewMap(4)
		if v, found := data.Get(key); found {
			old, isMap := v.Map()
			if !isMap {
				return usagef("-D %s: `%s` is no map, so nothing can be set in it", arg, key)
			}
			merge(inner, old) // the map may be shared with other rows
		}
		data.Set(key, vm.MapOf(inner))
		data = inner
	}
	data.Set(path[len(path)-1], value)
	return nil
}

// checkDefined refuses names of -D that no template can mean, and one that would
// drop what another one before it set.
func checkDefined(sets []string) error {
	below := map[string]string{} // by each map that a name leads into, that name
	for _, name := range definedNames(sets) {
		if trimmed := strings.TrimSpace(name); trimmed != name {
			return usagef("-D %q: blanks stand around the name; write -D %s=…", name, trimmed)
		}
		if inner, ok := below[name]; ok {
			return usagef("-D %s=… drops what -D %s=… gave before it; give the whole first, or drop one of the two", name, inner)
		}
		for i := range len(name) {
			if name[i] == '.' {
				below[name[:i]] = name
			}
		}
	}
	return nil
}

// definedNames are the names that -D sets, for near misses.
func definedNames(sets []string) []string {
	var names []string
	for _, s := range sets {
		name, _, _ := strings.Cut(s, "=")
		names = append(names, strings.TrimSuffix(name, ":"))
	}
	return names
}
