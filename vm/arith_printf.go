package vm

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pcc-lang/pcc/internal/numfmt"
)

// Format fills args, a tuple or a map, into a printf-style format as Python's
// str % args does.
func (e *Env) Format(format, args Value) (Value, error) { return e.printf(format, args) }

// printf is Python's str % args ("printf-style String Formatting" in the
// Python library reference, and unicode_format of CPython where that is
// silent).
func (e *Env) printf(format, args Value) (Value, error) {
	f, _ := format.Str()
	p := printfState{e: e, safe: format.IsSafe(), args: args, single: true}
	if t, ok := args.ref.(*Tuple); ok && t != nil {
		p.single, p.tuple = false, t.Items
	} else {
		p.mapping = isMappingLike(args)
	}
	if err := e.Charge(len(f)); err != nil {
		return Value{}, err
	}
	p.dst = make([]byte, 0, len(f)+16)
	var pace Pace
	for f != "" {
		i := strings.IndexByte(f[:min(len(f), bulkStep)], '%')
		if i < 0 && len(f) <= bulkStep {
			p.dst = append(p.dst, f...)
			break
		}
		literal := i
		if i < 0 {
			literal = bulkStep
		}
		p.dst = append(p.dst, f[:literal]...)
		if pace.Stopped(e, literal+16) {
			return Value{}, e.StopError()
		}
		if i < 0 {
			f = f[literal:]
			continue
		}
		rest, err := p.conversion(f[i+1:])
		if err != nil {
			return Value{}, err
		}
		f = rest
	}
	if unused := p.single && !p.used || !p.single && p.next < len(p.tuple); unused && !p.mapping {
		return Value{}, e.Errorf("type", "not all arguments converted during string formatting")
	}
	out := string(p.dst)
	if p.safe {
		return Safe(out), nil
	}
	return String(out), nil
}

// isMappingLike is CPython's PyMapping_Check: whatever can be subscripted.
func isMappingLike(v Value) bool {
	switch v.Kind() {
	case KindList, KindMap, KindBytes, KindUndefined:
		return true
	case KindObject:
		_, ok := v.ref.(Indexer)
		return ok
	}
	return v.IsMapping()
}

type printfState struct {
	e       *Env
	dst     []byte
	safe    bool
	args    Value
	tuple   []Value
	next    int
	single  bool // args is one value, not a tuple
	used    bool
	mapping bool
	keyed   *Value // the value of %(key)
}

// printfSpec is one conversion specification.
type printfSpec struct {
	left, plus, blank, alt, zero bool
	width, prec                  int // prec -1: absent
	verb                         byte
}

func (p *printfState) arg() (Value, error) {
	switch {
	case p.keyed != nil:
		v := *p.keyed
		p.keyed = nil
		return v, nil
	case p.single && !p.used:
		p.used = true
		return p.args, nil
	case !p.single && p.next < len(p.tuple):
		p.next++
		return p.tuple[p.next-1], nil
	}
	return Value{}, p.e.Errorf("type", "not enough arguments for format string")
}

// conversion handles what follows a '%' and returns the rest of the format.
func (p *printfState) conversion(f string) (string, error) {
	incomplete := p.e.Errorf("value", "incomplete format")
	if strings.HasPrefix(f, "%") {
		p.dst = append(p.dst, '%')
		return f[1:], nil
	}
	if strings.HasPrefix(f, "(") {
		depth, end := 0, -1
		for i := 0; i < len(f) && end < 0; i++ {
			switch f[i] {
			case '(':
				depth++
			case ')':
				if depth--; depth == 0 {
					end = i
				}
			}
		}
		if !p.mapping {
			return "", p.e.Errorf("type", "format requires a mapping")
		}
		if end < 0 {
			return "", p.e.Errorf("value", "incomplete format key")
		}
		v, err := p.lookup(f[1:end])
		if err != nil {
			return "", err
		}
		p.keyed, p.used = &v, true // no other argument is left
		f = f[end+1:]
	}
	s := printfSpec{prec: -1}
	f = s.flags(f)
	var err error
	if s.width, f, err = p.number(f, 0); err != nil {
		return "", err
	}
	if s.width < 0 {
		s.left, s.width = true, -s.width
	}
	if strings.HasPrefix(f, ".") {
		if s.prec, f, err = p.number(f[1:], 0); err != nil {
			return "", err
		}
		s.prec = max(s.prec, 0)
	}
	if f != "" && strings.IndexByte("hlL", f[0]) >= 0 {
		f = f[1:]
	}
	if f == "" {
		return "", incomplete
	}
	r, size := utf8.DecodeRuneInString(f)
	s.verb = f[0]
	v, err := p.arg()
	if err != nil {
		return "", err
	}
	if strings.IndexByte("sradiuoxXeEfFgGc", s.verb) < 0 {
		return "", p.e.Errorf("value", "unsupported format character (0x%x)", r)
	}
	return f[size:], p.format(&s, v)
}

func (s *printfSpec) flags(f string) string {
	for ; f != ""; f = f[1:] {
		switch f[0] {
		case '-':
			s.left = true
		case '+':
			s.plus = true
		case ' ':
			s.blank = true
		case '#':
			s.alt = true
		case '0':
			s.zero = true
		default:
			return f
		}
	}
	return f
}

// number reads a width or precision: digits, or '*' for the next argument.
func (p *printfState) number(f string, absent int) (int, string, error) {
	if strings.HasPrefix(f, "*") {
		v, err := p.arg()
		if err != nil {
			return 0, "", err
		}
		n, ok := numberOf(v, true)
		if !ok || n.kind == numFloat {
			return 0, "", p.e.Errorf("type", "* wants int")
		}
		if n.kind == numBig || n.i > math.MaxInt32 || n.i < -math.MaxInt32 {
			return 0, "", p.e.Errorf("overflow", "the width of a format is too big")
		}
		return int(n.i), f[1:], nil
	}
	i := 0
	for i < len(f) && f[i] >= '0' && f[i] <= '9' {
		i++
	}
	if i == 0 {
		return absent, f, nil
	}
	n, err := strconv.ParseInt(f[:i], 10, 32)
	if err != nil {
		return 0, "", p.e.Errorf("value", "width or precision too big in a format")
	}
	return int(n), f[i:], nil
}

// lookup reads %(key) as args[key] would.
func (p *printfState) lookup(key string) (Value, error) {
	args := p.e.canonical(p.args)
	if v, found, _ := mapGet(args, String(key)); found {
		return v, nil
	}
	switch {
	case args.IsUndefined():
		return Value{}, p.e.undefinedError(args)
	case !args.IsMapping():
		return Value{}, p.e.Errorf("type", "%s indices must be integers or slices, not str", p.e.TypeName(args))
	}
	return Value{}, &Error{Kind: "key", Msg: "the mapping of a format lacks a key that the format names"}
}

// format writes v by the specification s.
func (p *printfState) format(s *printfSpec, v Value) error {
	if err := p.e.Charge(s.width); err != nil {
		return err
	}
	switch s.verb {
	case 's', 'r', 'a':
		return p.formatText(s, v)
	case 'c':
		return p.formatChar(s, v)
	case 'e', 'E', 'f', 'F', 'g', 'G':
		return p.formatFloat(s, v)
	}
	return p.formatInt(s, v)
}

func (p *printfState) formatText(s *printfSpec, v Value) error {
	var text string
	var err error
	switch s.verb {
	case 's':
		if p.safe {
			v, err = p.e.Escape(v)
			if err != nil {
				return err
			}
		}
		text, err = p.e.Str(v)
	default:
		text, err = p.e.Repr(v)
		if err == nil && s.verb == 'a' {
			text = p.e.asciiOnly(text)
		}
		if err == nil && p.safe {
			text, err = p.e.escapeString(text)
		}
	}
	if err != nil {
		return err
	}
	if s.prec >= 0 {
		text = firstRunes(text, s.prec)
	}
	if err := p.e.Charge(len(text)); err != nil {
		return err
	}
	p.text(s, text)
	return nil
}

// asciiOnly escapes what is not ASCII, as Python's ascii() does to a repr.
func (e *Env) asciiOnly(s string) string {
	var b []byte
	for p := e.Parts(s); p.Next(); {
		for _, r := range p.Text {
			if r < utf8.RuneSelf {
				b = append(b, byte(r))
			} else {
				b = appendPythonEscape(b, r)
			}
		}
	}
	return string(b)
}

// firstRunes returns the first n code points of s.
func firstRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

func (p *printfState) formatChar(s *printfSpec, v Value) error {
	if text, ok := v.Str(); ok {
		if utf8.RuneCountInString(text) != 1 {
			return p.e.Errorf("type", "%%c requires int or char")
		}
		p.text(s, text)
		return nil
	}
	n, ok := numberOf(v, true)
	if !ok || n.kind == numFloat {
		if v.IsUndefined() {
			return p.e.undefinedError(v)
		}
		return p.e.Errorf("type", "%%c requires int or char")
	}
	if n.kind == numBig || n.i < 0 || n.i > utf8.MaxRune {
		return p.e.Errorf("overflow", "%%c arg not in range(0x110000)")
	}
	if n.i >= 0xd800 && n.i <= 0xdfff {
		return p.e.Errorf("value", "%%c arg is a surrogate, which UTF-8 text cannot hold")
	}
	p.text(s, string(rune(n.i)))
	return nil
}

func (p *printfState) formatInt(s *printfSpec, v Value) error {
	n, ok := numberOf(v, true)
	decimal := strings.IndexByte("diu", s.verb) >= 0
	if !ok || n.kind == numFloat && !decimal {
		if v.IsUndefined() {
			return p.e.undefinedError(v)
		}
		want := "an integer"
		if decimal {
			want = "a real number"
		}
		return p.e.Errorf("type", "%%%c format: %s is required, not %s", s.verb, want, p.e.TypeName(v))
	}
	if n.kind == numFloat {
		switch {
		case math.IsNaN(n.f):
			return p.e.Errorf("value", "cannot convert float NaN to integer")
		case math.IsInf(n.f, 0):
			return p.e.Errorf("overflow", "cannot convert float infinity to integer")
		}
		b, _ := big.NewFloat(n.f).Int(nil)
		n = intNumber(b)
	}
	if n.kind == numBig {
		if err := p.e.checkBits(n.b.BitLen()); err != nil {
			return err
		}
	}
	i := n.big()
	if err := p.e.Charge(numfmt.IntSize(i.BitLen(), s.verb)); err != nil {
		return err
	}
	if err := p.e.Charge(max(s.prec, 0)); err != nil {
		return err
	}
	prefix := ""
	if s.alt {
		_, prefix = numfmt.Radix(s.verb)
	}
	start, digits := p.sign(s, prefix, i.Sign() < 0)
	p.dst = numfmt.AppendInt(p.dst, new(big.Int).Abs(i), s.verb)
	p.dst = numfmt.Insert(p.dst, digits, '0', s.prec-(len(p.dst)-digits))
	p.dst = s.field(true).Pad(p.dst, start, digits)
	return nil
}

// sign writes the sign of a number and the prefix of its base. It returns where
// the field and where the digits begin.
func (p *printfState) sign(s *printfSpec, prefix string, negative bool) (start, digits int) {
	start = len(p.dst)
	switch {
	case negative:
		p.dst = append(p.dst, '-')
	case s.plus:
		p.dst = append(p.dst, '+')
	case s.blank:
		p.dst = append(p.dst, ' ')
	}
	p.dst = append(p.dst, prefix...)
	return start, len(p.dst)
}

func (p *printfState) formatFloat(s *printfSpec, v Value) error {
	n, ok := numberOf(v, true)
	if !ok {
		if v.IsUndefined() {
			return p.e.undefinedError(v)
		}
		return p.e.Errorf("type", "must be real number, not %s", p.e.TypeName(v))
	}
	f, ok := n.float()
	if !ok {
		return p.e.Errorf("overflow", "int too large to convert to float")
	}
	prec := s.prec
	if prec < 0 {
		prec = 6
	}
	if err := p.e.Charge(numfmt.FloatSize(s.verb, prec)); err != nil {
		return err
	}
	var flags numfmt.Flags
	if s.alt {
		flags = numfmt.Alt
	}
	start, digits := p.sign(s, "", math.Signbit(f) && !math.IsNaN(f))
	p.dst = numfmt.AppendFloat(p.dst, math.Abs(f), s.verb, prec, flags)
	p.dst = s.field(true).Pad(p.dst, start, digits)
	return nil
}

// text writes a text in the width of s.
func (p *printfState) text(s *printfSpec, text string) {
	start := len(p.dst)
	for ; len(text) > bulkStep && !p.e.spend(bulkStep); text = text[bulkStep:] {
		p.dst = append(p.dst, text[:bulkStep]...)
	}
	p.dst = append(p.dst, text...)
	p.dst = s.field(false).Pad(p.dst, start, start)
}

// field is the column that s asks for; zeros fill only those of numbers.
func (s *printfSpec) field(number bool) numfmt.Field {
	switch {
	case s.left:
		return numfmt.Field{Width: s.width, Fill: ' ', Align: '<'}
	case s.zero && number:
		return numfmt.Field{Width: s.width, Fill: '0', Align: '='}
	}
	return numfmt.Field{Width: s.width, Fill: ' ', Align: '>'}
}
