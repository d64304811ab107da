package compiler

import (
	"slices"
	"strings"
	"sync"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/vm"
)

// usage collects what a program reads from its data, while it is lowered. The
// reads are only noted; the list of variables is made of them when someone asks
// for it.
type usage struct {
	reads readLog
	// optional counts the constructs around the current expression in which a
	// missing value is no fault: conditions, loops, default(…).
	optional int
	// branches counts the branches around the current node: what is read there
	// is not needed by every render.
	branches int
	// hint is the type that the next path read is used as.
	hint string
	// templates are the names of other templates that stand in this one.
	templates []namedTemplate
	// computed says that a template takes in others whose names are not known.
	computed bool
	// lastHint is what the last path was read as.
	lastHint string
}

// read is one read of a variable. Its name is base, or base and rest with a dot
// between them.
type read struct {
	base, rest string
	file       *source.File
	at         source.Pos
	typ        readType
	required   bool
}

// readType is a type that use tells.
type readType uint8

// listRead is the type of what is looped over.
const listRead readType = 5

// readTypes names them, as in vm.Variable.
var readTypes = [...]string{"any", "string", "integer", "number", "boolean", "list", "map"}

func readTypeOf(name string) readType {
	switch name { // as a rule
	case "":
		return 0
	case "list":
		return listRead
	}
	return readType(max(0, slices.Index(readTypes[:], name)))
}

// maxUses bounds the places kept for one variable, maxReads the reads kept
// before those of the same variable are put together.
const (
	maxUses  = 100
	maxReads = 1 << 12
)

// readLog is a list of reads, long ones by variable.
type readLog struct {
	reads  []read
	vars   []readVar
	byName map[string]int // index into vars
}

// readVar is a variable that is read. uses are places in files.
type readVar struct {
	name     string
	typ      readType
	file     string
	required bool
	uses     []place
}

type place struct {
	file *source.File
	at   source.Pos
}

// add notes a read.
func (r *readLog) add(x read) {
	if len(r.reads) == maxReads {
		r.merge()
	}
	reads, to := extended(r.reads)
	r.reads = reads
	to.base, to.rest, to.file, to.at, to.typ, to.required = x.base, x.rest, x.file, x.at, x.typ, x.required
}

// merge puts the reads of each variable together, in order of first use.
func (r *readLog) merge() {
	if r.byName == nil {
		r.byName = make(map[string]int, min(len(r.reads), 64))
	}
	var buf []byte
	for i := range r.reads {
		x := &r.reads[i]
		buf = append(buf[:0], x.base...)
		if x.rest != "" {
			buf = append(append(buf, '.'), x.rest...)
		}
		n, ok := r.byName[string(buf)]
		if !ok {
			n = len(r.vars)
			name := x.base
			if x.rest != "" {
				name = string(buf)
			}
			r.byName[name] = n
			r.vars = append(r.vars, readVar{name: name, file: x.file.Name})
		}
		v := &r.vars[n]
		v.required = v.required || x.required
		if v.typ == 0 {
			v.typ = x.typ
		}
		if len(v.uses) < maxUses {
			v.uses = append(v.uses, place{x.file, x.at})
		}
	}
	r.reads = r.reads[:0]
}

// variables makes the list of variables.
func (r *readLog) variables() []vm.Variable {
	r.merge()
	vars := make([]vm.Variable, len(r.vars))
	for i := range r.vars {
		x := &r.vars[i]
		v := vm.Variable{Name: x.name, Type: readTypes[x.typ], Required: x.required, File: x.file, Uses: make([]source.Position, len(x.uses))}
		for j, u := range x.uses {
			f, p := u.file.Root(u.at)
			v.Uses[j] = f.Position(p)
		}
		vars[i] = v
	}
	return vars
}

// takeHint returns the type hint and clears it.
func (u *usage) takeHint() string {
	h := u.hint
	u.hint, u.lastHint = "", h
	return h
}

// use records one read of the variable base, or base.rest.
func (l *lowerer) use(base, rest string, span source.Span, typ string) {
	if base == "" && !brace(l.rules) || l.silent { // in braces, a name may be empty
		return
	}
	if l.given != nil {
		if name := firstName(base); slices.Contains(l.given, name) {
			l.markUsed(name)
			return
		}
	}
	base = l.documentName(base, rest)
	u := &l.usage
	if u.reads.reads == nil {
		u.reads.reads = make([]read, 0, max(1, l.reads))
	}
	u.reads.add(read{base: base, rest: rest, typ: readTypeOf(typ), file: l.file, at: span.Start,
		required: u.optional == 0 && u.branches == 0})
}

// usePath records the read of the path e, keys[0] being its variable, where
// that resolves to r.
func (l *lowerer) usePath(e ast.Expr, keys []string, r resolution) {
	typ := l.usage.takeHint()
	switch {
	case r.loop >= 0:
		return
	case r.local != nil:
		if path := r.local.path; path != "" && (len(keys) > 1 || typ != "") {
			rest := l.dotted(e, keys[1:])
			if rest != "" && path.Several() {
				path, rest = path.Below("."+rest), ""
			}
			l.use(string(path), rest, e.Span(), typ)
		}
		return
	}
	if l.isVars(keys) {
		l.use(keys[1], l.dotted(e, keys[2:]), e.Span(), typ)
		return
	}
	rest := l.dotted(e, keys[1:])
	if len(r.bares) == 0 {
		l.use(keys[0], rest, e.Span(), typ)
		return
	}
	names, all := l.bareNames(e, keys, r)
	if !all { // it may be where nobody says
		typ = ""
		l.usage.optional++
		defer func() { l.usage.optional-- }()
	}
	l.use(string(names), "", e.Span(), typ)
}

// maxBares is the number of bare loops around a name that reports list as places
// of its value.
const maxBares = 4

// maxNames bounds the places that a name in nested bare loops is looked for in,
// as reports list them: the lists may themselves be in several places.
const maxNames = 8

// bareNames are the places that keys are read from inside bare loops: the items,
// innermost first, then the data. It reports whether these are all.
func (l *lowerer) bareNames(e ast.Expr, keys []string, r resolution) (names vm.Paths, all bool) {
	path := l.dotted(e, keys)
	all = len(r.bares) <= maxBares
	var places []string
	for _, sc := range r.bares[:min(len(r.bares), maxBares)] {
		if sc.path == "" {
			all = false
			continue
		}
		for place := range sc.path.Below("." + path).Each() {
			if !slices.Contains(places, place) {
				places = append(places, place)
			}
		}
	}
	if len(places) >= maxNames {
		places, all = places[:maxNames-1], false
	}
	for _, place := range places {
		names = names.Or(place)
	}
	return names.Or(path), all
}

// dotted joins keys, the last ones of the path e, by dots. As a rule the source
// holds that text already.
func (l *lowerer) dotted(e ast.Expr, keys []string) string {
	switch len(keys) {
	case 0:
		return ""
	case 1:
		return keys[0]
	}
	p := &l.lastPath
	if n := len(p.keys); p.e == e && n >= len(keys) && &p.keys[n-1] == &keys[len(keys)-1] {
		if p.dotted == "" {
			p.dotted = l.joined(e, p.keys)
		}
		at := 0
		for _, k := range p.keys[:len(p.keys)-len(keys)] {
			at += len(k) + 1
		}
		return p.dotted[at:]
	}
	return l.joined(e, keys)
}

// joined is dotted without what is known of the path that was split last.
func (l *lowerer) joined(e ast.Expr, keys []string) string {
	n := len(keys) - 1
	for _, k := range keys {
		n += len(k)
	}
	text := l.file.Slice(e.Span())
	if len(text) >= n {
		text = text[len(text)-n:]
		at := 0
		for i, k := range keys {
			if text[at:at+len(k)] != k || i < len(keys)-1 && text[at+len(k)] != '.' {
				return strings.Join(keys, ".")
			}
			at += len(k) + 1
		}
		return text
	}
	return strings.Join(keys, ".")
}

// maybe lowers something in which missing values are no fault.
func (l *lowerer) maybe(f func()) {
	l.usage.optional++
	f()
	l.usage.optional--
}

// branch lowers a body that not every render runs.
func (l *lowerer) branch(nodes []ast.Node) {
	l.usage.branches++
	l.cover(nodes)
	l.body(nodes)
	l.usage.branches--
}

// finishVariables merges the declarations of a contract with what was found,
// when someone asks for the variables.
func (l *lowerer) finishVariables(meta *ast.Meta) {
	l.lister.log, l.lister.img, l.lister.templates = l.usage.reads, l.img, l.usage.templates
	if meta != nil && meta.Contract {
		l.lister.contract = meta
	}
	l.lister.computed = l.usage.computed
	l.img.Lister = l.lister
}

// variableLister makes the list of variables of what a program keeps for it.
type variableLister struct {
	log      readLog
	img      *vm.Image
	contract *ast.Meta // nil is none
	// templates are the names of templates that a Jinja template takes in.
	templates []namedTemplate
	computed  bool      // it takes in others whose names are not known
	more      bool      // what is listed lacks names, known with the list
	once      sync.Once // for own
	own       []vm.Variable
}

// ReadsMore reports whether the list lacks names, which only a render knows; package vm asks for it.
func (v *variableLister) ReadsMore() bool { return v.more }

// ListVariables is vm.VariableLister's. It is called once.
func (v *variableLister) ListVariables() []vm.Variable {
	vars, more := v.ofTemplates(v.listed(), map[string]bool{}, 0)
	v.more = more
	if v.contract != nil {
		vars = declaredVariables(v.contract, vars, v.log.byName, v.img.Name)
	}
	defaults := v.img.Defaults
	if defaults == nil {
		return vars
	}
	for i := range vars {
		x := &vars[i]
		root, _, _ := strings.Cut(x.Name, ".")
		if d, ok := defaults.Get(root); ok {
			x.Required = false
			if root == x.Name {
				x.Default = jsonText(v.img.Dialect, d)
			}
		}
	}
	return vars
}

// declaredVariables lists the declared names in their order, then what else was
// found; byName gives the indexes of those.
func declaredVariables(meta *ast.Meta, found []vm.Variable, byName map[string]int, file string) []vm.Variable {
	var out []vm.Variable
	taken := map[string]bool{}
	for _, d := range meta.Variables {
		v := vm.Variable{Name: d.Name, Type: "any", File: file}
		if i, ok := byName[d.Name]; ok {
			v = found[i]
		}
		if d.Type != "" {
			v.Type = d.Type
		}
		v.Required, v.Description = d.Required, d.Description
		for i := range d.Enum {
			v.Enum = append(v.Enum, TextOf(&d.Enum[i]))
		}
		taken[d.Name] = true
		out = append(out, v)
	}
	for _, v := range found {
		if !taken[v.Name] {
			out = append(out, v)
		}
	}
	return out
}

func jsonText(d *vm.Dialect, v vm.Value) string {
	b, err := vm.NewEnv(d, vm.DefaultLimits()).JSON(nil, v, vm.JSONOptions{})
	if err != nil {
		return ""
	}
	return string(b)
}

// firstName is the variable that a path begins with.
func firstName(path string) string {
	if i := strings.IndexAny(path, ".["); i >= 0 {
		return path[:i]
	}
	return path
}
