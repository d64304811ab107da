package stdlib

import (
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/pcc-lang/pcc/vm"
)

// yamlFilter writes a value as YAML 1.2 that 1.1 readers understand in the
// same way: block style, two spaces a level, text quoted where it would read
// as something else.
func yamlFilter(env *vm.Env, args []vm.Value) (vm.Value, error) {
	y := &yamlWriter{env: env}
	if err := y.value(args[0], 0, yamlTop, 0); err != nil {
		return vm.Null, err
	}
	if y.kept {
		// The line break that ends a block is part of its text.
		y.out.WriteByte('\n')
	}
	return vm.String(y.out.String()), nil
}

type yamlWriter struct {
	env *vm.Env
	out strings.Builder
	// kept tells that the last text written is a block that ends with a break.
	kept bool
}

// yamlPlace is where a value stands.
type yamlPlace uint8

const (
	yamlTop  yamlPlace = iota
	yamlItem           // after "- "
	yamlKey            // after "key:"
)

func (y *yamlWriter) write(s string) error {
	if err := y.env.Charge(len(s)); err != nil {
		return err
	}
	y.out.WriteString(s)
	y.kept = false
	return nil
}

// newline begins a line at a level.
func (y *yamlWriter) newline(level int) error {
	return y.write("\n" + strings.Repeat("  ", level))
}

// value writes v. level is the indentation of what stands below it.
func (y *yamlWriter) value(v vm.Value, level int, place yamlPlace, depth int) error {
	if depth > y.env.Limits().ValueDepth {
		return tooDeep()
	}
	switch {
	case isMapping(v):
		return y.mapping(v, level, place, depth)
	case isList(v):
		return y.list(v, level, place, depth)
	}
	s, err := y.scalar(v, level)
	if err != nil {
		return err
	}
	if place == yamlKey {
		s = " " + s
	}
	err = y.write(s)
	text, isText := v.Str()
	y.kept = isText && strings.HasSuffix(text, "\n") && isBlockYAML(y.env, text)
	return err
}

func (y *yamlWriter) mapping(v vm.Value, level int, place yamlPlace, depth int) error {
	pairs, err := entries(y.env, v)
	if err != nil {
		return err
	}
	if len(pairs) == 0 {
		return y.empty("{}", place)
	}
	for i, p := range pairs {
		if i > 0 || place == yamlKey {
			if err := y.newline(level); err != nil {
				return err
			}
		}
		key, err := y.key(p[0], level)
		if err != nil {
			return err
		}
		if err := y.write(key); err != nil {
			return err
		}
		if err := y.value(p[1], level+1, yamlKey, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (y *yamlWriter) list(v vm.Value, level int, place yamlPlace, depth int) error {
	items, err := collect(y.env, v)
	if err != nil {
		return err
	}
	if len(items) == 0 {
		return y.empty("[]", place)
	}
	for i, it := range items {
		if i > 0 || place == yamlKey {
			if err := y.newline(level); err != nil {
				return err
			}
		}
		if err := y.write("- "); err != nil {
			return err
		}
		if err := y.value(it, level+1, yamlItem, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (y *yamlWriter) empty(s string, place yamlPlace) error {
	if place == yamlKey {
		s = " " + s
	}
	return y.write(s)
}

// key writes a key with its colon; long ones in the explicit form, as YAML
// limits the others to 1024 characters.
func (y *yamlWriter) key(v vm.Value, level int) (string, error) {
	var s string
	if _, isText := v.Str(); isText || v.Kind() == vm.KindTuple {
		t, err := textOf(y.env, v)
		if err != nil {
			return "", err
		}
		s = t
		if !isPlainYAML(y.env, t) {
			s = quoteYAML(y.env, t)
		}
	} else {
		t, err := y.scalar(v, 0)
		if err != nil {
			return "", err
		}
		s = t
	}
	if len(s) > 256 {
		return "? " + s + "\n" + strings.Repeat("  ", level) + ":", nil
	}
	return s + ":", nil
}

// scalar writes what is neither map nor list.
func (y *yamlWriter) scalar(v vm.Value, level int) (string, error) {
	switch v.Kind() {
	case vm.KindNull, vm.KindUndefined:
		if v.IsUndefined() && y.env.Python() {
			if _, err := y.env.Str(v); err != nil {
				return "", err
			}
		}
		return "null", nil
	case vm.KindBool:
		b, _ := v.AsBool()
		return strconv.FormatBool(b), nil
	case vm.KindInt:
		i, ok := v.Big()
		if !ok {
			return "", y.env.Errorf("value", "an integer is too long")
		}
		return i.String(), nil
	case vm.KindFloat:
		f, _ := v.Float64()
		return yamlFloat(f), nil
	case vm.KindTime:
		t, _ := v.Time()
		return t.Format(time.RFC3339Nano), nil
	}
	s, err := textOf(y.env, v)
	if err != nil {
		return "", err
	}
	return y.text(s, level)
}

func yamlFloat(f float64) string {
	switch {
	case math.IsNaN(f):
		return ".nan"
	case math.IsInf(f, 1):
		return ".inf"
	case math.IsInf(f, -1):
		return "-.inf"
	}
	s := strconv.FormatFloat(f, 'g', -1, 64)
	if !strings.ContainsAny(s, ".") {
		if i := strings.IndexByte(s, 'e'); i >= 0 {
			return s[:i] + ".0" + s[i:]
		}
		return s + ".0"
	}
	return s
}

// text writes text plain, as a literal block or in double quotes.
func (y *yamlWriter) text(s string, level int) (string, error) {
	if isPlainYAML(y.env, s) {
		return s, nil
	}
	if isBlockYAML(y.env, s) {
		return y.block(s, level)
	}
	if err := y.env.Charge(6 * len(s)); err != nil {
		return "", err
	}
	return quoteYAML(y.env, s), nil
}

// block writes text as a literal block, whose lines keep their ends.
func (y *yamlWriter) block(s string, level int) (string, error) {
	indent := strings.Repeat("  ", max(level, 1))
	if err := chargeProduct(y.env, strings.Count(s, "\n")+1, len(indent)); err != nil {
		return "", err
	}
	body := strings.TrimRight(s, "\n")
	ends := len(s) - len(body)
	head := "|-"
	switch {
	case ends == 1:
		head = "|"
	case ends > 1:
		head = "|+"
	}
	var b strings.Builder
	b.WriteString(head)
	var pace vm.Pace
	for line := range strings.SplitSeq(body, "\n") {
		if pace.Stopped(y.env, len(line)+8) {
			break
		}
		b.WriteByte('\n')
		if line != "" {
			b.WriteString(indent)
			b.WriteString(line)
		}
	}
	if ends > 1 {
		b.WriteString(strings.Repeat("\n", ends-1))
	}
	return b.String(), nil
}

// isBlockYAML reports whether s reads back from a literal block: several lines
// of printable text, the first of which begins with no blank.
func isBlockYAML(env *vm.Env, s string) bool {
	if !strings.Contains(s, "\n") || s[0] == '\n' || s[0] == ' ' || s[0] == '\t' {
		return false
	}
	return utf8.ValidString(s) && allRunes(env, s, func(r rune) bool { return r == '\n' || r == '\t' || isPrintableYAML(r) })
}

// isPrintableYAML excludes what YAML wants escaped, all line breaks but \n, and
// what cannot be seen.
func isPrintableYAML(r rune) bool {
	return unicode.IsPrint(r) && r != 0xfeff
}

// isPlainYAML reports whether s reads back as this text without quotes.
func isPlainYAML(env *vm.Env, s string) bool {
	if s == "" || !utf8.ValidString(s) || isTypedYAML(s) {
		return false
	}
	if s[0] == ' ' || s[len(s)-1] == ' ' || s[len(s)-1] == ':' {
		return false
	}
	if strings.IndexByte("-?:,[]{}#&*!|>'\"%@`=<~", s[0]) >= 0 {
		// A dash or colon before a word is fine, but not worth the doubt.
		return false
	}
	if strings.HasPrefix(s, "...") || strings.Contains(s, ": ") || strings.Contains(s, " #") {
		return false
	}
	return allRunes(env, s, isPrintableYAML)
}

// typedYAML are words that some YAML reader takes for a boolean or null.
var typedYAML = map[string]bool{"null": true, "true": true, "false": true, "yes": true, "no": true,
	"on": true, "off": true, "y": true, "n": true, "nan": true, "inf": true, "~": true, "<<": true, "=": true}

// isTypedYAML reports whether s could be read as something else than text:
// numbers of all YAML versions, dates, times, booleans, null.
func isTypedYAML(s string) bool {
	if len(s) <= len("false") && typedYAML[strings.ToLower(s)] {
		return true
	}
	c := s[0]
	if c != '.' && c != '+' && c != '-' && (c < '0' || c > '9') {
		return false
	}
	// Whatever begins like a number and holds only characters that numbers,
	// dates and times are made of is quoted.
	return strings.Trim(s, "0123456789abcdefABCDEFxXoO_.:+-TtZz inIN") == ""
}

// quoteYAML writes s in double quotes.
func quoteYAML(env *vm.Env, s string) string {
	return `"` + inPieces(escapeYAML)(env, s) + `"`
}

func escapeYAML(s string) string {
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == utf8.RuneError && s[i] != 0xef:
			b.WriteString(`\uFFFD`) // a byte that is no UTF-8
		case isPrintableYAML(r):
			b.WriteRune(r)
		case r < 0x100:
			writeHexEscape(&b, 'x', r, 2)
		case r < 0x10000:
			writeHexEscape(&b, 'u', r, 4)
		default:
			writeHexEscape(&b, 'U', r, 8)
		}
	}
	return b.String()
}

func writeHexEscape(b *strings.Builder, kind byte, r rune, width int) {
	hex := strconv.FormatInt(int64(r), 16)
	b.WriteByte('\\')
	b.WriteByte(kind)
	b.WriteString(strings.Repeat("0", width-len(hex)))
	b.WriteString(hex)
}
