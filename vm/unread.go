package vm

import (
	"slices"
	"strings"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/internal/code"
)

// This file tells the keys in the maps of a prompt tree's templates that their
// templates do not read. What they read is known when someone asks for the variables,
// so that it is looked at after the render.

// openLister is a VariableLister that can tell that its list lacks names: those that
// templates read whose own names are computed. It is asked after ListVariables.
type openLister interface{ ReadsMore() bool }

// maxValueMaps bounds the maps of one render that are looked at.
const maxValueMaps = 1000

// valueMap is a map that a template of a prompt tree was given.
type valueMap struct {
	ins      *code.Instr
	values   Value
	pc       int
	fn       *Function
	defaults bool
}

// keepValues keeps a map that the scope of ins reads for noteValues.
func (m *machine) keepValues(ins *code.Instr, v Value, defaults bool) {
	if m.report && ins.N != 1 && len(m.valueMaps) < maxValueMaps {
		m.valueMaps = append(m.valueMaps, valueMap{ins, v, m.pc, m.fn, defaults})
	}
}

// noteValues notes the keys that no template reads of the maps at its key: those of
// all levels have the keys of all templates that are called so, as a template falls
// back to the outer ones.
func (p *Program) noteValues(m *machine) {
	if len(m.valueMaps) == 0 {
		return
	}
	vars := p.variables()
	if l, ok := p.img.Lister.(openLister); ok && l.ReadsMore() {
		return
	}
	known := map[string][]string{}
	pc, fn := m.pc, m.fn
	for i := range m.valueMaps {
		x := &m.valueMaps[i]
		names, ok := known[x.ins.Key]
		if !ok {
			names = readBelow(vars, x.ins.Key)
			known[x.ins.Key] = names
		}
		set := setOf(names)
		if set["vars"] {
			continue // the template reads the whole map
		}
		whose := "the data of `" + diag.ClipName(x.ins.Key) + "` has"
		if x.defaults {
			whose = "the defaults of `" + diag.ClipName(x.ins.Key) + "` have"
		}
		m.pc, m.fn = x.pc, x.fn
		for _, name := range fieldNames(x.values) {
			if !set[name] && !slices.Contains(m.nears, name) { // what was suggested is told already
				m.noteName(whose+" a key `"+diag.ClipName(name)+"` that the template does not read", "it reads %s", name, names)
			}
		}
	}
	m.pc, m.fn = pc, fn
}

// readBelow are the names that vars have right below the key, at whatever level.
func readBelow(vars []Variable, key string) (names []string) {
	seen := map[string]bool{}
	for i := range vars {
		for _, way := range vars[i].Names() {
			for rest, at := way, 0; ; at++ {
				n := strings.Index(rest, key+".")
				if n < 0 {
					break
				}
				begins := n == 0 && at == 0 || n > 0 && (rest[n-1] == '.' || rest[n-1] == ']')
				rest = rest[n+len(key)+1:]
				if name := rest[:pathEnd(rest)]; begins && !seen[name] {
					seen[name] = true
					names = append(names, name)
				}
			}
		}
	}
	return names
}

// pathEnd is where the first name of a path ends.
func pathEnd(path string) int {
	if n := strings.IndexAny(path, ".["); n >= 0 {
		return n
	}
	return len(path)
}
