package vm

import (
	"context"
	"slices"
	"sync"
	"unsafe"

	"github.com/pcc-lang/pcc/internal/code"
)

// This file finds out where each byte of an output comes from: the template or
// the data.
//
// It costs ordinary renders nothing, as it runs a variant of the program: the
// instructions that write or make text bear the flag traced, which leads them
// off the machine's main loop to note. There each stretch of output is noted
// with its origin. Text that is captured, or put together with + or ~, and
// written later keeps its origins: it is copied into an arena of the recorder's,
// so that the address of a string, or of a part of one, tells what is known of
// it. All that is not known to be the template's own counts as data; so does
// what a filter makes of both.

// Segment is a stretch of output.
type Segment struct {
	Text string
	// FromData tells that the text came from the data, or was made of it; else
	// it is the template's own, byte for byte.
	FromData bool
	// Path tells where in the data Text, or what it is a part of, stands, such as
	// messages[2].content. It is empty where a filter, an operator or a macro made
	// the text, where it is a key or no text (a number that is printed), and where
	// the data is not made of maps and lists as decoders make them.
	Path string
}

// Segments renders and tells which parts of the output come from data. The
// texts together are what Render returns; for a chat program, what Report has
// as Text: the contents of all messages. Default data (compiler.WithVars, front
// matter) counts as the template's own.
func (p *Program) Segments(data any) ([]Segment, error) {
	return p.SegmentsContext(context.Background(), data)
}

// SegmentsContext is Segments with a context, looked at every 1,024
// instructions, and options.
func (p *Program) SegmentsContext(ctx context.Context, data any, opts ...RenderOption) ([]Segment, error) {
	r, err := p.Report(ctx, data, append(slices.Clone(opts), WithSegments())...)
	if err != nil {
		return nil, err
	}
	return r.Segments, nil
}

// WithSegments makes Report fill in Segments. The render works on a copy of the
// data then, which it pays for.
func WithSegments() RenderOption {
	return RenderOption{func(e *Env) { e.record, e.paths = true, true }}
}

// variants makes the traced variants of a program's image and of those that it
// loads, one of each.
type variants struct {
	mu   sync.Mutex
	made map[*Image]*Image
}

func (v *variants) of(img *Image) *Image {
	v.mu.Lock()
	defer v.mu.Unlock()
	if made := v.made[img]; made != nil {
		return made
	}
	c := tracedVariant(img)
	if load := img.Load; load != nil {
		c.Load = func(name string, pay func(int64) error) (*Image, error) {
			other, err := load(name, pay)
			if other == nil || err != nil {
				return other, err
			}
			return v.of(other), nil
		}
	}
	v.made[img] = c
	return c
}

// recorded returns the program's traced variant, made at first use. Its code is
// the verified one, so that it is not verified again.
func (p *Program) recorded() *Program {
	p.recording.Do(func() {
		v := &variants{made: map[*Image]*Image{}}
		img := v.of(p.img)
		q := &Program{img: img}
		q.pool.New = func() any { return newMachine(img) }
		p.traced = q
	})
	return p.traced
}

// recorder notes the origin of text in one render.
type recorder struct {
	out    runs    // of the machine's output
	chunks []chunk // the arena
	consts map[*Value]string
	texts  dataTexts
}

// chunk is a part of the arena. It never moves.
type chunk struct {
	bytes []byte
	runs  runs
}

// Sizes of the arena's chunks.
const (
	smallChunk = 4 << 10
	largeChunk = 1 << 20
	// chunkSize is what a chunk takes besides its bytes and stretches, with the
	// room that the list of chunks leaves, and constSize a known constant.
	chunkSize = 3 * int(unsafe.Sizeof(chunk{}))
	constSize = 128
)

// keep copies s into the arena with its origins, and returns the copy.
func (r *recorder) keep(e *Env, s string, origin runs) (string, error) {
	if s == "" {
		return "", nil
	}
	if err := e.Charge(len(s)); err != nil {
		return "", err
	}
	last := len(r.chunks) - 1
	if last < 0 || cap(r.chunks[last].bytes)-len(r.chunks[last].bytes) < len(s) {
		size := smallChunk
		if last >= 0 {
			size = min(2*cap(r.chunks[last].bytes), largeChunk)
		}
		size = max(size, len(s))
		if err := e.Hold(size - len(s) + chunkSize); err != nil {
			return "", err
		}
		r.chunks = append(r.chunks, chunk{bytes: make([]byte, 0, size)})
		last++
	}
	c := &r.chunks[last]
	var err error
	if c.runs, err = c.runs.room(e, len(origin)+1); err != nil {
		return "", err
	}
	at := len(c.bytes)
	c.bytes = append(c.bytes, s...)
	c.runs = c.runs.addAll(origin).cut(len(c.bytes))
	return unsafe.String(&c.bytes[at], len(s)), nil
}

// extend puts right behind left, where left is what was kept last: a text that
// grows is copied now and then, not each time.
func (r *recorder) extend(e *Env, left, right string) (s string, done bool, err error) {
	last := len(r.chunks) - 1
	if last < 0 || left == "" || right == "" || !isTail(r.chunks[last].bytes, bytesOf(left)) {
		return "", false, nil
	}
	more, err := r.origin(e, right)
	if err != nil {
		return "", false, err
	}
	c := &r.chunks[last]
	if cap(c.bytes)-len(c.bytes) < len(right) {
		origin, err := r.origin(e, left)
		if err != nil {
			return "", false, err
		}
		size := 2 * (len(left) + len(right))
		if int64(size) > e.memory {
			size = len(left) + len(right)
		}
		if err := e.Charge(size + chunkSize); err != nil {
			return "", false, err
		}
		r.chunks = append(r.chunks, chunk{bytes: append(make([]byte, 0, size), left...)})
		c = &r.chunks[last+1]
		if c.runs, err = c.runs.room(e, len(origin)+len(more)+1); err != nil {
			return "", false, err
		}
		c.runs = c.runs.addAll(origin).cut(len(left))
	} else if err := e.Charge(len(right)); err != nil {
		return "", false, err
	}
	if c.runs, err = c.runs.room(e, len(more)+1); err != nil {
		return "", false, err
	}
	c.bytes = append(c.bytes, right...)
	c.runs = c.runs.addAll(more).cut(len(c.bytes))
	n := len(left) + len(right)
	return unsafe.String(&c.bytes[len(c.bytes)-n], n), true, nil
}

// origin tells what is known of s: nothing as a rule, when it is data.
func (r *recorder) origin(e *Env, s string) (runs, error) {
	if s == "" {
		return nil, nil
	}
	at := uintptr(unsafe.Pointer(unsafe.StringData(s)))
	for i := range r.chunks {
		c := &r.chunks[i]
		begin := uintptr(unsafe.Pointer(unsafe.SliceData(c.bytes)))
		if at >= begin && at+uintptr(len(s)) <= begin+uintptr(len(c.bytes)) {
			from := int(at - begin)
			return c.runs.slice(e, from, from+len(s))
		}
	}
	return nil, nil
}

// wrote notes that the output from start on is of one origin.
func (m *machine) wrote(start int, s textSource) error {
	r := m.env.recorder
	out, err := r.out.room(&m.env, 2)
	if err != nil {
		return err
	}
	r.out = out.cut(start).add(len(m.out)-start, s)
	return nil
}

// markTrusted makes a text that is not from the data known as such.
func (m *machine) markTrusted(v Value) Value {
	if m.env.recorder == nil {
		return v
	}
	s, ok := v.Str()
	if !ok || s == "" {
		return v
	}
	kept, err := m.env.recorder.keep(&m.env, s, runs{runTo(len(s), fromTemplate)})
	if err != nil { // the budget is used up: the text then counts as data
		return v
	}
	return sameKind(v, kept)
}

// startRecorded replaces a machine that was started with options by one of the
// variant that notes where text comes from.
func (p *Program) startRecorded(m *machine, ctx context.Context, data any, opts []RenderOption) (*Program, *machine) {
	p.release(m)
	p = p.recorded()
	m = p.start(ctx, data)
	m.options(opts)
	m.env.recorder = &recorder{}
	return p, m
}

// sameKind is s as a string that is safe if v is.
func sameKind(v Value, s string) Value {
	if v.IsSafe() {
		return Safe(s)
	}
	return String(s)
}

// note executes an instruction that bears the flag traced.
func (m *machine) note(ins *code.Instr) error {
	o := (*Out)(nil)
	if int(ins.B) < len(m.img.Outs) && ins.B >= 0 {
		o = &m.img.Outs[ins.B]
	}
	switch ins.Op &^ traced {
	case code.OpText:
		return m.noteText(ins.Text)
	case code.OpEmit:
		v := m.st[len(m.st)-1]
		m.st = m.st[:len(m.st)-1]
		if ins.N != 0 {
			var err error
			if v, err = m.escape(v, code.EscapeRule(ins.N)); err != nil {
				return err
			}
		}
		return m.noteValue(ins.Text, o, v)
	case code.OpEmitRoot:
		v, err := m.rootPath(&o.Path)
		if err != nil {
			return err
		}
		return m.noteValue(ins.Text, o, v)
	case code.OpEmitSlotKey:
		v, err := m.path(m.slots[ins.A], &o.Path)
		if err != nil {
			return err
		}
		return m.noteValue(ins.Text, o, v)
	case code.OpEmitSlot:
		return m.noteValue(ins.Text, o, m.slots[ins.A])
	case code.OpSection:
		start := len(m.out)
		plain := *ins
		plain.Op &^= traced
		if err := m.document(&plain); err != nil {
			return err
		}
		return m.wrote(start, fromTemplate)
	case code.OpConst:
		return m.noteConst(&m.img.Consts[ins.A])
	case code.OpBinary:
		return m.noteBinary(ins)
	case code.OpEndCapture:
		n := len(m.captures) - 1
		from := m.captures[n]
		m.captures = m.captures[:n]
		s, err := m.noteCapture(from)
		if err != nil {
			return err
		}
		m.st = append(m.st, String(s))
		m.out = m.out[:from]
		return nil
	}
	return &Error{Kind: "runtime", Code: "PCC399", Msg: "invalid instruction"}
}

func (m *machine) noteText(text string) (err error) {
	if text == "" {
		return nil
	}
	start := len(m.out)
	if m.out, err = m.appendText(m.out, text); err != nil {
		return err
	}
	return m.wrote(start, fromTemplate)
}

// noteValue writes text and a value.
func (m *machine) noteValue(text string, o *Out, v Value) (err error) {
	if err := m.noteText(text); err != nil {
		return err
	}
	r, start := m.env.recorder, len(m.out)
	kept := len(m.kept)
	if m.out, err = m.emit(m.out, "", o, v); err != nil {
		return err
	}
	written := len(m.out) - start
	s, isText := v.Str()
	if !isText || written != len(s) || string(m.out[start:]) != s {
		if len(m.kept) != kept { // the placeholder itself
			return m.wrote(start, fromTemplate)
		}
		return m.wrote(start, fromData)
	}
	origin, err := r.origin(&m.env, s)
	if err != nil {
		return err
	}
	out, err := r.out.room(&m.env, len(origin)+2)
	if err != nil {
		return err
	}
	r.out = out.cut(start).addAll(origin).cut(len(m.out))
	return nil
}

// noteConst pushes a constant, whose text becomes known once.
func (m *machine) noteConst(c *Value) (err error) {
	v := *c
	s, ok := v.Str()
	if !ok || s == "" {
		m.st = append(m.st, v)
		return nil
	}
	r := m.env.recorder
	kept, known := r.consts[c]
	if !known {
		if err = m.env.Hold(constSize); err != nil {
			return err
		}
		if kept, err = r.keep(&m.env, s, runs{runTo(len(s), fromTemplate)}); err != nil {
			return err
		}
		if r.consts == nil {
			r.consts = map[*Value]string{}
		}
		r.consts[c] = kept
	}
	m.st = append(m.st, sameKind(v, kept))
	return nil
}

// noteBinary adds and concatenates texts.
func (m *machine) noteBinary(ins *code.Instr) error {
	n := len(m.st)
	x, y := m.st[n-2], m.st[n-1]
	if m.printsNext() && isJoin(ins.N) && x.isPlainText() && y.isPlainText() {
		m.st[n-2], m.st = y, m.st[:n-1]
		return m.noteValue("", &m.img.Outs[m.code[m.pc].B], x)
	}
	if isJoin(ins.N) && x.isPlainText() && y.isPlainText() {
		left, _ := x.Str()
		right, _ := y.Str()
		s, known, err := m.env.recorder.extend(&m.env, left, right)
		if err != nil {
			return err
		}
		if known {
			m.st[n-2], m.st = String(s), m.st[:n-1]
			return nil
		}
	}
	v, err := m.binary(code.BinaryOp(ins.N), x, y)
	m.st = m.st[:n-1]
	if err != nil {
		return err
	}
	m.st[n-2] = v
	s, isText := v.Str()
	if op := code.BinaryOp(ins.N); !isText || op != code.BinAdd && op != code.BinConcat {
		return nil
	}
	r := m.env.recorder
	left, leftText := x.Str()
	right, rightText := y.Str()
	var origin, more runs
	switch {
	case leftText && rightText && s == left+right:
		if origin, err = r.origin(&m.env, left); err == nil {
			more, err = r.origin(&m.env, right)
		}
	case leftText && len(s) > len(left) && s[:len(left)] == left:
		origin, err = r.origin(&m.env, left)
		right = ""
	case rightText && len(s) > len(right) && s[len(s)-len(right):] == right:
		left = s[:len(s)-len(right)]
		more, err = r.origin(&m.env, right)
	default:
		return nil
	}
	if err == nil && len(origin) == 0 && len(more) == 0 {
		return nil // all of it is data, as far as is known
	}
	if err == nil {
		origin, err = origin.room(&m.env, len(more)+1)
	}
	if err != nil {
		return err
	}
	origin = origin.cut(len(left)).addAll(more)
	kept, err := r.keep(&m.env, s, origin)
	m.st[n-2] = sameKind(v, kept)
	return err
}

// noteCapture makes a string of the output from an offset on.
func (m *machine) noteCapture(from int) (string, error) {
	r := m.env.recorder
	out, err := r.out.room(&m.env, 1)
	if err != nil {
		return "", err
	}
	r.out = out.cut(len(m.out))
	origin, err := r.out.slice(&m.env, from, len(m.out))
	if err != nil {
		return "", err
	}
	return r.keep(&m.env, string(m.out[from:]), origin)
}

// renderRecorded is RenderContext for a machine whose options ask for a record.
func (p *Program) renderRecorded(m *machine, ctx context.Context, data any, opts []RenderOption) (string, error) {
	p, m = p.startRecorded(m, ctx, data, opts)
	defer p.release(m)
	m.empty()
	if err := p.exec(m); err != nil {
		return "", err
	}
	text, err := m.settle(m.text())
	if err != nil {
		return "", listed(err)
	}
	return text, nil
}
