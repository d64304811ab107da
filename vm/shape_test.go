package vm

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/google/go-cmp/cmp"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/internal/code"
)

// opRecord is the struct that the opcodes of bound code read.
type opRecord struct {
	J string `json:"j"`
	N int    `json:"n"`
	P *opRecord
}

// withRecord puts a record into slotA and makes the accesses 0 to j, 1 to n and
// 2 to P.j, which a nil pointer makes missing.
func withRecord(img *Image) {
	img.Consts[1] = Of(&opRecord{J: "a"}) // what the code before stores into slotA
	f := &img.Functions[0]
	b := &binder{img: img, fn: f}
	for _, keys := range [][]string{{"j"}, {"n"}, {"P", "j"}} {
		p := &Path{Keys: keys, Item: make([]bool, len(keys)), Undef: &Undefined{Name: strings.Join(keys, ".")}}
		a, _, ok := b.plan(reflect.TypeFor[*opRecord](), p, false)
		if !ok {
			panic("the path cannot be bound")
		}
		f.fields = append(f.fields, a)
	}
}

var shapeOpCases = []opCase{
	{op: code.Instr{Op: code.OpEmitField, A: slotA, N: 0, B: 1, Text: "t:"}, setup: withRecord, out: "t:a"},
	{op: code.Instr{Op: code.OpEmitField, A: slotA, N: 1, B: 1, Text: "t:"}, setup: withRecord, out: "t:0"},
	{op: code.Instr{Op: code.OpEmitField, A: slotA, N: 2, B: 1, Text: "t:"}, setup: withRecord, out: "t:{j}"},
	// slotB holds a map: the general way.
	{op: code.Instr{Op: code.OpEmitField, A: slotB, N: 0, B: 1, Text: "t:"}, setup: withRecord, out: "t:slot"},
	{op: code.Instr{Op: code.OpField, A: slotA, N: 1}, setup: withRecord, want: []Value{Int(0)}},
	{op: code.Instr{Op: code.OpField, A: slotB, N: 0}, setup: withRecord, want: []Value{String("slot")}},
	{op: code.Instr{Op: code.OpJumpFieldFalse, A: slotA, N: 1}, setup: withRecord, jumps: true},
	{op: code.Instr{Op: code.OpJumpFieldFalse, A: slotA, N: 2}, setup: withRecord, jumps: true},
	{op: code.Instr{Op: code.OpJumpFieldFalse, A: slotA, N: 0}, setup: withRecord},
	{op: code.Instr{Op: code.OpSwitchField, A: slotA, N: 0}, setup: withRecord, jumps: true},
	{op: code.Instr{Op: code.OpSwitchField, A: slotB, N: 0}, setup: withRecord, jumps: true},
}

// shapeData has what bound code reads: each kind of field, structs in structs,
// behind pointers and embedded, lists of all sorts.
type shapeData struct {
	shapeBase
	*shapeMore
	Text    string            `json:"text"`
	Named   shapeText         `json:"named"`
	Flag    bool              `json:"flag"`
	Int     int               `json:"int"`
	Wide    int64             `json:"wide"`
	Small   int32             `json:"small"`
	Tiny    uint8             `json:"tiny"`
	Real    float64           `json:"real"`
	Thin    float32           `json:"thin"`
	Any     any               `json:"any"`
	Map     map[string]any    `json:"map"`
	Typed   map[string]int    `json:"typed"`
	When    time.Time         `json:"when"`
	Bytes   []byte            `json:"bytes"`
	Inner   shapeInner        `json:"inner"`
	Pointer *shapeInner       `json:"pointer"`
	Nil     *shapeInner       `json:"nil"`
	Values  []shapeInner      `json:"values"`
	Refs    []*shapeInner     `json:"refs"`
	Texts   []string          `json:"texts"`
	Ints    []int             `json:"ints"`
	Anys    []any             `json:"anys"`
	Maps    []map[string]any  `json:"maps"`
	Lists   [][]string        `json:"lists"`
	Array   [2]shapeInner     `json:"array"`
	Hidden  string            `json:"-"`
	Strings map[string]string `json:"strings"`
	unseen  string
}

type shapeText string

type shapeBase struct {
	Base string `json:"base"`
}

type shapeMore struct {
	More string `json:"more"`
}

type shapeInner struct {
	Name  string      `json:"name"`
	Count int         `json:"count"`
	Next  *shapeInner `json:"next"`
}

func newShapeData() *shapeData {
	inner := shapeInner{Name: "in", Count: 3, Next: &shapeInner{Name: "next"}}
	return &shapeData{
		shapeBase: shapeBase{"base"}, shapeMore: &shapeMore{"more"},
		Text: "text", Named: "named", Flag: true, Int: -1, Wide: 1 << 40, Small: 7, Tiny: 8, Real: 1.5, Thin: 0.1,
		Any: "any", Map: map[string]any{"name": "mapped"}, Typed: map[string]int{"name": 4},
		When: time.Unix(0, 0).UTC(), Bytes: []byte("bytes"), Inner: inner, Pointer: &inner,
		Values: []shapeInner{inner, {Name: "two"}}, Refs: []*shapeInner{&inner, nil}, Texts: []string{"x", "y"},
		Ints: []int{1, 2}, Anys: []any{"a", 1, &inner}, Maps: []map[string]any{{"name": "m"}}, Lists: [][]string{{"l"}},
		Array: [2]shapeInner{inner, {Name: "last"}}, Hidden: "hidden", Strings: map[string]string{"name": "s"}, unseen: "unseen",
	}
}

// shapeImage reads every field of shapeData as the template itself and, in a
// loop over it, as fields of the items of list.
func shapeImage() *Image {
	img := &Image{Name: "shape", Dialect: &Dialect{Name: "native"},
		Sites: []code.Site{{File: source.New("shape", "template"), Parent: -1}}}
	path := func(keys ...string) int32 {
		img.Paths = append(img.Paths, Path{Keys: keys, Item: make([]bool, len(keys)), Undef: &Undefined{Name: strings.Join(keys, ".")}})
		return int32(len(img.Paths) - 1)
	}
	out := func(p int32) int32 {
		name := img.Paths[p].Undef.Name
		img.Outs = append(img.Outs, Out{Raw: "{" + name + "}", Name: name, Path: img.Paths[p]})
		return int32(len(img.Outs) - 1)
	}
	var list []code.Instr
	emit := func(keys ...string) {
		list = append(list, code.Instr{Op: code.OpEmitRoot, B: out(path(keys...)), N: uint16(len(keys)), Key: keys[0], Text: "\n" + strings.Join(keys, ".") + "="})
	}
	plan := planOf(reflect.TypeFor[shapeData]())
	names := append(plan.names(), "Hidden", "unseen", "-", "none")
	for _, name := range names {
		emit(name)
		for _, key := range []string{"name", "count", "next", "none"} {
			emit(name, key)
		}
		emit(name, "next", "name")
		emit(name, "next", "next", "name")
		// {when NAME}+{/when}
		list = append(list, code.Instr{Op: code.OpJumpRootFalse, A: path(name), N: 1, Key: name, Target: int32(len(list) + 2)}, code.Instr{Op: code.OpText, Text: "+"})
	}
	for _, name := range []string{"values", "refs", "texts", "ints", "anys", "maps", "lists", "array"} {
		list = append(list, code.Instr{Op: code.OpRoot, A: path(name), N: 1, Key: name})
		loop := len(list)
		list = append(list, code.Instr{Op: code.OpLoop, A: 0, B: 0, N: uint16(code.ModeItems), Text: "loop " + name},
			code.Instr{Op: code.OpEmitSlot, A: 0, B: out(path(name)), Text: "\nitem="})
		for _, keys := range [][]string{{"name"}, {"count"}, {"next", "name"}, {"none"}} {
			list = append(list, code.Instr{Op: code.OpEmitSlotKey, A: 0, B: out(path(keys...)), N: uint16(len(keys)), Key: keys[0], Text: "\n." + keys[0] + "="})
		}
		list = append(list, code.Instr{Op: code.OpJumpSlotKeyFalse, A: 0, B: path("count"), N: 1, Key: "count", Target: int32(len(list) + 2)}, code.Instr{Op: code.OpText, Text: "+"})
		list = append(list, code.Instr{Op: code.OpNext, A: 0, B: 0, N: uint16(code.ModeItems), Target: int32(loop + 1)}, code.Instr{Op: code.OpEndLoop, A: 0})
		list[loop].Target = int32(len(list))
	}
	img.Functions = []Function{{Function: code.Function{Name: "template", Code: append(list, code.Instr{Op: code.OpReturn}), Slots: 1, Loops: 1,
		Spans: []code.SpanRun{{PC: 0, Span: source.Span{Start: 0, End: 1}}}}}}
	return img
}

func newShapeProgram(t *testing.T) *Program {
	t.Helper()
	p, err := New(shapeImage())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestShapeReads holds bound code against the general code, field by field.
func TestShapeReads(t *testing.T) {
	p := newShapeProgram(t)
	for _, data := range []*shapeData{newShapeData(), {}} {
		p.shapes.known.Store(nil)
		general, err := p.Render(data)
		if err != nil {
			t.Fatal(err)
		}
		if known := *p.shapes.known.Load(); len(known) != 1 || known[0].fn != nil {
			t.Fatalf("after one render the program knows %+v", known)
		}
		for how, render := range map[string]func() (string, error){
			"a pointer": func() (string, error) { return p.Render(data) },
			"a value":   func() (string, error) { return p.Render(*data) },
		} {
			for range 3 {
				got, err := render()
				if err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(strings.Split(general, "\n"), strings.Split(got, "\n")); d != "" {
					t.Fatalf("%s (-general +bound):\n%s", how, d)
				}
			}
		}
		if strings.Contains(general, "hidden") || strings.Contains(general, "unseen=unseen") {
			t.Error("a field that is not exported was read")
		}
	}
}

// TestShapeGuard renders with types of which only the first few are bound, and
// with slots that hold other types than the code expects.
func TestShapeGuard(t *testing.T) {
	p := newShapeProgram(t)
	type a struct {
		Text   string `json:"text"`
		Values any    `json:"values"`
	}
	type b struct {
		Values any    `json:"values"`
		Text   string `json:"text"`
	}
	type c struct {
		Text any `json:"text"`
	}
	type d struct{ a }
	type e struct {
		X [4]int
		d
	}
	for round := range 4 {
		for i, data := range []any{&a{Text: "T"}, &b{Text: "T"}, &c{Text: "T"}, &d{a{Text: "T"}}, &e{d: d{a{Text: "T"}}}, a{Text: "T"},
			&a{Text: "T", Values: []c{{"x"}}}, &a{Text: "T", Values: []any{&a{}, a{}, nil}}} {
			s, err := p.Render(data)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(s, "\ntext=T\n") {
				t.Errorf("round %d: data %d: text is not there", round, i)
			}
		}
	}
	if known := *p.shapes.known.Load(); len(known) > maxShapes {
		t.Errorf("the program is bound to %d types", len(known))
	}
}

// TestShapeConcurrent meets new types from many goroutines.
func TestShapeConcurrent(t *testing.T) {
	p := newShapeProgram(t)
	want, err := p.Render(newShapeData())
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				got, err := p.Render(newShapeData())
				if err != nil || got != want {
					t.Errorf("another result (%v)", err)
					return
				}
				type other struct {
					Text string `json:"text"`
				}
				if s, err := p.Render(other{"T"}); err != nil || !strings.Contains(s, "\ntext=T\n") {
					t.Errorf("another result of the other type (%v)", err)
				}
			}
		})
	}
	wg.Wait()
}

// TestShapeAllocations: bound code boxes nothing.
func TestShapeAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	img := &Image{Name: "few", Dialect: &Dialect{Name: "native"}, Sites: []code.Site{{File: source.New("few", "x"), Parent: -1}}}
	img.Paths = []Path{
		{Keys: []string{"values"}, Item: []bool{false}, Undef: &Undefined{Name: "values"}},
		{Keys: []string{"name"}, Item: []bool{false}, Undef: &Undefined{Name: "name"}},
		{Keys: []string{"pointer", "count"}, Item: []bool{false, false}, Undef: &Undefined{Name: "pointer.count"}},
		{Keys: []string{"texts"}, Item: []bool{false}, Undef: &Undefined{Name: "texts"}},
	}
	for i := range img.Paths {
		img.Outs = append(img.Outs, Out{Path: img.Paths[i], Name: img.Paths[i].Undef.Name})
	}
	img.Functions = []Function{{Function: code.Function{Name: "template", Slots: 1, Loops: 1, Code: []code.Instr{
		{Op: code.OpEmitRoot, B: 2, N: 2, Key: "pointer"},
		{Op: code.OpRoot, A: 0, N: 1, Key: "values"},
		{Op: code.OpLoop, N: uint16(code.ModeItems), Target: 6},
		{Op: code.OpEmitSlotKey, B: 1, N: 1, Key: "name", Text: " "},
		{Op: code.OpNext, N: uint16(code.ModeItems), Target: 3},
		{Op: code.OpEndLoop},
		{Op: code.OpRoot, A: 3, N: 1, Key: "texts"},
		{Op: code.OpLoop, N: uint16(code.ModeItems), Target: 11},
		{Op: code.OpEmitSlot, B: 1, Text: " "},
		{Op: code.OpNext, N: uint16(code.ModeItems), Target: 8},
		{Op: code.OpEndLoop},
		{Op: code.OpReturn},
	}}}}
	p, err := New(img)
	if err != nil {
		t.Fatal(err)
	}
	data, buf := newShapeData(), []byte(nil)
	allocs := testing.AllocsPerRun(100, func() {
		if buf, err = p.AppendTo(buf[:0], data); err != nil {
			t.Fatal(err)
		}
	})
	if want := "3 in two x y"; string(buf) != want || allocs != 0 {
		t.Errorf("rendered %q, want %q, with %v allocations", buf, want, allocs)
	}
	const list = `template: slots 2, loops 1, stack 1
0000  EMIT_FIELD           s1 ` + "`pointer.count`" + ` keep
0001  FIELD                s1 "values"
0002  LOOP                 loop0 s0 items →0006
0003  EMIT_FIELD           " " s0 ` + "`name`" + ` keep
0004  NEXT                 loop0 s0 items →0003
0005  END_LOOP             loop0
0006  FIELD                s1 "texts"
0007  LOOP                 loop0 s0 items →0011
0008  EMIT_SLOT            " " s0 ` + "`name`" + ` keep
0009  NEXT                 loop0 s0 items →0008
0010  END_LOOP             loop0
0011  RETURN
`
	bound := *img
	bound.Functions = []Function{*p.shapes.lookup(data)}
	if d := cmp.Diff(list, bound.disassemble()); d != "" {
		t.Errorf("code (-want +got):\n%s", d)
	}
}

// TestBindChecks holds what Bind refuses.
func TestBindChecks(t *testing.T) {
	file := source.New("t.md", "{nam} {user.mail} {tags[].x} {maybe} {any.x} {text.x}")
	use := func(name string) Variable {
		return Variable{Name: name, Required: name != "maybe", File: "t.md",
			Uses: []source.Position{file.Position(source.Pos(strings.Index(file.Text, name)))}}
	}
	img := shapeImage()
	img.Sites[0].File = file
	img.Variables = []Variable{use("nam"), use("user.mail"), use("tags[].x"), use("maybe"), use("any.x"), use("text.x"), {Name: "unread", Required: true, File: "t.md"},
		{Name: "more[].y", Required: true, File: "t.md"}, {Name: "more[].x", Required: true, File: "t.md"},
		{Name: "items[].name | name", Required: true}}
	p, err := New(img)
	if err != nil {
		t.Fatal(err)
	}
	type user struct {
		Email string `json:"email"`
	}
	type data struct {
		Name string              `json:"name"`
		User *user               `json:"user"`
		Tags []map[string]string `json:"tags"`
		Any  any                 `json:"any"`
		Text string              `json:"text"`
		More **[]*struct {
			X int `json:"x"`
		} `json:"more"`
	}
	err = p.Bind(data{})
	var l diag.List
	if !errors.As(err, &l) {
		t.Fatalf("Bind: %v", err)
	}
	var got []string
	for _, d := range l {
		_, at, _ := d.Position()
		got = append(got, fmt.Sprintf("%d %s: %s (%s)", at.Column, d.Code, d.Message, d.Help))
	}
	want := []string{
		"1 PCC307: `unread` has no value: vm.data has no field `unread` (add the field, correct the name, or write a fallback: {{ name|default(\"…\") }})",
		"1 PCC307: `more[].y` has no value: struct{…} has no field `y` (add the field, correct the name, or write a fallback: {{ name|default(\"…\") }})",
		"2 PCC307: `nam` has no value: vm.data has no field `nam` (did you mean `name`?)",
		"8 PCC307: `user.mail` has no value: vm.user has no field `mail` (did you mean `user.email`?)",
		"47 PCC307: `text.x` has no value: string has no fields (add the field, correct the name, or write a fallback: {{ name|default(\"…\") }})",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("Bind (-want +got):\n%s", d)
	}
	for _, sample := range []any{nil, 1, "s", map[string]any{}, []data{}, time.Time{}, new(int), ListOf(nil)} {
		if err := p.Bind(sample); !errors.Is(err, &diag.Diagnostic{Code: "PCC308"}) {
			t.Errorf("Bind(%T): %v", sample, err)
		}
	}
	if err := newShapeProgram(t).Bind((*shapeData)(nil)); err != nil {
		t.Errorf("a nil pointer of a type that fits: %v", err)
	}
}

// lineImage writes text, n, text: a run of the whole template with text, and one
// that ends at a number.
func lineImage(keys ...string) *Image {
	img := &Image{Name: "line", Dialect: &Dialect{Name: "native"}, Sites: []code.Site{{File: source.New("line", "x"), Parent: -1}}}
	var list []code.Instr
	for i, k := range keys {
		p := Path{Keys: []string{k}, Item: []bool{false}, Undef: &Undefined{Name: k}}
		img.Outs = append(img.Outs, Out{Name: k, Raw: "{" + k + "}", Path: p})
		list = append(list, code.Instr{Op: code.OpEmitRoot, B: int32(i), N: 1, Key: k, Text: " " + k + "="})
	}
	img.Functions = []Function{{Function: code.Function{Name: "template", Code: append(list, code.Instr{Op: code.OpText, Text: "."}, code.Instr{Op: code.OpReturn})}}}
	return img
}

// TestFieldRuns holds runs of fields against the general code: with the lengths
// around which strings are not copied, with limits, with too little room.
func TestFieldRuns(t *testing.T) {
	long := strings.Repeat("long ", bulkBytes)
	for _, keys := range [][]string{{"text", "base", "named"}, {"text", "int", "base", "named", "text"}, {"text"}, {"text", "pointer", "text"}} {
		for _, text := range []string{"", "short", long[:bulkBytes-1], long[:bulkBytes], long} {
			for _, limits := range []Limits{{}, {OutputBytes: 30}, {Steps: 3}, {Steps: 12}, {OutputBytes: int64(len(long))}} {
				img := lineImage(keys...)
				img.Limits = limits
				p, err := New(img)
				if err != nil {
					t.Fatal(err)
				}
				data := &shapeData{Text: text, Named: "named", shapeBase: shapeBase{"base"}}
				want, wantErr := p.Render(data)
				p.Render(data)
				for how, f := range map[string]func() (string, error){
					"Render":   func() (string, error) { return p.Render(data) },
					"AppendTo": func() (string, error) { b, err := p.AppendTo(nil, data); return string(b), err },
					"room": func() (string, error) {
						b, err := p.AppendTo(make([]byte, 0, len(want)), data)
						return string(b), err
					},
					"Report": func() (string, error) {
						r, err := p.Report(context.Background(), data)
						if err != nil {
							return "", err
						}
						return r.Text, nil
					},
					"writer": func() (string, error) {
						var b strings.Builder
						err := p.RenderTo(&b, data)
						return b.String(), err
					},
				} {
					got, err := f()
					if got != want || fmt.Sprint(err) != fmt.Sprint(wantErr) {
						t.Errorf("%v, %d bytes, %+v, %s: %d bytes, %v; the general code gives %d, %v",
							keys, len(text), limits, how, len(got), err, len(want), wantErr)
					}
				}
			}
		}
	}
}

// TestWholeRun renders a template that is one run, which takes no machine.
func TestWholeRun(t *testing.T) {
	p, err := New(lineImage("text", "base"))
	if err != nil {
		t.Fatal(err)
	}
	data := &shapeData{Text: "T", shapeBase: shapeBase{"B"}}
	for range 2 {
		p.Render(data)
	}
	if f := p.shapes.lookup(data); f == nil || f.whole == nil {
		t.Fatal("the template is no run")
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := p.RenderContext(cancelled, data); !errors.Is(err, &diag.Diagnostic{Code: "PCC910"}) {
		t.Errorf("cancelled: %v", err)
	}
	segments, err := p.Segments(data)
	want := []Segment{{Text: " text="}, {Text: "T", FromData: true}, {Text: " base="}, {Text: "B", FromData: true}, {Text: "."}}
	if d := cmp.Diff(want, segments); err != nil || d != "" {
		t.Errorf("segments (-want +got), %v:\n%s", err, d)
	}
	if s, err := p.Render((*shapeData)(nil)); err != nil || s != " text={text} base={base}." {
		t.Errorf("a nil pointer: %q, %v", s, err)
	}
	if raceEnabled {
		return
	}
	if n := testing.AllocsPerRun(100, func() { p.Render(data) }); n != 1 {
		t.Errorf("%v allocations", n)
	}
}

// TestRunLimit writes a struct that grew since its strings were measured.
func TestRunLimit(t *testing.T) {
	type pair struct{ a, b string }
	r := &textRun{}
	r.value("a=", runPart{offset: unsafe.Offsetof(pair{}.a)})
	r.value(" b=", runPart{offset: unsafe.Offsetof(pair{}.b)})
	r.text(".")
	data := &pair{"one", "two"}
	want := "a=one b=two."
	for limit := range len(want) + 3 {
		buf := []byte(strings.Repeat("#", 40))
		n, ok := r.write(unsafe.Pointer(&buf[0]), 2, 2+limit, unsafe.Pointer(data))
		if ok != (limit >= len(want)) || n > 2+limit {
			t.Errorf("a limit of %d: %d, %v", limit, n, ok)
		}
		if ok && string(buf[2:n]) != want {
			t.Errorf("a limit of %d: %s", limit, buf)
		}
		if rest := strings.Trim(string(buf[2+limit:]), "#"); !ok && rest != "" {
			t.Errorf("a limit of %d: %q is behind it", limit, rest)
		}
	}
	data.b = strings.Repeat("b", bulkBytes)
	if _, ok := r.write(unsafe.Pointer(&make([]byte, 2*bulkBytes)[0]), 0, 2*bulkBytes, unsafe.Pointer(data)); ok {
		t.Error("a long string is copied")
	}
}
