package vm

import (
	"encoding/json"
	"maps"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"
)

// printable are values of every kind that a printer tells apart, made of what a
// fuzz target chooses.
func printable(f float64, i int64, s string) map[string]Value {
	noon := time.Date(2026, 3, 9, 12, 0, 0, int(uint64(i)%1e9), time.UTC)
	scalars := map[string]Value{
		"float": Float(f), "whole": Float(math.Trunc(f)), "any float": Of(f), "float32": Of(float32(f)), "host float": Of(celsius(f)),
		"int": Int(i), "any int": Of(int(i)), "int8": Of(int8(i)), "uint64": Of(uint64(i)),
		"big":  Of(new(big.Int).Lsh(big.NewInt(i), 80)),
		"null": Null, "bool": Bool(i&1 == 0), "any bool": Of(f > 0),
		"text": String(s), "safe": Safe(s), "any text": Of(s), "bytes": Of([]byte(s)), "python bytes": PythonBytes([]byte(s)),
		"number": Of(json.Number("1.50")), "whole number": Of(json.Number("2.0")), "no number": Of(json.Number(s)),
		"spelled": {ref: &spelled{value: Float(2), text: "2.00"}},
		"time":    Of(noon), "stringer": Of(grade(i)), "marshaler": Of(marshaling{}), "failing": Of(failing{}),
		"complex": ObjectOf(complexNumber(complex(f, float64(i)))), "type": ObjectOf(typeObject("builtins.int")),
		"iterator": Of(testRange(2).Iterate()), "sequence": ObjectOf(testRange(3)), "self printer": ObjectOf(selfPrinter{&List{Items: []Value{Float(math.Trunc(f))}}}),
		"undefined": undefinedVar("x"), "attribute": UndefinedOf(&Undefined{Name: s, Owner: "dict"}),
		"element": UndefinedOf(&Undefined{Name: "5", Owner: "list", Element: true}), "hint": UndefinedOf(&Undefined{Message: s}),
	}
	all := map[string]Value{
		"struct": Of(&customer{Name: s, Age: int(i), Address: &address{City: s}, Tags: []string{s, "b"}}),
		"floats": Of([]float64{f, math.Trunc(f), 2}), "typed map": Of(map[int]float64{int(i): f, 1: 2}),
		"lists": list(list(f, list(math.Trunc(f), s)), dict("k", list(2.0, s))),
	}
	m, named := NewMap(0), NewMap(0)
	for _, name := range slices.Sorted(maps.Keys(scalars)) {
		v := scalars[name]
		all[name] = v
		all["list of "+name] = ListOf([]Value{v, v})
		all["tuple of "+name] = TupleOf([]Value{v})
		one := NewMap(0)
		one.Set("k", v)
		all["map of "+name] = MapOf(one)
		m.Put(v, v)
		if name != "failing" {
			named.Set(name, v)
		}
	}
	all["map"], all["map of all"] = MapOf(m), MapOf(named)
	return all
}

// printers are all ways to append a value to a buffer that others wrote to.
func printers() map[string]func(e *Env, dst []byte, v Value) ([]byte, error) {
	all := map[string]func(e *Env, dst []byte, v Value) ([]byte, error){
		"repr": func(e *Env, dst []byte, v Value) ([]byte, error) {
			w := writer{e: e, dst: dst, paid: len(dst)}
			if err := w.python(v); err != nil {
				return dst, err
			}
			return w.dst, w.settle()
		},
		"object": func(e *Env, dst []byte, v Value) ([]byte, error) {
			p, ok := v.ref.(Printer)
			if !ok {
				return dst, nil
			}
			return e.printObject(dst, p, true, 0)
		},
		"indented": func(e *Env, dst []byte, v Value) ([]byte, error) {
			m := machine{env: *e, base: len(dst)}
			out, err := m.emit(dst, "", &Out{Style: StyleMarkdown, Indent: "> "}, v)
			*e = m.env
			return out, err
		},
	}
	for name, style := range map[string]Style{"native": StyleNative, "python": StylePython, "markdown": StyleMarkdown, "pdx": StylePDX, "bold": StyleBold} {
		all[name] = func(e *Env, dst []byte, v Value) ([]byte, error) { return e.AppendStr(dst, v, style) }
	}
	for name, o := range map[string]JSONOptions{
		"json": {}, "python json": {Python: true}, "laid out json": {Indent: "  ", SortKeys: true}, "escaped json": {EnsureASCII: true, HTMLSafe: true},
		"indent 0": {Multiline: true, Python: true}, "separators": {ItemSep: "", KeySep: ":", Python: true, SortKeys: true},
	} {
		all[name] = func(e *Env, dst []byte, v Value) ([]byte, error) { return e.JSON(dst, v, o) }
	}
	return all
}

// FuzzPrintBehind: what a printer appends, and what it charges, does not depend on
// what others wrote to the buffer before, nor on the room that is left in it.
func FuzzPrintBehind(f *testing.F) {
	for _, before := range []string{"v1.", "1.5", "-", "1e", "{", "[", "'", `"`, "\\", "\n", "- ", "**", "  ", ": ", "\xc3", "x=0.", strings.Repeat("1.", 2000)} {
		f.Add(before, 2.5, int64(7), "it's\n 1.")
	}
	for _, x := range []float64{0, math.Copysign(0, -1), 1e15, -1e15, 999999999999999, 1e16, 1e21, 1e22, 1e-4, 1e-5, 1 << 53, -1.5, math.Inf(1), math.Inf(-1), math.NaN(), math.MaxFloat64, 5e-324} {
		f.Add("v1.", x, int64(x), "\xff\u2028<b>")
	}
	all := printers()
	f.Fuzz(func(t *testing.T, before string, x float64, i int64, s string) {
		if len(before)+len(s) > 1<<14 {
			return
		}
		values, again := printable(x, i, s), printable(x, i, s) // iterators are read once
		for _, d := range []Dialect{
			{Name: "native"}, {Name: "jinja", Python: true, Style: StylePython},
			{Name: "debug", Python: true, Style: StyleMarkdown, Undefined: UndefinedDebug}, {Name: "strict", Python: true, Style: StylePDX, Undefined: UndefinedStrict},
		} {
			for _, host := range []bool{false, true} {
				for kind, v := range values {
					for name, appendTo := range all {
						alone, behind := smallEnv(&d), smallEnv(&d)
						alone.Host, behind.Host = host, host
						want, wantErr := appendTo(alone, nil, v)
						room := make([]byte, 0, len(before)+int(uint64(i)%64))
						got, err := appendTo(behind, append(room, before...), again[kind])
						if string(got) != before+string(want) {
							t.Fatalf("%s, %s of %s behind %q: %q, want %q behind it", d.Name, name, kind, before, got, want)
						}
						if (err == nil) != (wantErr == nil) || err != nil && err.Error() != wantErr.Error() {
							t.Fatalf("%s, %s of %s behind %q: error %v, want %v", d.Name, name, kind, before, err, wantErr)
						}
						if alone.steps != behind.steps || alone.memory != behind.memory {
							t.Fatalf("%s, %s of %s behind %d bytes: costs %d steps, %d bytes less than in an empty buffer", d.Name, name, kind, len(before), behind.steps-alone.steps, behind.memory-alone.memory)
						}
					}
				}
			}
		}
	})
}
