package vm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"unsafe"
	"weak"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/internal/code"
)

// letter is the image of
//
//	Dear {name},
//	{loop items as item}{loop.index}. {item.title}{/loop}{sum}
func letter(change ...func(*Image)) *Image {
	path := func(keys ...string) Path {
		return Path{Keys: keys, Item: make([]bool, len(keys)), Undef: &Undefined{Name: strings.Join(keys, ".")}}
	}
	img := &Image{
		Name:    "letter",
		Dialect: &Dialect{Name: "native"},
		Paths:   []Path{path("items")},
		Sites:   []code.Site{{File: source.New("letter", "Dear {name},\n{loop items as item}{loop.index}. {item.title}{/loop}{sum}"), Parent: -1}},
		Outs: []Out{
			{Raw: "{name}", Name: "name", Path: path("name")},
			{Raw: "{loop.index}", Name: "loop.index", Path: path("index")},
			{Raw: "{item.title}", Name: "item.title", Path: path("title")},
			{Raw: "{sum}", Name: "sum", Path: path("sum")},
		},
	}
	img.Functions = []Function{{Function: code.Function{
		Name: "template", Slots: 1, Loops: 1,
		Code: []code.Instr{
			{Op: code.OpEmitRoot, B: 0, N: 1, Key: "name", Text: "Dear "},
			{Op: code.OpText, Text: ",\n"},
			{Op: code.OpRoot, A: 0, Key: "items"},
			{Op: code.OpLoop, A: 0, B: 0, Target: 9, Text: "loop items as item"},
			{Op: code.OpLoopField, A: 0, N: uint16(code.LoopIndex)},
			{Op: code.OpEmit, B: 1},
			{Op: code.OpEmitSlotKey, A: 0, B: 2, N: 1, Key: "title", Text: ". "},
			{Op: code.OpNext, A: 0, B: 0, Target: 4},
			{Op: code.OpEndLoop, A: 0},
			{Op: code.OpEmitRoot, B: 3, N: 1, Key: "sum"},
			{Op: code.OpReturn},
		},
		Spans: []code.SpanRun{{PC: 0, Span: source.Span{Start: 5, End: 11}}, {PC: 2, Span: source.Span{Start: 13, End: 34}}},
	}}}
	for _, c := range change {
		c(img)
	}
	return img
}

func program(t testing.TB, img *Image) *Program {
	t.Helper()
	p, err := New(img)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func letterData(name string, n int) (data map[string]any, want string) {
	var items []any
	var w strings.Builder
	fmt.Fprintf(&w, "Dear %s,\n", name)
	for i := range n {
		title := fmt.Sprintf("%s-%d", name, i)
		items = append(items, map[string]any{"title": title})
		fmt.Fprintf(&w, "%d. %s", i+1, title)
	}
	fmt.Fprint(&w, n)
	return map[string]any{"name": name, "items": items, "sum": n}, w.String()
}

// TestRenderWays checks that the ways to render agree, on outputs shorter and
// longer than what is copied at once.
func TestRenderWays(t *testing.T) {
	p := program(t, letter())
	for _, size := range []int{1, 60, bulkBytes, 40 * bulkBytes} {
		name := strings.Repeat("ä", size)
		data, want := letterData(name, 3)
		got, err := p.Render(data)
		if got != want || err != nil {
			t.Fatalf("Render: %d bytes, %v, want %d", len(got), err, len(want))
		}
		if got, err := p.RenderContext(context.Background(), data); got != want || err != nil {
			t.Errorf("RenderContext differs: %v", err)
		}
		if got, err := p.AppendTo([]byte("before"), data); string(got) != "before"+want || err != nil {
			t.Errorf("AppendTo differs: %v", err)
		}
		var w countingWriter
		if err := p.RenderTo(&w, data); w.String() != want || w.writes != 1 || err != nil {
			t.Errorf("RenderTo differs, or took %d writes: %v", w.writes, err)
		}
		r, err := p.Report(context.Background(), data)
		if err != nil || r.Text != want {
			t.Errorf("Report differs: %v", err)
		}
		m, err := p.Messages(data)
		if err != nil || len(m) != 1 || m[0].Role != "user" || m[0].Content != want {
			t.Errorf("Messages differs: %v", err)
		}
	}
}

type countingWriter struct {
	bytes.Buffer
	writes int
}

func (w *countingWriter) Write(b []byte) (int, error) { w.writes++; return w.Buffer.Write(b) }

// TestFailedRender checks that a failed render gives no output at all.
func TestFailedRender(t *testing.T) {
	p := program(t, letter(func(i *Image) { i.Outs[3].Policy = code.Fail }))
	data, _ := letterData("Ann", 2)
	delete(data, "sum")
	if s, err := p.Render(data); s != "" || err == nil {
		t.Errorf("Render gave %q, %v", s, err)
	}
	dst := append(make([]byte, 0, 1000), "before"...)
	if b, err := p.AppendTo(dst, data); string(b) != "before" || err == nil {
		t.Errorf("AppendTo gave %q, %v", b, err)
	}
	var w countingWriter
	if err := p.RenderTo(&w, data); w.writes != 0 || err == nil {
		t.Errorf("RenderTo wrote %d times: %v", w.writes, err)
	}
	_, err := p.Render(data)
	if !errors.Is(err, &diag.Diagnostic{Code: "PCC301"}) {
		t.Errorf("the error is %v", err)
	}
}

func TestChatHasNoText(t *testing.T) {
	p := program(t, letter(func(i *Image) { i.Chat = true }))
	want := &diag.Diagnostic{Code: "PCC303"}
	_, err := p.Render(nil)
	if d := (*diag.Diagnostic)(nil); !errors.As(err, &d) || d.Code != want.Code || d.File == nil || d.File.Name != "letter" {
		t.Errorf("Render: %v", err)
	}
	if _, err := p.AppendTo(nil, nil); !errors.Is(err, want) {
		t.Errorf("AppendTo: %v", err)
	}
	if err := p.RenderTo(&bytes.Buffer{}, nil); !errors.Is(err, want) {
		t.Errorf("RenderTo: %v", err)
	}
}

// TestConcurrentRenders renders one program from many goroutines with data of
// their own; run it with -race.
func TestConcurrentRenders(t *testing.T) {
	p := program(t, letter())
	var group sync.WaitGroup
	for g := range 64 {
		group.Go(func() {
			var buf []byte
			for i := range 50 {
				data, want := letterData(strings.Repeat(fmt.Sprintf("g%d", g), 1+i*i), i)
				if got, err := p.Render(data); got != want || err != nil {
					t.Errorf("goroutine %d, render %d: %d bytes, %v", g, i, len(got), err)
					return
				}
				var err error
				if buf, err = p.AppendTo(buf[:0], data); string(buf) != want || err != nil {
					t.Errorf("goroutine %d, append %d: %d bytes, %v", g, i, len(buf), err)
					return
				}
			}
		})
	}
	group.Wait()
}

// TestAllocations pins the number of allocations of a render.
func TestAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	p := program(t, letter())
	for _, name := range []string{"Ann", strings.Repeat("long ", 5*bulkBytes)} {
		data, _ := letterData(name, 20)
		if got := testing.AllocsPerRun(100, func() {
			if _, err := p.Render(data); err != nil {
				t.Fatal(err)
			}
		}); got != 1 {
			t.Errorf("Render of a name of %d bytes: %v allocations, want 1", len(name), got)
		}
		buf := make([]byte, 0, 1<<20)
		if got := testing.AllocsPerRun(100, func() {
			if _, err := p.AppendTo(buf, data); err != nil {
				t.Fatal(err)
			}
		}); got != 0 {
			t.Errorf("AppendTo with a name of %d bytes: %v allocations, want 0", len(name), got)
		}
	}
}

// secrets are strings whose memory can be watched.
type secrets struct{ bytes []weak.Pointer[byte] }

func (s *secrets) new() string {
	b := bytes.Repeat([]byte("secret "), 2*bulkBytes)
	s.bytes = append(s.bytes, weak.Make(&b[0]))
	return unsafe.String(&b[0], len(b))
}

// TestReleasedMachine checks that a machine that went back to its pool keeps
// nothing of the data alive, after renders that end well or badly.
func TestReleasedMachine(t *testing.T) {
	chat := func(i *Image) {
		f := &i.Functions[0]
		i.Chat, i.Consts = true, []Value{String("user")}
		f.Code = append([]code.Instr{{Op: code.OpConst}, {Op: code.OpMessage, B: -1}, {Op: code.OpRoot, A: 0, Key: "items"}, {Op: code.OpMessageKey, N: 2},
			{Op: code.OpCapture}, {Op: code.OpEmitRoot, B: 3, N: 1, Key: "sum"}, {Op: code.OpEndCapture}, {Op: code.OpMessageKey, Key: "k"}}, f.Code...)
		for pc := range f.Code {
			if f.Code[pc].Op.Jumps() {
				f.Code[pc].Target += 8
			}
		}
		f.Code[len(f.Code)-1] = code.Instr{Op: code.OpEndMessage}
		f.Code = append(f.Code, code.Instr{Op: code.OpReturn})
	}
	for _, tt := range []struct {
		name  string
		img   *Image
		fails bool
		data  func(s *secrets) map[string]any
	}{
		{"text", letter(), false, func(s *secrets) map[string]any {
			return map[string]any{"name": s.new(), "items": []any{map[string]any{"title": s.new()}}, "sum": s.new()}
		}},
		{"maps of ours", letter(), false, func(s *secrets) map[string]any {
			return map[string]any{"name": String(s.new()), "items": ListOf([]Value{dict("title", s.new())}), "sum": Safe(s.new())}
		}},
		{"failing in a loop", letter(func(i *Image) { i.Limits.OutputBytes = 8000 }), true, func(s *secrets) map[string]any {
			return map[string]any{"name": "", "items": []any{map[string]any{"title": s.new()}}, "sum": s.new()}
		}},
		{"missing names", letter(func(i *Image) { i.Outs[3].Policy = code.Fail }), true, func(s *secrets) map[string]any {
			return map[string]any{"name": s.new(), "items": []any{map[string]any{"title": s.new()}}}
		}},
		{"messages", letter(chat), false, func(s *secrets) map[string]any {
			return map[string]any{"name": s.new(), "items": []any{map[string]any{"title": s.new()}}, "sum": s.new()}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := program(t, tt.img)
			var s secrets
			m := p.start(context.Background(), tt.data(&s))
			m.report, m.spill = true, true
			if err := p.exec(m); (err != nil) != tt.fails {
				t.Fatal(err)
			}
			_ = m.text()
			m.takeMessages(m.text())
			p.release(m)
			for range 2 {
				runtime.GC()
			}
			for i, b := range s.bytes {
				if b.Value() != nil {
					t.Errorf("secret %d is still reachable", i)
				}
			}
			runtime.KeepAlive(m)
		})
	}
}

// TestReleasedActivation checks that a machine forgets where a render had got
// to, whichever part of it the render used.
func TestReleasedActivation(t *testing.T) {
	p := program(t, letter())
	for name, use := range map[string]func(*machine){
		"the context":       func(m *machine) { m.ctx = &templateContext{} },
		"the cells":         func(m *machine) { m.cells = make([]*cell, 1) },
		"the closure":       func(m *machine) { m.closure = &closure{} },
		"another image":     func(m *machine) { m.img = letter() },
		"spare frames":      func(m *machine) { m.spare = make([]registers, 1) },
		"copies of globals": func(m *machine) { m.ownGlobals = map[string]Value{"a": Null} },
		"what was lent": func(m *machine) {
			m.ownGlobals, m.env.unsearched, m.env.callerOwned = map[string]Value{}, []Value{Int(1)}, map[any]bool{nil: true}
		},
	} {
		m := p.start(context.Background(), nil)
		use(m)
		p.release(m)
		if m.ctx != nil || m.cells != nil || m.closure != nil || m.img != p.img || m.spare != nil || m.ownGlobals != nil || m.env.unsearched != nil || m.env.callerOwned != nil {
			t.Errorf("%s is still there", name)
		}
	}
}

// TestLargeBufferIsDropped checks that one huge render does not keep its buffer
// for the life of the program.
func TestLargeBufferIsDropped(t *testing.T) {
	p := program(t, letter())
	data, _ := letterData("x", maxPooled/4)
	m := p.start(context.Background(), data)
	if err := p.exec(m); err != nil {
		t.Fatal(err)
	}
	if len(m.out) <= maxPooled {
		t.Fatalf("the output has %d bytes only", len(m.out))
	}
	p.release(m)
	if m.out != nil {
		t.Errorf("a buffer of %d bytes is kept", cap(m.out))
	}
}

// countedLister counts how often it is asked.
type countedLister struct{ asked int }

func (c *countedLister) ListVariables() []Variable {
	c.asked++
	return []Variable{{Name: "name", Required: true}}
}

// TestVariablesAreListedOnce asks a program and those bound to types for their
// variables: the maker of the list serves one call only, and the programs may be
// in the hands of several goroutines.
func TestVariablesAreListedOnce(t *testing.T) {
	var c countedLister
	for _, flat := range []bool{false, true} {
		c.asked = 0
		p, err := New(letter(func(img *Image) { img.Lister, img.FlatNames = &c, flat }))
		if err != nil {
			t.Fatal(err)
		}
		type data struct {
			Name string `json:"name"`
		}
		for range 2 {
			if err := p.Bind(data{}); err != nil {
				t.Fatal(err)
			}
		}
		if l := p.Variables(); len(l) != 1 || c.asked != 1 {
			t.Errorf("%v, asked %d times", l, c.asked)
		}
	}
}
