package vm

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// python writes Python's repr of v.
func (w *writer) python(v Value) error {
	stack := make([]printFrame, 0, 4)
	for {
		f, opened, err := w.pythonOpen(v, len(stack))
		if err != nil {
			return err
		}
		if opened {
			stack = append(stack, f)
		}
		// Close what is complete, then go on with the next item.
		for len(stack) > 0 && stack[len(stack)-1].i == stack[len(stack)-1].n {
			w.pythonClose(&stack[len(stack)-1])
			stack = stack[:len(stack)-1]
		}
		if len(stack) == 0 {
			return nil
		}
		top := &stack[len(stack)-1]
		switch {
		case top.isMap && top.i%2 == 1:
			w.dst = append(w.dst, ": "...)
		case top.i > 0:
			w.dst = append(w.dst, ", "...)
		}
		v = top.next()
	}
}

func (w *writer) pythonClose(f *printFrame) {
	switch {
	case f.isMap:
		w.dst = append(w.dst, '}')
	case f.tuple && f.n == 1:
		w.dst = append(w.dst, ",)"...)
	case f.tuple:
		w.dst = append(w.dst, ')')
	default:
		w.dst = append(w.dst, ']')
	}
}

// pythonOpen writes a scalar, or opens a container.
func (w *writer) pythonOpen(v Value, depth int) (printFrame, bool, error) {
	if err := w.room(0); err != nil {
		return printFrame{}, false, err
	}
	done, err := w.pythonScalar(v, depth)
	if done || err != nil {
		return printFrame{}, false, err
	}
	f, ok, err := w.frame(w.e.canonical(v), depth)
	if err != nil {
		return f, false, err
	}
	switch {
	case !ok:
		w.dst = append(w.dst, "<object>"...)
	case f.isMap:
		w.dst = append(w.dst, '{')
	case f.tuple:
		w.dst = append(w.dst, '(')
	default:
		w.dst = append(w.dst, '[')
	}
	return f, ok, nil
}

func (w *writer) pythonScalar(v Value, depth int) (done bool, err error) {
	if text, ok, err := w.e.hostText(v); ok || err != nil {
		if err == nil {
			err = w.pythonText(text)
		}
		return true, err
	}
	if text, ok := spelledNumber(v); ok {
		w.dst = append(w.dst, text...)
		return true, w.room(0)
	}
	v = w.e.canonical(v)
	switch x := v.ref.(type) {
	case nil:
		w.dst = append(w.dst, "None"...)
	case *Undefined:
		w.dst = append(w.dst, "Undefined"...)
	case boolMark:
		w.dst = appendBool(w.dst, v.num != 0, StylePython)
	case intMark:
		w.dst = strconv.AppendInt(w.dst, int64(v.num), 10)
	case floatMark:
		w.dst = appendPythonFloat(w.dst, math.Float64frombits(v.num))
	case *big.Int:
		w.dst, err = w.e.appendBig(w.dst, x)
		return true, err
	case strPtr:
		s, _ := v.Str()
		return true, w.pythonText(s)
	case safePtr:
		s, _ := v.Str()
		w.dst = append(w.dst, "Markup("...)
		err = w.pythonText(s)
		w.dst = append(w.dst, ')')
		return true, err
	case []byte:
		if err = w.room(len(x)); err == nil {
			w.dst, err = w.e.appendPythonBytes(w.dst, x)
		}
		return true, err
	case time.Time:
		w.dst = append(appendTime(append(w.dst, '\''), x), '\'')
	case Printer:
		w.dst, err = w.e.printObject(w.dst, x, true, depth)
		return true, err
	case *Iterator:
		w.dst = append(append(append(w.dst, '<'), w.e.TypeName(v)...), " object>"...)
	case Object:
		w.dst = append(append(append(w.dst, '<'), x.TypeName(w.e)...), " object>"...)
	default:
		return false, nil
	}
	return true, nil
}

func (w *writer) pythonText(s string) error {
	if err := w.room(len(s) + 2); err != nil {
		return err
	}
	w.dst = w.e.appendPythonString(w.dst, s)
	return w.e.StopError()
}

// pythonRepr is Python's repr of a string.
func pythonRepr(s string) string { return string(appendPythonString(nil, s)) }

// quotePython is pythonRepr of a name in a message, cut to a sane length.
func quotePython(s string) string {
	const longest = 100
	if len(s) > longest {
		s = s[:longest] + "…"
	}
	return pythonRepr(s)
}

func appendPythonString(dst []byte, s string) []byte { return (*Env)(nil).appendPythonString(dst, s) }

// appendPythonString writes Python's repr of a string: in single quotes unless
// it holds some and no double quotes; what is not printable is escaped. It may
// break off, see Stopped.
func (e *Env) appendPythonString(dst []byte, s string) []byte {
	quote := byte('\'')
	if strings.IndexByte(s, '\'') >= 0 && strings.IndexByte(s, '"') < 0 {
		quote = '"'
	}
	dst = append(dst, quote)
	for p := e.Parts(s); p.Next(); {
		dst = appendPythonPart(dst, p.Text, quote)
	}
	return append(dst, quote)
}

func appendPythonPart(dst []byte, s string, quote byte) []byte {
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c < 0x7f && c != quote && c != '\\' {
			i++
			continue
		}
		r, size := rune(c), 1
		if c >= utf8.RuneSelf {
			if r, size = utf8.DecodeRuneInString(s[i:]); (r != utf8.RuneError || size > 1) && unicode.IsPrint(r) {
				i += size
				continue
			}
			if r == utf8.RuneError && size == 1 {
				r = 0xdc00 + rune(c) // as Python's surrogateescape keeps a stray byte
			}
		}
		dst = append(dst, s[from:i]...)
		switch {
		case c == quote || c == '\\':
			dst = append(dst, '\\', c)
		case c == '\n':
			dst = append(dst, '\\', 'n')
		case c == '\r':
			dst = append(dst, '\\', 'r')
		case c == '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = appendPythonEscape(dst, r)
		}
		i += size
		from = i
	}
	return append(dst, s[from:]...)
}

const hexDigits = "0123456789abcdef"

// appendPythonEscape writes \xhh, \uhhhh or \Uhhhhhhhh.
func appendPythonEscape(dst []byte, r rune) []byte {
	n := 2
	switch {
	case r > 0xffff:
		dst, n = append(dst, '\\', 'U'), 8
	case r > 0xff:
		dst, n = append(dst, '\\', 'u'), 4
	default:
		dst = append(dst, '\\', 'x')
	}
	for shift := 4 * (n - 1); shift >= 0; shift -= 4 {
		dst = append(dst, hexDigits[r>>shift&0xf])
	}
	return dst
}
