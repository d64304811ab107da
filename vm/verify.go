package vm

import (
	"fmt"
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

// Verify checks the program's code again: operands in range, jumps to
// instructions, one stack height for each instruction on all ways to it. New
// has done so already; tests call it on changed images. It changes nothing, so
// that the program can render at the same time.
func (p *Program) Verify() error {
	img := *p.img
	img.Functions = slices.Clone(img.Functions)
	for i := range img.Functions {
		img.Functions[i].Code = slices.Clone(img.Functions[i].Code)
	}
	return verify(&img)
}

// verify checks img and sets each function's MaxStack.
func verify(img *Image) error {
	if len(img.Functions) == 0 {
		return &VerifyError{Reason: "no functions"}
	}
	for i := range img.Sites {
		if s := &img.Sites[i]; s.File == nil || s.Parent < -1 || int(s.Parent) >= i {
			return &VerifyError{Reason: fmt.Sprintf("file %d is malformed", i)}
		}
	}
	for i, b := range img.Builtins {
		if b == nil {
			return &VerifyError{Reason: fmt.Sprintf("builtin %d is missing", i)}
		}
	}
	for i, u := range img.Undefs {
		if u == nil {
			return &VerifyError{Reason: fmt.Sprintf("description %d of a missing value is missing", i)}
		}
	}
	for i := range img.Functions {
		if err := verifyFunction(img, &img.Functions[i]); err != nil {
			return err
		}
	}
	if why := verifyMacros(img); why != "" {
		return &VerifyError{Reason: why}
	}
	for i := range img.Outs {
		if o := &img.Outs[i]; int(o.Site) >= len(img.Sites) || o.Site < 0 || o.Policy > Empty {
			return &VerifyError{Reason: fmt.Sprintf("placeholder %d is malformed", i)}
		}
	}
	img.verified = true
	return nil
}

// maxSlots is the greatest number of slots, loops and cells of a function of so
// many instructions. The constant is what the operands of one instruction, an
// import of many names or the head of a macro, may need.
func maxSlots(instructions int) int { return 1<<16 + 4*instructions }

func verifyFunction(img *Image, f *Function) error {
	if len(f.Code) == 0 {
		return failed(f, 0, "no code")
	}
	// A slot is of use to an instruction that names it; macros have some more for
	// their parameters. Each takes memory in every render.
	if most := maxSlots(len(f.Code)); f.Slots < 0 || f.Loops < 0 || f.Cells < 0 || f.Slots > most || f.Loops > most || f.Cells > most {
		return failed(f, 0, "%d slots, %d loops and %d cells for %d instructions", f.Slots, f.Loops, f.Cells, len(f.Code))
	}
	for i, s := range f.Spans {
		if s.Site < 0 || int(s.Site) >= len(img.Sites) || i > 0 && s.PC <= f.Spans[i-1].PC {
			return failed(f, 0, "position %d is malformed", i)
		}
	}
	w := flow{img: img, f: f, head: -1}
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
		if err := w.straight(int(pc)); err != nil {
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
	img *Image
	f   *Function
	// heights[pc] is the stack height before pc, plus 1; 0 is not reached yet.
	heights []int32
	// head is the first of the instructions that are reached and not yet looked at,
	// -1 for none, next[pc] the one behind pc.
	head int32
	next []int32
}

// straight checks the instructions from pc on, up to one that does not go on or
// whose next was reached before.
func (w *flow) straight(pc int) error {
	code, heights := w.f.Code, w.heights[:len(w.f.Code)]
	height := int(heights[pc]) - 1
	most := w.f.MaxStack
	for {
		ins := &code[pc]
		if ins.Op == OpInvalid || ins.Op >= opCount {
			return w.fail(pc, "invalid opcode %d", ins.Op)
		}
		info := &opTable[ins.Op]
		if why := checkOperands(w.img, w.f, ins, info); why != "" {
			return w.fail(pc, "%s: %s", ins.Op, why)
		}
		n := int(ins.N)
		pops := int(info.pop) + int(info.popN)*n
		if height < pops {
			return w.fail(pc, "%s takes %d values of %d", ins.Op, pops, height)
		}
		after := height - pops + int(info.push) + int(info.pushN)*n
		most = max(most, height, after)
		if info.jump {
			if err := w.reach(pc, int(ins.Target), height+int(info.jumpDiff)); err != nil {
				return err
			}
			most = max(most, height+int(info.jumpDiff))
		}
		if table := switchOf(w.img, ins, info); table != nil {
			if len(table.Targets) != len(table.Values) {
				return w.fail(pc, "a switch with %d values and %d targets", len(table.Values), len(table.Targets))
			}
			if err := w.reach(pc, int(table.Default), after); err != nil {
				return err
			}
			for _, t := range table.Targets {
				if err := w.reach(pc, int(t), after); err != nil {
					return err
				}
			}
		}
		w.f.MaxStack = most
		if ins.Op == OpReturn && height != 0 {
			return w.fail(pc, "returns with %d values on the stack", height)
		}
		if info.ends {
			return nil
		}
		if pc+1 >= len(code) || heights[pc+1] != 0 {
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
	if ins.Op == OpInvalid || ins.Op >= opCount {
		return w.fail(pc, "invalid opcode %d", ins.Op)
	}
	info := &opTable[ins.Op]
	if why := checkOperands(w.img, w.f, ins, info); why != "" {
		return w.fail(pc, "%s: %s", ins.Op, why)
	}
	outside := func(to int32) bool { return to < 0 || int(to) >= len(w.f.Code) }
	if info.jump && outside(ins.Target) {
		return w.fail(pc, "leaves the code, to %d", ins.Target)
	}
	if table := switchOf(w.img, ins, info); table != nil {
		if len(table.Targets) != len(table.Values) {
			return w.fail(pc, "a switch with %d values and %d targets", len(table.Values), len(table.Targets))
		}
		if outside(table.Default) || slices.ContainsFunc(table.Targets, outside) {
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

// switchOf returns the table of a switch instruction, nil for others.
func switchOf(img *Image, ins *Instr, info *opInfo) *Switch {
	switch {
	case info.a == operandTable:
		return &img.Switches[ins.A]
	case info.table:
		return &img.Switches[ins.Target]
	}
	return nil
}

// checkOperands returns why an operand is out of range, or "".
func checkOperands(img *Image, f *Function, ins *Instr, info *opInfo) string {
	if info.a != operandNone {
		if why := checkOperand(img, f, ins, info, info.a, ins.A); why != "" {
			return why
		}
	}
	if info.b != operandNone {
		if why := checkOperand(img, f, ins, info, info.b, ins.B); why != "" {
			return why
		}
	}
	if info.n != operandNone {
		if why := checkOperand(img, f, ins, info, info.n, int32(ins.N)); why != "" {
			return why
		}
	}
	if ins.Op == OpEmitRoot && ins.A != 0 { // emitKeys compares it with others' A
		return "operand A has no meaning"
	}
	if info.table && (ins.Target < 0 || int(ins.Target) >= len(img.Switches)) {
		return "switch table is out of range"
	}
	return ""
}

// checkOperand is checkOperands for the operand x of a kind.
func checkOperand(img *Image, f *Function, ins *Instr, info *opInfo, kind operand, x int32) string {
	limit := -1
	low := int32(0)
	switch kind {
	case operandSlot:
		limit = f.Slots
	case operandLocal:
		low, limit = -int32(f.Loops), f.Slots
	case operandTarget:
		low, limit = -int32(f.Slots), f.Slots
		if LoopMode(ins.N) == ModeEntries {
			low, limit = 0, limit-1 // binds two
		}
	case operandSlotList:
		limit = len(img.SlotLists)
		if x >= 0 && int(x) < limit {
			for _, slot := range img.SlotLists[x] {
				if slot < 0 || int(slot) >= f.Slots {
					return fmt.Sprintf("slot %d is out of range", slot)
				}
			}
		}
	case operandLoop:
		limit = f.Loops
	case operandConst, operandRole:
		limit = len(img.Consts)
	case operandPath:
		limit = len(img.Paths)
		if x >= 0 && int(x) < limit {
			p := &img.Paths[x]
			if !pathFits(p, ins.Key) {
				return "path and key differ"
			}
			if n := uint16(min(len(p.Keys), 1<<16-1)); ins.N != n {
				ins.N = n // the machine sees at once whether there is one key
			}
		}
	case operandOut:
		limit = len(img.Outs)
		if x >= 0 && int(x) < limit && info.key {
			p := &img.Outs[x].Path
			if !pathFits(p, ins.Key) || len(p.Keys) != int(ins.N) {
				return "path and key differ"
			}
		}
	case operandName:
		limit, low = len(img.Names), -1
		if x >= 0 && int(x) < limit && len(img.Names[x]) > int(ins.N) {
			return "more names than arguments"
		}
	case operandBuiltin:
		limit = len(img.Builtins)
	case operandTable:
		limit = len(img.Switches)
	case operandBinary:
		limit = int(OpConcat) + 1
	case operandCompare:
		limit = int(CmpNotIn) + 1
	case operandField:
		limit = int(loopFields)
	case operandMode:
		limit = int(loopModes)
	case operandUndef:
		limit = len(img.Undefs)
	case operandSection:
		limit = len(img.Sections)
	case operandBlank:
		low, limit = 1, 3
	case operandFlag:
		limit = 2
	case operandKeys:
		limit = len(img.Names)
	case operandBranch:
		limit = len(img.Branches)
	case operandDialect:
		limit = len(img.Dialects)
	case operandCell:
		limit = f.Cells
	case operandMacro:
		limit = len(img.Macros)
	case operandAccess:
		limit = len(f.fields)
	default:
		return ""
	}
	if x < low || int(x) >= limit {
		return fmt.Sprintf("operand %d is out of range", x)
	}
	return ""
}

func pathFits(p *Path, key string) bool {
	return len(p.Keys) > 0 && p.Keys[0] == key && len(p.Item) == len(p.Keys) && p.Undef != nil
}
