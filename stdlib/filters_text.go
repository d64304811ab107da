package stdlib

import (
	"iter"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pcc-lang/pcc/internal/code"
	"github.com/pcc-lang/pcc/vm"
)

// textFilters are Jinja's filters on text.
var textFilters = []spec{
	{"capitalize", "s", "Makes the first character upper case and all others lower case.", mapText(capitalizeText), 0},
	{"center", "value, width=80", "Centers the text in a field of the given width.", centerFilter, 0},
	{"format", "value, *args, **kwargs", "Applies values to a printf-style format: `'%s!'|format(name)`.", formatFilter, 0},
	{"indent", "s, width=4, first=false, blank=false", "Indents every line but the first, and but blank ones, by a number of spaces or by a text.", indentFilter, 0},
	{"lower", "s", "Converts to lower case.", mapText(lowerText), 0},
	{"replace", "s, old, new, count=null", "Replaces one text by another, at most count times.", replaceFilter, 0},
	{"string", "value", "Converts to text, unless it is text already; markup stays markup.", mapText(func(_ *vm.Env, s string) string { return s }), 0},
	{"title", "s", "Makes each word begin with an upper-case letter, all others lower case.", titleFilter, 0},
	{"trim", "value, chars=null", "Strips white space, or the given characters, from both ends.", trimFilter, 0},
	{"truncate", "s, length=255, killwords=false, end='...', leeway=null", "Cuts text longer than length+leeway (5) at a word, or anywhere with killwords, and adds the end.", truncateFilter, 0},
	{"upper", "s", "Converts to upper case.", mapText(upperText), 0},
	{"wordcount", "s", "Counts the words.", wordcountFilter, 0},
	{"wordwrap", "s, width=79, break_long_words=true, wrapstring=null, break_on_hyphens=true", "Wraps each line to a width.", wordwrapFilter, 0},
}

// onText are filters that are mostly used on one text alone, see
// vm.Builtin.Text.
var onText = map[string]func(*vm.Env, string) (string, error){
	"capitalize": charged(capitalizeText),
	"lower":      charged(lowerText),
	"string":     charged(func(_ *vm.Env, s string) string { return s }),
	"trim": func(env *vm.Env, s string) (string, error) {
		return stripText(env, s, vm.Null, "strip", true, true)
	},
	"upper": charged(upperText),
}

// titleFilter loses the markup, as Jinja's does.
func titleFilter(env *vm.Env, args []vm.Value) (vm.Value, error) {
	s, err := textOf(env, args[0])
	if err != nil {
		return vm.Null, err
	}
	out, err := charged(titleWords)(env, s)
	return vm.String(out), err
}

func centerFilter(env *vm.Env, args []vm.Value) (vm.Value, error) {
	s, safe, err := text(env, args[0])
	if err != nil {
		return vm.Null, err
	}
	width, err := intArg(env, args[1], "width")
	if err != nil {
		return vm.Null, err
	}
	out, err := pad(env, s, width, ' ', padCenter)
	return markedText(out, safe), err
}

// padding is a way to fill a field.
type padding uint8

const (
	padLeft padding = iota // the text on the left, as ljust
	padRight
	padCenter
)

// pad fills s to width characters.
func pad(env *vm.Env, s string, width int, fill rune, how padding) (string, error) {
	if err := env.Step(len(s) / 64); err != nil {
		return "", err
	}
	missing := width - env.RuneCount(s)
	if missing <= 0 {
		return s, nil
	}
	unit := string(fill)
	if err := chargeProduct(env, missing, len(unit)); err != nil {
		return "", err
	}
	if err := env.Charge(len(s)); err != nil {
		return "", err
	}
	var left int
	switch how {
	case padRight:
		left = missing
	case padCenter:
		// CPython leans to the left, except for odd widths.
		left = missing/2 + missing&width&1
	}
	var b strings.Builder
	b.Grow(len(s) + missing*len(unit))
	if env.Repeat(&b, unit, left) || env.Append(&b, s) || env.Repeat(&b, unit, missing-left) {
		return "", env.StopError()
	}
	return b.String(), nil
}

func formatFilter(env *vm.Env, args []vm.Value) (vm.Value, error) {
	rest, kwargs := unpackRest(args[1], args[2])
	if len(rest) > 0 && kwargs != nil && kwargs.Len() > 0 {
		return vm.Null, env.Errorf("runtime", "can't handle positional and keyword arguments at the same time")
	}
	s, safe, err := text(env, args[0])
	if err != nil {
		return vm.Null, err
	}
	if kwargs != nil && kwargs.Len() > 0 {
		return env.Format(markedText(s, safe), vm.MapOf(kwargs))
	}
	return env.Format(markedText(s, safe), vm.TupleOf(rest))
}

func indentFilter(env *vm.Env, args []vm.Value) (vm.Value, error) {
	var indention string
	if w, ok := args[1].Str(); ok {
		indention = w
	} else {
		n, err := countArg(env, args[1], "width")
		if err != nil {
			return vm.Null, err
		}
		n = max(n, 0)
		if err := env.Charge(n); err != nil {
			return vm.Null, err
		}
		if indention, err = spaces(env, n); err != nil {
			return vm.Null, err
		}
	}
	s, safe, err := indentSubject(env, args[0])
	if err != nil {
		return vm.Null, err
	}
	first, err := env.Truth(args[2])
	if err != nil {
		return vm.Null, err
	}
	blank, err := env.Truth(args[3])
	if err != nil {
		return vm.Null, err
	}
	out, err := indentLines(env, s, indention, first, blank)
	return markedText(out, safe), err
}

// spaces are n blanks, which have been charged for.
func spaces(env *vm.Env, n int) (string, error) {
	var b strings.Builder
	if env.Repeat(&b, " ", n) {
		return "", env.StopError()
	}
	return b.String(), nil
}

// indentSubject is the text to indent: Jinja adds a newline to it, which only
// works on text; the native language prints other values first.
func indentSubject(env *vm.Env, v vm.Value) (string, bool, error) {
	v = env.OwnText(v)
	if _, ok := v.Str(); ok || !env.Dialect.PythonErrors() {
		return text(env, v)
	}
	if err := refuseUndefined(env, v); err != nil {
		return "", false, err
	}
	_, err := env.Binary(code.BinAdd, v, vm.String("\n"))
	if err == nil {
		err = env.Errorf("type", "indent needs text, not %s", env.TypeName(v))
	}
	return "", false, err
}

// indentLines puts indention before the lines of s.
func indentLines(env *vm.Env, s, indention string, first, blank bool) (string, error) {
	if err := env.Charge(len(s) + 1); err != nil {
		return "", err
	}
	n, indented := 0, 0
	for line := range linesAndEnd(env, s) {
		if n++; indentsLine(n, line, first, blank) {
			indented++
		}
	}
	if err := env.Charge(n); err != nil {
		return "", err
	}
	if err := chargeProduct(env, indented, len(indention)); err != nil {
		return "", err
	}
	if err := env.StopError(); err != nil {
		return "", err
	}
	var b strings.Builder
	b.Grow(len(s) + n + indented*len(indention))
	var pace vm.Pace
	n = 0
	for line := range linesAndEnd(env, s) {
		if pace.Stopped(env, len(line)+8) {
			break
		}
		if n > 0 {
			b.WriteByte('\n')
		}
		if n++; indentsLine(n, line, first, blank) {
			if pace.Stopped(env, len(indention)) {
				break
			}
			if env.Append(&b, indention) {
				break
			}
		}
		if env.Append(&b, line) {
			break
		}
	}
	return b.String(), nil
}

// indentsLine reports whether line n, from 1 up, is indented.
func indentsLine(n int, line string, first, blank bool) bool {
	return n == 1 && first || n > 1 && (blank || line != "")
}

// linesAndEnd gives the lines of s, and an empty one behind the last line break,
// as (s + "\n").splitlines() does.
func linesAndEnd(env *vm.Env, s string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for line := range eachLine(env, s, false) {
			if !yield(line) {
				return
			}
		}
		r, _ := utf8.DecodeLastRuneInString(s)
		if s == "" || isLineBreak(r) && r != '\r' {
			yield("")
		}
	}
}

func replaceFilter(env *vm.Env, args []vm.Value) (vm.Value, error) {
	count := -1
	if !args[3].IsNull() {
		n, err := intArg(env, args[3], "count")
		if err != nil {
			return vm.Null, err
		}
		count = n
	}
	s, safe, err := text(env, args[0])
	if err != nil {
		return vm.Null, err
	}
	old, err := textOf(env, args[1])
	if err != nil {
		return vm.Null, err
	}
	repl, replSafe, err := text(env, args[2])
	if err != nil {
		return vm.Null, err
	}
	if !env.Autoescape {
		out, err := replaceText(env, s, old, repl, count)
		return vm.String(out), err
	}
	if args[1].IsSafe() || replSafe && !safe {
		if s, safe, err = escapedText(env, markedText(s, safe)); err != nil {
			return vm.Null, err
		}
	}
	if safe && !replSafe {
		if repl, _, err = escapedText(env, vm.String(repl)); err != nil {
			return vm.Null, err
		}
	}
	out, err := replaceText(env, s, old, repl, count)
	return markedText(out, safe), err
}

// escapedText is s escaped for HTML, which makes it safe.
func escapedText(env *vm.Env, v vm.Value) (string, bool, error) {
	e, err := env.Escape(v)
	if err != nil {
		return "", false, err
	}
	s, _ := e.Str()
	return s, true, nil
}

// replaceText is str.replace; the result is charged before it is made.
func replaceText(env *vm.Env, s, old, repl string, count int) (string, error) {
	if count == 0 {
		return s, nil
	}
	if err := env.Step(1 + len(s)/64); err != nil {
		return "", err
	}
	n := countText(env, s, old)
	if count > 0 && n > count {
		n = count
	}
	if err := env.StopError(); err != nil {
		return "", err
	}
	if n == 0 {
		return s, nil
	}
	if err := chargeProduct(env, n, len(repl)); err != nil {
		return "", err
	}
	if err := env.Charge(len(s)); err != nil {
		return "", err
	}
	return replaceFirst(env, s, old, repl, n), nil
}

func trimFilter(env *vm.Env, args []vm.Value) (vm.Value, error) {
	s, safe, err := text(env, args[0])
	if err != nil {
		return vm.Null, err
	}
	out, err := stripText(env, s, args[1], "strip", true, true)
	return markedText(out, safe), err
}

// stripText is str.strip and its kin; chars null means white space.
func stripText(env *vm.Env, s string, chars vm.Value, method string, left, right bool) (string, error) {
	if err := env.Step(1 + len(s)/64); err != nil {
		return "", err
	}
	if chars.IsNull() {
		return trimSpace(env, s, left, right), nil
	}
	set, ok := chars.Str()
	if !ok {
		if err := refuseNative(env, chars); err != nil {
			return "", err
		}
		if !env.Dialect.PythonErrors() {
			return "", env.Errorf("type", "the characters to strip must be a string, not %s", env.TypeName(chars))
		}
		return "", env.Errorf("type", "%s arg must be None or str", method)
	}
	in, err := inSet(env, set)
	if err != nil {
		return "", err
	}
	return trimFunc(env, s, in, left, right), nil
}

func truncateFilter(env *vm.Env, args []vm.Value) (vm.Value, error) {
	length, err := countArg(env, args[1], "length")
	if err != nil {
		return vm.Null, err
	}
	killwords, err := env.Truth(args[2])
	if err != nil {
		return vm.Null, err
	}
	end, endSafe, err := text(env, args[3])
	if err != nil {
		return vm.Null, err
	}
	leeway := 5
	if !args[4].IsNull() {
		if leeway, err = countArg(env, args[4], "leeway"); err != nil {
			return vm.Null, err
		}
	}
	if err := env.Step(len(end) / 64); err != nil {
		return vm.Null, err
	}
	endLen := env.RuneCount(end)
	if length < endLen {
		return vm.Null, env.Errorf("assertion", "expected length >= %d, got %d", endLen, length)
	}
	if leeway < 0 {
		return vm.Null, env.Errorf("assertion", "expected leeway >= 0, got %d", leeway)
	}
	args[0] = env.OwnText(args[0])
	if _, isText := args[0].Str(); !isText && env.Dialect.PythonErrors() {
		// Jinja asks for the length first, which lists have and then keep.
		n, err := env.Len(args[0])
		if err != nil {
			return vm.Null, err
		}
		if n <= length || n-length <= leeway {
			return args[0], nil
		}
		head, err := env.Slice(args[0], vm.Null, vm.Int(int64(length-endLen)), vm.Null)
		if err != nil {
			return vm.Null, err
		}
		if !killwords {
			return vm.Null, noAttribute(env, head, "rsplit")
		}
		return env.Binary(code.BinAdd, head, args[3])
	}
	s, safe, err := text(env, args[0])
	if err != nil {
		return vm.Null, err
	}
	if err := env.Step(len(s) / 64); err != nil {
		return vm.Null, err
	}
	if n := env.RuneCount(s); n <= length || n-length <= leeway {
		return args[0], nil
	}
	if err := env.Charge(len(s) + len(end)); err != nil {
		return vm.Null, err
	}
	head, _ := env.CutRunes(s, length-endLen)
	if !killwords {
		if i := strings.LastIndexByte(head, ' '); i >= 0 {
			head = head[:i]
		}
	}
	if safe && !endSafe {
		if end, _, err = escapedText(env, vm.String(end)); err != nil {
			return vm.Null, err
		}
	} else if !safe && endSafe {
		if head, _, err = escapedText(env, vm.String(head)); err != nil {
			return vm.Null, err
		}
		safe = true
	}
	return markedText(head+end, safe), nil
}

func wordcountFilter(env *vm.Env, args []vm.Value) (vm.Value, error) {
	s, err := textOf(env, args[0])
	if err != nil {
		return vm.Null, err
	}
	if err := env.Step(1 + len(s)/64); err != nil {
		return vm.Null, err
	}
	n, inside := 0, false
	for p := env.Parts(s); p.Next(); {
		for _, r := range p.Text {
			w := isWordRune(r)
			if w && !inside {
				n++
			}
			inside = w
		}
	}
	return vm.Int(int64(n)), nil
}

// isWordRune is \w of Python's re.
func isWordRune(r rune) bool { return r == '_' || isAlnumRune(r) || unicode.Is(unicode.Nd, r) }

func wordwrapFilter(env *vm.Env, args []vm.Value) (vm.Value, error) {
	s, err := wordwrapSubject(env, args[0])
	if err != nil {
		return vm.Null, err
	}
	width, err := countArg(env, args[1], "width")
	if err != nil {
		return vm.Null, err
	}
	opt := wrapOptions{width: width}
	if opt.breakLong, err = env.Truth(args[2]); err != nil {
		return vm.Null, err
	}
	if opt.breakHyphens, err = env.Truth(args[4]); err != nil {
		return vm.Null, err
	}
	sep := env.Dialect.Newline
	if sep == "" {
		sep = "\n"
	}
	sepSafe := false
	if !args[3].IsNull() {
		if sep, err = stringArg(env, args[3], "wrapstring"); err != nil {
			return vm.Null, err
		}
		sepSafe = args[3].IsSafe()
	}
	if width <= 0 && s != "" {
		return vm.Null, env.Errorf("value", "invalid width %d (must be > 0)", width)
	}
	if err := env.Charge(len(s)); err != nil {
		return vm.Null, err
	}
	out := joined{env: env, sep: sep}
	for line := range eachLine(env, s, false) {
		n := 0
		err := wrapText(env, line, opt, func(piece string) (err error) {
			if n++; sepSafe {
				if piece, _, err = escapedText(env, vm.String(piece)); err != nil {
					return err
				}
			}
			return out.add(piece)
		})
		if err == nil && n == 0 {
			err = out.add("")
		}
		if err != nil {
			return vm.Null, err
		}
	}
	return markedText(out.b.String(), sepSafe), nil
}

// joined is a text that is made of parts with a separator between them, which are
// paid for as they come.
type joined struct {
	env *vm.Env
	sep string
	n   int
	b   strings.Builder
	vm.Pace
}

func (j *joined) add(part string) error {
	sep := j.sep
	if j.n == 0 {
		sep = ""
	}
	j.n++
	if j.Stopped(j.env, len(sep)+len(part)) {
		return j.env.StopError()
	}
	// A builder that grows holds the old half beside the new whole for a while.
	if free := j.b.Cap() - j.b.Len(); len(sep)+len(part) > free {
		if err := j.env.Charge(max(j.b.Cap(), len(sep)+len(part), 64)); err != nil {
			return err
		}
	}
	if j.env.Append(&j.b, sep) || j.env.Append(&j.b, part) {
		return j.env.StopError()
	}
	return nil
}

func wordwrapSubject(env *vm.Env, v vm.Value) (string, error) {
	v = env.OwnText(v)
	if _, ok := v.Str(); ok || !env.Dialect.PythonErrors() {
		return textOf(env, v)
	}
	if err := refuseUndefined(env, v); err != nil {
		return "", err
	}
	return "", noAttribute(env, v, "splitlines")
}

// joinTexts joins, charging first.
func joinTexts(env *vm.Env, parts []string, sep string) (string, error) {
	if len(parts) == 0 {
		return "", nil
	}
	if err := chargeProduct(env, len(parts)-1, len(sep)); err != nil {
		return "", err
	}
	total := 0
	for _, p := range parts {
		if total > math.MaxInt-len(p) {
			return "", env.Charge(math.MaxInt)
		}
		total += len(p)
	}
	if err := env.Charge(total); err != nil {
		return "", err
	}
	return strings.Join(parts, sep), nil
}
