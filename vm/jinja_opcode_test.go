package vm

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/internal/code"
)

// python makes the image one of the Jinja dialect, with a macro that writes
// its parameter between brackets, a block, and two cells.
func python(img *Image) {
	img.Dialect = &Dialect{Name: "jinja", Python: true, Style: StylePython}
	img.Outs = append(img.Outs, Out{Name: "x", Style: StylePython})
	out := int32(len(img.Outs) - 1)
	img.Functions[0].Cells = 2
	img.Functions = append(img.Functions,
		Function{Function: code.Function{Name: "m", Slots: 1, Code: []code.Instr{
			{Op: code.OpText, Text: "["}, {Op: code.OpSlot}, {Op: code.OpEmit, B: out}, {Op: code.OpText, Text: "]"}, {Op: code.OpReturn}}}},
		Function{Function: code.Function{Name: "block b", Code: []code.Instr{{Op: code.OpText, Text: "block"}, {Op: code.OpReturn}}}})
	img.Macros = []code.Macro{{Name: "m", Func: 1, Params: []string{"x"}, Caller: -1, Varargs: -1, Kwargs: -1}}
	img.Blocks = []code.Block{{Name: "b", Func: 2}}
	img.Load = func(name string, _ func(int64) error) (*Image, error) {
		if name != "other" {
			return nil, nil
		}
		other := &Image{Name: "other", Dialect: img.Dialect, Outs: img.Outs,
			Sites:  []code.Site{{File: source.New("other", ""), Parent: -1}},
			Consts: []Value{String("exported")},
			Blocks: []code.Block{{Name: "b"}},
			Functions: []Function{{Function: code.Function{Name: "template", Code: []code.Instr{
				{Op: code.OpText, Text: "other:"}, {Op: code.OpResolve, Key: "local"}, {Op: code.OpEmit, B: out},
				{Op: code.OpConst}, {Op: code.OpExport, Key: "e"}, {Op: code.OpReturn}}}}}}
		p, err := New(other)
		if err != nil {
			return nil, err
		}
		return p.Image(), nil
	}
}

// listOf makes a list of its own: instructions change it.
func listOf(vs ...Value) Value { return ListOf(vs) }

var module = ObjectOf(&templateModule{ctx: &templateContext{vars: NewMap(0)}})

var jinjaOpCases = []opCase{
	{op: code.Instr{Op: code.OpResolve, Key: "a"}, setup: python, want: []Value{String("a")}},
	{op: code.Instr{Op: code.OpCell, A: 1}, setup: python, before: []code.Instr{{Op: code.OpSlot, A: slotA}, {Op: code.OpSetCell, A: 1}},
		want: []Value{Of([]any{"x", "y"})}},
	{op: code.Instr{Op: code.OpSetCell, A: 0}, setup: python, push: []Value{Int(1), Int(2)}, want: []Value{Int(1)},
		check: func(t *testing.T, m *machine) {
			if got, _ := m.cells[0].v.Int64(); got != 2 {
				t.Error("the cell does not hold what was put there")
			}
		}},
	{op: code.Instr{Op: code.OpGiven, A: slotA}, setup: python, jumps: true},
	{op: code.Instr{Op: code.OpGiven, A: slotMark}, setup: func(img *Image) {
		python(img)
		img.Consts = append(img.Consts, UndefinedOf(&Undefined{Name: "x", Unset: true}))
		body := img.Functions[0].Code
		img.Functions[0].Code = append([]code.Instr{{Op: code.OpConst, A: int32(len(img.Consts) - 1)}, {Op: code.OpStore, A: slotMark}}, shift(body, 2)...)
	}},
	{op: code.Instr{Op: code.OpClosure, A: 0}, setup: python, want: []Value{ObjectOf(&closure{macro: &code.Macro{}})}},
	{op: code.Instr{Op: code.OpCall, B: -1, N: 1}, setup: python, push: []Value{ObjectOf(opBuiltins[1]), String("a")}, want: []Value{Bool(true)}},
	{op: code.Instr{Op: code.OpCallSpread}, setup: python, push: []Value{ObjectOf(opBuiltins[0]), listOf(String("a")), dict("y", String("b"))},
		want: []Value{String("ab")}},
	{op: code.Instr{Op: code.OpExtend}, setup: python, push: []Value{listOf(Int(1)), TupleOf([]Value{Int(2), Int(3)})},
		want: []Value{listOf(Int(1), Int(2), Int(3))}},
	{op: code.Instr{Op: code.OpExtend}, setup: python, push: []Value{MapOf(NewMap(0)), dict("k", Int(2))}, want: []Value{dict("k", Int(2))}},
	{op: code.Instr{Op: code.OpExtend}, setup: python, push: []Value{dict("k", Int(1)), dict("k", Int(2))}, fails: "multiple values"},
	{op: code.Instr{Op: code.OpAppend, A: slotSeen + seenMost - 1}, setup: python,
		before: []code.Instr{{Op: code.OpMake}, {Op: code.OpStore, A: slotSeen + seenMost - 1}}, push: []Value{Int(1), Int(2)}, want: []Value{Int(1)}},
	{op: code.Instr{Op: code.OpUnpack, N: 2}, setup: python, push: []Value{listOf(Int(1), Int(2))}, want: []Value{Int(2), Int(1)}},
	{op: code.Instr{Op: code.OpUnpack, N: 2}, setup: python, push: []Value{listOf(Int(1))}, fails: "not enough values to unpack (expected 2, got 1)"},
	{op: code.Instr{Op: code.OpUnpack, N: 2}, setup: python, push: []Value{String("abc")}, fails: "too many values to unpack (expected 2)"},
	{op: code.Instr{Op: code.OpUnpack, N: 2}, setup: python, push: []Value{Int(1)}, fails: "cannot unpack non-iterable int object"},
	{op: code.Instr{Op: code.OpSetAttr, Key: "k"}, setup: python, push: []Value{Int(1), Int(2), ObjectOf(&attributes{})}, want: []Value{Int(1)}},
	{op: code.Instr{Op: code.OpSetAttr, Key: "k"}, setup: python, push: []Value{Int(1), Int(2)}, fails: "non-namespace"},
	{op: code.Instr{Op: code.OpObject, A: 1, N: uint16(code.ObjectLoopContext)}, setup: python, before: startLoop, want: []Value{ObjectOf(&LoopContext{})}},
	{op: code.Instr{Op: code.OpEmit, B: 4, N: 2}, setup: python, push: []Value{String("<")}, out: "&lt;"},
	{op: code.Instr{Op: code.OpEmit, B: 4, N: 1}, setup: python, push: []Value{String("<")}, out: "<"},
	{op: code.Instr{Op: code.OpSafe, N: 1}, setup: python, push: []Value{String("s")}, want: []Value{Safe("s")}},
	{op: code.Instr{Op: code.OpAutoescape, A: slotA}, setup: python, push: []Value{Bool(true)}, check: func(t *testing.T, m *machine) {
		if !m.env.Autoescape {
			t.Error("escaping is off")
		}
	}},
	{op: code.Instr{Op: code.OpAutoescape, A: slotMark}, setup: python, push: []Value{Bool(false)}, before: []code.Instr{{Op: code.OpSlot, A: slotA}, {Op: code.OpAutoescape, A: slotMark}},
		check: func(t *testing.T, m *machine) {
			if m.env.Autoescape {
				t.Error("escaping is still on")
			}
		}},
	{op: code.Instr{Op: code.OpSpan, N: 1}, setup: python, check: func(t *testing.T, m *machine) {
		if len(m.spans) != 1 {
			t.Errorf("spans: %v", m.spans)
		}
	}},
	{op: code.Instr{Op: code.OpExport, Key: "e"}, setup: python, push: []Value{Int(1), Int(2)}, want: []Value{Int(1)}, check: func(t *testing.T, m *machine) {
		if d := cmp.Diff(map[string]bool{"e": true}, m.ctx.exports); d != "" {
			t.Error(d)
		}
	}},
	{op: code.Instr{Op: code.OpInclude, B: 0, N: 1}, setup: named("local"), push: []Value{Int(1), String("seen"), String("other")},
		want: []Value{Int(1)}, out: "other:seen"},
	{op: code.Instr{Op: code.OpInclude, B: -1, A: code.FlagIsolated}, setup: python, push: []Value{String("other")}, out: "other:"},
	{op: code.Instr{Op: code.OpInclude, B: -1, A: code.FlagIgnoreMissing}, setup: python, push: []Value{listOf(String("none"), String("other"))}, out: "other:"},
	{op: code.Instr{Op: code.OpInclude, B: -1, A: code.FlagIgnoreMissing}, setup: python, push: []Value{String("none")}},
	{op: code.Instr{Op: code.OpInclude, B: -1}, setup: python, push: []Value{String("none")}, fails: "no such template"},
	{op: code.Instr{Op: code.OpImport, B: 0, N: 1}, setup: named("local"), push: []Value{String("seen"), String("other")}, want: []Value{module}},
	{op: code.Instr{Op: code.OpImportName, Key: "e"}, setup: python, push: []Value{module}, want: []Value{module, UndefinedOf(&Undefined{})}},
	{op: code.Instr{Op: code.OpExtends}, setup: python, push: []Value{Int(1), String("other")}, want: []Value{Int(1)}, check: func(t *testing.T, m *machine) {
		if m.ctx.parent == nil || len(m.ctx.blocks["b"]) != 2 {
			t.Error("the parent and its blocks are not noted")
		}
	}},
	{op: code.Instr{Op: code.OpExtended}, setup: python},
	{op: code.Instr{Op: code.OpExtended}, setup: parented, jumps: true},
	{op: code.Instr{Op: code.OpBlock, Key: "b", B: -1}, setup: python, out: "block"},
	{op: code.Instr{Op: code.OpBlock, Key: "b", B: -1, A: code.FlagRequired}, setup: python, fails: "Required block"},
	{op: code.Instr{Op: code.OpObject, N: uint16(code.ObjectSelf)}, setup: python, want: []Value{ObjectOf(&templateReference{})}},
	{op: code.Instr{Op: code.OpObject, N: uint16(code.ObjectSuper), Key: "b"}, setup: python, want: []Value{UndefinedOf(&Undefined{})}},
	{op: code.Instr{Op: code.OpFinish}, setup: python},
}

// attributes takes attributes, as a namespace does.
type attributes struct{ names []string }

func (*attributes) TypeName(*Env) string        { return "Namespace" }
func (a *attributes) SetAttr(n string, _ Value) { a.names = append(a.names, n) }

// named is python with a list of one name.
func named(name string) func(*Image) {
	return func(img *Image) {
		python(img)
		img.Names = [][]string{{name}}
	}
}

// parented is python behind an extends tag.
func parented(img *Image) {
	python(img)
	img.Consts = append(img.Consts, String("other"))
	body := img.Functions[0].Code
	img.Functions[0].Code = append([]code.Instr{{Op: code.OpConst, A: int32(len(img.Consts) - 1)}, {Op: code.OpExtends}}, shift(body, 2)...)
}

// shift moves the jumps of code by n instructions.
func shift(body []code.Instr, n int32) []code.Instr {
	out := append([]code.Instr(nil), body...)
	for i := range out {
		if out[i].Op.Jumps() {
			out[i].Target += n
		}
	}
	return out
}

// TestMacroArguments binds arguments as jinja2.runtime.Macro does.
func TestMacroArguments(t *testing.T) {
	const caller, varargs, kwargs = 1, 2, 4
	for _, c := range []struct {
		name    string
		params  []string
		special int
		args    []Value
		names   []string
		want    string
	}{
		{"positional", []string{"a", "b"}, 0, []Value{Int(1), Int(2)}, nil, "1 2"},
		{"named", []string{"a", "b"}, 0, []Value{Int(1), Int(2)}, []string{"b", "a"}, "2 1"},
		{"absent", []string{"a", "b"}, 0, []Value{Int(1)}, nil, "1 -"},
		{"too many", []string{"a"}, 0, []Value{Int(1), Int(2)}, nil, "!macro 'm' takes not more than 1 argument(s)"},
		{"unknown name", []string{"a"}, 0, []Value{Int(1)}, []string{"b"}, "!macro 'm' takes no keyword argument of that name"},
		{"given twice", []string{"a"}, 0, []Value{Int(1), Int(2)}, []string{"a"}, "!macro 'm' takes no keyword argument of that name"},
		{"collected", []string{"a"}, varargs | kwargs, []Value{Int(1), Int(2), Int(3)}, []string{"k"}, "1 (2,) {'k': 3}"},
		{"no caller", nil, caller, nil, nil, "-"},
		{"caller", nil, caller, []Value{Int(7)}, []string{"caller"}, "7"},
		{"caller unused", nil, 0, []Value{Int(7)}, []string{"caller"}, "!two values for the special caller argument"},
		{"caller as parameter", []string{"caller"}, caller, []Value{Int(7)}, []string{"caller"}, "7"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := &Dialect{Python: true, Style: StylePython}
			mac := code.Macro{Name: "m", Params: c.params, Caller: -1, Varargs: -1, Kwargs: -1}
			slots := len(c.params)
			for bit, slot := range map[int]*int32{caller: &mac.Caller, varargs: &mac.Varargs, kwargs: &mac.Kwargs} {
				if c.special&bit == 0 {
					continue
				}
				if bit == caller && len(c.params) > 0 {
					mac.Caller, mac.ExplicitCaller = 0, true
					continue
				}
				// Fixed places, whatever the order of the map.
				*slot = int32(len(c.params) + map[int]int{caller: 0, varargs: 0, kwargs: 1}[bit])
				slots++
			}
			img := &Image{Dialect: d, Functions: []Function{{Function: code.Function{Slots: slots}}}, Macros: []code.Macro{mac}}
			m := &machine{activation: activation{img: img}, env: *NewEnv(d, DefaultLimits())}
			r := &registers{fn: &img.Functions[0]}
			err := m.invoke(r, ObjectOf(&closure{img: img, macro: &img.Macros[0]}), c.args, c.names, returnText)
			got := ""
			if err != nil {
				got = "!" + err.Error()
			} else {
				var parts []string
				for _, v := range r.slots {
					if v.IsUndefined() {
						parts = append(parts, "-")
						continue
					}
					s, err := m.env.Repr(v)
					if err != nil {
						t.Fatal(err)
					}
					parts = append(parts, s)
				}
				got = strings.Join(parts, " ")
			}
			if c.want[0] == '!' && strings.Contains(got, c.want[1:]) {
				return
			}
			if got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}
