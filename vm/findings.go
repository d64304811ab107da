package vm

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/internal/code"
)

// This file holds what a render has to say though it succeeds, and what makes it
// fail in a strict program.

// Findings lists all that a render of p has to say, as diagnostics for people: a
// PCC380 for each kept placeholder, a PCC381 for each section that was left out,
// and the report's Warnings. In a program that was compiled with
// compiler.WithStrict the warnings among them make the render fail.
func (p *Program) Findings(r *Report) diag.List {
	l := p.keptIn(r)
	for _, s := range r.Dropped {
		l = append(l, s.Finding())
	}
	return append(l, r.Warnings...)
}

// keptIn makes the diagnostics of the placeholders that a report of p lists, one
// for each place of a file.
func (p *Program) keptIn(r *Report) (l diag.List) {
	if len(r.Kept) == 0 {
		return nil
	}
	outs := map[keptPlace]*Out{}
	for i := range p.img.Outs {
		o := &p.img.Outs[i]
		f, at := p.img.Sites[o.Site].File.Root(o.Span.Start)
		outs[keptPlace{f.Name, int(at)}] = o
	}
	for i := range r.Kept {
		k := &r.Kept[i]
		at := keptPlace{k.File, k.Position.Offset}
		if o := outs[at]; o != nil {
			delete(outs, at)
			if !p.img.isMarkup(o.Raw, k.Name, k.Near) {
				l = append(l, p.keptAt(k, o))
			}
		}
	}
	return l
}

// keptPlace is a position in a file that users see.
type keptPlace struct {
	file   string
	offset int
}

func (p *Program) keptAt(k *Kept, o *Out) *diag.Diagnostic {
	x := missing{name: k.Name, near: k.Near, raw: o.Raw, pos: uint32(o.Span.Start), site: o.Site}
	return p.img.keptFinding(p.img.Sites[o.Site].File, &x)
}

// keptFindings makes the diagnostics of kept placeholders, one for each place of
// a file.
func (m *machine) keptFindings() (l diag.List) {
	seen := map[keptPlace]bool{}
	for i := range m.kept {
		x := &m.kept[i]
		f := m.img.Sites[x.site].File
		outer, p := f.Root(pos(x.pos))
		if seen[keptPlace{outer.Name, int(p)}] || m.img.isMarkup(x.raw, x.name, x.near) {
			continue
		}
		seen[keptPlace{outer.Name, int(p)}] = true
		l = append(l, m.img.keptFinding(f, x))
	}
	return l
}

// isMarkup reports whether a placeholder in angle brackets has the form of what is
// rather markup: elements of HTML that need no end, and tokens of models. Names
// that variables have as well, such as input, are none, nor is one that the contract
// declares or that is nearly one of the data.
func (img *Image) isMarkup(raw, variable, near string) bool {
	if near != "" || slices.ContainsFunc(img.Contract, func(d Declared) bool { return d.Name == variable }) {
		return false
	}
	name, ok := strings.CutPrefix(raw, "<")
	name, closed := strings.CutSuffix(name, ">")
	if !ok || !closed {
		return false
	}
	switch name {
	case "br", "hr", "wbr", "p", "li", "dt", "dd", "td", "th", "tr", "tbody", "thead", "tfoot",
		"bos", "eos", "pad", "unk", "cls", "sep":
		return true
	}
	return false
}

// keptFinding is the diagnostic of the kept placeholder x in f.
func (img *Image) keptFinding(f *source.File, x *missing) *diag.Diagnostic {
	span := source.Span{Start: pos(x.pos), End: pos(x.pos) + source.Pos(len(x.raw))}
	d := diag.New("PCC380", f, span, "`%s` has no value, so its placeholder is kept", x.name).WithNames(x.name).WithKind("undefined")
	d.Trace = img.includes(x.site)
	if x.near != "" {
		d.Help = fmt.Sprintf("did you mean `%s`?", diag.ClipName(x.near))
		return d
	}
	d.Help = "give the value, or write it as a literal"
	if list, ok := lengthOf(x.name); ok {
		d.Help = fmt.Sprintf("write %s|length for the number of items, or write it as a literal", diag.ClipName(list))
	}
	if s := literalForm(x.raw, x.name); s != "" {
		d.Help += ": " + s
	}
	if img.Contract == nil {
		d.Help += "; where `variables:` declares the names, all other tags are text"
	}
	return d
}

// literalForm is a placeholder as a literal group writes it; "" where its
// delimiters cannot be told.
func literalForm(raw, name string) string {
	const longest = 40
	opener, rest, ok := strings.Cut(raw, name)
	n := len(strings.TrimRight(opener, " \t\r\n"))
	if !ok || n == 0 || n > len(rest) || len(raw) > longest || strings.ContainsAny(raw, "\r\n") {
		return ""
	}
	end := len(raw) - n
	return "/" + raw[:end] + "/" + raw[end:]
}

// missHead notes that a variable which the head of a block reads is missing: where
// the data has a name like it, and where the head compares with a lone name, which
// may be a text without its quotes.
func (m *machine) missHead(u *Undefined) {
	if u.Head == code.HeadFails {
		m.miss(u, u.Site)
		return
	}
	if !m.report || len(m.notes) >= maxNotes || !m.firstAt(place{u.Site, u.Pos}) {
		return
	}
	root, _, _ := strings.Cut(u.Name, ".")
	near, ok := m.nearest.Find(root, m.rootNames)
	if !ok && !u.Compared {
		return
	}
	d := m.headFinding(u, root, near)
	if m.notes = append(m.notes, d); !ok {
		d.Help = fmt.Sprintf("if a text is meant, write \"%s\"", diag.ClipName(root))
		return
	}
	m.nears = append(m.nears, near)
}

// headFinding is the finding of a name in the head of a block that has no value, and
// of what is like it. It is the path of u or begins it.
func (m *machine) headFinding(u *Undefined, name, near string) *diag.Diagnostic {
	span := source.Span{Start: pos(u.Pos), End: pos(u.Pos) + source.Pos(len(name))}
	d := diag.New("PCC383", m.img.Sites[u.Site].File, span, "no value for `%s`, which decides what this block writes", name).
		WithKind("undefined").WithNames(name).WithHelp("did you mean `%s`?", diag.ClipName(near))
	d.Trace = m.trace(u.Site)
	return d
}

// missKey notes that a path which the head of a block reads leads nowhere, where a
// key like the one that is missing is there.
func (m *machine) missKey(u *Undefined) {
	at := place{u.Site, u.Pos}
	if !m.mayTry(at) {
		return
	}
	near, ok := m.near(u)
	if !ok || !m.firstAt(at) {
		return
	}
	m.keys = append(m.keys, keyNote{m.headFinding(u, u.Name, near), near})
}

// mayTry reports whether a near key is looked for once more at a place that has no
// finding yet. A loop, or a filter, comes there once for each item, of which many may
// lack a key that they need not have.
func (m *machine) mayTry(at place) bool {
	const most = 16
	if len(m.keys) >= maxNotes || m.keptAt[at] || m.tried[at] >= most {
		return false
	}
	if m.tried == nil {
		m.tried = map[place]int{}
	}
	m.tried[at]++
	return true
}

// lackKey notes that an item which a filter looks at has no such key, where it has one
// like it.
func (m *machine) lackKey(item Value, key string) {
	site, index, span := m.where()
	at := place{index, uint32(span.Start)}
	// What the template does not spell is a value of the data, which no finding tells.
	if site == nil || !m.mayTry(at) || !strings.Contains(site.File.Text, key) {
		return
	}
	near, ok := m.nearest.Find(key, func() []string { return candidates(item) })
	if !ok || !m.firstAt(at) {
		return
	}
	d := diag.New("PCC386", site.File, span, "this filter reads the key `%s`, which an item lacks", diag.ClipName(key)).
		WithKind("undefined").WithNames(key).WithHelp("did you mean `%s`?", diag.ClipName(near))
	d.Trace = m.trace(index)
	m.keys = append(m.keys, keyNote{d, near})
}

// helpOfLack gives the error d of a filter the help of what was noted of the same
// filter: the key that it did not find.
func (m *machine) helpOfLack(d *diag.Diagnostic) {
	for _, k := range m.keys {
		if f := k.finding; f.Code == "PCC386" && f.File == d.File && f.Span == d.Span {
			d.Help = f.Help
		}
	}
}

// keyNote is a finding about a key, with the path that is like it.
type keyNote struct {
	finding *diag.Diagnostic
	near    string
}

// noteKeys notes the misspelt keys in heads. Where the template reads a key of the
// other name too, the two are most likely different keys, of which one is optional.
func (p *Program) noteKeys(m *machine) {
	if len(m.keys) == 0 {
		return
	}
	read := p.lastKeys()
	for _, k := range m.keys {
		if len(m.notes) < maxNotes && !read[lastKey(k.near)] {
			m.notes = append(m.notes, k.finding)
		}
	}
}

// lastKeys is the set of the last keys of all paths that p reads.
func (p *Program) lastKeys() map[string]bool {
	read := map[string]bool{}
	vars := p.variables()
	for i := range vars {
		for _, way := range vars[i].Names() {
			read[lastKey(way)] = true
		}
	}
	return read
}

// lastKey is the last key of a path as written, without quotes.
func lastKey(path string) string {
	path = strings.TrimRight(path, "\"'[]")
	return path[strings.LastIndexAny(path, ".['\"")+1:]
}

// oneOrAll is a list of faults as an error.
func oneOrAll(l diag.List) error {
	switch len(l) {
	case 0:
		return nil
	case 1:
		return l[0]
	}
	l.Sort()
	return l
}

// strictly makes errors of all that the render would warn of. They are told with
// the names without a value, but not with a fault that ended the render.
func (p *Program) strictly(m *machine, err error) error {
	if err != nil && len(m.missing) == 0 {
		return err
	}
	var l diag.List
	switch err := err.(type) {
	case *diag.Diagnostic:
		l = append(l, err)
	case diag.List:
		l = append(l, err...)
	}
	p.noteAtEnd(m)
	for _, d := range append(m.keptFindings(), m.notes...) {
		if d.Severity == diag.Warning {
			d.Severity = diag.Error
			l = append(l, d)
		}
	}
	return oneOrAll(l)
}

// noteAtEnd notes what can be told once the render is over.
func (p *Program) noteAtEnd(m *machine) {
	p.noteKeys(m)
	p.noteNames(m)
	p.noteValues(m)
}

// noteNames notes what the names of the data tell of the template.
func (p *Program) noteNames(m *machine) {
	if !m.env.Dialect.NativeTags() || !m.hasNames() {
		return
	}
	var read map[string]bool // made for the first element
	for i := range p.img.Near {
		n := &p.img.Near[i]
		if len(m.notes) >= maxNotes {
			return
		}
		if n.Element && m.given(n.Name) {
			if read == nil {
				read = p.rootsRead()
			}
			if read[n.Name] {
				continue
			}
		}
		if m.given(n.Name) {
			d := diag.New("PCC209", p.img.Sites[n.Site].File, n.Span, "the data has `%s`, but this is text", n.Name).WithNames(n.Name)
			d.Help, d.Trace = n.Help, p.img.includes(n.Site)
			m.notes = append(m.notes, d)
		}
	}
	if p.img.Exact == nil {
		p.noteUnread(m)
	}
}

// rootsRead is the set of the variables that the program reads.
func (p *Program) rootsRead() map[string]bool {
	read := map[string]bool{}
	vars := p.variables()
	for i := range vars {
		for _, way := range vars[i].Names() {
			read[p.rootName(way)] = true
		}
	}
	return read
}

// noteUnread warns of names in the data that nothing reads and that are like a
// variable which the data lacks: the template may well go on without it, by a
// default or a condition. What was said of a name is not said again.
func (p *Program) noteUnread(m *machine) {
	const most = 1000 // a suggestion need not look further
	if n, ok := mapLen(canonical(m.data())); !ok || n > most {
		return
	}
	read := map[string]bool{}
	var lacking []string
	first := map[string]*Variable{} // of the reads of a name
	vars := p.variables()
	for i := range vars {
		for _, way := range vars[i].Names() {
			if root := p.rootName(way); !read[root] {
				read[root] = true
				if _, known := m.env.Dialect.Globals[root]; !known && !m.given(root) {
					lacking = append(lacking, root)
					first[root] = &vars[i]
				}
			}
		}
	}
	if len(lacking) == 0 || read["vars"] {
		return
	}
	said := map[string]bool{}
	for i := range m.kept {
		said[p.rootName(m.kept[i].near)] = true
	}
	for i := range m.missing {
		said[p.rootName(m.missing[i].near)] = true
	}
	for _, name := range m.nears {
		said[name] = true
	}
	for _, d := range m.notes {
		for _, name := range d.Names {
			said[name] = true
		}
	}
	var unread []string
	for _, name := range m.rootNames() {
		if !read[name] && !said[name] {
			unread = append(unread, name)
		}
	}
	for _, name := range lacking {
		key, ok := m.nearest.Find(name, func() []string { return unread })
		if !ok || said[key] || len(m.notes) >= maxNotes {
			continue
		}
		said[key] = true
		f, span := p.useOf(first[name], name)
		d := diag.New("PCC382", f, span, "the data lacks `%s`, and has `%s`, which the template does not read", name, diag.ClipName(key)).WithNames(key)
		d.Help = fmt.Sprintf("if both are one, write `%s` in the data or `%s` here", name, diag.ClipName(key))
		m.notes = append(m.notes, d)
	}
}

// useOf is where v, whose path begins with name, is read first; nil where that is not
// known.
func (p *Program) useOf(v *Variable, name string) (*source.File, source.Span) {
	if len(v.Uses) == 0 {
		return nil, source.Span{}
	}
	start := source.Pos(v.Uses[0].Offset)
	for i := range p.img.Sites {
		f, _ := p.img.Sites[i].File.Root(0)
		if end := int(start) + len(name); f.Name == v.File && end <= len(f.Text) {
			return f, source.Span{Start: start, End: source.Pos(end)}
		}
	}
	return nil, source.Span{}
}

// rootName is the variable that a path such as user.name or items[].id begins
// with.
func (p *Program) rootName(path string) string {
	if n := strings.IndexAny(path, ".["); n > 0 && !p.img.FlatNames {
		return path[:n]
	}
	return path
}

// given reports whether the data itself has a name.
func (m *machine) given(name string) bool {
	_, ok := Lookup(m.data(), name)
	if other, is := m.img.Spelled[name]; is && !ok {
		_, ok = Lookup(m.data(), other)
	}
	return ok
}
