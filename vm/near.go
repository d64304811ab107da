package vm

import (
	"strconv"
	"strings"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/internal/code"
)

// This file finds what a missing name may be meant for. It looks the path up
// once more when a diagnostic is made, so that nothing is kept for it where
// nothing is wrong.

// near returns the path of u with another key in the place of the one that
// lacks: for a.b[0].c, where a.b[0] has no c, a key of a.b[0] that is like it.
func (m *machine) near(u *Undefined) (path string, ok bool) {
	if n := int(u.Slot); n > 0 {
		i := strings.IndexAny(u.Name, ".[")
		if i < 0 || n > len(m.slots) {
			return "", false
		}
		return m.nearIn(m.slot(int32(n-1)), u.Name, i)
	}
	root, ok := stepAt(u.Name, 0)
	if !ok || root.isIndex {
		return "", false
	}
	if _, given := Lookup(m.data(), root.key); given {
		return m.nearIn(m.data(), u.Name, 0)
	}
	if v, ok := m.global(root.key); ok { // one of the defaults
		return m.nearIn(v, u.Name, root.next)
	}
	best, found := m.nearest.Find(root.key, m.rootNames)
	if !found {
		return "", false
	}
	return best + u.Name[root.end:], true
}

// rootNames are the names that another one may be near to which a template reads from
// its data: those of the data and those of its defaults.
func (m *machine) rootNames() []string {
	names := candidates(m.data())
	if m.img.Defaults == nil || len(m.scopes) > 0 {
		return names
	}
	for _, name := range candidates(MapOf(m.img.Defaults)) {
		if _, given := Lookup(m.data(), name); !given {
			names = append(names, name)
		}
	}
	return names
}

// nearIn is near for a path of which the part from byte from on leads on from the
// value parent.
func (m *machine) nearIn(parent Value, path string, from int) (string, bool) {
	for from < len(path) {
		s, ok := stepAt(path, from)
		if !ok {
			return "", false // only a render knows where it leads
		}
		parent = canonical(parent)
		var next Value
		if s.isIndex {
			n, isSeq := seqLen(parent)
			if s.index < 0 {
				s.index += n
			}
			if !isSeq || s.index < 0 || s.index >= n {
				return "", false
			}
			next = seqAt(parent, s.index)
		} else if next, ok = Lookup(parent, s.key); !ok {
			best, found := m.nearest.Find(s.key, func() []string { return candidates(parent) })
			if !found {
				return "", false
			}
			return path[:s.start] + best + path[s.end:], true
		}
		parent, from = next, s.next
	}
	return "", false
}

// pathStep is a key or index of a path; start and end are where it stands, and
// next where the following one begins.
type pathStep struct {
	key              string
	index            int
	isIndex          bool
	start, end, next int
}

// stepAt reads the step of a path such as a.b[0]["c"] that begins at byte i. ok is
// false for one that is computed.
func stepAt(path string, i int) (s pathStep, ok bool) {
	if path[i] == '.' {
		i++
	}
	if i == len(path) {
		return s, false
	}
	if path[i] != '[' {
		s.start, s.end = i, len(path)
		if n := strings.IndexAny(path[i:], ".["); n >= 0 {
			s.end = i + n
		}
		s.key, s.next = path[s.start:s.end], s.end
		return s, s.key != ""
	}
	n := strings.IndexByte(path[i:], ']')
	if n < 0 {
		return s, false
	}
	inside := path[i+1 : i+n]
	s.start, s.end, s.next = i+1, i+n, i+n+1
	if q := len(inside) - 1; q > 0 && (inside[0] == '"' || inside[0] == '\'') && inside[q] == inside[0] {
		s.start, s.end = s.start+1, s.end-1
		s.key = inside[1:q]
		return s, true
	}
	var err error
	s.index, err = strconv.Atoi(inside)
	s.isIndex = true
	return s, err == nil
}

// nearKey is near for a key of some value, which an operation of Jinja lacked.
// path is how the template spells the value and the key, "" where that is not
// known. Where the path starts from is told by the last instructions.
func (m *machine) nearKey(key, path string) (near string, ok bool) {
	const most = 12 // those of one expression
	if m.fn == nil {
		return "", false
	}
	for pc := min(m.pc, len(m.fn.Code)) - 1; pc >= max(0, m.pc-most); pc-- {
		p, local, isRoot := m.pathOf(&m.fn.Code[pc])
		if p == nil {
			continue
		}
		start, at, spelled := m.data(), 0, path
		if path == "" {
			if spelled = strings.Join(p.Keys, "."); !isPath(spelled) {
				continue
			}
		}
		root, ok := stepAt(spelled, 0)
		if !ok {
			return "", false
		}
		switch {
		case isRoot && root.key == p.Keys[0]:
			if _, given := Lookup(start, root.key); !given { // one of the defaults
				start, _ = m.global(root.key)
				at = root.next
			}
		case isRoot:
			continue
		case path == "":
			start = m.localHeld(local)
		default:
			second, ok := pathStep{}, root.next < len(spelled)
			if ok {
				second, ok = stepAt(spelled, root.next)
			}
			if !ok || second.key != p.Keys[0] {
				continue
			}
			start, at = m.localHeld(local), root.next
		}
		if near, ok = m.nearIn(start, spelled, at); ok {
			return near, true
		}
	}
	return "", false
}

// pathOf returns the path that an instruction reads, and where from: the data, or
// a local. It is nil for instructions that read none.
func (m *machine) pathOf(ins *code.Instr) (p *Path, local int32, root bool) {
	switch ins.Op {
	case code.OpEmitRoot:
		return &m.img.Outs[ins.B].Path, 0, true
	case code.OpRoot, code.OpJumpRootFalse:
		return &m.img.Paths[ins.A], 0, true
	case code.OpEmitSlotKey:
		return &m.img.Outs[ins.B].Path, ins.A, false
	case code.OpSlotKey, code.OpJumpSlotKeyFalse, code.OpSwitchSlotKey:
		return &m.img.Paths[ins.B], ins.A, false
	case code.OpEmitField, code.OpField, code.OpJumpFieldFalse, code.OpSwitchField:
		a := &m.fn.fields[ins.N]
		return a.path, ins.A, a.root
	}
	return nil, 0, false
}

// helpNear is the help line that suggests a path.
func helpNear(path string) string { return "did you mean `" + diag.ClipName(path) + "`?" }
