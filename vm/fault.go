package vm

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sort"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/internal/code"
)

// Failures that need no detail.
var (
	errSteps      = &Error{Kind: "limit", Code: "PCC904", Msg: "the render takes more steps than its limit allows"}
	errOutput     = &Error{Kind: "limit", Code: "PCC907", Msg: "the output is longer than its limit allows"}
	errIterations = &Error{Kind: "limit", Code: "PCC908", Msg: "the loops take more iterations than their limit allows"}
)

func pos(p uint32) source.Pos { return source.Pos(p) }

// where finds the source of the current instruction.
func (m *machine) where() (site *code.Site, index int32, span source.Span) {
	if m.fn == nil || len(m.fn.Spans) == 0 {
		return nil, -1, span
	}
	runs := m.fn.Spans
	i := sort.Search(len(runs), func(i int) bool { return int(runs[i].PC) >= m.pc }) - 1
	if i < 0 {
		return nil, -1, span
	}
	return &m.img.Sites[runs[i].Site], runs[i].Site, runs[i].Span
}

// fault turns an error into a Diagnostic with position and trace.
func (m *machine) fault(err error) error {
	if m.env.stopped { // what failed after that failed for it
		err = m.env.ended
	}
	e, ours := err.(*Error) // what caused it may be a diagnostic of another program
	if !ours {
		var d *diag.Diagnostic
		if errors.As(err, &d) {
			return m.traced(err)
		}
		if !errors.As(err, &e) {
			e = &Error{Kind: "runtime", Msg: err.Error(), Cause: err}
		}
	}
	code := e.CodeOf()
	site, index, span := m.where()
	if o := e.part; o != nil {
		site, index, span = &m.img.Sites[o.Site], o.Site, o.Span
	}
	var f *source.File
	if site != nil {
		f = site.File
	}
	var path string
	if f != nil && len(e.Names) == 1 && m.env.Dialect.PythonErrors() {
		path, span = pathTo(f, span, e.Names[0])
	}
	msg := e.message(f)
	if e.raw != nil {
		msg = rawFault(m.data(), e.raw, msg)
	}
	d := diag.New(diag.Code(code), f, span, "%s", msg).WithKind(e.Kind).WithNames(e.Names...).WithCause(e.Cause)
	d.Severity = diag.Error
	if path != "" || !e.key {
		m.fallback(d, index, path)
	}
	if e.missing {
		d.Help = "give the value, or write a fallback with the filter default"
		if !e.key && isPath(e.Names[0]) {
			d.WithHelp("give the value, or write a fallback: %s|default(\"…\")", diag.ClipName(e.Names[0]))
		}
	}
	if (d.Code == "PCC301" || e.missing) && len(e.Names) == 1 && !e.key {
		if near, ok := m.nearest.Find(e.Names[0], m.rootNames); ok {
			d.Help = fmt.Sprintf("did you mean `%s`?", diag.ClipName(near))
		}
	}
	if (d.Code == "PCC301" || e.missing) && len(e.Names) == 1 && e.key && m.env.Dialect.UndefinedObjects() {
		if near, ok := m.nearKey(e.Names[0], path); ok {
			d.Help = helpNear(near)
		}
	}
	m.helpOfLack(d)
	if e.Help != "" {
		d.Help = e.Help
	}
	d.Trace = m.trace(index)
	return d
}

// trace tells the way to the current instruction: includes and iterations of loops,
// outermost first.
func (m *machine) trace(site int32) []string {
	t := append(m.callers(), m.img.includes(site)...)
	for i := range m.loops {
		if ls := &m.loops[i]; ls.n > 0 && ls.i < ls.n {
			t = append(t, fmt.Sprintf("%s (iteration %d)", m.loopText(i), ls.i+1))
		}
	}
	return t
}

// includes tells by which includes the file of a site came into the program, the
// outermost first.
func (img *Image) includes(site int32) (t []string) {
	for s := site; s >= 0 && img.Sites[s].Parent >= 0; s = img.Sites[s].Parent {
		parent := img.Sites[img.Sites[s].Parent].File
		p := parent.Position(img.Sites[s].At.Start)
		t = append(t, fmt.Sprintf("included from %s:%d:%d", parent.Name, p.Line, p.Column))
	}
	slices.Reverse(t)
	return t
}

// loopText is the text of the running loop that uses loop state i: that of the
// last LOOP instruction for it before the current one.
func (m *machine) loopText(i int) string {
	for pc := m.pc - 1; m.fn != nil && pc >= 0; pc-- {
		if ins := &m.fn.Code[pc]; ins.Op == code.OpLoop && int(ins.A) == i {
			return ins.Text
		}
	}
	return "loop"
}

// missingNames lists every name without a value.
func (m *machine) missingNames() (l diag.List) {
	for _, x := range m.missing {
		f := m.img.Sites[x.site].File
		span := source.Span{Start: pos(x.pos), End: pos(x.pos) + source.Pos(len(x.name))}
		d := diag.New("PCC301", f, span, "no value for `%s`", x.name).WithKind("undefined").WithNames(x.name)
		d.Severity = diag.Error
		m.fallback(d, x.site, "")
		if x.head {
			d.Help = fmt.Sprintf("give the value, or ask for it: `%s is defined`; or declare it under `variables:` with `required: false`", x.name)
		}
		if x.compared {
			d.Help = fmt.Sprintf("if a text is meant, write \"%s\"; else give the value", diag.ClipName(x.name))
		}
		if list, ok := lengthOf(x.name); ok {
			d.Help = fmt.Sprintf("write %s|length for the number of items; else give the value", diag.ClipName(list))
		}
		if x.near != "" {
			d.Help = fmt.Sprintf("did you mean `%s`?", x.near)
		}
		d.Trace = x.trace
		l = append(l, d)
	}
	return l
}

// lengthOf returns the path of which another one is the length, as other
// languages write it: xs.length, xs.size, xs.count.
func lengthOf(path string) (list string, ok bool) {
	for _, name := range []string{".length", ".size", ".count", ".len"} {
		if list, ok = strings.CutSuffix(path, name); ok && list != "" {
			return list, true
		}
	}
	return "", false
}

// fallback makes the help line of a missing name that of this name, which the
// template of the site spells as path; "" where it is not known.
func (m *machine) fallback(d *diag.Diagnostic, site int32, path string) {
	if d.Code != "PCC301" || site < 0 || len(d.Names) == 0 {
		return
	}
	if help := m.methodHelp(d); help != "" {
		d.Help = help
		return
	}
	d.Help = "give the value"
	if path == "" && isPath(d.Names[0]) {
		path = d.Names[0]
	}
	s := &m.img.Sites[site]
	if s.Open != "" && path != "" {
		d.WithHelp("give the value, or write a fallback: %s%s|default(\"…\")%s", s.Open, path, s.Close)
	}
	if !m.img.Dialect.NativeTags() || s.Open == "" { // no literal groups
		return
	}
	for i := range m.img.Outs {
		if o := &m.img.Outs[i]; o.Site == site && o.Span.Start <= d.Span.Start && d.Span.End <= o.Span.End {
			if form := literalForm(o.Raw, o.Name); form != "" {
				d.Help += "; where it is text, write " + form
			}
			return
		}
	}
}

// methodHelp tells what to write for a method of Python in a native template, whose
// values have none; it is "" for anything else.
func (m *machine) methodHelp(d *diag.Diagnostic) string {
	at := strings.LastIndexByte(d.Names[0], '.')
	if at < 0 || !m.img.Dialect.NativeTags() || d.File == nil || !strings.HasPrefix(d.File.Slice(d.Span), d.Names[0]+"(") {
		return ""
	}
	x, method := d.Names[0][:at], d.Names[0][at+1:]
	switch method {
	case "strip", "lstrip", "rstrip":
		method = "trim"
	case "get":
		return fmt.Sprintf("values have no methods here: write %s.key|default(…)", x)
	case "items", "keys", "values":
		return fmt.Sprintf("values have no methods here: a loop reads both, as in {loop %s as key, value}", x)
	}
	if m.img.Dialect.Filters[method] == nil {
		return "values have no methods here: a filter does it, behind `|`; the command `pcc filters` lists them"
	}
	return fmt.Sprintf("values have no methods here: write the filter, %s|%s", x, method)
}

// pathTo finds the part called key of the path a.b["c"].d, or of a call of it,
// that stands at span, and returns the path up to it, and its place. Where there
// is no path, or not one such part, these are "" and span.
func pathTo(f *source.File, span source.Span, key string) (path string, at source.Span) {
	text := f.Slice(span)
	end, found := 0, 0
	name := func() bool {
		start := end
		for end < len(text) {
			r, n := utf8.DecodeRuneInString(text[end:])
			if r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
				break
			}
			end += n
		}
		if text[start:end] == key {
			found++
			path, at = text[:end], source.Span{Start: span.Start + source.Pos(start), End: span.Start + source.Pos(end)}
		}
		return end > start
	}
	for ok := name(); ok && end < len(text); {
		switch rest := text[end+1:]; text[end] {
		case '.':
			end++
			ok = name()
		case '[':
			n := strings.IndexByte(rest, ']')
			if ok = n >= 0; !ok {
				break
			}
			inside := strings.TrimSpace(rest[:n])
			end += n + 2
			if q := len(inside) - 1; q > 0 && inside[0] == inside[q] && (inside[0] == '"' || inside[0] == '\'') && inside[1:q] == key {
				found++
				start := end - n - 1
				path, at = text[:end], source.Span{Start: span.Start + source.Pos(start), End: span.Start + source.Pos(end-1)}
			}
		case '(': // what is missing is called
			end = len(text)
		default:
			ok = false
		}
		if !ok {
			found = 0
		}
	}
	if found != 1 {
		return "", span
	}
	return path, at
}

// isPath reports whether a name in reports is also its spelling in templates.
func isPath(name string) bool {
	for word := range strings.SplitSeq(name, ".") {
		if word == "" || strings.ContainsFunc(word, func(r rune) bool {
			return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
		}) {
			return false
		}
	}
	return true
}

// slot is the value of a slot, or the item of the running loop that would be in
// it, were it not read where it lies. Loops one after the other share states and
// slots: of those with one state, the last one before the current instruction is
// the one that may run.
func (m *machine) slot(slot int32) Value {
	later := make([]bool, len(m.loops))
	for pc := min(m.pc, len(m.fn.Code)) - 1; pc >= 0; pc-- {
		ins := &m.fn.Code[pc]
		if ins.Op != code.OpLoop || later[ins.A] {
			continue
		}
		later[ins.A] = true
		if ls := &m.loops[ins.A]; ins.B == ^slot && ls.i < ls.n {
			return ls.at(ls.i)
		}
	}
	return m.slots[slot]
}

// Noun is the kind's name with its article.
func (k Kind) Noun() string {
	switch k {
	case KindNull:
		return "null"
	case KindUndefined:
		return "a missing value"
	case KindBytes:
		return "bytes"
	case KindInt, KindIterator, KindObject:
		return "an " + k.String()
	}
	return "a " + k.String()
}

// panicked contains a panic of the machine or of a host function. What it
// printed is not shown: it may hold values.
func (m *machine) panicked(r any) error {
	kind := fmt.Sprintf("%T", r)
	return m.fault(&Error{Kind: "runtime", Code: "PCC302", Msg: "a function panicked (" + kind + ")"})
}

func (p *Program) chatError() error {
	var f *source.File
	if len(p.img.Sites) > 0 {
		f = p.img.Sites[0].File
	}
	d := diag.New("PCC303", f, source.Span{}, "this is a chat template: it renders messages, not one text")
	d.Severity = diag.Error
	return d
}

// hasNames reports whether the data can hold variables: a map, a struct, or
// nothing at all.
func (m *machine) hasNames() bool {
	switch m.data().ref.(type) {
	case nil, *Map:
		return true
	}
	switch m.data().Kind() {
	case KindNull, KindUndefined, KindObject:
		return true
	case KindMap, KindHost:
		return isRecord(m.data()) && hasTextKeys(m.data())
	}
	return false
}

// hasTextKeys reports whether names can be found in a record: in a Go map whose
// keys are of another kind than strings they cannot.
func hasTextKeys(v Value) bool {
	r, shape := hostShape(v)
	if shape != reflect.Map {
		return true
	}
	k := r.Type().Key().Kind()
	return k == reflect.String || k == reflect.Interface
}

// nameless is the error of data that has no names.
func (p *Program) nameless(data Value) error {
	what, k := data.Kind().Noun(), data.Kind()
	if t := reflect.TypeOf(data.ref); t != reflect.TypeFor[*List]() && (t.PkgPath() != "" && t.PkgPath() != reflect.TypeFor[Value]().PkgPath() || k == KindHost || k == KindBytes || k == KindList || k == KindMap) {
		what = "a value of the Go type " + typeName(t)
	}
	d := diag.New("PCC309", p.file(), source.Span{}, "the data of a render is a map or a struct, and this is %s", what).WithKind("type")
	d.Severity = diag.Error
	if isRecord(data) {
		d.Help = "its keys are no strings; give a map such as map[string]any"
	}
	if k == KindBytes || k == KindString {
		d.Help = "if it is JSON, say so with json.RawMessage(data), or decode it first: vm.DecodeJSON"
	}
	return d
}

// checkContract holds the data against the declared variables and reports all
// that is wrong at once.
func (m *machine) checkContract() error {
	var l diag.List
	var given func() []string // made where a name lacks: most renders need none
	for i := range m.img.Contract {
		c := &m.img.Contract[i]
		f := m.img.Sites[c.Site].File
		v, ok := m.global(c.Name)
		if v = m.env.resolved(v); m.env.stopped {
			return m.fault(m.env.ended)
		}
		if !ok || v.IsUndefined() {
			if c.Required {
				d := diag.New("PCC304", f, c.Span, "the required variable `%s` has no value", c.Name).
					WithKind("undefined").WithNames(c.Name)
				d.Severity = diag.Error
				if given == nil {
					given = sync.OnceValue(func() []string { return candidates(m.data()) })
				}
				if near, ok := m.nearest.Find(c.Name, given); ok {
					d.Help = fmt.Sprintf("the data has `%s`; did you mean that?", near)
				}
				l = append(l, d)
			}
			continue
		}
		if !v.IsNull() && !m.hasType(v, c.Type) || v.IsNull() && c.Required && c.Type != "any" && c.Type != "" {
			d := diag.New("PCC305", f, c.Span, "`%s` is declared as %s, but the data has %s", c.Name, c.Type, v.Kind().Noun()).
				WithKind("type").WithNames(c.Name)
			d.Severity = diag.Error
			l = append(l, d)
			continue
		}
		if len(c.Enum) > 0 && !v.IsNull() && !m.inEnum(v, c.Enum) {
			d := diag.New("PCC306", f, c.Span, "`%s` has a value that its declaration does not list", c.Name).
				WithKind("value").WithNames(c.Name)
			d.Severity = diag.Error
			l = append(l, d)
		}
	}
	if len(l) == 0 {
		return nil
	}
	l.Sort()
	return l
}

func (m *machine) inEnum(v Value, enum []Value) bool {
	for _, e := range enum {
		if eq, err := m.env.Equal(v, e); err == nil && eq {
			return true
		}
	}
	return false
}

// hasType reports whether v is of a declared type.
func (m *machine) hasType(v Value, t string) bool {
	k := v.Kind()
	switch t {
	case "string":
		if _, ok := v.ref.(*spelled); ok {
			return true // a version such as 1.10, printed as it is written
		}
		return k == KindString || k == KindTime || k == KindBytes
	case "integer":
		return k == KindInt
	case "number":
		return k == KindInt || k == KindFloat
	case "boolean":
		return k == KindBool
	case "list":
		return k == KindList || k == KindTuple
	case "map":
		return k == KindMap || k == KindHost && isRecord(v)
	}
	return true
}
