package main

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/pcc-lang/pcc/vm"
)

// Every limit has a flag, which sets it and which the help lines name, with the
// default that is in force; its documentation names the flag and the code.
func TestLimitsHaveFlags(t *testing.T) {
	var l vm.Limits
	flags := limitFlags(&l)
	fields := reflect.ValueOf(&l).Elem()
	defaults := reflect.ValueOf(vm.DefaultLimits())
	source, err := os.ReadFile("../../vm/limits.go")
	if err != nil {
		t.Fatal(err)
	}
	for i := range fields.NumField() {
		name := fields.Type().Field(i).Name
		found := ""
		for _, f := range flags {
			if any(f.wide) == fields.Field(i).Addr().Interface() || any(f.narrow) == fields.Field(i).Addr().Interface() {
				found = "--" + f.name
				if f.def != defaults.Field(i).Int() {
					t.Errorf("%s: the default of %s is said to be %d", name, found, f.def)
				}
			}
		}
		if found == "" || limitWords["Limits."+name] != found {
			t.Errorf("Limits.%s has the flag %q, the help lines name %q", name, found, limitWords["Limits."+name])
		}
		_, doc, _ := strings.Cut(string(source), "\t// "+name+" is ")
		doc, _, _ = strings.Cut(doc, "\t"+name+" int")
		if !strings.Contains(strings.ReplaceAll(doc, "\n\t// ", " "), found+", ") || !strings.Contains(doc, "PCC9") {
			t.Errorf("the documentation of Limits.%s names no flag with a default, or no code: %q", name, doc)
		}
	}
}
