package vm

import (
	"encoding/json"
	"math"
	"math/big"
	"strconv"
	"time"
	"unsafe"

	"github.com/pcc-lang/pcc/internal/numfmt"
)

// textCharge is the length from which a text that is appended counts against
// the memory budget; shorter ones are paid for by the machine's steps.
const textCharge = 1024

// Str returns the text that v prints as in the dialect's style. The text of a
// string is the string itself.
func (e *Env) Str(v Value) (string, error) {
	if s, ok := plainString(v); ok {
		return s, nil
	}
	if e.unprinted != nil {
		e.unprinted.note(v.ref)
	}
	v = e.resolved(v)
	if s, ok := v.Str(); ok {
		return s, e.StopError()
	}
	b, err := e.AppendStr(nil, v, e.Dialect.Style)
	if err != nil || len(b) == 0 {
		return "", err
	}
	if len(b) < textCharge {
		if err := e.Charge(len(b)); err != nil {
			return "", err
		}
	}
	return unsafe.String(&b[0], len(b)), nil // b is ours alone
}

// AppendStr appends the text that v prints as. Scalars are written straight
// into dst; long texts, lists and maps are charged before they are written.
// On an error dst comes back as it was.
func (e *Env) AppendStr(dst []byte, v Value, style Style) ([]byte, error) {
	switch x := v.ref.(type) {
	case strPtr, safePtr, string:
		s, _ := v.Str()
		return e.appendText(dst, s)
	case intMark:
		return strconv.AppendInt(dst, int64(v.num), 10), nil
	case int:
		return strconv.AppendInt(dst, int64(x), 10), nil
	case nil:
		if style == StyleNative {
			return dst, nil
		}
		return append(dst, "None"...), nil
	case boolMark:
		return appendBool(dst, v.num != 0, style), nil
	case bool:
		return appendBool(dst, x, style), nil
	case floatMark:
		return appendFloat(dst, math.Float64frombits(v.num), style), nil
	case float64:
		return appendFloat(dst, x, style), nil
	case *Undefined:
		return e.appendUndefined(dst, v)
	}
	out, err := e.appendOther(dst, v, style)
	if err != nil {
		return dst, err
	}
	return out, nil
}

// Repr returns v as it stands inside a printed container: Python's repr, or
// JSON in native dialects.
func (e *Env) Repr(v Value) (string, error) {
	w := writer{e: e}
	var err error
	if e.Dialect.PythonPrint() {
		err = w.python(v)
	} else {
		err = w.json(v, &JSONOptions{}, true)
	}
	if err == nil {
		err = w.settle()
	}
	return string(w.dst), err
}

func (e *Env) appendText(dst []byte, s string) ([]byte, error) {
	if len(s) >= textCharge {
		if err := e.Charge(len(s)); err != nil {
			return dst, err
		}
	}
	return append(dst, s...), nil
}

func appendBool(dst []byte, b bool, style Style) []byte {
	switch {
	case style == StyleNative && b:
		return append(dst, "true"...)
	case style == StyleNative:
		return append(dst, "false"...)
	case b:
		return append(dst, "True"...)
	}
	return append(dst, "False"...)
}

func appendFloat(dst []byte, f float64, style Style) []byte {
	if style == StyleNative {
		return numfmt.AppendShortest(dst, f)
	}
	return appendPythonFloat(dst, f)
}

// appendPythonFloat writes Python's repr of a float.
func appendPythonFloat(dst []byte, f float64) []byte {
	return numfmt.AppendFloat(dst, f, 'r', 0, numfmt.DotZero)
}

// appendUndefined writes what an undefined value prints as: nothing; in Jinja
// the debug kind a note, while the strict kind raises.
func (e *Env) appendUndefined(dst []byte, v Value) ([]byte, error) {
	if !e.Dialect.UndefinedObjects() {
		return dst, nil
	}
	u := v.Undef()
	switch kind := e.Dialect.Undefined; {
	case u != nil && u.Lenient:
	case kind == UndefinedStrict:
		return dst, e.undefinedError(v)
	case kind == UndefinedDebug:
		dst = append(dst, "{{ "...)
		switch {
		case u == nil:
		case u.Message != "":
			dst = append(append(dst, "undefined value printed: "...), u.Message...)
		case u.Owner == "":
			dst = append(dst, u.Name...)
		case u.Element:
			dst = append(append(append(dst, "no such element: "...), ownerRepr(u.Owner)...), '[')
			dst = append(append(dst, u.Name...), ']')
		default:
			dst = append(append(append(dst, "no such element: "...), ownerRepr(u.Owner)...), '[')
			dst = append(appendPythonString(dst, u.Name), ']')
		}
		return append(dst, " }}"...), nil
	}
	return dst, nil
}

// appendOther prints what is neither a plain scalar nor undefined.
func (e *Env) appendOther(dst []byte, v Value, style Style) ([]byte, error) {
	if n, ok := v.ref.(json.Number); ok && style == StyleNative && isNumberText(string(n)) {
		return e.appendText(dst, string(n))
	}
	if s, ok := v.ref.(*spelled); ok && !s.host {
		return e.appendText(dst, s.text)
	}
	if text, ok, err := e.hostText(v); ok || err != nil {
		if err != nil {
			return dst, err
		}
		return e.appendText(dst, text)
	}
	if b, ok := v.ref.(encodedBytes); ok && style != StyleNative {
		if err := e.Charge(len(b)); err != nil {
			return dst, err
		}
		return e.appendPythonBytes(dst, b)
	}
	c := e.canonical(v)
	switch x := c.ref.(type) {
	case nil, boolMark, intMark, floatMark, strPtr, safePtr, *Undefined:
		return e.AppendStr(dst, c, style)
	case *big.Int:
		return e.appendBig(dst, x)
	case []byte:
		return e.appendText(dst, unsafe.String(unsafe.SliceData(x), len(x)))
	case time.Time:
		return appendTime(dst, x), nil
	case Printer:
		if _, isSeq := x.(Iterable); style != StyleNative || !isSeq {
			return e.printObject(dst, x, false, 0)
		}
	}
	w := writer{e: e, dst: dst, paid: len(dst)}
	var err error
	switch {
	case style == StyleNative:
		err = w.json(c, &JSONOptions{}, true)
	case style == StyleMarkdown:
		err = w.markdown(c)
	case style == StyleBold:
		err = w.bold(c)
	case style == StylePDX && c.IsMapping():
		err = w.json(c, &JSONOptions{Python: true}, false)
	default:
		err = w.python(c)
	}
	if err == nil {
		err = w.settle()
	}
	return w.dst, err
}

// appendTime writes RFC 3339, with the fraction of the second where there is
// one.
func appendTime(dst []byte, t time.Time) []byte { return t.AppendFormat(dst, time.RFC3339Nano) }

func (e *Env) appendBig(dst []byte, b *big.Int) ([]byte, error) {
	if err := e.checkBits(b.BitLen()); err != nil {
		return dst, err
	}
	return b.Append(dst, 10), nil
}

// isNumberText reports whether s is a JSON number.
func isNumberText(s string) bool {
	digits := func() bool {
		n := 0
		for n < len(s) && s[n] >= '0' && s[n] <= '9' {
			n++
		}
		s = s[n:]
		return n > 0
	}
	if s != "" && s[0] == '-' {
		s = s[1:]
	}
	if len(s) > 1 && s[0] == '0' && s[1] >= '0' && s[1] <= '9' || !digits() {
		return false
	}
	if s != "" && s[0] == '.' {
		s = s[1:]
		if !digits() {
			return false
		}
	}
	if s != "" && (s[0] == 'e' || s[0] == 'E') {
		s = s[1:]
		if s != "" && (s[0] == '+' || s[0] == '-') {
			s = s[1:]
		}
		if !digits() {
			return false
		}
	}
	return s == ""
}

// printObject lets an object print itself; depth is the nesting around it.
func (e *Env) printObject(dst []byte, x Printer, repr bool, depth int) (out []byte, err error) {
	if err := e.nest(depth + 1); err != nil {
		return dst, err
	}
	defer func() {
		e.nesting -= depth + 1
		if r := recover(); r != nil {
			out, err = dst, panicError("printing a value", r)
		}
	}()
	return x.Print(e, dst, repr)
}

// nest notes that n more levels of values are being walked by code that calls
// back into the environment; the caller subtracts them when done.
func (e *Env) nest(n int) error {
	if e.nesting+n > e.limits.ValueDepth {
		return e.errDepth()
	}
	e.nesting += n
	return nil
}

// writer appends a container to dst and pays for it as it grows.
type writer struct {
	e    *Env
	dst  []byte
	paid int // bytes of dst that are paid for
}

// payStep is how far a writer runs ahead of what it has paid.
const payStep = 1024

// room pays before n bytes are appended, where they are many.
func (w *writer) room(n int) error {
	if len(w.dst)+n-w.paid < payStep {
		return nil
	}
	owed := len(w.dst) + n - w.paid
	if err := w.e.Charge(owed); err != nil {
		return err
	}
	w.paid += owed
	return nil
}

// settle pays for the rest.
func (w *writer) settle() error {
	if owed := len(w.dst) - w.paid; owed > 0 {
		w.paid = len(w.dst)
		return w.e.Charge(owed)
	}
	return nil
}

// printFrame is a container that is being written. A map counts keys and
// values: its item 2k is key k, item 2k+1 the value of it.
type printFrame struct {
	v     Value
	en    Entries
	it    *Iterator // instead of v
	isMap bool
	tuple bool
	i, n  int
}

// frame opens v, if it is a container.
func (w *writer) frame(v Value, depth int) (f printFrame, ok bool, err error) {
	if n, isSeq := seqLen(v); isSeq {
		f = printFrame{v: v, n: n, tuple: isTuple(v)}
	} else if isMap(v) {
		en, err := w.e.Entries(v)
		if err != nil {
			return f, false, err
		}
		f = printFrame{en: en, n: 2 * en.Len(), isMap: true}
	} else if isEndless(v) {
		return f, false, w.e.errDepth()
	} else {
		return f, false, nil
	}
	return f, true, w.enter(depth)
}

// enter counts one more container, inside depth others.
func (w *writer) enter(depth int) error {
	if w.e.nesting+depth >= w.e.limits.ValueDepth {
		return w.e.errDepth()
	}
	return w.e.Step(2) // it takes as long as two instructions
}

// next returns item i of the frame; i is in range.
func (f *printFrame) next() Value {
	i := f.i
	f.i++
	if !f.isMap {
		return seqAt(f.v, i)
	}
	k, v := f.en.At(i / 2)
	if i%2 == 0 {
		return k
	}
	return v
}
