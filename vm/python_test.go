package vm

import (
	"errors"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pcc-lang/pcc/internal/code"
)

// literals reads values in Python's notation, as repr writes them.
type literals struct {
	t *testing.T
	s string
}

func lit(t *testing.T, s string) Value {
	t.Helper()
	l := literals{t, s}
	v := l.value()
	if l.s != "" {
		t.Fatalf("literal %q: %q is left over", s, l.s)
	}
	return v
}

func (l *literals) take(prefix string) bool {
	l.s = strings.TrimLeft(l.s, " ")
	if !strings.HasPrefix(l.s, prefix) {
		return false
	}
	l.s = l.s[len(prefix):]
	return true
}

func (l *literals) value() Value {
	for word, v := range map[string]Value{"None": Null, "True": Bool(true), "False": Bool(false),
		"inf": Float(math.Inf(1)), "-inf": Float(math.Inf(-1)), "nan": Float(math.NaN())} {
		if l.take(word) {
			return v
		}
	}
	switch {
	case l.take("["):
		return ListOf(l.items("]"))
	case l.take("("):
		return TupleOf(l.items(")"))
	case l.take("{"):
		m := NewMap(0)
		for !l.take("}") {
			k := l.value()
			if !l.take(":") {
				l.t.Fatalf("no colon at %q", l.s)
			}
			m.Put(k, l.value())
			l.take(",")
		}
		return MapOf(m)
	case l.take("'"):
		return String(l.text('\''))
	case l.take(`"`):
		return String(l.text('"'))
	}
	n := 0
	for n < len(l.s) && (strings.IndexByte("0123456789.e", l.s[n]) >= 0 ||
		strings.IndexByte("+-", l.s[n]) >= 0 && (n == 0 || l.s[n-1] == 'e')) {
		n++
	}
	text := l.s[:n]
	l.s = l.s[n:]
	if b, ok := new(big.Int).SetString(text, 10); ok {
		return BigInt(b)
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		l.t.Fatalf("no literal at %q", text+l.s)
	}
	return Float(f)
}

func (l *literals) items(end string) []Value {
	items := []Value{}
	for !l.take(end) {
		items = append(items, l.value())
		l.take(",")
	}
	return items
}

func (l *literals) text(quote byte) string {
	var b strings.Builder
	for l.s[0] != quote {
		c, size := utf8.DecodeRuneInString(l.s)
		l.s = l.s[size:]
		if c != '\\' {
			b.WriteRune(c)
			continue
		}
		e := l.s[0]
		l.s = l.s[1:]
		switch n := map[byte]int{'x': 2, 'u': 4, 'U': 8}[e]; {
		case n > 0:
			r, err := strconv.ParseUint(l.s[:n], 16, 32)
			if err != nil {
				l.t.Fatal(err)
			}
			l.s = l.s[n:]
			b.WriteRune(rune(r))
		case e == 'n':
			b.WriteByte('\n')
		case e == 't':
			b.WriteByte('\t')
		case e == 'r':
			b.WriteByte('\r')
		default:
			b.WriteByte(e)
		}
	}
	l.s = l.s[1:]
	return b.String()
}

// pythonTable calls f with each expression of a table and Python's answer.
func pythonTable(t *testing.T, name string, f func(expr string) (Value, error), known map[string]string) {
	data, err := os.ReadFile(filepath.Join("testdata", "python", name))
	if err != nil {
		t.Fatal(err)
	}
	failed := 0
	for _, line := range strings.Split(strings.TrimSuffix(string(data), "\n"), "\n") {
		expr, want, _ := strings.Cut(line, "\t")
		if ours, ok := known[expr]; ok {
			want = ours
		}
		v, err := f(expr)
		got := ""
		var e *Error
		switch {
		case errors.As(err, &e):
			got = "!" + e.Kind + ": " + e.Msg
			kind, msg, _ := strings.Cut(want, ": ")
			if strings.HasPrefix(msg, "unsupported format character") {
				msg = e.Msg // ours does not quote the format
			}
			want = "!" + pythonKinds[strings.TrimPrefix(kind, "!")] + ": " + msg
		default:
			got, err = pythonEnv().Repr(v)
			if err != nil {
				t.Fatalf("%s: %v", expr, err)
			}
		}
		if got != want {
			t.Errorf("%s\n got %s\nwant %s", expr, got, want)
			if failed++; failed == 40 {
				t.Fatal("too many failures")
			}
		}
	}
}

var pythonKinds = map[string]string{"TypeError": "type", "ValueError": "value", "OverflowError": "overflow",
	"ZeroDivisionError": "zerodivision", "KeyError": "key"}

func TestPythonArithmetic(t *testing.T) {
	ops := map[string]code.BinaryOp{"+": code.BinAdd, "-": code.BinSub, "*": code.BinMul, "/": code.BinDiv, "//": code.BinFloorDiv, "%": code.BinMod, "**": code.BinPow}
	e := pythonEnv()
	pythonTable(t, "arith.txt", func(expr string) (Value, error) {
		l := literals{t, expr}
		a := l.value()
		op, rest, _ := strings.Cut(strings.TrimLeft(l.s, " "), " ")
		return e.Binary(ops[op], a, lit(t, rest))
	}, nil)
}

func TestPythonCompare(t *testing.T) {
	ops := map[string]code.CompareOp{"==": code.CmpEq, "!=": code.CmpNe, "<": code.CmpLt, "<=": code.CmpLe, ">": code.CmpGt, ">=": code.CmpGe, "in": code.CmpIn}
	e := pythonEnv()
	pythonTable(t, "compare.txt", func(expr string) (Value, error) {
		l := literals{t, expr}
		a := l.value()
		op, rest, _ := strings.Cut(strings.TrimLeft(l.s, " "), " ")
		cmp, ok := ops[op]
		if op == "not" {
			rest, cmp, ok = strings.TrimPrefix(rest, "in "), code.CmpNotIn, true
		}
		if !ok {
			t.Fatalf("no operator in %q", expr)
		}
		b, err := e.Compare(cmp, a, lit(t, rest))
		return Bool(b), err
	}, nil)
}

func TestPythonSlice(t *testing.T) {
	e := pythonEnv()
	pythonTable(t, "slice.txt", func(expr string) (Value, error) {
		l := literals{t, expr}
		v := l.value()
		l.take("[")
		var part [3]Value
		for i := range part {
			if l.s[0] != ':' && l.s[0] != ']' {
				part[i] = l.value()
			}
			l.take(":")
		}
		return e.Slice(v, part[0], part[1], part[2])
	}, nil)
}

func TestPythonPrintf(t *testing.T) {
	e := pythonEnv()
	pythonTable(t, "printf.txt", func(expr string) (Value, error) {
		l := literals{t, expr}
		f := l.value()
		l.take("%")
		return e.Binary(code.BinMod, f, lit(t, strings.TrimLeft(l.s, " ")))
	}, map[string]string{
		// No message quotes a format or a key, which may be data.
		"'%(a)s' % {}": "!KeyError: the mapping of a format lacks a key that the format names",
	})
}

func TestPythonRepr(t *testing.T) {
	pythonTable(t, "repr.txt", func(expr string) (Value, error) { return lit(t, expr), nil }, nil)
}
