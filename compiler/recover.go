package compiler

import (
	"slices"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/diag"
)

// This file lets a run that finds faults of syntax tell of wrong names as well:
// the rest of the tree is checked, so that not every round of corrections
// brings new errors to light.

// checkable reports whether the rest of a text is worth a look: its faults are
// those of single tags, and not that it is no text at all.
func checkable(list diag.List) bool {
	return !slices.ContainsFunc(list, func(d *diag.Diagnostic) bool {
		return d.Severity == diag.Error && (d.Code.Stage() > diag.SyntaxStage || d.Code == "PCC001")
	})
}

// rest checks what could be read of t and returns what is wrong besides found,
// the faults of its syntax.
func (c *config) rest(t *ast.Template, found diag.List) diag.List {
	own := *c
	own.broken, own.found = true, errorsIn(found)
	_, list := own.build(t)
	if stray := func(d *diag.Diagnostic) bool { return d.Code == "PCC105" }; slices.ContainsFunc(found, stray) {
		// Where blocks end is not known, so neither is what their names mean.
		list = slices.DeleteFunc(list, func(d *diag.Diagnostic) bool { return d.Code == "PCC202" })
	}
	return slices.DeleteFunc(list, func(d *diag.Diagnostic) bool {
		// A quotation such as {message idx} is no message, so its role is none either.
		return d.Code == "PCC235" && slices.ContainsFunc(found, func(open *diag.Diagnostic) bool {
			return open.Code == "PCC104" && open.File == d.File && open.Span.Start <= d.Span.Start && d.Span.End <= open.Span.End
		})
	})
}

// followUps reports whether a finding may only follow from a tag that could not
// be read: it tells what is missing from the tree, or is about the stand-in of
// an expression, which is empty.
func followUps(d *diag.Diagnostic) bool {
	if d.Span.Start == d.Span.End {
		return true
	}
	switch d.Code {
	case "PCC204", "PCC206", "PCC207", "PCC230", "PCC231", "PCC421":
		return true
	}
	return false
}

func errorsIn(list diag.List) int {
	n := 0
	for _, d := range list {
		if d.Severity == diag.Error {
			n++
		}
	}
	return n
}
