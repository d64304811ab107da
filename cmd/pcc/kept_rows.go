package main

import (
	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/vm"
)

// keptPlace is a placeholder in a template.
type keptPlace struct {
	file   string
	offset int
}

// keptRows are the placeholders that rows kept: each once, however many rows there
// are. The zero value is ready for use.
type keptRows struct {
	places map[keptPlace]int // places in list
	list   []keptCount
}

// keptCount is a placeholder with the rows that kept it.
type keptCount struct {
	vm.Kept
	rows        int64
	first, last int64 // numbers of rows
}

// add counts what one row kept. A place that several includes write counts once.
func (r *keptRows) add(kept []vm.Kept, row int64) {
	for _, k := range kept {
		if c := r.at(k, row); c.last != row {
			c.rows++
			c.last = row
		}
	}
}

// merge counts what later rows kept.
func (r *keptRows) merge(later *keptRows) {
	for _, k := range later.list {
		c := r.at(k.Kept, k.first)
		c.rows += k.rows
		c.last = k.last
	}
}

// at is the count of a placeholder, which row may be the first to keep.
func (r *keptRows) at(k vm.Kept, row int64) *keptCount {
	at := keptPlace{k.File, k.Position.Offset}
	i, ok := r.places[at]
	if !ok {
		if r.places == nil {
			r.places = map[keptPlace]int{}
		}
		i = len(r.list)
		r.places[at] = i
		r.list = append(r.list, keptCount{Kept: k, first: row})
	}
	return &r.list[i]
}

// findings lists the placeholders with their rows. What render does not tell is
// none here either.
func (r *keptRows) findings(p *vm.Program) diag.List {
	report := vm.Report{Kept: make([]vm.Kept, len(r.list))}
	for i, c := range r.list {
		report.Kept[i] = c.Kept
	}
	l := p.Findings(&report)
	for i, d := range l {
		f, at := d.File.Root(d.Span.Start)
		c := &r.list[r.places[keptPlace{f.Name, int(at)}]]
		l[i] = rowFinding{d, c.rows, c.first}.inRows()
	}
	return l
}
