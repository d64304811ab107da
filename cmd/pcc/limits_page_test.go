package main

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/pcc-lang/pcc/vm"
)

// limitRows says of each limit what it bounds and with which code it ends.
var limitRows = map[string][2]string{
	"SourceBytes":   {"bytes of one source, with the texts that it includes", "PCC902"},
	"Depth":         {"nesting of blocks, brackets and literal groups", "PCC901"},
	"CompileMemory": {"bytes that compiling one template may take", "PCC918"},
	"ValueDepth":    {"nesting of values that are printed, compared or turned to JSON", "PCC906"},
	"MacroDepth":    {"nesting of macros, blocks, recursive loops and renders in renders", "PCC913"},
	"IncludeDepth":  {"nesting of includes and parents", "PCC909"},
	"Steps":         {"steps of one render", "PCC904"},
	"Memory":        {"bytes that one render may allocate", "PCC905"},
	"OutputBytes":   {"bytes of output", "PCC907"},
	"Iterations":    {"iterations of all loops of one render", "PCC908"},
	"NumberDigits":  {"digits of an integer", "PCC911"},
}

// TestLimitsPage: docs/limits.md lists every limit with its default and its flag.
// PCC_UPDATE=1 writes the table.
func TestLimitsPage(t *testing.T) {
	const page = "../../docs/limits.md"
	flags := map[string]string{}
	var l vm.Limits
	for _, f := range limitFlags(&l) {
		before := l
		if f.wide != nil {
			*f.wide = -1
		} else {
			*f.narrow = -1
		}
		for i := range reflect.TypeOf(l).NumField() {
			if !reflect.ValueOf(l).Field(i).Equal(reflect.ValueOf(before).Field(i)) {
				flags[reflect.TypeOf(l).Field(i).Name] = "`--" + f.name + "`"
			}
		}
	}
	var b strings.Builder
	b.WriteString("<!-- limits -->\n| field of `Limits` | bounds | default | flag | code |\n|---|---|---|---|---|\n")
	defaults := reflect.ValueOf(vm.DefaultLimits())
	for i := range defaults.NumField() {
		name := defaults.Type().Field(i).Name
		row, ok := limitRows[name]
		if !ok || flags[name] == "" {
			t.Errorf("%s: described %v, flag %q", name, ok, flags[name])
		}
		amount := writeAmount(defaults.Field(i).Int())
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", name, row[0], amount, flags[name], row[1])
	}
	b.WriteString("<!-- /limits -->\n")
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), "<!-- limits -->\n")
	_, after, closed := strings.Cut(rest, "<!-- /limits -->\n")
	if !ok || !closed {
		t.Fatal("the page has no place for the table")
	}
	isCurrent(t, page, []byte(before+b.String()+after))
}
