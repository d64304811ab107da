package vm

import (
	"errors"
	"strings"
	"testing"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/internal/code"
)

// atRoot puts the data of the render into slot seenMost-1 of those seen, as a
// level.
func atRoot(ins ...code.Instr) []code.Instr {
	return append([]code.Instr{{Op: code.OpObject}, {Op: code.OpStore, A: slotLevel}}, ins...)
}

const slotLevel = slotSeen + seenMost - 1

// rootHas checks that a name of the current data has a text.
func rootHas(name, want string) func(*testing.T, *machine) {
	return func(t *testing.T, m *machine) {
		v, _ := m.global(name)
		if s, _ := v.Str(); s != want {
			t.Errorf("%s is %q, want %q", name, s, want)
		}
	}
}

var documentOpCases = []opCase{
	{op: code.Instr{Op: code.OpSection, A: 0, B: slotMark, Text: "sep"}},
	{op: code.Instr{Op: code.OpSection, A: 0, B: slotA, Text: "sep"}, out: "sep"},
	{op: code.Instr{Op: code.OpSection, A: 1, B: slotMark, Text: "sep"}, jumps: true,
		check: func(t *testing.T, m *machine) {
			if len(m.dropped) != 1 || m.dropped[0].Names[0] != "none" {
				t.Errorf("dropped: %v", m.dropped)
			}
		}},
	{op: code.Instr{Op: code.OpEndMessage, N: 1}, before: []code.Instr{{Op: code.OpConst}, {Op: code.OpMessage, B: -1}, {Op: code.OpText, Text: " \n"}},
		check: func(t *testing.T, m *machine) {
			if len(m.messages) != 0 {
				t.Error("the blank message is still there")
			}
		}},
	{op: code.Instr{Op: code.OpEndMessage, N: 2}, before: []code.Instr{{Op: code.OpConst}, {Op: code.OpMessage, B: -1}, {Op: code.OpText, Text: "x"}}, out: "x", check: role("user")},
	{op: code.Instr{Op: code.OpCases, Key: "s"}, push: []Value{String("x")}, want: []Value{dict("x", MapOf(NewMap(0)))}},
	{op: code.Instr{Op: code.OpScope, A: 0, Key: "k"}, setup: inLevel, before: atRoot(), push: []Value{Null}, check: rootHas("j", "deep")},
	{op: code.Instr{Op: code.OpScope, N: 1}, setup: inLevel, before: atRoot(), push: []Value{dict("more", String("x"))}, check: rootHas("s", "str")},
	{op: code.Instr{Op: code.OpEndScope}, setup: inLevel, before: atRoot(code.Instr{Op: code.OpConst, A: 1}, code.Instr{Op: code.OpScope, Key: "k"}), check: rootHas("a", "a")},
	{op: code.Instr{Op: code.OpNoteUnknown, A: slotLevel, B: 0}, before: atRoot(), check: notes("nothing here reads")},
	{op: code.Instr{Op: code.OpNoteUnknown, A: slotSeen, B: 0, N: 1}, before: []code.Instr{{Op: code.OpConst}, {Op: code.OpStore, A: slotSeen}}, check: notes("a case `user`")},
	{op: code.Instr{Op: code.OpCover}},
	{op: code.Instr{Op: code.OpDialect}, check: func(t *testing.T, m *machine) {
		if m.env.Dialect.Name != "other" {
			t.Errorf("the dialect is %q", m.env.Dialect.Name)
		}
	}},
}

// inLevel makes slotLevel the one level.
func inLevel(img *Image) {
	img.SlotLists = [][]int32{{slotLevel}}
}

// notes checks that one note has a text.
func notes(part string) func(*testing.T, *machine) {
	return func(t *testing.T, m *machine) {
		if len(m.notes) == 0 || !strings.Contains(m.notes[0].Message, part) {
			t.Errorf("notes: %v", m.notes)
		}
	}
}

func TestScopeLevels(t *testing.T) {
	outer := Of(map[string]any{"p": map[string]any{"a": "outer a", "b": "outer b"}})
	inner := Of(map[string]any{"p": map[string]any{"a": "inner a", "n": nil}})
	defaults := NewMap(2)
	defaults.Set("d", String("default"))
	defaults.Set("n", String("not null"))
	img := &Image{Dialect: &Dialect{}, Consts: []Value{MapOf(defaults)}, SlotLists: [][]int32{{0, 1}}}
	m := &machine{activation: activation{img: img}, env: Env{Dialect: img.Dialect, limits: DefaultLimits(), steps: 1000, memory: 1 << 20}}
	m.slots = []Value{outer, inner}
	if err := m.enterScope(&code.Instr{Op: code.OpScope, Key: "p"}, dict("item", String("the item"))); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"a": "inner a", "b": "outer b", "d": "default", "item": "the item"} {
		rootHas(name, want)(t, m)
	}
	if v, ok := m.global("n"); !ok || !v.IsNull() {
		t.Error("a null in the data must beat a default")
	}

	m.slots[1] = Of(map[string]any{"p": "no map"})
	err := m.enterScope(&code.Instr{Op: code.OpScope, Key: "p"}, Null)
	if e := (*Error)(nil); !errors.As(err, &e) || e.Code != "PCC352" {
		t.Errorf("a text in a template's place: %v", err)
	}
}

func TestIsEmpty(t *testing.T) {
	for _, v := range []Value{Null, String(""), Of([]any{}), Of(map[string]any{}), MapOf(NewMap(0)), ListOf(nil), UndefinedOf(&Undefined{})} {
		if !isEmpty(v) {
			t.Errorf("%v is not empty", v.Kind())
		}
	}
	for _, v := range []Value{Int(0), Float(0), Bool(false), String(" "), String("0"), Of([]any{nil}), Of(struct{ A int }{})} {
		if isEmpty(v) {
			t.Errorf("%v is empty", v.Kind())
		}
	}
}

func TestCheckExact(t *testing.T) {
	img := &Image{Dialect: &Dialect{}, Sites: []code.Site{{}}}
	x := &code.ExactRule{Required: []string{"name", "city"}, Optional: []string{"note"}}
	for _, c := range []struct {
		data  map[string]any
		names []string
	}{
		{map[string]any{"name": 1, "city": nil}, nil},
		{map[string]any{"name": 1, "city": 2, "note": 3}, nil},
		{map[string]any{"name": 1}, []string{"city"}},
		{map[string]any{"nam": 1, "city": 2}, []string{"name", "nam"}},
	} {
		m := &machine{activation: activation{img: img}, env: Env{Dialect: img.Dialect}, root: c.data, rootV: Of(c.data)}
		err := m.checkExact(x)
		var got []string
		if d := (*diag.Diagnostic)(nil); errors.As(err, &d) {
			got = d.Names
		}
		if len(got) != len(c.names) {
			t.Errorf("%v: %v", c.data, err)
			continue
		}
		for i := range got {
			if got[i] != c.names[i] {
				t.Errorf("%v: names %v, want %v", c.data, got, c.names)
			}
		}
	}
}

// TestExactHelp wants the advice that fits: a near name goes before a guess at
// braces that are meant as text, and both before the list of names.
func TestExactHelp(t *testing.T) {
	for _, c := range []struct {
		x                   code.ExactRule
		missing, unexpected []string
		want                string
	}{
		{code.ExactRule{Required: []string{"name"}}, []string{"name"}, []string{"nmae"}, "the data has `nmae`; did you mean `name`?"},
		{code.ExactRule{Required: []string{"name"}, Brace: true}, []string{"name"}, nil, "it takes `name`"},
		{code.ExactRule{Required: []string{"a, b"}}, []string{"a, b"}, nil, "it takes `a, b`"},
		{code.ExactRule{Required: []string{"a, b"}, Brace: true}, []string{"a, b"}, nil,
			"whatever stands in braces is a variable in this form; choose another populator if the braces are text"},
		{code.ExactRule{Brace: true}, nil, []string{"x"}, "the template has no variables"},
	} {
		if got := exactHelp(&c.x, c.missing, c.unexpected); got != c.want {
			t.Errorf("missing %q, unexpected %q: %s", c.missing, c.unexpected, got)
		}
	}
}
