package code

import (
	"fmt"
	"strconv"
	"strings"
)

// Line writes one instruction with its operands as the table describes them:
//
//	EMIT_ROOT            "Hello, " `user.name` keep
func (p *Pool) Line(ins *Instr) string {
	info := Info{}
	if ins.Op < opCount {
		info = opTable[ins.Op]
	}
	var args []string
	if info.Text && (ins.Text != "" || ins.Op == OpText) {
		args = append(args, strconv.Quote(Shorten(ins.Text)))
	}
	add := func(kind Operand, x int32) {
		if s := p.operand(kind, x, ins); s != "" {
			args = append(args, s)
		}
	}
	add(info.A, ins.A)
	add(info.B, ins.B)
	add(info.N, int32(ins.N))
	if info.Key && !info.hasPath() && (ins.Key != "" || ins.Op != OpObject) {
		args = append(args, strconv.Quote(ins.Key))
	}
	if info.Table {
		args = append(args, p.Text(OperandTable, ins.Target))
	}
	if info.Jump {
		args = append(args, fmt.Sprintf("→%04d", ins.Target))
	}
	return strings.TrimRight(fmt.Sprintf("%-20s %s", ins.Op, strings.Join(args, " ")), " ")
}

// hasPath reports whether an operand is a path, which begins with Key.
func (i *Info) hasPath() bool {
	return i.A == OperandPath || i.B == OperandPath || i.B == OperandOut
}

// operand writes one operand.
func (p *Pool) operand(kind Operand, x int32, ins *Instr) string {
	switch kind {
	case OperandSlot:
		return fmt.Sprintf("s%d", x)
	case OperandLocal:
		if x < 0 {
			return fmt.Sprintf("item%d", ^x)
		}
		return fmt.Sprintf("s%d", x)
	case OperandTarget:
		if x < 0 {
			return ""
		}
		return fmt.Sprintf("s%d", x)
	case OperandLoop:
		return fmt.Sprintf("loop%d", x)
	case OperandCount:
		if ins.Op == OpEmitRoot || ins.Op == OpEmitSlotKey {
			return ""
		}
		return fmt.Sprintf("n=%d", x)
	case OperandObject:
		return ObjectKind(x).String()
	case OperandOwner:
		if ObjectKind(ins.N).ofLoop() {
			return fmt.Sprintf("loop%d", x)
		}
		return ""
	case OperandUnary:
		return UnaryOp(x).String()
	case OperandMake:
		return MakeKind(x).String()
	case OperandFlag:
		return strconv.FormatBool(x == 1)
	case OperandEscape:
		return EscapeRule(x).String()
	case OperandKey:
		return KeyRule(x).String()
	case OperandBlank:
		return BlankRule(x).String()
	case OperandBinary:
		return BinaryOp(x).String()
	case OperandCompare:
		return CompareOp(x).String()
	case OperandField:
		return LoopFieldNames[x]
	case OperandMode:
		return LoopMode(x).String()
	case OperandName, OperandRoles:
		if x < 0 {
			return ""
		}
		fallthrough
	case OperandSlotList, OperandConst, OperandPath, OperandOut, OperandBuiltin, OperandTable:
		return p.Text(kind, x)
	}
	return ""
}

// Shorten cuts a long text for a listing.
func Shorten(s string) string {
	const most = 32
	r := []rune(s)
	if len(r) <= most {
		return s
	}
	return string(r[:most-1]) + "…"
}
