package parser

import (
	"fmt"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
)

// NoteChoice says in the first finding of f that may come from the choice of its
// syntax which one was chosen and why, unless a finding tells it already. An empty
// reason means that the text did not choose.
func NoteChoice(list diag.List, f *source.File, syntax, reason string) {
	if reason == "" {
		return
	}
	var first *diag.Diagnostic
	for _, d := range list {
		if d.File != f {
			continue
		}
		switch choiceOf(d.Code) {
		case told:
			return
		case possible:
			if d.Note != "" {
				return
			}
			if first == nil || d.Severity < first.Severity || d.Severity == first.Severity && d.Span.Start < first.Span.Start {
				first = d
			}
		}
	}
	if first != nil {
		first.Note = fmt.Sprintf("the text is read as %s, since %s; `syntax:` or --syntax chooses another", syntax, reason)
	}
}

// choice is what a finding has to do with the choice of a syntax.
type choice uint8

const (
	unrelated choice = iota
	possible         // it may come from a wrong choice
	told             // its message names the syntax
)

// choiceOf tells what the findings of a code have to do with the choice of a
// syntax: what is wrong in a tag, or where tags end, would be text or right in
// another; names, filters and types that are unknown may be those of another
// language.
func choiceOf(code diag.Code) choice {
	switch code {
	case "PCC112", "PCC115", "PCC126", "PCC242":
		return told
	case "PCC001", "PCC006", "PCC007", "PCC009": // characters, wherever they stand
		return unrelated
	case "PCC201", "PCC202", "PCC203", "PCC204", "PCC205", "PCC208", "PCC209", "PCC235":
		return possible
	}
	if code.Stage() <= diag.SyntaxStage {
		return possible
	}
	return unrelated
}
