package vm

import (
	"context"
	"unsafe"

	"github.com/pcc-lang/pcc/internal/code"
)

// linear is the code of a template that only writes texts and variables, as
// most short prompts do, for data in a Go map. It needs no machine: the values
// are looked up first, so that the room is made at once and of the right size.
// Where one of them is not a string, or not there, the machine runs the code.
type linear struct {
	parts []linearPart
	tail  string // text behind the last variable
	texts int    // bytes of all texts
	count int    // instructions
}

// linearPart is a text and the path of the variable behind it.
type linearPart struct {
	text string
	key  string
	keys []string // the whole path, where it has more keys than one
}

// maxLinear is the number of variables up to which code counts as linear:
// their values are held on the goroutine's stack.
const maxLinear = 16

// findLinear sets p.linear, where its code is of that kind.
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
	s := &linear{parts: make([]linearPart, 0, vars)}
	for i := range img.Functions[0].Code {
		ins := &img.Functions[0].Code[i]
		s.count++
		s.texts += len(ins.Text)
		switch ins.Op {
		case code.OpText:
			s.tail += ins.Text
			continue
		case code.OpEmitRoot:
			o := &img.Outs[ins.B]
			if !o.Plain {
				return
			}
			part := linearPart{text: s.tail + ins.Text, key: ins.Key}
			if ins.N > 1 {
				part.keys = o.Path.Keys
			}
			s.parts, s.tail = append(s.parts, part), ""
			continue
		case code.OpReturn:
			s.tail += ins.Text
			p.linear = s
		}
		return
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
		return p.linear.appendTo(dst, root, &p.img.Limits)
	}
	if p.img.Contract != nil {
		return dst, false
	}
	f := p.shapes.lookup(data)
	if f == nil || f.whole == nil {
		return dst, false
	}
	return f.whole.appendTo(dst, data, &p.img.Limits)
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

// appendTo appends what the code writes for root.
func (s *linear) appendTo(dst []byte, root map[string]any, l *Limits) ([]byte, bool) {
	var values [maxLinear]string
	size, steps := s.texts, s.count
	for i := range s.parts {
		p := &s.parts[i]
		x, ok := root[p.key]
		if p.keys != nil {
			x, _ = walk(x, ok, p.keys)
		}
		v, is := x.(string)
		if !is {
			return dst, false
		}
		values[i] = v
		size += len(v)
		if len(v) >= bulkBytes {
			steps += len(v) >> 6
		}
	}
	dst, ok := room(dst, size, steps, l)
	if !ok {
		return dst, false
	}
	for i := range s.parts {
		dst = append(append(dst, s.parts[i].text...), values[i]...)
	}
	return append(dst, s.tail...), true
}

// room makes room in dst for size bytes, which steps instructions write, if the
// limits allow both.
func room(dst []byte, size, steps int, l *Limits) ([]byte, bool) {
	switch {
	case int64(size) > l.OutputBytes || int64(steps) >= l.Steps:
		return dst, false
	case dst == nil:
		return uncleared(size), true
	case cap(dst)-len(dst) < size:
		bigger := make([]byte, len(dst), max(2*cap(dst), len(dst)+size))
		copy(bigger, dst)
		return bigger, true
	}
	return dst, true
}

// stringOf returns b as a string without copying it; b must not be changed
// afterwards.
func stringOf(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
