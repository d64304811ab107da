package vm

import (
	"context"

	"github.com/pcc-lang/pcc/internal/code"
)

// Code is linear if it only writes texts and variables, as that of most short
// prompts. It needs no machine: the values are looked up first, so that the room
// is made at once and of the right size. Where one of them is not a string, or not
// there, the machine runs the code.

// maxLinear is the number of variables up to which code counts as linear:
// their values are held on the goroutine's stack.
const maxLinear = 16

// findLinear sets p.linear, where the code is linear for data in a Go map.
func (p *Program) findLinear() {
	img := p.img
	vars := 0
	for i := range img.Functions[0].Code {
		switch img.Functions[0].Code[i].Op {
		case code.OpText, code.OpReturn:
		case code.OpEmitRoot:
			vars++
		default:
			return
		}
	}
	if vars > maxLinear {
		return
	}
	r := &textRun{parts: make([]runPart, 0, vars)}
	for i := range img.Functions[0].Code {
		ins := &img.Functions[0].Code[i]
		switch ins.Op {
		case code.OpText:
			r.text(ins.Text)
		case code.OpEmitRoot:
			o := &img.Outs[ins.B]
			if !o.Plain {
				return
			}
			part := runPart{key: ins.Key}
			if ins.N > 1 {
				part.keys = o.Path.Keys
			}
			r.value(ins.Text, part)
		case code.OpReturn:
			r.text(ins.Text)
			p.linear = r
			return
		}
	}
}

// tryLinear appends the whole output to dst, without a machine, and reports whether
// it could: where the code or the data are of another kind, or a limit is in
// the way, the machine renders, and says what is wrong. Where dst is nil the
// output is exactly as large as its text.
func (p *Program) tryLinear(dst []byte, data any) ([]byte, bool) {
	if !p.plain {
		return dst, false
	}
	if root, ok := data.(map[string]any); ok {
		p.looked.Do(p.findLinear)
		if p.linear == nil || !p.img.contractOK(root) {
			return dst, false
		}
		return p.linear.appendMap(dst, root, &p.img.Limits)
	}
	if p.img.Contract != nil {
		return dst, false
	}
	f := p.shapes.lookup(data)
	if f == nil || f.whole == nil {
		return dst, false
	}
	return f.whole.appendStruct(dst, *ifaceOf(&data), &p.img.Limits)
}

// contractOK reports whether root surely keeps the contract: each variable has a
// string and is declared as one, or as any value, or need not be there.
func (img *Image) contractOK(root map[string]any) bool {
	for i := range img.Contract {
		c := &img.Contract[i]
		x, ok := root[c.Name]
		if !ok && !c.Required {
			continue
		}
		if _, is := x.(string); !is || c.Type != "string" && c.Type != "any" && c.Type != "" || len(c.Enum) > 0 {
			return false
		}
	}
	return true
}

// needsWatching reports whether a render within ctx has to watch more than its own
// limits: a context that is done, or the budgets of an outer render. A nil ctx is
// none.
func needsWatching(ctx context.Context) bool {
	return !isBackground(ctx) && ctx != nil && (ctx.Err() != nil || ctx.Value(nestedKey{}) != nil)
}
