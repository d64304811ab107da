package code

import (
	"fmt"
	"math"
	"slices"
)

// VerifyError says why an image is no program.
type VerifyError struct {
	Function string
	PC       int
	Reason   string
}

func (e *VerifyError) Error() string {
	return fmt.Sprintf("bytecode: %s+%04d: %s", e.Function, e.PC, e.Reason)
}

// Pool is what operands refer to besides the function itself. Counts gives the
// number of entries for each kind of operand that is an index.
type Pool struct {
	Counts [operandKinds]int
	Sites  int // files that code came from
	Entries
}

// Entries are the entries that operands refer to. The indexes are in range.
type Entries interface {
	// Mismatch returns why an entry does not fit the instruction that refers to
	// it, in a function of so many slots, or "". It may set the instruction's N.
	Mismatch(kind Operand, x int32, ins *Instr, slots int) string
	// Switch returns the targets of a switch table, how many values it has, and
	// where it goes for all others.
	Switch(table int32) (targets []int32, values int, otherwise int32)
	// Text writes an entry for the disassembler, "" for what is not shown.
	Text(kind Operand, x int32) string
}

// maxSlots is the greatest number of slots, loops and cells of a function of so
// many instructions. The constant is what the operands of one instruction, an
// import of many names or the head of a macro, may need.
func maxSlots(instructions int) int { return 1<<16 + 4*instructions }

// Verify checks the code of f: operands in range, jumps to instructions, one
// stack height for each instruction on all ways to it. It sets MaxStack. The
// error is a *VerifyError.
func Verify(f *Function, pool *Pool) error {
	if len(f.Code) == 0 {
		return failed(f, 0, "no code")
	}
	// A slot is of use to an instruction that names it; macros have some more for
	// their parameters. Each takes memory in every render.
	if most := maxSlots(len(f.Code)); f.Slots < 0 || f.Loops < 0 || f.Cells < 0 || f.Slots > most || f.Loops > most || f.Cells > most {
		return failed(f, 0, "%d slots, %d loops and %d cells for %d instructions", f.Slots, f.Loops, f.Cells, len(f.Code))
	}
	for i, s := range f.Spans {
		if s.Site < 0 || int(s.Site) >= pool.Sites || s.PC < 0 || int(s.PC) >= len(f.Code) || i > 0 && s.PC <= f.Spans[i-1].PC {
			return failed(f, 0, "position %d is malformed", i)
		}
	}
	w := flow{pool: pool, f: f, head: -1}
	w.bound()
	const few = 64
	var heights, next [few]int32
	if n := len(f.Code); n <= few {
		w.heights, w.next = heights[:n], next[:n]
	} else {
		both := make([]int32, 2*n)
		w.heights, w.next = both[:n], both[n:]
	}
	f.MaxStack = 0
	if err := w.reach(0, 0, 0); err != nil {
		return err
	}
	for w.head >= 0 {
		pc := w.head
		w.head = w.next[pc]
		if err := w.linear(int(pc)); err != nil {
			return err
		}
	}
	for pc, height := range w.heights {
		if height == 0 {
			if err := w.unreached(pc); err != nil {
				return err
			}
		}
	}
	return nil
}

// flow is the verification of one function.
type flow struct {
	pool *Pool
	f    *Function
	// heights[pc] is the stack height before pc, plus 1; 0 is not reached yet.
	heights []int32
	// head is the first of the instructions that are reached and not yet looked at,
	// -1 for none, next[pc] the one behind pc.
	head int32
	next []int32
	// bounds are those of the operands of each kind.
	bounds [operandKinds]bounds
}

// bounds are the least operand and the one that is too great.
type bounds struct{ low, limit int64 }

func (b *bounds) holds(x int32) bool { return int64(x) >= b.low && int64(x) < b.limit }

// anything are the bounds of operands that have none.
var anything = bounds{math.MinInt32, math.MaxInt32 + 1}

// kindBounds are the bounds of operands that refer to nothing of the function or
// the pool.
var kindBounds = [operandKinds]bounds{
	OperandNone: anything, OperandCount: anything, OperandFlags: anything,
	OperandBinary: {0, int64(binaryOps)}, OperandCompare: {0, int64(compareOps)}, OperandUnary: {0, int64(unaryOps)},
	OperandField: {0, int64(loopFields)}, OperandMode: {0, int64(loopModes)}, OperandFlag: {0, 2},
	OperandBlank: {0, int64(blankRules)}, OperandKey: {0, int64(keyRules)}, OperandEscape: {0, int64(escapeRules)},
	OperandObject: {0, int64(objectKinds)}, OperandMake: {0, int64(makeKinds)},
}

// bound sets the bounds.
func (w *flow) bound() {
	w.bounds = kindBounds
	slots, loops := int64(w.f.Slots), int64(w.f.Loops)
	w.bounds[OperandSlot] = bounds{0, slots}
	w.bounds[OperandLocal] = bounds{-loops, slots}
	w.bounds[OperandTarget] = bounds{-slots, slots}
	w.bounds[OperandLoop] = bounds{0, loops}
	w.bounds[OperandOwner] = bounds{0, max(1, loops)}
	w.bounds[OperandCell] = bounds{0, int64(w.f.Cells)}
	for kind := OperandAccess; kind < operandKinds; kind++ {
		w.bounds[kind].limit = int64(min(w.pool.Counts[kind], math.MaxInt32))
	}
	w.bounds[OperandName].low, w.bounds[OperandRoles].low = -1, -1
}

// linear checks the instructions from pc on, up to one that does not go on or
// whose next was reached before.
func (w *flow) linear(pc int) error {
	code, heights := w.f.Code, w.heights[:len(w.f.Code)]
	height := int(heights[pc]) - 1
	most := w.f.MaxStack
	for {
		ins := &code[pc]
		if !ins.Op.Valid() {
			return w.fail(pc, "invalid opcode %d", ins.Op)
		}
		info := &opTable[ins.Op]
		if why := w.checkOperands(ins, info); why != "" {
			return w.fail(pc, "%s: %s", ins.Op, why)
		}
		n := int(ins.N)
		pops := int(info.Pop) + int(info.PopN)*n
		if height < pops {
			return w.fail(pc, "%s takes %d values of %d", ins.Op, pops, height)
		}
		after := height - pops + int(info.Push) + int(info.PushN)*n
		most = max(most, height, after)
		if info.Jump {
			if err := w.reach(pc, int(ins.Target), height+int(info.JumpDiff)); err != nil {
				return err
			}
			most = max(most, height+int(info.JumpDiff))
		}
		if table, ok := ins.Table(); ok {
			targets, values, otherwise := w.pool.Switch(table)
			if len(targets) != values {
				return w.fail(pc, "a switch with %d values and %d targets", values, len(targets))
			}
			if err := w.reach(pc, int(otherwise), after); err != nil {
				return err
			}
			for _, t := range targets {
				if err := w.reach(pc, int(t), after); err != nil {
					return err
				}
			}
		}
		if ins.Op == OpReturn && height != 0 {
			return w.fail(pc, "returns with %d values on the stack", height)
		}
		if info.Ends {
			w.f.MaxStack = most
			return nil
		}
		if pc+1 >= len(code) || heights[pc+1] != 0 {
			w.f.MaxStack = most
			return w.reach(pc, pc+1, after)
		}
		pc++
		heights[pc] = int32(after) + 1
		height = after
	}
}

// unreached checks an instruction that is never executed: it is read all the same
// when code is copied, bound to a type or printed.
func (w *flow) unreached(pc int) error {
	ins := &w.f.Code[pc]
	if !ins.Op.Valid() {
		return w.fail(pc, "invalid opcode %d", ins.Op)
	}
	info := &opTable[ins.Op]
	if why := w.checkOperands(ins, info); why != "" {
		return w.fail(pc, "%s: %s", ins.Op, why)
	}
	outside := func(to int32) bool { return to < 0 || int(to) >= len(w.f.Code) }
	if info.Jump && outside(ins.Target) {
		return w.fail(pc, "leaves the code, to %d", ins.Target)
	}
	if table, ok := ins.Table(); ok {
		targets, values, otherwise := w.pool.Switch(table)
		if len(targets) != values {
			return w.fail(pc, "a switch with %d values and %d targets", values, len(targets))
		}
		if outside(otherwise) || slices.ContainsFunc(targets, outside) {
			return w.fail(pc, "a switch leaves the code")
		}
	}
	return nil
}

// reach notes a way from one instruction to another.
func (w *flow) reach(from, to, height int) error {
	switch {
	case to < 0 || to >= len(w.f.Code):
		return w.fail(from, "leaves the code, to %d", to)
	case w.heights[to] == 0:
		w.heights[to] = int32(height) + 1
		w.next[to], w.head = w.head, int32(to)
	case int(w.heights[to]) != height+1:
		return w.fail(from, "reaches %d with %d values on the stack, elsewhere %d", to, height, w.heights[to]-1)
	}
	return nil
}

func (w *flow) fail(pc int, format string, args ...any) error {
	return failed(w.f, pc, format, args...)
}

func failed(f *Function, pc int, format string, args ...any) error {
	return &VerifyError{Function: f.Name, PC: pc, Reason: fmt.Sprintf(format, args...)}
}

// checkOperands returns why an operand is out of range, or "".
func (w *flow) checkOperands(ins *Instr, info *Info) string {
	if opTraits[ins.Op]&plain != 0 {
		a, b, n := &w.bounds[info.A], &w.bounds[info.B], &w.bounds[info.N]
		if a.holds(ins.A) && b.holds(ins.B) && n.holds(int32(ins.N)) {
			return ""
		}
	}
	if info.A != OperandNone {
		if why := w.checkOperand(ins, info.A, ins.A); why != "" {
			return why
		}
	}
	if info.B != OperandNone {
		if why := w.checkOperand(ins, info.B, ins.B); why != "" {
			return why
		}
	}
	if info.N != OperandNone {
		if why := w.checkOperand(ins, info.N, int32(ins.N)); why != "" {
			return why
		}
	}
	if ins.Op == OpEmitRoot && ins.A != 0 { // the machine compares it with others' A
		return "operand A has no meaning"
	}
	if info.Table && (ins.Target < 0 || int(ins.Target) >= w.pool.Counts[OperandTable]) {
		return "switch table is out of range"
	}
	return ""
}

// checkOperand is checkOperands for the operand x of a kind.
func (w *flow) checkOperand(ins *Instr, kind Operand, x int32) string {
	b := &w.bounds[kind]
	inside := b.holds(x)
	switch kind {
	case OperandTarget:
		if LoopMode(ins.N) == ModeEntries { // binds two
			inside = x >= 0 && int64(x) < b.limit-1
		}
	case OperandOwner:
		if ObjectKind(ins.N).ofLoop() {
			inside = x >= 0 && int(x) < w.f.Loops
		} else {
			inside = x == 0
		}
	case OperandMake:
		if MakeKind(x) == MakeMap && ins.N%2 != 0 {
			return "a map of an odd number of values"
		}
	case OperandSlotList, OperandPath, OperandOut, OperandName, OperandSection:
		if inside && x >= 0 {
			return w.pool.Mismatch(kind, x, ins, w.f.Slots)
		}
	}
	if !inside {
		return fmt.Sprintf("operand %d is out of range", x)
	}
	return ""
}
