package vm

import (
	"context"
	"fmt"
	"strings"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/internal/code"
)

// This file holds what documents ask of the machine: sections that are dropped
// when a variable is missing, messages that must not be blank, and the levels
// of prompt trees, each of which reads its own map.

// SectionRule is a section: it is dropped when one of its variables is missing
// or empty, and left out where it has a text that is blank.
type SectionRule struct {
	Name   string
	Prompt string // the role of its message
	Paths  []Path
	// Text is the slot of the section's text, where HasText says that it has
	// been rendered before.
	Text    int32
	HasText bool
}

// BranchPosition returns the file and the place of branch i of p.
func (p *Program) BranchPosition(i int) (*source.File, source.Position) {
	b := p.img.Branches[i]
	f, at := p.img.Sites[b.Site].File.Root(b.Span.Start)
	return f, f.Position(at)
}

// ErrEmptyPrompt is what a render fails with whose prompt is blank; use it
// with errors.Is.
var ErrEmptyPrompt error = &diag.Diagnostic{Code: "PCC350"}

// documentState is what a render of a document keeps.
type documentState struct {
	scopes  []savedRoot
	dropped []Dropped
	notes   diag.List
	nears   []string     // names of the data that notes have suggested
	keys    []keyNote    // misspelt keys in heads, before the end of the render
	taken   map[int]bool // branches that ran
	request *Map         // keys that were rendered
	scoped  bool         // a template of a prompt tree was rendered
	// valueMaps are what such templates were given, where a report tells of it.
	valueMaps []valueMap
}

// used reports whether a render left anything to clear.
func (s *documentState) used() bool {
	return s.scopes != nil || s.dropped != nil || s.notes != nil || s.keys != nil || s.taken != nil || s.request != nil || s.scoped || s.valueMaps != nil
}

// clear forgets a finished render.
func (s *documentState) clear() {
	clear(s.scopes[:cap(s.scopes)])
	s.scopes, s.dropped, s.notes = s.scopes[:0], nil, nil
	s.nears, s.keys, s.taken, s.request, s.scoped, s.valueMaps = nil, nil, nil, nil, false, nil
}

// savedRoot is the data outside a scope.
type savedRoot struct {
	root  map[string]any
	rootV Value
}

// document executes the instructions of documents.
func (m *machine) document(ins *code.Instr) error {
	switch ins.Op {
	case code.OpSection:
		present, err := m.section(&m.img.Sections[ins.A])
		if err != nil {
			return err
		}
		if !present {
			m.pc = int(ins.Target)
			return nil
		}
		if m.slots[ins.B].IsNull() {
			m.slots[ins.B] = Bool(true)
			return nil
		}
		m.out, err = m.appendText(m.out, ins.Text)
		return err
	case code.OpCases:
		top := &m.st[len(m.st)-1]
		v, err := m.cases(*top, ins.Key)
		*top = v
		return err
	case code.OpScope:
		extra := m.st[len(m.st)-1]
		m.st = m.st[:len(m.st)-1]
		return m.enterScope(ins, extra)
	case code.OpEndScope:
		s := m.scopes[len(m.scopes)-1]
		m.scopes = m.scopes[:len(m.scopes)-1]
		m.root, m.rootV = s.root, s.rootV
	case code.OpNoteUnknown:
		if m.report {
			m.noteUnknown(m.slots[ins.A], m.img.Names[ins.B], ins.N == 1)
		}
	case code.OpDialect:
		m.env.Dialect = m.img.Dialects[ins.A]
	case code.OpCover:
		if m.report {
			if m.taken == nil {
				m.taken = map[int]bool{}
			}
			m.taken[int(ins.A)] = true
		}
	}
	return nil
}

// isEmpty reports whether v counts as missing in a section: null, missing, an
// empty string, list or map. Zero and false are values.
func isEmpty(v Value) bool {
	switch v.Kind() {
	case KindNull, KindUndefined:
		return true
	case KindString:
		s, _ := v.Str()
		return s == ""
	case KindList, KindTuple:
		n, ok := seqLen(canonical(v))
		return ok && n == 0
	case KindMap, KindHost:
		n, ok := mapLen(canonical(v))
		return ok && n == 0
	}
	return false
}

// section reports whether all variables of a section are there, and records
// the section as dropped where not. One whose text is blank is left out by its
// own blocks, which is nothing to report.
func (m *machine) section(s *SectionRule) (bool, error) {
	if s.HasText {
		text, _ := m.slots[s.Text].Str()
		return strings.TrimSpace(text) != "", m.env.Spend(len(text))
	}
	var lacking []string
	for i := range s.Paths {
		p := &s.Paths[i]
		v, err := m.rootPath(p)
		if err != nil {
			return false, err
		}
		if v = m.env.resolved(v); isEmpty(v) {
			lacking = append(lacking, strings.Join(p.Keys, "."))
		}
	}
	if lacking == nil {
		return true, nil
	}
	d := Dropped{Prompt: s.Prompt, Section: s.Name, Names: lacking}
	m.locate(&d)
	m.dropped = append(m.dropped, d)
	return false, nil
}

// locate adds where a section stands, and a name in the data that is like one
// that it lacks.
func (m *machine) locate(d *Dropped) {
	if !m.report {
		return
	}
	if site, _, span := m.where(); site != nil {
		d.File, d.Span = site.File, span
	}
	for _, name := range d.Names {
		if d.Near == "" {
			d.Near, _ = m.nearest.Find(name, m.rootNames)
		}
	}
}

// endText ends a message whose text must not be blank: it is left out, or, if
// must, the render fails.
func (m *machine) endText(must bool) error {
	msg := &m.messages[len(m.messages)-1]
	if strings.TrimSpace(string(m.out[msg.start:])) != "" {
		return nil
	}
	if must {
		return m.blankPrompt(msg.role)
	}
	d := Dropped{Prompt: msg.role, Section: msg.role}
	m.locate(&d)
	m.dropped = append(m.dropped, d)
	m.out = m.out[:msg.start]
	m.messages = m.messages[:len(m.messages)-1]
	return nil
}

// blankPrompt makes the error of a blank prompt. It names the sections that
// were dropped, and what they lacked.
func (m *machine) blankPrompt(role string) error {
	e := &Error{Kind: "value", Code: "PCC350", Msg: "the `" + role + "` prompt is blank after rendering"}
	var why []string
	for _, d := range m.dropped {
		if len(d.Names) == 0 || d.Prompt != role {
			continue
		}
		e.Names = append(e.Names, d.Names...)
		if len(why) < 20 {
			why = append(why, "`"+d.Section+"` was dropped for lack of "+strings.Join(d.Names, ", "))
		}
	}
	if role == "system" {
		e.Help = "give the values that its sections need, or allow a blank system message: --blank-system, in Go compiler.WithBlankSystem"
	}
	if why != nil {
		e.Msg += ": " + strings.Join(why, "; ")
		help := e.Help
		e.Help = "give values for these names; a word in braces that is meant as text is written /{" + e.Names[len(e.Names)-1] + "/}"
		for _, name := range e.Names {
			if near, ok := m.nearest.Find(name, m.rootNames); ok {
				e.Help = "the data has `" + diag.ClipName(near) + "`; did you mean `" + name + "`?"
			}
		}
		if help != "" {
			e.Help += "; a blank system message is allowed by --blank-system, in Go compiler.WithBlankSystem"
		}
	}
	return e
}

// cases makes of a switch's data the map of the cases to run: a map is that
// already, a text, number or boolean names one case.
func (m *machine) cases(v Value, key string) (Value, error) {
	switch v.Kind() {
	case KindNull, KindUndefined, KindMap:
		return v, nil
	case KindHost:
		if isRecord(v) {
			return v, nil
		}
	case KindString, KindInt, KindFloat, KindBool:
		if s, ok := v.Str(); ok && s == "" {
			return Null, nil
		}
		if b, ok := v.AsBool(); ok {
			v = String("false")
			if b {
				v = String("true")
			}
		}
		text, err := m.env.AppendStr(nil, v, StyleNative)
		if err != nil {
			return v, err
		}
		m.env.Owe(2*mapSize + entryRoom + len(text))
		one := NewMap(1)
		one.Set(string(text), MapOf(NewMap(0)))
		return MapOf(one), nil
	}
	return v, &Error{Kind: "type", Code: "PCC351", Msg: "the switch `" + key + "` was given " + v.Kind().Noun(),
		Help: "give the name of a case, or a map from cases to their data", Names: []string{key}}
}

// enterScope makes the map that a template of a prompt tree reads: the maps at
// Key of all levels, which are in slots, the outermost first; before them the
// defaults, before these extra, a map or null.
func (m *machine) enterScope(ins *code.Instr, extra Value) error {
	m.scopes, m.scoped = append(m.scopes, savedRoot{m.root, m.rootV}), true
	var parts []Value
	for i, v := range []Value{extra, m.img.Consts[ins.B]} {
		if v.Kind() == KindMap {
			parts = append(parts, v)
			if i == 1 {
				m.keepValues(ins, v, true)
			}
		}
	}
	under, levels := len(parts), m.img.SlotLists[ins.A]
	if err := m.env.Step(len(levels)); err != nil {
		return err
	}
	for i, slot := range levels {
		v, own := m.slots[slot], ins.N == 1
		if !own {
			v, _ = m.env.lookup(v, ins.Key)
		}
		v = m.env.resolved(v)
		isMap := v.Kind() == KindMap || v.Kind() == KindHost && isRecord(v)
		if isMap {
			parts = append(parts, v)
			m.keepValues(ins, v, false)
		} else if i == len(levels)-1 && !own && !v.IsMissing() {
			return &Error{Kind: "type", Code: "PCC352", Msg: "the values of `" + ins.Key + "` must be a map, and this is " + v.Kind().Noun(),
				Help: "give a map from the template's variables to values", Names: []string{ins.Key}}
		}
	}
	if len(parts) == 1 && under == 0 {
		m.setRoot(parts[0])
		return nil
	}
	m.env.Owe(mapSize + 10*entryRoom)
	merged := NewMap(8)
	for _, p := range parts {
		e, err := m.env.Entries(p)
		if err != nil {
			return err
		}
		for i := range e.Len() {
			k, v := e.At(i)
			if err := m.env.Step(1); err != nil {
				return err
			}
			if _, err := m.env.Put(merged, k, v); err != nil {
				return err
			}
		}
	}
	m.setRoot(MapOf(merged))
	return nil
}

func (m *machine) setRoot(v Value) {
	if m.root, _ = v.ref.(map[string]any); m.root == nil {
		m.rootV = v
	}
}

// noteUnknown notes the keys of v that are not among the known ones; where v is
// the name of a case, that name.
func (m *machine) noteUnknown(v Value, known []string, isCase bool) {
	if isCase {
		if name, ok := v.Str(); ok {
			m.noteName("the data asks for a case `"+diag.ClipName(name)+"` that the switch does not have", "its cases are %s", name, known)
		}
		return
	}
	if k := v.Kind(); k != KindMap && k != KindHost {
		return
	}
	read := setOf(known)
	for _, name := range fieldNames(v) {
		if !read[name] {
			m.noteName("the data has a key `"+diag.ClipName(name)+"` that nothing here reads",
				"what is read here is %s; a template's values stand under its name", name, known)
		}
	}
}

// noteBlank notes that a placeholder of a prompt tree's template prints nothing,
// because its variable has no value: rendering goes on, as in Jinja, but most
// often a key of the request is misspelt.
func (m *machine) noteBlank(v Value, o *Out) {
	u := v.Undef()
	if u == nil || u.Dynamic || u.Lenient || u.Name == "" || m.env.Dialect.Undefined != UndefinedDefault {
		return
	}
	what := u.text(false)
	if u.Owner == "" {
		what = "no value for `" + diag.ClipName(u.Name) + "`"
	}
	f := m.img.Sites[o.Site].File
	for _, d := range m.notes {
		if d.Span == o.Span && d.File == f {
			return
		}
	}
	if len(m.notes) >= maxNotes {
		return
	}
	d := diag.New("PCC355", f, o.Span, "%s, so nothing is printed here", what).WithNames(u.Name)
	if near, ok := m.nearest.Find(u.Name, m.rootNames); ok && u.Owner == "" {
		what := "data has"
		if len(m.scopes) > 0 { // of a prompt tree
			what = "request has"
		}
		d.Help = "the " + what + " `" + diag.ClipName(near) + "`; did you mean that?"
		m.nears = append(m.nears, near)
	} else if len(m.scopes) == 0 { // not of a prompt tree, whose files the code's own help names
		d.Help = "give the value, or write {{ name | default('') }} where it may be missing"
	}
	m.notes = append(m.notes, d)
}

// maxNotes bounds the notes of one render.
const maxNotes = 100

// noteName notes once for each place that a name is none of those known.
// Where it is near none, help shows them, if they are few.
func (m *machine) noteName(message, help, name string, known []string) {
	site, _, span := m.where()
	var f *source.File
	if site != nil {
		f = site.File
	}
	for _, d := range m.notes {
		if d.Span == span && d.File == f && d.Names[0] == name {
			return
		}
	}
	if len(m.notes) >= maxNotes {
		return
	}
	d := diag.New("PCC353", f, span, "%s", message).WithNames(name)
	d.Severity = diag.Warning
	const shown = 5
	switch near, ok := m.nearest.Find(name, func() []string { return known }); {
	case ok:
		d.Help = "did you mean `" + near + "`?"
	case len(known) > 0 && len(known) <= shown:
		quoted := make([]string, len(known))
		for i, k := range known {
			quoted[i] = "`" + diag.ClipName(k) + "`"
		}
		d.Help = fmt.Sprintf(help, strings.Join(quoted, ", "))
	}
	m.notes = append(m.notes, d)
}

// setOf is the set of the names in lists, which may be as long as a template.
func setOf(lists ...[]string) map[string]bool {
	set := map[string]bool{}
	for _, l := range lists {
		for _, name := range l {
			set[name] = true
		}
	}
	return set
}

// checkExact reports all variables that are missing and all that nothing
// reads, in one message.
func (m *machine) checkExact(x *code.ExactRule) error {
	given := fieldNames(m.data())
	var missing, unexpected []string
	for _, name := range x.Required {
		if _, ok := m.global(name); !ok {
			missing = append(missing, name)
		}
	}
	read := setOf(x.Required, x.Optional)
	for _, name := range given {
		if !read[name] {
			unexpected = append(unexpected, name)
		}
	}
	if missing == nil && unexpected == nil {
		return nil
	}
	var parts []string
	if missing != nil {
		parts = append(parts, "missing variables: "+diag.QuotedList(missing))
	}
	if unexpected != nil {
		parts = append(parts, "unexpected variables: "+diag.QuotedList(unexpected))
	}
	kind := "undefined"
	if missing == nil {
		kind = "value"
	}
	f, span := m.exactPlace(x, missing)
	d := diag.New("PCC354", f, span, "%s", strings.Join(parts, "; ")).
		WithKind(kind).WithNames(append(missing, unexpected...)...)
	d.Severity = diag.Error
	d.Help = exactHelp(x, missing, unexpected)
	return d
}

// exactPlace is where the first of the missing names that is printed stands; else
// where the template begins.
func (m *machine) exactPlace(x *code.ExactRule, missing []string) (*source.File, source.Span) {
	for _, name := range missing {
		for i := range m.img.Outs {
			o := &m.img.Outs[i]
			if o.Name == name || !x.Brace && o.Name[:pathEnd(o.Name)] == name {
				return m.img.Sites[o.Site].File, o.Span
			}
		}
	}
	return m.img.Sites[0].File, x.Span
}

func exactHelp(x *code.ExactRule, missing, unexpected []string) string {
	var nearest diag.Nearest
	for _, name := range missing {
		if near, ok := nearest.Find(name, func() []string { return unexpected }); ok {
			return "the data has `" + near + "`; did you mean `" + name + "`?"
		}
	}
	for _, name := range missing {
		if x.Brace && name == "" {
			return "a pair of braces with nothing but blanks inside is a variable without a name in this form; choose another populator if the braces are text"
		}
		if x.Brace && strings.ContainsAny(name, "\":,\n") {
			return "whatever stands in braces is a variable in this form; choose another populator if the braces are text"
		}
	}
	if len(x.Required) == 0 {
		return "the template has no variables"
	}
	return "it takes " + diag.QuotedList(x.Required)
}

// Missing lists the variables of p that data has no value for: absent ones, and
// in forms that drop sections also null and empty ones. Those that are declared
// as not required are left out.
func (p *Program) Missing(data any) []string {
	m := p.start(context.Background(), data)
	defer p.release(m)
	var out []string
	optional := map[string]bool{}
	for i := range p.img.Contract {
		optional[p.img.Contract[i].Name] = !p.img.Contract[i].Required
	}
	for _, v := range p.variables() {
		if strings.Contains(v.Name, "[]") || Paths(v.Name).Several() || optional[p.rootName(v.Name)] {
			continue
		}
		keys := strings.Split(v.Name, ".")
		if p.img.FlatNames {
			keys = []string{v.Name}
		}
		value, ok := m.global(keys[0])
		for _, k := range keys[1:] {
			if ok {
				value, ok = Lookup(value, k)
			}
		}
		if !ok || p.img.EmptyIsMissing && isEmpty(value) {
			out = append(out, v.Name)
		}
	}
	return out
}
