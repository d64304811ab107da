package stdlib

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/pcc-lang/pcc/vm"
)

// formatTime is datetime.strftime of Python on Linux in the C locale: the
// directives of C99 and those of glibc, with its flags (- _ 0 ^ #) and widths.
// A naive time has no zone: %z and %Z write nothing.
func formatTime(env *vm.Env, t time.Time, format string, naive bool) (string, error) {
	if err := env.Charge(4 * len(format)); err != nil {
		return "", err
	}
	var b strings.Builder
	for i := 0; i < len(format); {
		next := strings.IndexByte(format[i:], '%')
		if next < 0 {
			b.WriteString(format[i:])
			break
		}
		b.WriteString(format[i : i+next])
		i += next + 1
		d, n := readDirective(format[i:])
		out, ok := d.write(t)
		switch {
		case !ok:
			// glibc writes what it does not know as it stands.
			out = format[i-1 : i+n]
		case naive && d.verb == 'z':
			out, d.width = "", -1
		case naive && d.verb == 'Z':
			out = ""
		}
		i += n
		if err := env.Charge(len(out) + max(d.width, 0)); err != nil {
			return "", err
		}
		d.pad(&b, out)
	}
	return b.String(), nil
}

// directive is one % sequence.
type directive struct {
	flag  byte // '-', '_', '0', or 0
	upper bool // '^'
	swap  bool // '#'
	width int  // -1: the directive's own
	verb  byte
	// modifier asks for an alternative form, 'E' or 'O'; in the C locale it is
	// the same as the usual one.
	modifier byte
	// colons counts those of %:z.
	colons int
}

// The directives that take no modifier 'E' or 'O'.
const (
	withoutE = "aAbBhDFdeHIjklmMSUVwWgG"
	withoutO = "aADFcxXY"
)

// maxTimeWidth is the widest field of a time.
const maxTimeWidth = 1024

// readDirective reads what follows a % and tells its length.
func readDirective(s string) (d directive, n int) {
	d.width = -1
	for ; n < len(s); n++ {
		switch c := s[n]; c {
		case '-', '_', '0':
			d.flag = c
			continue
		case '^':
			d.upper = true
			continue
		case '#':
			d.swap = true
			continue
		}
		break
	}
	from := n
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	if n > from {
		w, err := strconv.Atoi(s[from:n])
		if err != nil || w > maxTimeWidth {
			w = maxTimeWidth
		}
		d.width = w
	}
	if n < len(s) && (s[n] == 'E' || s[n] == 'O') {
		d.modifier = s[n]
		n++
	}
	for n < len(s) && s[n] == ':' {
		d.colons++
		n++
	}
	if n < len(s) {
		d.verb = s[n]
		n++
	}
	return d, n
}

// timeNumbers are the directives that write a number: its value, its usual
// width and what fills it up.
var timeNumbers = map[byte]struct {
	width int
	fill  byte
	value func(time.Time) int
}{
	'C': {2, '0', func(t time.Time) int { return t.Year() / 100 }},
	'd': {2, '0', time.Time.Day},
	'e': {2, ' ', time.Time.Day},
	'f': {6, '0', func(t time.Time) int { return t.Nanosecond() / 1000 }},
	'g': {2, '0', func(t time.Time) int { y, _ := t.ISOWeek(); return y % 100 }},
	'G': {1, '0', func(t time.Time) int { y, _ := t.ISOWeek(); return y }},
	'H': {2, '0', time.Time.Hour},
	'I': {2, '0', hour12},
	'j': {3, '0', time.Time.YearDay},
	'k': {2, ' ', time.Time.Hour},
	'l': {2, ' ', hour12},
	'm': {2, '0', func(t time.Time) int { return int(t.Month()) }},
	'M': {2, '0', time.Time.Minute},
	's': {1, '0', func(t time.Time) int { return int(t.Unix()) }},
	'S': {2, '0', time.Time.Second},
	'u': {1, '0', func(t time.Time) int { return (int(t.Weekday())+6)%7 + 1 }},
	'U': {2, '0', func(t time.Time) int { return (t.YearDay() + 6 - int(t.Weekday())) / 7 }},
	'V': {2, '0', func(t time.Time) int { _, w := t.ISOWeek(); return w }},
	'w': {1, '0', func(t time.Time) int { return int(t.Weekday()) }},
	'W': {2, '0', func(t time.Time) int { return (t.YearDay() + 6 - (int(t.Weekday())+6)%7) / 7 }},
	'y': {2, '0', func(t time.Time) int { return t.Year() % 100 }},
	'Y': {1, '0', time.Time.Year},
}

func hour12(t time.Time) int { return (t.Hour()+11)%12 + 1 }

// timeTexts are the directives that write text.
var timeTexts = map[byte]func(time.Time) string{
	'%': func(time.Time) string { return "%" },
	'a': func(t time.Time) string { return t.Format("Mon") },
	'A': func(t time.Time) string { return t.Weekday().String() },
	'b': func(t time.Time) string { return t.Format("Jan") },
	'B': func(t time.Time) string { return t.Month().String() },
	'c': func(t time.Time) string { return t.Format("Mon Jan _2 15:04:05 ") + strconv.Itoa(t.Year()) },
	'D': func(t time.Time) string { return t.Format("01/02/06") },
	'F': func(t time.Time) string { return strconv.Itoa(t.Year()) + t.Format("-01-02") },
	'h': func(t time.Time) string { return t.Format("Jan") },
	'n': func(time.Time) string { return "\n" },
	'p': func(t time.Time) string { return t.Format("PM") },
	'P': func(t time.Time) string { return t.Format("pm") },
	'r': func(t time.Time) string { return t.Format("03:04:05 PM") },
	'R': func(t time.Time) string { return t.Format("15:04") },
	't': func(time.Time) string { return "\t" },
	'T': func(t time.Time) string { return t.Format("15:04:05") },
	'x': func(t time.Time) string { return t.Format("01/02/06") },
	'X': func(t time.Time) string { return t.Format("15:04:05") },
	'Z': func(t time.Time) string { name, _ := t.Zone(); return name },
}

// write gives the text of a directive without its padding to a wider field.
func (d *directive) write(t time.Time) (string, bool) {
	if d.modifier == 'E' && strings.IndexByte(withoutE, d.verb) >= 0 ||
		d.modifier == 'O' && strings.IndexByte(withoutO, d.verb) >= 0 {
		return "", false
	}
	if num, ok := timeNumbers[d.verb]; ok && d.colons == 0 {
		width, fill := num.width, num.fill
		switch d.flag {
		case '-':
			width = 0
		case '_':
			fill = ' '
		case '0':
			fill = '0'
		}
		if d.width >= 0 {
			width = d.width
			if d.flag == '-' {
				fill = ' '
			}
		}
		return padNumber(num.value(t), min(width, 64), fill), true
	}
	if d.verb == 'z' {
		return zoneOffset(t, d.colons)
	}
	f, ok := timeTexts[d.verb]
	if !ok || d.colons > 0 {
		return "", false
	}
	s := f(t)
	switch {
	case d.swap && (d.verb == 'p' || d.verb == 'Z'):
		s = strings.ToLower(s)
	case d.verb == 'P':
	case d.upper, d.swap && strings.IndexByte("aAbBh", d.verb) >= 0:
		s = strings.ToUpper(s)
	}
	return s, true
}

// pad writes s into the field that a width asks for.
func (d *directive) pad(b *strings.Builder, s string) {
	defer b.WriteString(s)
	missing := d.width - len(s)
	if missing <= 0 {
		return
	}
	fill := " "
	if num, ok := timeNumbers[d.verb]; ok && d.modifier == 0 {
		fill = string(num.fill)
	}
	switch d.flag {
	case '0':
		fill = "0"
	case '_':
		fill = " "
	}
	b.WriteString(strings.Repeat(fill, missing))
}

func padNumber(n, width int, fill byte) string {
	sign := ""
	if n < 0 {
		sign, n = "-", -n
	}
	s := strconv.Itoa(n)
	if missing := width - len(s) - len(sign); missing > 0 {
		if fill == '0' {
			return sign + strings.Repeat("0", missing) + s
		}
		return strings.Repeat(string(fill), missing) + sign + s
	}
	return sign + s
}

// zoneOffset writes +hhmm, with colons +hh:mm or +hh:mm:ss.
func zoneOffset(t time.Time, colons int) (string, bool) {
	_, offset := t.Zone()
	sign := '+'
	if offset < 0 {
		sign, offset = '-', -offset
	}
	h, m, s := offset/3600, offset/60%60, offset%60
	switch {
	case colons == 0 && s != 0:
		return fmt.Sprintf("%c%02d%02d%02d", sign, h, m, s), true
	case colons == 0:
		return fmt.Sprintf("%c%02d%02d", sign, h, m), true
	case colons == 1:
		return fmt.Sprintf("%c%02d:%02d", sign, h, m), true
	case colons == 2:
		return fmt.Sprintf("%c%02d:%02d:%02d", sign, h, m, s), true
	}
	return "", false
}
