package vm

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pcc-lang/pcc/internal/code"
)

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

// malformed is the error of an image that is malformed outside of its code.
func malformed(format string, args ...any) error {
	return &code.VerifyError{Reason: fmt.Sprintf(format, args...)}
}

// verify checks img and sets each function's MaxStack.
func verify(img *Image) error {
	if len(img.Functions) == 0 {
		return malformed("no functions")
	}
	for i := range img.Sites {
		if s := &img.Sites[i]; s.File == nil || s.Parent < -1 || int(s.Parent) >= i {
			return malformed("file %d is malformed", i)
		}
	}
	for i, b := range img.Builtins {
		if b == nil {
			return malformed("builtin %d is missing", i)
		}
	}
	for i, u := range img.Undefs {
		if u == nil {
			return malformed("description %d of a missing value is missing", i)
		}
	}
	for i := range img.Functions {
		if err := verifyFunction(img, &img.Functions[i]); err != nil {
			return err
		}
	}
	if why := verifyMacros(img); why != "" {
		return malformed("%s", why)
	}
	if int(img.RequestCode) >= len(img.Functions) || img.RequestCode < 0 {
		return malformed("there is no function %d for the request", img.RequestCode)
	}
	for i := range img.Outs {
		if o := &img.Outs[i]; int(o.Site) >= len(img.Sites) || o.Site < 0 || o.Policy > code.Empty || !o.Part.Known() {
			return malformed("placeholder %d is malformed", i)
		}
	}
	img.verified = true
	return nil
}

// verifyFunction checks the code of f, a function of img or a copy of one.
func verifyFunction(img *Image, f *Function) error {
	pool := img.codePool()
	pool.Counts[code.OperandAccess] = len(f.fields)
	return code.Verify(&f.Function, &pool)
}

// codePool tells what the operands of img's code refer to.
func (img *Image) codePool() code.Pool {
	p := code.Pool{Sites: len(img.Sites), Entries: img}
	p.Counts[code.OperandSlotList] = len(img.SlotLists)
	p.Counts[code.OperandConst] = len(img.Consts)
	p.Counts[code.OperandRoles] = len(img.Names)
	p.Counts[code.OperandPath] = len(img.Paths)
	p.Counts[code.OperandOut] = len(img.Outs)
	p.Counts[code.OperandName] = len(img.Names)
	p.Counts[code.OperandKeys] = len(img.Names)
	p.Counts[code.OperandBuiltin] = len(img.Builtins)
	p.Counts[code.OperandTable] = len(img.Switches)
	p.Counts[code.OperandUndef] = len(img.Undefs)
	p.Counts[code.OperandSection] = len(img.Sections)
	p.Counts[code.OperandBranch] = len(img.Branches)
	p.Counts[code.OperandDialect] = len(img.Dialects)
	p.Counts[code.OperandMacro] = len(img.Macros)
	return p
}

// Mismatch implements code.Entries.
func (img *Image) Mismatch(kind code.Operand, x int32, ins *code.Instr, slots int) string {
	switch kind {
	case code.OperandSlotList:
		for _, slot := range img.SlotLists[x] {
			if slot < 0 || int(slot) >= slots {
				return fmt.Sprintf("slot %d is out of range", slot)
			}
		}
	case code.OperandSection:
		if s := &img.Sections[x]; s.HasText && (s.Text < 0 || int(s.Text) >= slots) {
			return fmt.Sprintf("slot %d is out of range", s.Text)
		}
	case code.OperandPath:
		p := &img.Paths[x]
		if !pathFits(p, ins.Key) {
			return "path and key differ"
		}
		if n := uint16(min(len(p.Keys), 1<<16-1)); ins.N != n {
			ins.N = n // the machine sees at once whether there is one key
		}
	case code.OperandOut:
		if p := &img.Outs[x].Path; ins.Op.Info().Key && (!pathFits(p, ins.Key) || len(p.Keys) != int(ins.N)) {
			return "path and key differ"
		}
	case code.OperandName:
		if len(img.Names[x]) > int(ins.N) {
			return "more names than arguments"
		}
	}
	return ""
}

func pathFits(p *Path, key string) bool {
	return len(p.Keys) > 0 && p.Keys[0] == key && len(p.Item) == len(p.Keys) && p.Undef != nil
}

// Switch implements code.Entries.
func (img *Image) Switch(table int32) (targets []int32, values int, otherwise int32) {
	s := &img.Switches[table]
	return s.Targets, len(s.Values), s.Default
}

// Text implements code.Entries.
func (img *Image) Text(kind code.Operand, x int32) string {
	switch kind {
	case code.OperandSlotList:
		return "s" + strings.Trim(strings.ReplaceAll(fmt.Sprint(img.SlotLists[x]), " ", ",s"), "[]")
	case code.OperandConst:
		if o, ok := img.Consts[x].Object(); ok {
			if f, ok := o.(interface{ Builtin() *Builtin }); ok {
				return f.Builtin().Name
			}
		}
		return signatureLiteral(img.Consts[x])
	case code.OperandPath:
		return strings.Join(img.Paths[x].Keys, ".")
	case code.OperandOut:
		o := &img.Outs[x]
		return "`" + code.Shorten(o.Name) + "` " + o.Policy.String()
	case code.OperandName:
		return strings.Join(img.Names[x], ",") + "="
	case code.OperandRoles:
		return strings.Join(img.Names[x], "|")
	case code.OperandBuiltin:
		return img.Builtins[x].Name
	case code.OperandTable:
		return img.switchText(x)
	}
	return ""
}

func (img *Image) switchText(i int32) string {
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
