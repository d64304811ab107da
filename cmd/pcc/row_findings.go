package main

import (
	"fmt"

	"github.com/pcc-lang/pcc/ast/diag"
)

// maxRowFindings bounds the different findings of many rows, whose texts may hold
// names and places of the data.
const maxRowFindings = 20

// rowFindings are what renders of many rows have to say though they succeed: each
// finding once, with the rows that have it. The zero value is ready for use.
type rowFindings struct {
	list []rowFinding
	more bool // there are others, which are not kept
}

type rowFinding struct {
	*diag.Diagnostic
	rows  int64
	first int64 // number of the first row
}

// add counts a finding of one row.
func (r *rowFindings) add(d *diag.Diagnostic, row int64) { r.count(rowFinding{d, 1, row}) }

// merge counts the findings of later rows.
func (r *rowFindings) merge(later *rowFindings) {
	for _, f := range later.list {
		r.count(f)
	}
	r.more = r.more || later.more
}

func (r *rowFindings) count(f rowFinding) {
	for i := range r.list {
		known := &r.list[i]
		if known.Code == f.Code && known.File == f.File && known.Span == f.Span && known.Message == f.Message {
			known.rows += f.rows
			return
		}
	}
	if len(r.list) == maxRowFindings {
		r.more = true
		return
	}
	r.list = append(r.list, f)
}

// findings lists the findings with their rows.
func (r *rowFindings) findings() diag.List {
	l := make(diag.List, 0, len(r.list)+1)
	for _, f := range r.list {
		l = append(l, f.inRows())
	}
	if r.more {
		l = append(l, &diag.Diagnostic{Severity: diag.Note, Message: fmt.Sprintf("of the findings of the rows %d are shown, and there are more", maxRowFindings)})
	}
	return l
}

// inRows is the finding with its rows.
func (f rowFinding) inRows() *diag.Diagnostic {
	d := *f.Diagnostic
	if f.rows == 1 {
		d.Message += fmt.Sprintf(" (row %d)", f.first)
	} else {
		d.Message += fmt.Sprintf(" (%d rows, the first is %d)", f.rows, f.first)
	}
	return &d
}

// rowNote says in which row of the data a render failed. The rows come from the
// last -d.
func (d *dataFlags) rowNote(row int, help string) *diag.Diagnostic {
	name := d.files[len(d.files)-1]
	if name == "-" {
		name = stdinName
	}
	return &diag.Diagnostic{Severity: diag.Note, Message: fmt.Sprintf("this happened in row %d of %s", row, name), Help: help}
}

// perRow makes of the findings from the one numbered begin on, which are those of
// one row of several, findings with rows.
func (a *app) perRow(r *rowFindings, begin, row int) {
	for _, d := range a.found[begin:] {
		r.add(d, int64(row))
	}
	a.found = a.found[:begin]
}
