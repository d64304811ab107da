package document

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/lexer"
	"github.com/pcc-lang/pcc/parser"
)

// agentRoles are the keys that make an entry a message, in the order in which
// they count where an entry has several.
var agentRoles = []string{"template", "system", "user", "assistant"}

var agentKeys = []string{"name", "comment", "description", "model", "prompt", "metadata", "vars", "variables", "syntax", "undefined", "tests"}

// agentReader reads one prompt tree.
type agentReader struct {
	nearest diag.Nearest
	*reader
	folder    bool   // an agent folder: entries name files
	templates string // folder of the templates
	options   parser.Options
	defaults  map[string]*ast.Structure // by file name, nil for "not there"
	used      map[string]bool           // defaults files that an entry reads
	text      source.Span               // of the first `template` entry
	chat      source.Span               // of the first role entry
	hasText   bool
	hasChat   bool
	keys      map[string]bool // that the entries read, at any level
}

// AgentOptions are what a text of a prompt tree is parsed with: Jinja with its
// own defaults.
func AgentOptions(o parser.Options) parser.Options {
	o.Syntax = lexer.Jinja()
	return o
}

// agent reads a prompt tree: a list under `prompt`.
func (r *reader) agent(s *ast.Structure) {
	r.head = r.foreignMeta(s)
	r.doc.Meta = r.head
	r.extraKeys(r.head, agentKeys)
	base := path.Base(r.file.Name)
	a := &agentReader{reader: r, folder: base == "config.yaml" || base == "config.yml", templates: r.dir,
		defaults: map[string]*ast.Structure{}, used: map[string]bool{}, keys: map[string]bool{}}
	if sub := path.Join(r.dir, "templates"); isDir(r.fsys, sub) {
		a.templates = sub
	} else if a.folder {
		r.report("PCC418", source.Span{}, "the agent has no `templates` folder")
		return
	}
	a.options = r.parserOptions(r.head.Syntax)
	if a.options.Syntax == nil {
		a.options = AgentOptions(a.options)
	}
	p, _ := s.Get("prompt")
	if len(p.Items) == 0 {
		a.report("PCC423", p.Span(), "the prompt tree has no entry").WithHelp("list its templates: - user: ask.jinja")
		return
	}
	body := a.entries(p)
	if a.hasText && a.hasChat {
		r.report("PCC424", a.text, "`template` entries make a text, and `system`, `user` and `assistant` a chat").
			WithLabel(a.chat, "a chat message here")
	}
	r.entry("", s.Span(), body, !a.hasText, r.head, ast.Rules{Form: ast.FormAgent, Syntax: r.head.Syntax}, p)
	a.strays()
	if t, ok := s.Get("tests"); ok {
		r.tests(t)
	}
	if a.folder {
		a.testFiles()
	}
}

func isDir(fsys fs.FS, name string) bool {
	info, err := fs.Stat(fsys, name)
	return err == nil && info.IsDir()
}

// entries reads a list of entries. At most one system message may stand in it.
func (a *agentReader) entries(s *ast.Structure) []ast.Node {
	if s.Kind != ast.SList {
		a.want("a list of entries", "prompt", s)
		return nil
	}
	var nodes []ast.Node
	system := -1
	for i := range s.Items {
		item := &s.Items[i]
		if item.Kind != ast.SMap {
			a.want("a map such as {user: file.jinja}", "an entry", item)
			continue
		}
		n := a.node(item)
		if n == nil {
			continue
		}
		nodes = append(nodes, n)
		if m, ok := n.(*ast.Message); ok && m.Role.(*ast.Literal).Str == "system" {
			if system >= 0 {
				a.report("PCC424", m.Role.Span(), "a second system message").
					WithLabel(nodes[system].(*ast.Message).Role.Span(), "the first is here").
					WithHelp("join the two, or put each into a branch of its own")
			}
			system = len(nodes) - 1
		}
	}
	return nodes
}

// node reads one entry.
func (a *agentReader) node(s *ast.Structure) ast.Node {
	if a.severalKinds(s) {
		return nil
	}
	for _, role := range agentRoles {
		if v, ok := s.Get(role); ok {
			return a.message(s, role, v)
		}
	}
	for _, op := range []string{"when", "loop", "switch"} {
		if v, ok := s.Get(op); ok {
			return a.operation(s, op, v)
		}
	}
	d := a.report("PCC423", source.Span{Start: s.Start, End: s.Start + 1}, "this entry is neither a message nor `when`, `loop` or `switch`")
	known := append([]string{"when", "loop", "switch"}, agentRoles...)
	if len(s.Map) > 0 {
		d.Span = s.Map[0].KeySpan
		d.Names = []string{s.Map[0].Key}
		if near, ok := diag.Near(s.Map[0].Key, known); ok {
			d.Help = "did you mean `" + near + "`?"
			d.Fix = &diag.Fix{Span: d.Span, Replacement: near}
		}
		if strings.ContainsAny(s.Map[0].Key, "{}<>") {
			d.Code, d.Message, d.Help = "PCC417", "a role cannot be computed", "write `system`, `user` or `assistant`"
		}
	}
	return nil
}

// severalKinds reports an entry that says more than once what it is, such as
// one with two roles: but one of them would count, and the other be lost.
func (a *agentReader) severalKinds(s *ast.Structure) bool {
	var first *ast.Entry
	for i := range s.Map {
		e := &s.Map[i]
		if !slices.Contains(entryKinds, e.Key) {
			continue
		}
		if first == nil {
			first = e
			continue
		}
		d := a.report("PCC423", e.KeySpan, "this entry has `%s` and `%s`, and can be one of them only", first.Key, e.Key).
			WithLabel(first.KeySpan, "`%s` is here", first.Key).WithNames(first.Key, e.Key).
			WithHelp("begin a new entry with `-` for each message")
		if !slices.Contains(agentRoles, e.Key) || !slices.Contains(agentRoles, first.Key) {
			d.Help = "make two entries of it; entries that depend on a key stand under its `prompt:`"
		}
		return true
	}
	return false
}

// entryKinds are the keys that say what an entry is.
var entryKinds = append([]string{"when", "loop", "switch"}, agentRoles...)

var entryKeys = append([]string{"pointer", "content", "file"}, agentRoles...)

// message reads {role: file, pointer: key} or {role: text}; with `content:` the
// text stands there.
func (a *agentReader) message(s *ast.Structure, role string, v *ast.Structure) ast.Node {
	span := keySpan(s, role)
	if role == "template" {
		if !a.hasText {
			a.hasText, a.text = true, span
		}
	} else if !a.hasChat {
		a.hasChat, a.chat = true, span
	}
	for i := range s.Map {
		if e := &s.Map[i]; !slices.Contains(entryKeys, e.Key) {
			a.unknownKey(e, entryKeys)
		}
	}
	pointer, hasPointer := "", false
	if p, ok := s.Get("pointer"); ok {
		pointer, hasPointer = a.reader.text("pointer", p), true
	}
	scoped := &ast.Scoped{Range: s.Range}
	inline := v
	if c, ok := s.Get("content"); ok {
		inline = c
	} else if v.Kind == ast.SMap {
		if f, ok := v.Get("file"); ok {
			v = f
			inline = nil
		}
	} else if a.isFile(v) {
		inline = nil
	}
	var body *ast.Embedded
	file := ""
	if inline == nil {
		file = a.reader.text(role, v)
		body = a.templateFile(v, a.templates, a.options)
		if !hasPointer {
			pointer = stem(file)
		}
	} else {
		if inline.Kind != ast.SString {
			a.want("a file name or a text", role, inline)
			return nil
		}
		body = a.template(inline, a.options)
		scoped.Own = !hasPointer
	}
	if body == nil {
		return nil
	}
	scoped.Key = pointer
	a.keys[pointer] = true
	scoped.Defaults = a.defaultsFor(pointer, file)
	scoped.Body = []ast.Node{body}
	if role == "template" {
		// PDX joins the texts of a completion prompt by a blank.
		scoped.Separator = " "
		return scoped
	}
	return &ast.Message{Range: s.Range, Role: literal(role, span), Body: []ast.Node{scoped}}
}

// isFile reports whether the value of a role names a file. A text with braces
// or line breaks never does. In an agent folder anything else does; a single
// file may hold the text itself, which is taken for a file name if it looks
// like one or a file of that name is there.
func (a *agentReader) isFile(v *ast.Structure) bool {
	name := v.Str
	switch {
	case strings.ContainsAny(name, "\n{}"):
		return false
	case a.folder:
		return true
	case v.Kind != ast.SString || name == "" || strings.ContainsAny(name, "<> "):
		return false
	}
	if strings.Contains(name, "/") || slices.Contains([]string{".jinja", ".jinja2", ".j2", ".txt", ".md", ".prompt"}, strings.ToLower(path.Ext(name))) {
		return true
	}
	full := path.Join(a.templates, name)
	info, err := fs.Stat(a.fsys, full)
	return fs.ValidPath(full) && err == nil && info.Mode().IsRegular()
}

// stem is a template's default pointer: its path up to the first dot of the
// file name.
func stem(file string) string {
	dir, base := path.Split(file)
	if i := strings.IndexByte(base, '.'); i >= 0 {
		base = base[:i]
	}
	return dir + base
}

// defaultsFor reads the defaults of a template: by its pointer, else by its
// file's name.
func (a *agentReader) defaultsFor(pointer, file string) *ast.Structure {
	var found *ast.Structure
	for _, name := range []string{pointer, stem(file)} {
		if name == "" {
			continue
		}
		d := a.defaultsFile(name)
		if d != nil && found == nil {
			found = d
		}
	}
	return found
}

const defaultsSuffix = ".defaults.yaml"

// defaultsFile reads one defaults file; nil where there is none.
func (a *agentReader) defaultsFile(name string) *ast.Structure {
	full := path.Join(a.templates, name+defaultsSuffix)
	if d, ok := a.defaults[full]; ok {
		return d
	}
	a.defaults[full] = nil
	if !fs.ValidPath(full) {
		return nil // a pointer is a key, and need not be a file name
	}
	info, err := fs.Stat(a.fsys, full)
	if err != nil && !isSymlink(a.fsys, full) {
		return nil
	}
	a.used[full] = true
	text, err := readFile(a.fsys, full, a.o.Limits.orDefault().Bytes)
	if err != nil || info == nil {
		a.openFault(source.Span{}, full, err)
		return nil
	}
	a.doc.Files = append(a.doc.Files, full)
	f := source.New(full, text)
	s, diags := ReadYAML(f, source.Span{End: source.Pos(len(text))}, YAMLOptions{Booleans11: true, Placeholders: PlaceholdersRefuse, Limits: a.o.Limits})
	a.diags = append(a.diags, diags...)
	switch {
	case s == nil:
		return nil
	case s.Kind == ast.SNull:
		a.diags = append(a.diags, diag.New("PCC410", f, source.Span{}, "the defaults file is empty").WithHelp("remove it, or list defaults in it"))
		return nil
	case s.Kind != ast.SMap:
		d := diag.New("PCC410", f, s.Span(), "defaults are a map, and this is %s", withArticle(s.Kind.String()))
		a.diags = append(a.diags, d)
		return nil
	}
	a.defaults[full] = s
	return s
}

// isSymlink reports whether name is a link, one that leads nowhere or outside
// included: such a file is an error and not "no defaults".
func isSymlink(fsys fs.FS, name string) bool {
	entries, err := fs.ReadDir(fsys, path.Dir(name))
	if err != nil {
		return false
	}
	for _, e := range entries {
		if e.Name() == path.Base(name) {
			return true
		}
	}
	return false
}

// operation reads when, loop and switch entries. `pointer` renames the key.
func (a *agentReader) operation(s *ast.Structure, op string, v *ast.Structure) ast.Node {
	span := keySpan(s, op)
	key := a.reader.text(op, v)
	at := ast.At(v.Span())
	if p, ok := s.Get("pointer"); ok {
		key, at = a.reader.text("pointer", p), ast.At(p.Span())
	}
	a.keys[key] = true
	if strings.Contains(key, "{{") || strings.Contains(key, "{%") {
		a.report("PCC423", span, "`%s` takes the name of a key, not an expression", op).WithHelp("write the key alone, such as %s: vip", op)
		return nil
	}
	for i := range s.Map {
		if e := &s.Map[i]; e.Key != op && e.Key != "prompt" && e.Key != "pointer" {
			a.unknownKey(e, []string{op, "prompt", "pointer"})
		}
	}
	p, ok := s.Get("prompt")
	if !ok {
		a.report("PCC423", span, "`%s` has no `prompt`", op).WithHelp("list the entries that depend on it under `prompt:`")
		return nil
	}
	name := &ast.Name{Range: at, Name: key}
	switch op {
	case "when":
		return &ast.When{Range: s.Range, Level: true, Branches: []ast.Branch{{Head: span, Cond: name, Body: a.entries(p)}}}
	case "loop":
		return &ast.Loop{Range: s.Range, Head: v.Span(), Level: true, Iter: name, Body: a.entries(p)}
	}
	n := &ast.Switch{Range: s.Range, Level: true, Subject: name}
	if p.Kind != ast.SMap {
		a.want("a map of cases", "prompt", p)
		return n
	}
	for i := range p.Map {
		e := &p.Map[i]
		body := a.entries(&e.Value)
		if e.Key == "default" {
			n.Default, n.HasDefault = body, true
			continue
		}
		n.Cases = append(n.Cases, ast.Case{Head: e.KeySpan, Values: a.caseValues(e, true), Body: body})
	}
	return n
}

// strays warns of files whose name is nearly that of a defaults file: they
// would be passed over in silence.
func (a *agentReader) strays() {
	dirs := map[string]bool{a.templates: true}
	for full := range a.defaults {
		dirs[path.Dir(full)] = true
	}
	var names []string
	for dir := range dirs {
		entries, err := fs.ReadDir(a.fsys, dir)
		if err != nil {
			continue
		}
		for _, e := range entries {
			full := path.Join(dir, e.Name())
			low := strings.ToLower(e.Name())
			isYAML := strings.HasSuffix(low, ".yaml") || strings.HasSuffix(low, ".yml")
			if isYAML && !e.IsDir() && strings.Contains(low, ".def") && !a.used[full] && full != a.file.Name {
				names = append(names, full)
			}
		}
	}
	slices.Sort(names)
	for _, full := range names {
		d := a.stray(full, "no entry reads the defaults in `%s`")
		dir, base := path.Split(full)
		name := base[:strings.Index(strings.ToLower(base), ".def")]
		switch near, ok := a.readsDefaults(dir, name); {
		case !ok:
			d.Help = "remove it, or name it after a template that the agent uses, such as ask" + defaultsSuffix + " for ask.jinja"
		case near+defaultsSuffix != base:
			d.Help = "rename it to " + near + defaultsSuffix
		}
	}
}

// readsDefaults is the name, or the nearest one, whose defaults some entry looks
// for in a folder.
func (a *agentReader) readsDefaults(dir, name string) (string, bool) {
	var names []string
	for full := range a.defaults {
		d, base := path.Split(full)
		stem := strings.TrimSuffix(base, defaultsSuffix)
		if d == dir && stem == name {
			return name, true
		}
		if d == dir {
			names = append(names, stem)
		}
	}
	return a.nearest.Find(name, func() []string { return names })
}

// testFiles reads tests/*.yaml: each is a request, or has `expect:` besides a
// request under `data:` or `request:`, or in its other keys.
func (a *agentReader) testFiles() {
	n := len(a.diags)
	defer func() { a.testFaults(n) }()
	dir := path.Join(a.dir, "tests")
	for _, e := range a.listTests(a.fsys, dir) {
		full := path.Join(dir, e.Name())
		if e.IsDir() {
			continue
		}
		if !strings.HasPrefix(e.Name(), "test") || !IsDocument(e.Name()) {
			if IsDocument(e.Name()) || strings.HasPrefix(e.Name(), "test") && path.Ext(e.Name()) != ".py" {
				a.stray(full, "`%s` is not run as a test").WithKind(Unchecked).
					WithHelp("name it test….yaml")
			}
			continue
		}
		if t, ok := a.testFile(full); ok {
			a.doc.Tests = append(a.doc.Tests, t)
		}
	}
}

func (a *agentReader) testFile(full string) (t ast.DocumentTest, ok bool) {
	text, err := readFile(a.fsys, full, a.o.Limits.orDefault().Bytes)
	if err != nil {
		a.openFault(source.Span{}, full, err)
		return t, false
	}
	a.doc.Files = append(a.doc.Files, full)
	f := source.New(full, text)
	s, diags := ReadData(f, YAMLOptions{Booleans11: true, Limits: a.o.Limits})
	a.diags = append(a.diags, diags...)
	if s == nil {
		return t, false
	}
	name := strings.TrimSuffix(path.Base(full), path.Ext(full))
	t = ast.DocumentTest{Name: name, File: f, Span: source.Span{End: 1}, Data: s}
	if s.Kind == ast.SNull {
		t.Data = nil
		return t, true
	}
	sub := &reader{reporter: &reporter{file: f}, fsys: a.fsys, dir: a.dir, o: a.o, doc: a.doc}
	defer func() { a.diags = append(a.diags, sub.diags...) }()
	if s.Kind != ast.SMap {
		sub.want("a request", "a test", s)
		return t, false
	}
	expect, has := s.Get("expect")
	rest := *s
	rest.Map = slices.DeleteFunc(slices.Clone(s.Map), func(e ast.Entry) bool { return e.Key == "expect" || a.misspelt(sub, s, &e, has) })
	t.Data = &rest
	if !has {
		return t, true
	}
	sub.checkExpect(expect)
	t.Expect = expect
	for _, key := range []string{"data", "request"} {
		d, ok := s.Get(key)
		if !ok || a.asksFor(key) {
			continue
		}
		for i := range rest.Map {
			switch e := &rest.Map[i]; e.Key {
			case key:
			case "name":
				t.Name, t.Span = sub.text(e.Key, &e.Value), e.Value.Span()
			default:
				sub.unknownTestKey(e, []string{"name", key, "expect"})
			}
		}
		t.Data = d
		if d.Kind != ast.SMap && d.Kind != ast.SNull {
			sub.want("a map", key, d)
			return t, false
		}
		break
	}
	return t, true
}

// misspelt reports a key of the test s that no entry reads of a request and that is
// like a key of tests which s does not have.
func (a *agentReader) misspelt(to *reader, s *ast.Structure, e *ast.Entry, expects bool) bool {
	keys := []string{"expect"}
	if expects {
		keys = []string{"data", "request"}
	}
	near, ok := diag.Near(e.Key, keys)
	if !ok || a.asksFor(e.Key) {
		return false
	}
	if _, has := s.Get(near); has {
		return false
	}
	to.unknownTestKey(e, keys)
	return true
}

// asksFor reports whether an entry of the outermost level reads this key of a
// request, so that a test's key of that name is part of the request.
func (a *agentReader) asksFor(key string) bool { return a.keys[key] }
