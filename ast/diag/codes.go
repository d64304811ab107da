package diag

import "slices"

// Entry describes one code for `pcc explain` and for the tests.
type Entry struct {
	Code     Code
	Severity Severity
	Title    string // a short phrase, no full stop
	Explain  string // why it is an error and what to do, some sentences
	Help     string // default help line
	// Bad is a template (or document) that raises the code, Good the mended
	// form. Syntax and Data say how to run them: Data is JSON for codes raised
	// when rendering, Syntax a syntax name ("" is auto); Form is "template"
	// (default), "document" or "limit" (Bad is then a description only).
	Bad, Good string
	Syntax    string
	Data      string
	Form      string
}

// tables are the parts of the table of codes, one a stage.
var tables = [][]Entry{lexerCodes, jinjaCodes, syntaxCodes, checkCodes, renderCodes, reportCodes, documentCodes, limitCodes}

// Entries returns all codes in order.
func Entries() []Entry {
	var all []Entry
	for _, t := range tables {
		all = append(all, t...)
	}
	slices.SortFunc(all, func(a, b Entry) int {
		switch {
		case a.Code < b.Code:
			return -1
		case a.Code > b.Code:
			return 1
		}
		return 0
	})
	return all
}

// Lookup returns the entry of code.
func Lookup(code Code) (Entry, bool) {
	for _, t := range tables {
		for i := range t {
			if t[i].Code == code {
				return t[i], true
			}
		}
	}
	return Entry{}, false
}
