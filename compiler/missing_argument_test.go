package compiler

import (
	"errors"
	"strings"
	"testing"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/stdlib"
)

// TestMissingArguments gives every filter and function an argument that has no
// value, as its subject and in each further place. Where that is an error, the
// error names the argument, in both dialects, and a near name of the data.
func TestMissingArguments(t *testing.T) {
	failed := 0
	for _, e := range stdlib.Table() {
		if e.Kind != "filter" && e.Kind != "function" || e.Name == "raise_exception" {
			continue
		}
		for _, args := range []string{"usr", "1, usr", "'a', usr", "[1], usr"} {
			call := e.Name + "(" + args + ")"
			if subject, rest, more := strings.Cut(args, ", "); e.Kind == "filter" && more {
				call = subject + "|" + e.Name + "(" + rest + ")"
			} else if e.Kind == "filter" {
				call = "usr|" + e.Name
			}
			for _, syntax := range []string{"brace", "jinja"} {
				if syntax == "brace" && !e.Native || syntax == "jinja" && !e.Jinja {
					continue
				}
				p, err := Compile("{{ ("+call+")|string }}", WithSyntax(Syntax(syntax)))
				if err != nil {
					continue // too many arguments, or one of the wrong type
				}
				_, err = p.Render(map[string]any{"user": 1})
				var d *diag.Diagnostic
				if err == nil || !errors.As(err, &d) {
					continue // a missing value is fine there
				}
				aboutIt := strings.Contains(d.Message, "Undefined") || strings.Contains(d.Message, "usr")
				if !aboutIt {
					continue // the constant beside it is what fails
				}
				failed++
				if !strings.Contains(d.Message, "usr") || !strings.Contains(d.Help, "user") {
					t.Errorf("%s %s: %s (%s)", syntax, call, d.Message, d.Help)
				}
			}
		}
	}
	if failed < 20 {
		t.Errorf("only %d calls fail", failed)
	}
}
