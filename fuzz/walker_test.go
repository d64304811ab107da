package fuzz

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"testing/fstest"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/lexer"
	"github.com/pcc-lang/pcc/parser"
	"github.com/pcc-lang/pcc/parser/document"
	"github.com/pcc-lang/pcc/stdlib"
	"github.com/pcc-lang/pcc/vm"
)

// walker renders a native template by walking its tree: the second opinion on
// what compiler and machine make of it. It is as simple as can be — recursion
// for control flow, a map for each scope, no slots, no code — and shares with
// the machine only the operations on single values.
type walker struct {
	env      *vm.Env
	dialect  *vm.Dialect
	data     vm.Value
	defaults *vm.Map
	contract map[string]bool // nil is none
	policy   string          // of option or front matter, "" is each placeholder's own
	files    fstest.MapFS
	options  parser.Options

	file   *source.File
	path   string
	syntax string
	scopes []*walkScope
	out    []byte
	chat   bool
	// open is the start of the message being written, -1 outside messages.
	open     int
	messages []vm.Message
	missing  map[string]bool // by place
	kept     int
	roles    []string
	enums    map[string][]string
	soft     bool // inside a soft placeholder
	head     bool // inside the head of a block
	provided int  // how many filters and tests around say what holds for a missing value
	turns    int
}

// walkScope is a scope of names; a loop's also has the loop itself.
type walkScope struct {
	names map[string]vm.Value
	loop  *walkLoop
	bare  *vm.Value
}

type walkLoop struct{ index, length int }

var loopFields = map[string]func(l *walkLoop) vm.Value{
	"index":     func(l *walkLoop) vm.Value { return vm.Int(int64(l.index + 1)) },
	"index0":    func(l *walkLoop) vm.Value { return vm.Int(int64(l.index)) },
	"first":     func(l *walkLoop) vm.Value { return vm.Bool(l.index == 0) },
	"last":      func(l *walkLoop) vm.Value { return vm.Bool(l.index == l.length-1) },
	"length":    func(l *walkLoop) vm.Value { return vm.Int(int64(l.length)) },
	"revindex":  func(l *walkLoop) vm.Value { return vm.Int(int64(l.length - l.index)) },
	"revindex0": func(l *walkLoop) vm.Value { return vm.Int(int64(l.length - l.index - 1)) },
}

var (
	// errMissing stands for the report of all missing names at the end.
	errMissing = errors.New("PCC301")
	// errBeyond says that the walker has no opinion: the template holds what it
	// does not know, or works too hard.
	errBeyond = errors.New("beyond the walker")
)

// codeError is a failure with a diagnostic code that the machine gives too.
type codeError string

func (e codeError) Error() string { return string(e) }

// walk renders src with the syntax and the policy for missing values, and
// returns the text and, for chat templates, the messages.
func walk(src, syntax, policy string, files fstest.MapFS, data vm.Value) (text string, messages []vm.Message, err error) {
	dialect := stdlib.Native()
	w := &walker{dialect: dialect, env: vm.NewEnv(dialect, vm.DefaultLimits()), data: data, policy: policy, files: files,
		open: -1, missing: map[string]bool{}}
	w.options = parser.Options{Filters: func(name string) bool { return dialect.Filters[name] != nil }}
	if syntax != "" {
		w.options.Syntax, _ = lexer.ByName(syntax)
	}
	t, list := document.ReadTemplate(source.New("fuzz.txt", src), w.options)
	if list.HasErrors() || t.Syntax == "jinja" {
		return "", nil, errBeyond
	}
	w.options.Syntax, _ = lexer.ByName(t.Syntax)
	w.front(t)
	w.chat = t.Chat
	w.file, w.syntax = t.File, t.Syntax
	if err := w.body(t.Body); err != nil {
		return "", nil, err
	}
	if len(w.missing) > 0 {
		return "", nil, errMissing
	}
	return string(w.out), w.messages, nil
}

// front takes over what the front matter says.
func (w *walker) front(t *ast.Template) {
	if t.Front == nil || t.Front.Meta == nil {
		return
	}
	m := t.Front.Meta
	if w.policy == "" {
		w.policy = m.Undefined
	}
	w.roles = append(w.roles, m.Roles...)
	if m.Vars != nil && m.Vars.Kind == ast.SMap {
		w.defaults = vm.NewMap(0)
		for i := range m.Vars.Map {
			w.defaults.Set(m.Vars.Map[i].Key, compiler.ValueOf(&m.Vars.Map[i].Value))
		}
	}
	if !m.Contract {
		return
	}
	w.contract, w.enums = map[string]bool{}, map[string][]string{}
	for i := range m.Variables {
		v := &m.Variables[i]
		w.contract[v.Name] = true
		if v.Default != nil {
			if w.defaults == nil {
				w.defaults = vm.NewMap(0)
			}
			if _, given := w.defaults.Get(v.Name); !given {
				d := compiler.ValueOf(v.Default)
				if s := v.Default; v.Type == "string" && s.Kind != ast.SNull && s.Kind != ast.SList && s.Kind != ast.SMap {
					d = vm.String(plainText(s)) // as it is written
				}
				w.defaults.Set(v.Name, d)
			}
		}
		for j := range v.Enum {
			w.enums[v.Name] = append(w.enums[v.Name], v.Enum[j].Str)
		}
	}
}

// plainText is a plain scalar of a document as it is written.
func plainText(s *ast.Structure) string {
	if s.Source != "" {
		return s.Source
	}
	return s.Str
}

func (w *walker) body(nodes []ast.Node) error {
	for _, n := range nodes {
		if err := w.node(n); err != nil {
			return err
		}
		if len(w.out) > 1<<20 {
			return errBeyond
		}
	}
	return nil
}

func (w *walker) node(n ast.Node) error {
	switch n := n.(type) {
	case *ast.Comment:
		return nil
	case *ast.Text:
		if !w.chat || w.open >= 0 {
			w.out = append(w.out, n.Value...)
		}
		return nil
	case *ast.Output:
		return w.output(n)
	case *ast.When:
		return w.when(n)
	case *ast.Loop:
		return w.loop(n)
	case *ast.Switch:
		return w.choose(n)
	case *ast.Message:
		return w.message(n)
	case *ast.Messages:
		return w.insert(n)
	case *ast.Include:
		return w.include(n)
	}
	return errBeyond
}

func (w *walker) output(n *ast.Output) error {
	root := rootOf(n.Expr)
	if n.Soft && w.contract != nil && root != "" && !w.contract[root] && !w.local(root) {
		w.out = append(w.out, n.Raw...)
		return nil
	}
	w.soft = n.Soft
	v, err := w.eval(n.Expr)
	w.soft = false
	if err != nil {
		return err
	}
	if u := v.Undef(); u != nil {
		switch w.policyOf(n, root) {
		case "keep":
			w.out = append(w.out, n.Raw...)
			w.kept++
		case "error":
			w.miss(u)
		}
		return nil
	}
	w.out, err = w.env.AppendStr(w.out, v, w.dialect.Style)
	return err
}

// policyOf is what the placeholder does without a value (language.md, 2 and 8).
func (w *walker) policyOf(n *ast.Output, root string) string {
	angle := strings.Contains(w.syntax, "angle")
	switch {
	case w.policy == "error" && n.Soft && angle && !w.contract[root]:
		return "keep"
	case w.policy != "":
		return w.policy
	case n.Soft || angle:
		return "keep"
	}
	return "error"
}

func (w *walker) miss(u *vm.Undefined) {
	w.missing[fmt.Sprintf("%s:%d", w.file.Name, u.Pos)] = true
}

// inHead evaluates an expression of a block's head.
func (w *walker) inHead(e ast.Expr) (vm.Value, error) {
	outer := w.head
	w.head = true
	v, err := w.eval(e)
	w.head = outer
	return v, err
}

// missHead notes a variable that a head reads and the data lacks
// (language.md, 6).
func (w *walker) missHead(root string, u vm.Value) {
	bare := slices.ContainsFunc(w.scopes, func(s *walkScope) bool { return s.bare != nil })
	if w.head && w.policy == "error" && w.provided == 0 && !bare && !w.contract[root] {
		w.miss(u.Undef())
	}
}

func (w *walker) when(n *ast.When) error {
	for _, b := range n.Branches {
		v, err := w.inHead(b.Cond)
		if err != nil {
			return err
		}
		t, err := w.truthOf(v)
		if err != nil {
			return err
		}
		if t {
			return w.body(b.Body)
		}
	}
	return w.body(n.Else)
}

func (w *walker) truth(e ast.Expr) (bool, error) {
	v, err := w.eval(e)
	if err != nil {
		return false, err
	}
	return w.truthOf(v)
}

func (w *walker) truthOf(v vm.Value) (bool, error) {
	w.asNull(v)
	return w.env.Truth(v)
}

// asNull reports what arithmetic made of a missing value where it would count
// as null.
func (w *walker) asNull(v vm.Value) {
	if u := v.Undef(); u != nil && u.Computed {
		w.miss(u)
	}
}

func (w *walker) push(s *walkScope) { w.scopes = append(w.scopes, s) }
func (w *walker) pop()              { w.scopes = w.scopes[:len(w.scopes)-1] }

// entry is one turn of a loop.
type entry struct{ key, value vm.Value }

func (w *walker) loop(n *ast.Loop) error {
	v, err := w.inHead(n.Iter)
	if err != nil {
		return err
	}
	w.asNull(v)
	var entries []entry
	switch {
	case v.IsMissing():
	case n.Mode == ast.LoopEntries:
		if !v.IsMapping() {
			return codeError("PCC310")
		}
		en, err := w.env.Entries(v)
		if err != nil {
			return err
		}
		for i := range en.Len() {
			k, x := en.At(i)
			entries = append(entries, entry{k, x})
		}
	default:
		_, object := v.Object()
		_, iterator := v.Iterator()
		if v.IsMapping() || !v.IsSequence() && !object && !iterator || v.Kind() == vm.KindString || v.Kind() == vm.KindBytes {
			return codeError("PCC310")
		}
		items, err := w.env.Items(v)
		if err != nil {
			return err
		}
		for _, x := range items {
			entries = append(entries, entry{value: x})
		}
	}
	if len(entries) == 0 {
		return w.body(n.Else)
	}
	for i, e := range entries {
		if w.turns++; w.turns > 200_000 {
			return errBeyond
		}
		s := &walkScope{names: map[string]vm.Value{}, loop: &walkLoop{i, len(entries)}}
		switch n.Mode {
		case ast.LoopEntries:
			s.names[n.Target.Items[0].Name] = e.key
			s.names[n.Target.Items[1].Name] = e.value
		case ast.LoopBare:
			s.names["item"], s.bare = e.value, &e.value
		default:
			s.names[n.Target.Name] = e.value
		}
		w.push(s)
		err := w.body(n.Body)
		w.pop()
		if err != nil {
			return err
		}
	}
	return nil
}

func (w *walker) choose(n *ast.Switch) error {
	v, err := w.inHead(n.Subject)
	if err != nil {
		return err
	}
	w.asNull(v)
	if v.IsMissing() {
		v = vm.Null
	}
	for _, c := range n.Cases {
		for _, e := range c.Values {
			x, err := w.inHead(e)
			if err != nil {
				return err
			}
			w.asNull(x)
			equal, err := w.env.Equal(v, x)
			if err != nil {
				return err
			}
			if equal {
				return w.body(c.Body)
			}
		}
	}
	return w.body(n.Default)
}

func (w *walker) message(n *ast.Message) error {
	role := ""
	if lit, ok := n.Role.(*ast.Literal); ok {
		role = lit.Str
	} else {
		v, err := w.eval(n.Role)
		if err != nil {
			return err
		}
		if v.IsUndefined() {
			return errMissing
		}
		s, ok := v.Str()
		roles := append(w.roles[:len(w.roles):len(w.roles)], w.enums[w.variableOf(n.Role)]...)
		if !ok || !contains(roles, s) {
			return codeError("PCC311")
		}
		role = s
	}
	m := vm.Message{Role: role}
	w.open = len(w.out)
	for _, a := range n.Attrs {
		v, err := w.eval(a.Value)
		if err != nil {
			return err
		}
		if u := v.Undef(); u != nil {
			w.miss(u)
		}
		if s, ok := v.Str(); ok && a.Name == "name" {
			m.Name = s
		} else if ok && a.Name == "content" {
			w.out = append(w.out, s...)
		}
	}
	err := w.body(n.Body)
	m.Content = string(w.out[w.open:])
	w.open = -1
	w.messages = append(w.messages, m)
	return err
}

// insert adds the messages of a list (language.md, 4).
func (w *walker) insert(n *ast.Messages) error {
	list, err := w.eval(n.List)
	if err != nil || list.IsMissing() {
		return err
	}
	if k := list.Kind(); k != vm.KindList {
		return codeError("PCC312")
	}
	items, err := w.env.Items(list)
	if err != nil {
		return err
	}
	roles := w.roles
	if len(roles) == 0 {
		roles = []string{"user", "assistant", "tool"}
	}
	for _, item := range items {
		v, ok := vm.Lookup(item, "role")
		role, isText := v.Str()
		if item.Kind() != vm.KindMap || !ok || !isText {
			return codeError("PCC312")
		}
		if !contains(roles, role) {
			return codeError("PCC311")
		}
		m := vm.Message{Role: role}
		if v, ok := vm.Lookup(item, "name"); ok {
			m.Name, _ = v.Str()
		}
		if v, ok := vm.Lookup(item, "content"); ok {
			m.Content, _ = v.Str()
		}
		w.out = append(w.out, m.Content...)
		w.messages = append(w.messages, m)
	}
	return nil
}

// variableOf is the variable of the data that e is, "" for anything else.
func (w *walker) variableOf(e ast.Expr) string {
	inVars := func(x ast.Expr, name string) string {
		if root, ok := x.(*ast.Name); ok && root.Name == "vars" && !w.local("vars") {
			return name
		}
		return ""
	}
	switch e := e.(type) {
	case *ast.Name:
		if !w.local(e.Name) {
			return e.Name
		}
	case *ast.Attr:
		return inVars(e.X, e.Name)
	case *ast.Index:
		if lit, ok := e.I.(*ast.Literal); ok && lit.Kind == ast.StringLit {
			return inVars(e.X, lit.Str)
		}
	}
	return ""
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

func (w *walker) include(n *ast.Include) error {
	name := n.Name.(*ast.Literal).Str
	at := path.Join(path.Dir(w.path), name)
	f := w.files[at]
	if f == nil {
		at, f = name, w.files[name]
	}
	if f == nil {
		return errBeyond
	}
	t, list := document.ReadTemplate(source.New(at, string(f.Data)), w.options)
	if list.HasErrors() || t.Front != nil {
		return errBeyond
	}
	s := &walkScope{names: map[string]vm.Value{}}
	for _, a := range n.With {
		v, err := w.eval(a.Value)
		if err != nil {
			return err
		}
		s.names[a.Name] = v
	}
	before := *w
	w.path, w.file, w.syntax = at, t.File, t.Syntax
	w.chat = w.chat || t.Chat
	w.push(s)
	err := w.body(t.Body)
	w.pop()
	w.path, w.file, w.syntax = before.path, before.file, before.syntax
	if n.DropBreak || t.Chat != before.chat {
		return errBeyond
	}
	if n.Standalone && n.LineBreak != "" && t.File.Text != "" && !strings.HasSuffix(t.File.Text, "\n") && (!w.chat || w.open >= 0) {
		w.out = append(w.out, n.LineBreak...)
	}
	return err
}

// rootOf is the name that a path, filtered or not, starts from.
func rootOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Name:
		return e.Name
	case *ast.Attr:
		return rootOf(e.X)
	case *ast.Index:
		return rootOf(e.X)
	case *ast.Filter:
		return rootOf(e.X)
	}
	return ""
}

// local reports whether a name is bound inside the template at this place, or
// may be.
func (w *walker) local(name string) bool {
	for _, s := range w.scopes {
		if _, ok := s.names[name]; ok || s.bare != nil || name == "loop" && s.loop != nil {
			return true
		}
	}
	return false
}

// result makes an error of the codes that the machine would give.
func walkCode(err error) string {
	var ve *vm.Error
	var d *diag.Diagnostic
	var c codeError
	switch {
	case errors.Is(err, errMissing):
		return "PCC301"
	case errors.As(err, &c):
		return string(c)
	case errors.As(err, &ve):
		return ve.CodeOf()
	case errors.As(err, &d):
		return string(d.Code)
	}
	return "?"
}
