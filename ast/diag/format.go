package diag

import (
	"fmt"
	"io"
)

// Format prints d as Error does; with %+v it prints what `pcc` shows: the lines
// that the finding is about, carets and help. See Text for more options.
func (d *Diagnostic) Format(s fmt.State, verb rune) { format(s, verb, d, List{d}) }

// Format prints l as Error does; with %+v it prints each finding with the lines
// that it is about, carets and help. See Text for more options.
func (l List) Format(s fmt.State, verb rune) { format(s, verb, l, l) }

func format(s fmt.State, verb rune, err error, l List) {
	switch {
	case verb == 'v' && s.Flag('+'):
		_ = Text(s, l, TextOptions{}) // errors of writing are those of s
	case verb == 'q':
		fmt.Fprintf(s, "%q", err.Error())
	default:
		_, _ = io.WriteString(s, err.Error())
	}
}
