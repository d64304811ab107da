package vm

import "fmt"

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
// has done so already; tests call it on changed images.
func (p *Program) Verify() error { return verify(p.img) }

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
	return nil
}

func verifyFunction(img *Image, f *Function) error {
	fail := func(pc int, format string, args ...any) error {
		return &VerifyError{Function: f.Name, PC: pc, Reason: fmt.Sprintf(format, args...)}
	}
	if len(f.Code) == 0 {
		return fail(0, "no code")
	}
	for i, s := range f.Spans {
		if s.Site < 0 || int(s.Site) >= len(img.Sites) || i > 0 && s.PC <= f.Spans[i-1].PC {
			return fail(0, "position %d is malformed", i)
		}
	}
	// heights[pc] is the stack height before pc, plus 1; 0 is not reached yet.
	var fewHeights [128]int32
	heights := fewHeights[:]
	if len(f.Code) > len(heights) {
		heights = make([]int32, len(f.Code))
	}
	heights[0] = 1
	work := make([]int32, 1, 32)
	f.MaxStack = 0
	reach := func(from, to int, height int) error {
		switch {
		case to < 0 || to >= len(f.Code):
			return fail(from, "leaves the code, to %d", to)
		case heights[to] == 0:
			heights[to] = int32(height) + 1
			work = append(work, int32(to))
		case int(heights[to]) != height+1:
			return fail(from, "reaches %d with %d values on the stack, elsewhere %d", to, height, heights[to]-1)
		}
		return nil
	}
	for len(work) > 0 {
		pc := int(work[len(work)-1])
		work = work[:len(work)-1]
	straight: // on from one instruction to the next
		ins := &f.Code[pc]
		if ins.Op == OpInvalid || ins.Op >= opCount {
			return fail(pc, "invalid opcode %d", ins.Op)
		}
		info := &opTable[ins.Op]
		if why := checkOperands(img, f, ins, info); why != "" {
			return fail(pc, "%s: %s", ins.Op, why)
		}
		before := int(heights[pc]) - 1
		pops := int(info.pop) + int(info.popN)*int(ins.N)
		if before < pops {
			return fail(pc, "%s takes %d values of %d", ins.Op, pops, before)
		}
		after := before - pops + int(info.push) + int(info.pushN)*int(ins.N)
		f.MaxStack = max(f.MaxStack, before, after)
		if info.jump {
			if err := reach(pc, int(ins.Target), before+int(info.jumpDiff)); err != nil {
				return err
			}
			f.MaxStack = max(f.MaxStack, before+int(info.jumpDiff))
		}
		if table := switchOf(img, ins, info); table != nil {
			if len(table.Targets) != len(table.Values) {
				return fail(pc, "a switch with %d values and %d targets", len(table.Values), len(table.Targets))
			}
			if err := reach(pc, int(table.Default), after); err != nil {
				return err
			}
			for _, t := range table.Targets {
				if err := reach(pc, int(t), after); err != nil {
					return err
				}
			}
		}
		if ins.Op == OpReturn && before != 0 {
			return fail(pc, "returns with %d values on the stack", before)
		}
		if !info.ends {
			if pc+1 < len(f.Code) && heights[pc+1] == 0 {
				pc++
				heights[pc] = int32(after) + 1
				goto straight
			}
			if err := reach(pc, pc+1, after); err != nil {
				return err
			}
		}
	}
	return nil
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
	for _, o := range [...]struct {
		kind operand
		x    int32
	}{{info.a, ins.A}, {info.b, ins.B}, {info.n, int32(ins.N)}} {
		limit := -1
		low := int32(0)
		switch o.kind {
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
			if o.x >= 0 && int(o.x) < limit {
				for _, slot := range img.SlotLists[o.x] {
					if slot < 0 || int(slot) >= f.Slots {
						return fmt.Sprintf("slot %d is out of range", slot)
					}
				}
			}
		case operandLoop:
			limit = f.Loops
		case operandConst:
			limit = len(img.Consts)
		case operandRole:
			limit = len(img.Consts)
		case operandPath:
			limit = len(img.Paths)
			if o.x >= 0 && int(o.x) < limit {
				p := &img.Paths[o.x]
				if !pathFits(p, ins.Key) {
					return "path and key differ"
				}
				if n := uint16(min(len(p.Keys), 1<<16-1)); ins.N != n {
					ins.N = n // the machine sees at once whether there is one key
				}
			}
		case operandOut:
			limit = len(img.Outs)
			if o.x >= 0 && int(o.x) < limit && info.key {
				p := &img.Outs[o.x].Path
				if !pathFits(p, ins.Key) || len(p.Keys) != int(ins.N) {
					return "path and key differ"
				}
			}
		case operandName:
			limit, low = len(img.Names), -1
			if o.x >= 0 && int(o.x) < limit && len(img.Names[o.x]) > int(ins.N) {
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
			continue
		}
		if o.x < low || int(o.x) >= limit {
			return fmt.Sprintf("operand %d is out of range", o.x)
		}
	}
	if info.table && (ins.Target < 0 || int(ins.Target) >= len(img.Switches)) {
		return "switch table is out of range"
	}
	return ""
}

func pathFits(p *Path, key string) bool {
	return len(p.Keys) > 0 && p.Keys[0] == key && len(p.Item) == len(p.Keys) && p.Undef != nil
}
