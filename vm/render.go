package vm

import (
	"context"
	"io"
	"maps"
	"slices"
	"time"
	"unsafe"

	"github.com/pcc-lang/pcc/ast/diag"
)

// maxPooled is the largest output buffer in bytes that a machine keeps for its
// program's next render.
const maxPooled = 1 << 20

// RenderOption changes one render. Every way to render takes them behind a
// context: RenderContext, RenderToContext, AppendToContext, MessagesContext,
// SegmentsContext and Report.
type RenderOption struct{ set func(*Env) }

// WithClock injects the clock that time functions read. Without it they fail.
func WithClock(now func() time.Time) RenderOption {
	return RenderOption{func(e *Env) { e.Now = now }}
}

// WithRandom injects the source of random choices: a number in [0, n).
func WithRandom(n func(int) int) RenderOption {
	return RenderOption{func(e *Env) { e.Random = n }}
}

// WithLimits replaces the program's limits for one render; zeros keep the
// program's own.
func WithLimits(l Limits) RenderOption {
	return RenderOption{func(e *Env) {
		e.limits = l.over(e.limits)
		e.steps, e.memory = e.limits.Steps, e.limits.Memory
	}}
}

func newMachine(img *Image) *machine {
	slots, loops, stack := 0, 0, 0
	for i := range img.Functions {
		f := &img.Functions[i]
		slots, loops, stack = max(slots, f.Slots), max(loops, f.Loops), max(stack, f.MaxStack)
	}
	m := &machine{activation: activation{img: img}}
	m.resetEnv()
	m.slotStore = make([]Value, slots+1) // code that is bound to a type keeps the data in a slot
	m.loopStore = make([]loopState, loops)
	m.stackStore = make([]Value, 0, stack)
	return m
}

// start readies a machine for one render of data.
func (p *Program) start(ctx context.Context, data any) *machine {
	m := p.pool.Get().(*machine)
	if !isBackground(ctx) {
		m.env.Ctx = ctx
		if ctx != nil {
			m.within(ctx)
		}
	}
	m.env.steps, m.env.memory = p.img.Limits.Steps, p.img.Limits.Memory
	m.env.nesting = 0 // a builtin that panicked may not have come back
	m.iterations = p.img.Limits.Iterations
	var isMap bool
	if m.root, isMap = data.(map[string]any); !isMap || m.root == nil {
		m.setRoot(Of(data))
	}
	return m
}

// isBackground reports whether ctx is context.Background(), of which there is
// one: comparing interfaces is a call of the runtime's.
func isBackground(ctx context.Context) bool {
	return *(*uintptr)(unsafe.Pointer(&ctx)) == backgroundType
}

// backgroundType is the first word of that interface, its type's table.
var backgroundType = func() uintptr {
	ctx := context.Background()
	return *(*uintptr)(unsafe.Pointer(&ctx))
}()

// resetEnv makes the environment that renders without options share, with the
// memory that it has. Start refills only its budgets: copying all of it took a tenth
// of a short render.
func (m *machine) resetEnv() {
	m.env.dropArgs(0) // a call that panicked may have left some
	m.env = Env{Dialect: m.img.Dialect, Ctx: context.Background(), Host: m.img.Host, limits: m.img.Limits, Autoescape: m.img.Autoescape,
		mutates: m.img.Mutates, args: m.env.args[:0], mapMethods: m.env.mapMethods, methodsOf: m.env.methodsOf}
}

func (m *machine) options(opts []RenderOption) {
	m.optioned = m.optioned || len(opts) > 0
	for _, o := range opts {
		if o.set != nil { // the zero RenderOption changes nothing
			o.set(&m.env)
		}
	}
	m.iterations = m.env.limits.Iterations
	if m.env.outer != nil {
		m.env.lowerTo(m.env.outer)
	}
}

// release wipes a machine, so that nothing of this render's data stays, and
// puts it back. It writes no pointer that need not change: while the garbage
// collector marks, each such write costs as much as a look-up.
func (p *Program) release(m *machine) {
	clearValues(m.slotStore)
	for i := range m.loopStore {
		if m.loopStore[i].ctx != nil {
			// It failed in a loop of which there is an object, and a function of the
			// host may have kept that: its state is not used again.
			m.freshLoops()
			break
		}
		m.loopStore[i].clear()
	}
	clearValues(m.stackStore[:cap(m.stackStore)])
	m.settleOutput()
	if cap(m.out) > maxPooled {
		m.out = nil
	}
	m.root, m.env.Autoescape = nil, p.img.Autoescape
	if m.env.stopped {
		m.env.stopped, m.env.ended = false, nil
	}
	if m.rootV.ref != nil {
		m.rootV = Null
	}
	if !isBackground(m.env.Ctx) {
		m.env.Ctx = context.Background()
	}
	if m.env.Dialect != p.img.Dialect { // it failed in a text of another dialect
		m.env.Dialect = p.img.Dialect
	}
	if m.fn != m.main || m.img != p.img || m.optioned || m.report || m.env.outer != nil || m.dirty() {
		p.reset(m)
	}
	m.nearest, m.includes, m.spill = diag.Nearest{}, 0, false
	p.pool.Put(m)
}

// dirty reports whether a render left anything that most renders do not use.
func (m *machine) dirty() bool {
	return len(m.calls)|len(m.missing)|len(m.kept)|len(m.captures)|len(m.spans)|len(m.safe)|len(m.messages)|len(m.big) != 0 ||
		m.ctx != nil || m.cells != nil || m.closure != nil || m.spare != nil || m.ownGlobals != nil || m.env.rawCache.values != nil || m.env.growing != nil || m.documentState.used()
}

// reset clears what dirty asks for.
func (p *Program) reset(m *machine) {
	if m.env.outer != nil {
		m.env.settleNested()
	}
	if m.optioned {
		m.resetEnv()
		m.optioned = false
	}
	if len(m.calls) > 0 || m.fn != m.main {
		// It failed inside a call, or went on in a parent template: the
		// registers hold frames that are not the machine's own.
		clear(m.calls)
		m.registers = registers{out: m.out}
	}
	clear(m.missing)
	clear(m.kept)
	clear(m.messages)
	clear(m.big)
	m.calls, m.missing, m.kept, m.keptAt, m.tried, m.messages = m.calls[:0], m.missing[:0], m.kept[:0], nil, nil, m.messages[:0]
	m.captures, m.spans, m.safe, m.report, m.places = m.captures[:0], m.spans[:0], m.safe[:0], false, false
	m.big, m.bigBytes = m.big[:0], 0
	m.documentState.clear()
	m.activation, m.spare, m.ownGlobals = activation{img: p.img}, nil, nil
	m.env.unsearched, m.env.callerOwned, m.env.rawCache, m.env.unprinted, m.env.lacks, m.env.growing = nil, nil, rawCache{}, nil, nil, nil
}

// freshLoops leaves the states of loops, and the registers that refer to them, to
// the garbage collector.
func (m *machine) freshLoops() {
	m.loopStore = make([]loopState, len(m.loopStore))
	m.registers = registers{out: m.out}
}

// clearValues clears values, of which most are clear already.
func clearValues(values []Value) {
	for i := range values {
		if v := &values[i]; v.ref != nil {
			*v = Value{}
		}
	}
}

// exec renders into m.out from m.base on. The error is a diag.List.
func (p *Program) exec(m *machine) error {
	if err := p.execute(m); err != nil {
		return listed(err)
	}
	return nil
}

// listed makes the error of a render a list, which all of them are.
func listed(err error) error {
	if d, ok := err.(*diag.Diagnostic); ok {
		return diag.List{d}
	}
	return err
}

func (p *Program) execute(m *machine) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = m.panicked(r)
		}
	}()
	if m.env.refused != nil {
		return m.fault(m.env.refused)
	}
	m.report = m.report || p.img.Strict
	if m.report && !m.env.Host {
		m.env.unprinted = &unprintedTypes{}
	}
	if m.report && m.env.Dialect.NativeTags() {
		m.env.lacks = m.lackKey
	}
	if m.root == nil {
		m.setRoot(m.env.resolved(m.rootV))
		if err := m.env.StopError(); err != nil {
			return m.fault(err)
		}
	}
	if m.root == nil && (p.img.Contract != nil || p.img.Exact != nil) && !m.hasNames() {
		return p.nameless(m.rootV)
	}
	if p.img.Contract != nil {
		if err := m.checkContract(); err != nil {
			return err
		}
	}
	if p.img.Exact != nil {
		if err := m.checkExact(p.img.Exact); err != nil {
			return err
		}
	}
	if p.img.Mutates || m.env.paths {
		if err := m.copyOnWrite(p.img.Mutates); err != nil {
			return m.fault(err)
		}
	}
	f := &p.img.Functions[0]
	if m.root == nil {
		if f = p.shapes.lookup(m.rootV.ref); f == nil {
			if !m.hasNames() {
				return p.nameless(m.rootV)
			}
			f = p.function(m)
		}
	}
	if m.main != f {
		m.main = f
	}
	if len(f.fields) > 0 {
		m.slotStore[f.Slots-1] = m.rootV
	}
	err = m.run(f)
	if err == nil && m.env.request && p.img.RequestCode > 0 {
		err = m.run(&p.img.Functions[p.img.RequestCode])
	}
	if p.img.Strict {
		return p.strictly(m, err)
	}
	return err
}

// Render renders a text program. Data is a map with string keys, a *Map, a
// struct (fields by their json names), a pointer to one of these, or nil. A nil
// pointer in it is null as null in JSON is: a value, which prints as nothing, and
// not a missing one. Raw
// JSON, a json.RawMessage or a jsontext.Value, is the value that it holds, as
// the data and anywhere in it: decoded as by DecodeJSON where the template reads
// it, at the expense of the render's limits. The
// error is a diag.List, of one diagnostic or more; there is no output then.
// errors.As finds the first *diag.Diagnostic in it, and errors.Is what caused
// it: context.Canceled, or the error of a function given to the compiler.
func (p *Program) Render(data any) (string, error) {
	return p.RenderContext(context.Background(), data)
}

// RenderContext is Render with a context, looked at every 1,024 instructions,
// and options.
func (p *Program) RenderContext(ctx context.Context, data any, opts ...RenderOption) (string, error) {
	if p.img.Chat {
		return "", listed(p.chatError())
	}
	if len(opts) == 0 && !needsWatching(ctx) {
		if out, ok := p.tryLinear(nil, data); ok {
			return stringOf(out), nil
		}
	}
	m := p.start(ctx, data)
	m.options(opts)
	if m.env.record {
		return p.renderRecorded(m, ctx, data, opts)
	}
	m.begin()
	if err := p.exec(m); err != nil {
		p.release(m)
		return "", err
	}
	s := m.text()
	p.release(m)
	return s, nil
}

// AppendTo appends the rendered text to dst. On an error it returns dst as it
// was, and dst's memory behind its length is cleared: nothing of a failed render
// stays there. Where it succeeds, what lies behind the text stays as it is.
func (p *Program) AppendTo(dst []byte, data any) ([]byte, error) {
	return p.AppendToContext(context.Background(), dst, data)
}

// AppendToContext is AppendTo with a context, looked at every 1,024
// instructions, and options.
func (p *Program) AppendToContext(ctx context.Context, dst []byte, data any, opts ...RenderOption) ([]byte, error) {
	if p.img.Chat {
		return dst, listed(p.chatError())
	}
	if len(opts) == 0 && !needsWatching(ctx) {
		if out, ok := p.tryLinear(dst, data); ok {
			if dst == nil { // what is behind it was never written
				out = out[:len(out):len(out)]
			}
			return out, nil
		}
	}
	m := p.start(ctx, data)
	m.options(opts)
	if m.env.record { // the text is put together at the end
		s, err := p.renderRecorded(m, ctx, data, opts)
		if err != nil {
			clear(dst[len(dst):cap(dst)])
			return dst, err
		}
		return append(dst, s...), nil
	}
	if p.takesOut { // what is taken out again may be longer than what stays
		m.empty()
		err := p.exec(m)
		if err == nil {
			dst = append(dst, m.out...)
		} else {
			clear(dst[len(dst):cap(dst)])
		}
		p.release(m)
		return dst, err
	}
	scratch := m.out
	m.base = len(dst)
	m.out, _ = m.fit(dst)
	err := p.exec(m)
	out := m.out
	if unsafe.SliceData(out) == unsafe.SliceData(dst) {
		out = dst[:len(out)] // with all of its room
	}
	m.out = scratch
	p.release(m)
	if err != nil {
		clear(dst[len(dst):cap(dst)])
		return dst, err
	}
	return out, nil
}

// RenderTo writes the rendered text to w in one Write, and nothing on an error.
func (p *Program) RenderTo(w io.Writer, data any) error {
	return p.RenderToContext(context.Background(), w, data)
}

// RenderToContext is RenderTo with a context, looked at every 1,024 instructions,
// and options.
func (p *Program) RenderToContext(ctx context.Context, w io.Writer, data any, opts ...RenderOption) error {
	if p.img.Chat {
		return listed(p.chatError())
	}
	m := p.start(ctx, data)
	m.options(opts)
	if m.env.record { // the text is put together at the end
		s, err := p.renderRecorded(m, ctx, data, opts)
		if err != nil {
			return err
		}
		_, err = io.WriteString(w, s)
		return err
	}
	defer p.release(m)
	m.empty()
	if err := p.exec(m); err != nil {
		return err
	}
	n, err := w.Write(m.out)
	if err == nil && n < len(m.out) {
		return io.ErrShortWrite
	}
	return err
}

// Messages renders a chat program to its messages; a text program gives one
// user message, or none where it is a prompt tree of which nothing is rendered.
// The result shares no memory with the program or the data's containers.
func (p *Program) Messages(data any) ([]Message, error) {
	return p.MessagesContext(context.Background(), data)
}

// MessagesContext is Messages with a context, looked at every 1,024
// instructions, and options.
func (p *Program) MessagesContext(ctx context.Context, data any, opts ...RenderOption) ([]Message, error) {
	r, err := p.reported(ctx, data, opts, false)
	if err != nil {
		return nil, err
	}
	return r.Messages, nil
}

// Report renders and tells what happened besides the output. For a chat
// program Text is the concatenation of the contents.
func (p *Program) Report(ctx context.Context, data any, opts ...RenderOption) (*Report, error) {
	return p.reported(ctx, data, opts, true)
}

// reported is Report; without findings it leaves out what is only for these.
func (p *Program) reported(ctx context.Context, data any, opts []RenderOption, findings bool) (*Report, error) {
	m := p.start(ctx, data)
	m.options(opts)
	if m.env.record {
		p, m = p.startRecorded(m, ctx, data, opts)
	}
	defer p.release(m)
	m.empty()
	m.report, m.places = true, findings
	if err := p.exec(m); err != nil {
		return nil, err
	}
	r := &Report{Text: m.text()}
	if m.env.request {
		r.Request = p.request(m)
	}
	if rec := m.env.recorder; rec != nil {
		var err error
		if r.Text, err = m.settle(r.Text); err != nil {
			return nil, listed(err)
		}
		if r.Segments, err = rec.segments(&m.env, r.Text); err != nil {
			return nil, listed(m.fault(err))
		}
	}
	r.Steps, r.Memory = m.env.limits.Steps-m.env.steps, m.env.limits.Memory-m.env.memory
	r.Generated = append(r.Generated, m.spans...)
	for _, k := range m.kept {
		f, at := p.img.Sites[k.site].File.Root(pos(k.pos))
		r.Kept = append(r.Kept, Kept{Name: k.name, File: f.Name, Position: f.Position(at), Near: k.near})
	}
	if findings && !p.img.Strict {
		p.noteAtEnd(m)
	}
	r.Dropped, r.Warnings = m.dropped, m.notes
	if len(m.taken) > 0 {
		r.Branches = slices.Sorted(maps.Keys(m.taken))
	}
	if p.img.Chat {
		r.Messages = m.takeMessages(r.Text)
		if findings {
			r.Places = m.takePlaces()
		}
	} else if !p.img.Tree || m.scoped {
		r.Messages = []Message{{Role: "user", Content: r.Text}}
	}
	return r, nil
}
