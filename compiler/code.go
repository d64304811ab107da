package compiler

import (
	"slices"
	"sync"

	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/internal/code"
	"github.com/pcc-lang/pcc/lexer"
	"github.com/pcc-lang/pcc/vm"
)

// roomFor is the number of instructions that a template of so many bytes and
// tags may have. Names in bare loops inside each other take some for each loop
// around them: without a limit a small text would make a very large program.
func roomFor(bytes int64, tags int) int {
	const least, most = 1 << 16, 1 << 23
	return int(min(least+4*bytes+16*int64(tags), most))
}

// instrBytes is what an instruction counts: itself, its place in the source, the
// copies that are made of both, and the path that many of them have.
const instrBytes = 128

// roomIn sets the room: by the source, and by the memory that reading it has left.
func (l *lowerer) roomIn(memory *lexer.Budget) {
	l.room = roomFor(l.bytes, l.tags)
	if most := max(memory.Left(), 0) / instrBytes; most < int64(l.room) {
		l.room, l.short = int(most), true
	}
	l.most = l.room
}

// payFor takes the instructions that were made from the memory.
func (l *lowerer) payFor(c *config) {
	kept := int64(l.most-max(l.room, 0)) * instrBytes
	c.kept += kept
	c.budget.Take(kept)
}

// fits reports whether the code so far had room. The first time that it had
// not is an error.
func (l *lowerer) fits(at source.Span) bool {
	if l.room >= 0 {
		return true
	}
	if !l.over && l.short {
		l.over = true
		l.report("PCC918", at, "up to here the template takes more memory to compile than its limit allows").WithKind("limit")
	}
	if !l.over {
		l.over = true
		l.report("PCC916", at, "the program of this template has more than %d instructions", roomFor(l.bytes, l.tags))
	}
	return false
}

// label is a place in the code that jumps name before it is known.
type label int32

// codeBuilder holds a function's instructions while they are made. Jump targets and
// switch tables hold labels until assemble puts in instruction indexes.
type codeBuilder struct {
	ins    []code.Instr
	places []where
	labels []int32 // label → index into ins, -1 until placed
	now    where
	// room is the number of instructions that the template may still have, all
	// its functions together.
	room *int
	// runs are assemble's.
	runs []code.SpanRun
	// leader and moved are fuse's, tracked is placeItems's.
	leader  []bool
	moved   []int32
	tracked []trackedLoop
}

// codePool holds pieces of code that were assembled: what they are made in is
// used again.
var codePool = sync.Pool{New: func() any { return new(codeBuilder) }}

// newCode returns a piece of code whose first instructions stem from now. size
// is a guess how many instructions there will be.
func (l *lowerer) newCode(now where, size int) *codeBuilder {
	c := codePool.Get().(*codeBuilder)
	c.now, c.room = now, &l.room
	if cap(c.ins) < size {
		c.ins, c.places = make([]code.Instr, 0, size), make([]where, 0, size)
	}
	return c
}

// mostPooled is the number of instructions and labels of a piece of code whose
// memory is kept for the next ones.
const mostPooled = 1 << 14

// free gives c back. Nothing may use it afterwards.
func (c *codeBuilder) free() {
	if cap(c.ins) > mostPooled || cap(c.places) > mostPooled || cap(c.labels) > mostPooled {
		return
	}
	clear(c.ins) // they hold the text of the source; fuse cleared what is behind them
	c.ins, c.places, c.labels, c.room = c.ins[:0], c.places[:0], c.labels[:0], nil
	codePool.Put(c)
}

// where is the source of an instruction.
type where struct {
	site int32
	span source.Span
}

func (c *codeBuilder) at(site int32, span source.Span) { c.now = where{site, span} }

// emit adds an instruction, if there is room.
func (c *codeBuilder) emit(i code.Instr) {
	if *c.room--; *c.room < 0 {
		return
	}
	n := len(c.ins)
	if n < cap(c.ins) && n < cap(c.places) {
		c.ins, c.places = c.ins[:n+1], c.places[:n+1]
	} else {
		c.ins, c.places = append(slices.Grow(c.ins, n/2+8), code.Instr{}), append(slices.Grow(c.places, n/2+8), where{})
	}
	c.places[n] = c.now
	set(&c.ins[n], &i)
}

// set makes to a copy of from. Most instructions have one of the two texts or
// none; what is empty in both is not written, which avoids a GC write barrier.
func set(to, from *code.Instr) {
	to.Op, to.N, to.A, to.B, to.Target = from.Op, from.N, from.A, from.B, from.Target
	if from.Text != "" || to.Text != "" {
		to.Text = from.Text
	}
	if from.Key != "" || to.Key != "" {
		to.Key = from.Key
	}
}

func (c *codeBuilder) label() label {
	c.labels = append(c.labels, -1)
	return label(len(c.labels) - 1)
}

func (c *codeBuilder) place(l label) { c.labels[l] = int32(len(c.ins)) }

func (c *codeBuilder) jump(op code.Op, to label) { c.jumpWith(code.Instr{Op: op}, to) }

func (c *codeBuilder) jumpWith(i code.Instr, to label) {
	i.Target = int32(to)
	c.emit(i)
}

// jumpIf jumps where the value on the stack has that truth.
func (c *codeBuilder) jumpIf(truth bool, to label) {
	jump := code.Instr{Op: code.OpJumpIf}
	if truth {
		jump.N = 1
	}
	c.jumpWith(jump, to)
}

func (c *codeBuilder) switchOn(table int32) { c.emit(code.Instr{Op: code.OpSwitch, A: table}) }

// assemble puts instruction indexes in the place of labels and makes the
// span table of the function f. It ends the use of c.
func (c *codeBuilder) assemble(f *vm.Function, name string, s *scopes, img *vm.Image) {
	labels := c.labels
	for i := range c.ins {
		ins := &c.ins[i]
		if ins.Op.Jumps() {
			ins.Target = labels[ins.Target]
		}
		if t, ok := ins.Table(); ok {
			sw := &img.Switches[t]
			for j := range sw.Targets {
				sw.Targets[j] = labels[sw.Targets[j]]
			}
			sw.Default = labels[sw.Default]
		}
	}
	f.Name, f.Slots, f.Loops = name, s.maxSlots, s.maxLoops
	runs := c.runs[:0]
	for pc := range c.places {
		if w := &c.places[pc]; pc == 0 || *w != c.places[pc-1] {
			runs = append(runs, code.SpanRun{PC: int32(pc), Site: w.site, Span: w.span})
		}
	}
	f.Spans, c.runs = slices.Clone(runs), runs
	if n := len(c.ins); cap(c.ins) > mostPooled && cap(c.ins)-n <= n/8 {
		f.Code, c.ins = c.ins, nil // a copy would double what is large
	} else {
		f.Code = make([]code.Instr, n)
		copy(f.Code, c.ins)
	}
	c.free()
}
