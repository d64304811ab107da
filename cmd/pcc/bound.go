package main

import (
	"fmt"
	"strings"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
)

// maxFindings bounds the findings that one command writes: a template may have
// hundreds of thousands of places with one each, and nobody reads so many.
const maxFindings = 1000

// maxResultBytes bounds the results of many rows that are held together.
const maxResultBytes = 256 << 20

// hold reports what is wrong where the results of all rows up to one are too long to
// be held together.
func (a *app) hold(n int) error {
	if n <= a.maxResult {
		return nil
	}
	return diag.New("PCC907", nil, source.Span{}, "the results of the rows are longer than %s bytes together", writeAmount(int64(a.maxResult))).
		WithHelp("split the rows; `pcc batch` writes each row when it is rendered")
}

// severities are the numbers of something by severity.
type severities [diag.Note + 1]int

// String writes "2 errors, 1 warning".
func (n severities) String() string {
	var parts []string
	for s, k := range n {
		switch {
		case k == 1:
			parts = append(parts, "1 "+diag.Severity(s).String())
		case k > 1:
			parts = append(parts, fmt.Sprintf("%d %ss", k, diag.Severity(s)))
		}
	}
	return strings.Join(parts, ", ")
}

// weight is the severity of a finding; for a strict command warnings weigh as errors.
func weight(d *diag.Diagnostic, strict bool) diag.Severity {
	if strict && d.Severity == diag.Warning {
		return diag.Error
	}
	return d.Severity
}

// tally counts a list.
func tally(l diag.List, strict bool) (n severities) {
	for _, d := range l {
		n[weight(d, strict)]++
	}
	return n
}

// bound leaves of a long list its first findings, errors before warnings and
// warnings before notes, in the order of the list, and says at the end how many
// others there are.
func bound(l diag.List, strict bool) diag.List {
	if len(l) <= maxFindings {
		return l
	}
	var shown severities
	hidden := tally(l, strict)
	room := maxFindings
	for s, n := range hidden {
		shown[s] = min(n, room)
		room -= shown[s]
		hidden[s] -= shown[s]
	}
	out := make(diag.List, 0, maxFindings+1)
	for _, d := range l {
		if s := weight(d, strict); shown[s] > 0 {
			shown[s]--
			out = append(out, d)
		}
	}
	return append(out, &diag.Diagnostic{Severity: diag.Note,
		Message: hidden.String() + " more, not shown here",
		Help:    "mend those that are shown first; the others are found again"})
}
