package document

import (
	"slices"
	"strings"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
)

// nativeKeys are the keys of a native document.
var nativeKeys = []string{"name", "description", "syntax", "undefined", "roles", "variables", "vars",
	"messages", "template", "templates", "metadata", "model", "tests", "parameters", "tools", "tool_choice",
	"output", "response_format", "version", "labels", "examples"}

// native reads `messages:`, `template:` or `templates:`, or a list of
// messages.
func (r *reader) native(s *ast.Structure) {
	if s.Kind == ast.SList {
		r.head = &ast.Meta{File: r.file}
		r.doc.Meta = r.head
		r.nativeEntry("", s.Span(), s, r.head)
		return
	}
	r.head = r.meta(s)
	r.doc.Meta = r.head
	r.extraKeys(r.head, nativeKeys)
	r.headVars = r.head.Vars
	r.documentData(r.head)
	messages, hasMessages := s.Get("messages")
	template, hasTemplate := s.Get("template")
	templates, hasTemplates := s.Get("templates")
	if hasMessages && hasTemplate {
		r.report("PCC420", template.Span(), "a document has either `messages` or `template`").
			WithHelp("use `templates` for several prompts in one file")
	}
	switch {
	case hasMessages:
		r.nativeEntry("", messages.Span(), messages, r.head)
	case hasTemplate:
		r.nativeEntry("", template.Span(), template, r.head)
	}
	if hasTemplates {
		r.dictionary(templates)
	}
	if t, ok := s.Get("tests"); ok {
		r.tests(t)
	}
}

// pairKey is the key that makes a pair of a document with `template`.
var pairKey = []string{"system_template"}

// extraKeys warns of keys that mean nothing.
// Those that are near a known one are told one by one, as each has advice of its
// own; all others together.
func (r *reader) extraKeys(m *ast.Meta, known []string) {
	var first *ast.Entry
	var strange []string
	for i := range m.Extra {
		e := &m.Extra[i]
		if slices.Contains(known, e.Key) {
			continue
		}
		if _, near := diag.Near(e.Key, pairKey); near && r.doc.Form == ast.FormNative {
			r.unknownKey(e, pairKey)
			continue
		}
		if _, near := diag.Near(e.Key, known); near {
			r.unknownKey(e, known)
			continue
		}
		if first == nil {
			first = e
		}
		strange = append(strange, e.Key)
	}
	switch {
	case len(strange) == 1:
		r.unknownKey(first, known)
	case len(strange) > 1:
		r.report("PCC411", first.KeySpan, "the keys %s mean nothing here", quoted(strange)).WithNames(strange...)
	}
}

// quoted lists names for a message, the first twenty of them.
func quoted(names []string) string {
	const most = 20
	var b strings.Builder
	for i, name := range names {
		if i == most {
			b.WriteString(", …")
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString("`" + diag.Shorten(name, 60) + "`")
	}
	return b.String()
}

// dictionary reads `templates:`: name → text, list of messages, or a map with
// `template` or `messages` and a head of its own.
func (r *reader) dictionary(s *ast.Structure) {
	if s.Kind != ast.SMap {
		r.want("a map of prompts by name", "templates", s)
		return
	}
	if len(s.Map) == 0 {
		r.report("PCC420", s.Span(), "the dictionary holds no prompt").WithHelp("write one prompt a line: name: text")
	}
	r.head.SharedGiven = true
	for i := range s.Map {
		e := &s.Map[i]
		body, meta := &e.Value, r.head
		if e.Value.Kind == ast.SMap {
			if _, isFile := e.Value.Get("file"); !isFile {
				meta = r.meta(&e.Value)
				own := meta.Vars != nil || slices.ContainsFunc(meta.Extra, func(e ast.Entry) bool { return givesData(e.Key) })
				examples := slices.ContainsFunc(meta.Extra, func(e ast.Entry) bool { return e.Key == "examples" })
				meta = r.inherit(meta)
				r.extraKeys(meta, nativeKeys)
				if own {
					if meta.Vars == r.head.Vars {
						meta.Vars = nil
					}
					r.documentData(meta)
					meta.SharedGiven = meta.SharedGiven && !examples
				}
				var ok bool
				if body, ok = e.Value.Get("messages"); !ok {
					if body, ok = e.Value.Get("template"); !ok {
						r.report("PCC420", e.KeySpan, "the prompt `%s` has neither `template` nor `messages`", diag.Shorten(e.Key, 60)).WithNames(e.Key)
						continue
					}
				}
				if t, ok := e.Value.Get("tests"); ok {
					before := len(r.doc.Tests)
					r.tests(t)
					for j := before; j < len(r.doc.Tests); j++ {
						r.doc.Tests[j].Entry = e.Key
					}
				}
			}
		}
		r.nativeEntry(e.Key, e.KeySpan, body, meta)
	}
}

// inherit fills what an entry does not declare itself from the document's
// head.
func (r *reader) inherit(m *ast.Meta) *ast.Meta {
	h := r.head
	if m.Description == "" {
		m.Description = h.Description
	}
	if m.Syntax == "" {
		m.Syntax = h.Syntax
	}
	if m.Undefined == "" {
		m.Undefined = h.Undefined
	}
	if m.Roles == nil {
		m.Roles = h.Roles
	}
	if !m.Contract {
		m.Contract, m.Variables = h.Contract, h.Variables
	}
	if m.Vars == nil {
		m.Vars, m.Given, m.SharedGiven = h.Vars, h.Given, h.SharedGiven
	}
	own := len(m.Extra)
	for i := range h.Extra {
		if key := h.Extra[i].Key; inherited(key) && !slices.ContainsFunc(m.Extra[:own], func(e ast.Entry) bool { return replaces(e.Key, key) }) {
			m.Extra = append(m.Extra, h.Extra[i])
		}
	}
	return m
}

// inherited reports whether a key at the head of a document holds for all its
// prompts.
func inherited(key string) bool {
	switch key {
	case "metadata", "version", "labels", "examples":
		return true
	}
	return slices.Contains(requestKeys, key)
}

// replaces reports whether a prompt's own key stands in the place of one of the
// head.
func replaces(own, head string) bool {
	is := func(key string) bool { return key == "output" || key == "response_format" }
	return own == head || is(own) && is(head)
}

// nativeEntry reads a text (a string or {file: name}) or a list of messages.
func (r *reader) nativeEntry(name string, span source.Span, s *ast.Structure, meta *ast.Meta) {
	outer := r.head
	r.head = meta
	defer func() { r.head = outer }()
	rules := ast.Rules{Form: ast.FormNative, Syntax: meta.Syntax}
	switch s.Kind {
	case ast.SList:
		if len(s.Items) == 0 {
			r.report("PCC420", s.Span(), "there is no message in this list").WithHelp("begin each message with a dash: - user: …")
			return
		}
		body := r.messages(s)
		r.checkMarks(body, meta)
		r.entry(name, span, r.withRequest(body, meta), true, meta, rules, s)
	case ast.SMap:
		f, ok := s.Get("file")
		if !ok {
			r.want("a list of messages or a text", "messages", s)
			return
		}
		if e := r.templateFile(f, r.dir, r.parserOptions(meta.Syntax)); e != nil {
			r.entry(name, span, r.withRequest([]ast.Node{e}, meta), false, meta, rules, s)
		}
	case ast.SNull:
		r.want("a list of messages or a text", "messages", s)
	default:
		if name == "" && s.Kind == ast.SString && r.isMessages(s) {
			r.want("a list of messages", "messages", s)
			return
		}
		e := r.template(s, r.parserOptions(meta.Syntax))
		r.entry(name, span, r.withRequest([]ast.Node{e}, meta), false, meta, rules, s)
	}
}

// isMessages reports whether s is the value of the top-level key `messages`.
func (r *reader) isMessages(s *ast.Structure) bool {
	m, ok := r.doc.Data.Get("messages")
	return ok && m == s
}

// messages reads a list of messages and of when, loop and switch items. A
// single item may stand without the list.
func (r *reader) messages(s *ast.Structure) []ast.Node {
	if s.Kind == ast.SMap {
		return r.item(s)
	}
	if s.Kind != ast.SList {
		r.want("a list of messages", "messages", s)
		return nil
	}
	nodes := make([]ast.Node, 0, len(s.Items))
	for i := range s.Items {
		nodes = append(nodes, r.item(&s.Items[i])...)
	}
	return nodes
}

// item reads one item of a message list.
func (r *reader) item(s *ast.Structure) []ast.Node {
	if s.Kind != ast.SMap {
		r.report("PCC420", s.Span(), "a message is a map such as `user: text`, and this is %s", withArticle(s.Kind.String())).
			WithHelp("write `- user: …`, `- system: …` or `- assistant: …`")
		return nil
	}
	if m, ok := s.Get("messages"); ok {
		switch {
		case len(s.Map) == 1 && m.Kind == ast.SString:
			return []ast.Node{r.insertion(m)}
		case len(s.Map) == 1:
			return r.messages(m)
		case m.Kind == ast.SString && r.besideInsertion(s):
			return nil
		}
	}
	if n := r.itemNode(s); n != nil {
		return []ast.Node{n}
	}
	return nil
}

// besideInsertion reports a key beside `messages: history`, which has none: the
// messages come as they are. What depends on a condition or a loop has one.
func (r *reader) besideInsertion(s *ast.Structure) bool {
	for i := range s.Map {
		switch s.Map[i].Key {
		case "when", "loop", "switch":
			return false
		}
	}
	for i := range s.Map {
		if e := &s.Map[i]; e.Key != "messages" {
			r.report("PCC420", e.KeySpan, "`%s` means nothing beside `messages`, which inserts messages as they are", diag.Shorten(e.Key, 60)).WithNames(e.Key).
				WithHelp("begin a new item with `-`, or set the key in the data")
			return true
		}
	}
	return false
}

// insertion reads `messages: history`, which inserts a list of the data.
func (r *reader) insertion(s *ast.Structure) ast.Node {
	if r.bracedName("messages", s) {
		return &ast.Messages{Range: s.Range, List: &ast.BadExpr{Range: s.Range}}
	}
	return &ast.Messages{Range: s.Range, List: r.expr("messages", s)}
}

// itemNode reads an item by the key that tells its kind.
func (r *reader) itemNode(s *ast.Structure) ast.Node {
	if r.severalKinds(s) {
		return nil
	}
	if v, ok := s.Get("when"); ok {
		return r.whenItem(s, v)
	}
	if v, ok := s.Get("loop"); ok {
		if l := r.loopItem(s, v); l != nil {
			return l
		}
		return nil
	}
	if v, ok := s.Get("switch"); ok {
		return r.switchItem(s, v)
	}
	if v, ok := s.Get("role"); ok {
		return r.roleItem(s, v)
	}
	return r.shortMessage(s)
}

// severalKinds reports an item that says more than once what it is: but one of
// its keys would count, and the others be lost.
func (r *reader) severalKinds(s *ast.Structure) bool {
	var first *ast.Entry
	_, hasRole := s.Get("role")
	for i := range s.Map {
		e := &s.Map[i]
		switch e.Key {
		case "when", "loop", "switch", "role":
		default:
			if !hasRole || !ast.IsRole(e.Key) {
				continue
			}
		}
		if first != nil {
			r.report("PCC420", e.KeySpan, "this item has `%s` and `%s`, and can be one of them only", first.Key, e.Key).
				WithLabel(first.KeySpan, "`%s` is here", first.Key).WithNames(first.Key, e.Key).
				WithHelp("begin a new item with `-` for each, or put one under the `messages:` of the other")
			return true
		}
		first = e
	}
	return false
}

// shortMessage reads {system: text, …}.
func (r *reader) shortMessage(s *ast.Structure) ast.Node {
	var role *ast.Entry
	for i := range s.Map {
		if !ast.IsRole(s.Map[i].Key) {
			continue
		}
		if role != nil {
			r.report("PCC417", s.Map[i].KeySpan, "one item names two roles").WithHelp("begin a new item with `-` for each message")
			return nil
		}
		role = &s.Map[i]
	}
	if role == nil {
		r.noRole(s)
		return nil
	}
	m := &ast.Message{Range: s.Range, Role: literal(role.Key, role.KeySpan)}
	o := r.parserOptions(r.head.Syntax)
	r.messageContent(m, &role.Value, o)
	for i := range s.Map {
		switch e := &s.Map[i]; {
		case e == role:
		case e.Key == "content":
			r.report("PCC420", e.KeySpan, "this message says its content twice: under `%s` and under `content`", role.Key).
				WithLabel(role.KeySpan, "`%s` is here", role.Key).WithNames(role.Key, "content").
				WithHelp("leave one of the two out, or begin a new item with `-` for each")
			return nil
		default:
			r.messageKey(m, e)
		}
	}
	return m
}

// noRole reports an item that tells no role.
func (r *reader) noRole(s *ast.Structure) {
	d := r.report("PCC417", source.Span{Start: s.Start, End: s.Start + 1}, "this item names no role")
	if len(s.Map) == 0 {
		return
	}
	e := &s.Map[0]
	d.Span = e.KeySpan
	near, ok := NearRole(e.Key, "when", "loop", "switch", "messages", "role")
	switch {
	case strings.ContainsAny(e.Key, "{}<>"):
		d.Message = "a role cannot be computed in a key"
		d.Help = "write `role: \"…\"` and `content: …`, and list the possible roles under `roles:`"
	case otherWords[e.Key] != "":
		d.Message = "`" + e.Key + "` is no item of a list of messages"
		d.Help = "write `" + otherWords[e.Key] + ": …`, and `messages:` below it"
		if e.Key == "unless" {
			d.Help = "write `when: not …`, and `messages:` below it"
		}
	case ok:
		d.Help = "did you mean `" + near + "`?"
		d.Fix = &diag.Fix{Span: e.KeySpan, Replacement: near}
	case e.Key == "content":
		d.Help = "add a `role:`"
	case slices.Contains(r.head.Roles, e.Key):
		d.Help = "a role of your own is written out: role: " + diag.Shorten(e.Key, 60) + ", and below it content: …"
	}
}

// otherWords are what other languages call the items that depend on something.
var otherWords = map[string]string{"if": "when", "unless": "when", "for": "loop", "foreach": "loop", "for_each": "loop", "each": "loop", "repeat": "loop", "case": "switch", "match": "switch"}

// noContent reports a key that was likely meant as `content`. A message may do
// without, such as one that calls tools.
func (r *reader) noContent(s *ast.Structure) {
	for i := range s.Map {
		e := &s.Map[i]
		_, near := diag.Near(e.Key, []string{"content"})
		if !near && !slices.Contains([]string{"text", "message", "prompt"}, e.Key) {
			continue
		}
		d := r.report("PCC420", e.KeySpan, "this message has no `content`, and its `%s` is no text", diag.Shorten(e.Key, 60)).WithNames(e.Key).
			WithHelp("did you mean `content`?")
		d.Fix = &diag.Fix{Span: e.KeySpan, Replacement: "content"}
		return
	}
}

// roleItem reads {role: r, content: …}. The role is a word, or a placeholder
// whose possible values are declared.
func (r *reader) roleItem(s, role *ast.Structure) ast.Node {
	m := &ast.Message{Range: s.Range}
	if m.Role = r.role(role); m.Role == nil {
		return nil
	}
	if _, ok := s.Get("content"); !ok {
		r.noContent(s)
		m.NoContent = true
	}
	o := r.parserOptions(r.head.Syntax)
	for i := range s.Map {
		switch e := &s.Map[i]; e.Key {
		case "role":
		case "content":
			r.messageContent(m, &e.Value, o)
		default:
			r.messageKey(m, e)
		}
	}
	return m
}

// role reads a role: a word of the five, one that `roles:` declares, or a
// single placeholder.
func (r *reader) role(s *ast.Structure) ast.Expr {
	if s.Kind != ast.SString {
		r.want("a role such as `user`", "role", s)
		return nil
	}
	if ast.IsRole(s.Str) || slices.Contains(r.head.Roles, s.Str) {
		return literal(s.Str, s.Span())
	}
	e := r.template(s, r.parserOptions(r.head.Syntax))
	if len(e.Body) == 1 {
		if out, ok := e.Body[0].(*ast.Output); ok {
			ast.RebaseExpr(out.Expr, e.File.Map)
			return out.Expr
		}
	}
	d := r.report("PCC417", s.Span(), "`%s` is no role", diag.Shorten(s.Str, 60)).WithNames(s.Str)
	if near, ok := NearRole(s.Str); ok {
		d.Help = "did you mean `" + near + "`?"
		d.Fix = &diag.Fix{Span: s.Span(), Replacement: near}
	}
	return nil
}

// otherRoles are what other systems call the roles.
var otherRoles = map[string]string{"human": "user", "ai": "assistant", "bot": "assistant", "model": "assistant", "function": "tool"}

// NearRole is the role, or one of more words, that a person most likely meant.
func NearRole(name string, more ...string) (string, bool) {
	if r, ok := otherRoles[strings.ToLower(name)]; ok {
		return r, true
	}
	return diag.Near(name, append(more, ast.Roles()...))
}

// messageKey keeps a further key of a message; strings in it are templates.
func (r *reader) messageKey(m *ast.Message, e *ast.Entry) {
	k := *e
	if e.Key == "cache" {
		r.cacheMark(&e.Value)
	}
	k.Value = r.structure(&e.Value, r.parserOptions(r.head.Syntax))
	m.Keys = append(m.Keys, k)
}

// itemBody reads the `messages` of a when or loop item, and its `else`.
func (r *reader) itemBody(s *ast.Structure, kind string, known ...string) (body, otherwise []ast.Node, elseSpan source.Span, hasElse bool) {
	known = append(known, kind, "messages", "else")
	found := false
	for i := range s.Map {
		switch e := &s.Map[i]; e.Key {
		case "messages":
			found = true
			if e.Value.Kind == ast.SString {
				body = []ast.Node{r.insertion(&e.Value)}
			} else {
				body = r.messages(&e.Value)
			}
		case "else":
			otherwise, hasElse, elseSpan = r.messages(&e.Value), true, e.KeySpan
		default:
			switch _, isThere := s.Get("messages"); {
			case slices.Contains(known, e.Key):
			case r.misplaced(kind, e):
			case !isThere && !found && (e.Value.Kind == ast.SList || ast.IsRole(e.Key)):
				// The key that holds what is meant as `messages`.
				found = true
				d := r.report("PCC420", e.KeySpan, "`%s` has no `messages`, and `%s` means nothing here", kind, diag.Shorten(e.Key, 60)).WithNames(e.Key).
					WithHelp("write `messages:` for `%s:`", diag.Shorten(e.Key, 60))
				d.Fix = &diag.Fix{Span: e.KeySpan, Replacement: "messages"}
				if ast.IsRole(e.Key) {
					d.Help, d.Fix = "write `messages:`, and the message under it: - "+e.Key+": …", nil
				}
			default:
				r.unknownKey(e, known)
			}
		}
	}
	if !found {
		r.report("PCC420", source.Span{Start: s.Start, End: s.Start + 1}, "`%s` has no `messages`", kind).
			WithHelp("list what depends on it under `messages:`")
	}
	return body, otherwise, elseSpan, hasElse
}

// misplacements are keys that other languages have beside those of an item, and
// what is written here instead: what they hold would be lost.
var misplacements = map[string]map[string]string{
	"switch": {"default": "write `default:` under `cases:`", "else": "write `default:` under `cases:`", "case": "write the cases under `cases:`, each with its messages"},
	"loop":   {"as": "write the name behind the list: `loop: items as item`", "in": "write `loop: items as item`"},
	"when":   {"elif": "write another `when` under `else:`", "elseif": "write another `when` under `else:`", "else if": "write another `when` under `else:`"},
}

// misplaced reports a key of another place or language; false says that it is none.
func (r *reader) misplaced(kind string, e *ast.Entry) bool {
	help, is := misplacements[kind][e.Key]
	if is {
		r.report("PCC420", e.KeySpan, "`%s` means nothing beside `%s`", e.Key, kind).WithNames(e.Key).WithHelp("%s", help)
	}
	return is
}

func (r *reader) whenItem(s, cond *ast.Structure) ast.Node {
	n := &ast.When{Range: s.Range}
	b := ast.Branch{Head: cond.Span(), Cond: r.expr("when", cond)}
	b.Body, n.Else, n.ElseSpan, n.HasElse = r.itemBody(s, "when")
	n.Branches = []ast.Branch{b}
	return n
}

func (r *reader) loopItem(s, head *ast.Structure) *ast.Loop {
	n := r.loopHead(head)
	body, otherwise, _, hasElse := r.itemBody(s, "loop")
	if n == nil {
		return nil
	}
	n.Range, n.Body, n.Else, n.HasElse = s.Range, body, otherwise, hasElse
	return n
}

func (r *reader) switchItem(s, subject *ast.Structure) ast.Node {
	n := &ast.Switch{Range: s.Range, Subject: r.expr("switch", subject)}
	cases, ok := s.Get("cases")
	switch {
	case !ok:
		r.report("PCC420", source.Span{Start: s.Start, End: s.Start + 1}, "`switch` has no `cases`").
			WithHelp("write `cases:` with a list of messages for each value")
		return n
	case cases.Kind != ast.SMap:
		r.want("a map of cases", "cases", cases)
		return n
	}
	for i := range s.Map {
		if e := &s.Map[i]; e.Key != "switch" && e.Key != "cases" && !r.misplaced("switch", e) {
			r.unknownKey(e, []string{"switch", "cases"})
		}
	}
	for i := range cases.Map {
		e := &cases.Map[i]
		body := r.messages(&e.Value)
		if e.Key == "default" {
			n.Default, n.HasDefault = body, true
			continue
		}
		n.Cases = append(n.Cases, ast.Case{Head: e.KeySpan, Values: r.caseValues(e, false), Body: body})
	}
	return n
}

// caseValues are the values that a case's name stands for: its text, and, if
// it is written without quotes and YAML types it, the number or boolean too.
func (r *reader) caseValues(e *ast.Entry, booleans11 bool) []ast.Expr {
	at := ast.At(e.KeySpan)
	values := []ast.Expr{&ast.Literal{Range: at, Kind: ast.StringLit, Str: e.Key}}
	if c := r.file.Slice(e.KeySpan); strings.HasPrefix(c, "'") || strings.HasPrefix(c, "\"") {
		return values
	}
	var typed ast.Structure
	resolvePlain(&typed, e.Key, booleans11)
	switch typed.Kind {
	case ast.SBool:
		values = append(values, &ast.Literal{Range: at, Kind: ast.BoolLit, Bool: typed.Bool})
	case ast.SInt:
		values = append(values, &ast.Literal{Range: at, Kind: ast.IntLit, Int: typed.Int})
	case ast.SFloat:
		values = append(values, &ast.Literal{Range: at, Kind: ast.FloatLit, Float: typed.Float})
	}
	return values
}
