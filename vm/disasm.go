package vm

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Disassemble lists the program's code, one instruction a line:
//
//	0003  EMIT_ROOT            "Hello, " user.name       ; 1:8
func (p *Program) Disassemble() string {
	var w strings.Builder
	img := p.boundImage()
	for i := range img.Functions {
		f := &img.Functions[i]
		if i > 0 {
			w.WriteByte('\n')
		}
		fmt.Fprintf(&w, "%s: slots %d, loops %d, stack %d\n", f.Name, f.Slots, f.Loops, f.MaxStack)
		run := 0
		for pc := range f.Code {
			for run+1 < len(f.Spans) && int(f.Spans[run+1].PC) <= pc {
				run++
			}
			line := fmt.Sprintf("%04d  %s", pc, img.line(&f.Code[pc]))
			if len(f.Spans) > 0 {
				site := img.Sites[f.Spans[run].Site]
				file, start := site.File.Root(f.Spans[run].Span.Start)
				at := file.Position(start)
				where := fmt.Sprintf("%d:%d", at.Line, at.Column)
				if site.Parent >= 0 {
					where = site.File.Name + ":" + where
				}
				line = fmt.Sprintf("%-58s ; %s", line, where)
			}
			w.WriteString(strings.TrimRight(line, " "))
			w.WriteByte('\n')
		}
	}
	return w.String()
}

// line writes one instruction with its operands as the table describes them.
func (img *Image) line(ins *Instr) string {
	info := opInfo{}
	if ins.Op < opCount {
		info = opTable[ins.Op]
	}
	var args []string
	if info.text && (ins.Text != "" || ins.Op == OpText) {
		args = append(args, shorten(ins.Text))
	}
	add := func(kind operand, x int32) {
		if s := img.operand(kind, x, ins); s != "" {
			args = append(args, s)
		}
	}
	add(info.a, ins.A)
	add(info.b, ins.B)
	add(info.n, int32(ins.N))
	if info.key && !hasPath(info) {
		args = append(args, strconv.Quote(ins.Key))
	}
	if info.table {
		args = append(args, img.switchText(int(ins.Target)))
	}
	if info.jump {
		args = append(args, fmt.Sprintf("→%04d", ins.Target))
	}
	return strings.TrimRight(fmt.Sprintf("%-20s %s", ins.Op, strings.Join(args, " ")), " ")
}

func hasPath(i opInfo) bool {
	return i.a == operandPath || i.b == operandPath || i.b == operandOut
}

// operand writes one operand.
func (img *Image) operand(kind operand, x int32, ins *Instr) string {
	switch kind {
	case operandSlot:
		return fmt.Sprintf("s%d", x)
	case operandLocal:
		if x < 0 {
			return fmt.Sprintf("item%d", ^x)
		}
		return fmt.Sprintf("s%d", x)
	case operandTarget:
		if x < 0 {
			return ""
		}
		return fmt.Sprintf("s%d", x)
	case operandSlotList:
		return "s" + strings.Trim(strings.ReplaceAll(fmt.Sprint(img.SlotLists[x]), " ", ",s"), "[]")
	case operandLoop:
		return fmt.Sprintf("loop%d", x)
	case operandConst, operandRole:
		if o, ok := img.Consts[x].Object(); ok {
			if f, ok := o.(interface{ Builtin() *Builtin }); ok {
				return f.Builtin().Name
			}
		}
		return signatureLiteral(img.Consts[x])
	case operandPath:
		return strings.Join(img.Paths[x].Keys, ".")
	case operandOut:
		o := &img.Outs[x]
		name := "`" + shortenText(o.Name) + "`"
		return name + " " + o.Policy.String()
	case operandName:
		if x < 0 {
			return ""
		}
		return strings.Join(img.Names[x], ",") + "="
	case operandBuiltin:
		return img.Builtins[x].Name
	case operandTable:
		return img.switchText(int(x))
	case operandCount:
		if ins.Op == OpEmitRoot || ins.Op == OpEmitSlotKey {
			return ""
		}
		return fmt.Sprintf("n=%d", x)
	case operandBinary:
		return [...]string{"+", "-", "*", "/", "//", "%", "**", "~"}[x]
	case operandCompare:
		return [...]string{"==", "!=", "<", "<=", ">", ">=", "in", "not in"}[x]
	case operandField:
		return LoopFieldNames[x]
	case operandMode:
		return [...]string{"items", "entries", "python"}[x]
	}
	return ""
}

func (img *Image) switchText(i int) string {
	s := &img.Switches[i]
	var w strings.Builder
	w.WriteByte('{')
	for j, v := range s.Values {
		if j > 0 {
			w.WriteString(", ")
		}
		fmt.Fprintf(&w, "%s→%04d", signatureLiteral(v), s.Targets[j])
	}
	fmt.Fprintf(&w, "} else→%04d", s.Default)
	return w.String()
}

// shorten quotes text, cutting a long one.
func shorten(s string) string { return strconv.Quote(shortenText(s)) }

func shortenText(s string) string {
	const most = 32
	r := []rune(s)
	if len(r) <= most {
		return s
	}
	return string(r[:most-1]) + "…"
}

// Opcodes returns a reference of all opcodes as a Markdown table.
func Opcodes() string {
	var w strings.Builder
	w.WriteString("| opcode | stack | what it does |\n|---|---|---|\n")
	for op := OpInvalid + 1; op < opCount; op++ {
		i := &opTable[op]
		fmt.Fprintf(&w, "| `%s` | `%s` | %s |\n", i.name, strings.ReplaceAll(i.picture, "|", "\\|"), strings.ReplaceAll(i.doc, "|", "\\|"))
	}
	return w.String()
}

// Jumps reports whether an instruction with this opcode uses Target as the
// instruction to go to.
func Jumps(op Op) bool { return op < opCount && opTable[op].jump }

// WritesFirst reports whether an instruction with this opcode writes its Text
// before it does anything else, so that text in front of it can be its own.
func WritesFirst(op Op) bool { return op < opCount && opTable[op].first }

// ReadsLocal reports whether an instruction with this opcode reads the local
// variable A, which may be the item of a loop.
func ReadsLocal(op Op) bool { return op < opCount && opTable[op].a == operandLocal }

// NamesSlots reports whether instructions with this opcode may use slots, as
// UsesSlot tells of one.
func NamesSlots(op Op) bool {
	if op >= opCount {
		return false
	}
	info := &opTable[op]
	return usesSlots[info.a] || usesSlots[info.b] || usesSlots[info.n]
}

// usesSlots are the operands that UsesSlot looks at.
var usesSlots = [1 << 8]bool{operandSlot: true, operandLocal: true, operandTarget: true, operandSlotList: true}

// UsesSlot reports whether an instruction uses a slot in any way.
func UsesSlot(img *Image, ins *Instr, slot int32) bool {
	info := &opTable[ins.Op]
	for _, o := range [...]struct {
		kind operand
		x    int32
	}{{info.a, ins.A}, {info.b, ins.B}, {info.n, int32(ins.N)}} {
		switch o.kind {
		case operandSlot, operandLocal:
			if o.x == slot {
				return true
			}
		case operandTarget:
			if o.x == slot || LoopMode(ins.N) == ModeEntries && o.x == slot-1 {
				return true
			}
		case operandSlotList:
			if slices.Contains(img.SlotLists[o.x], slot) {
				return true
			}
		}
	}
	return false
}
