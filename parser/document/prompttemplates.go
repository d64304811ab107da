package document

import (
	"regexp"
	"slices"
	"strings"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/lexer"
	"github.com/pcc-lang/pcc/parser"
)

// populators maps the names of populators to the one in use.
var populators = map[string]string{
	"jinja2": "jinja2", "jinja": "jinja2",
	"double_brace": "double_brace", "double_brace_regex": "double_brace",
	"single_brace": "single_brace", "single_brace_regex": "single_brace",
	"autodetect": "autodetect", "autodetect_strict": "autodetect_strict",
}

// KnownPopulator reports whether a populator of that name exists.
func KnownPopulator(name string) bool { return populators[name] != "" }

// PopulatorOf is the populator that a name stands for; "autodetect" and
// "autodetect_strict" look at the text. The latter gives "" where it cannot
// tell.
func PopulatorOf(name, text string) string {
	switch p := populators[name]; p {
	case "autodetect":
		return Autodetect(text)
	case "autodetect_strict":
		if found := Autodetect(text); found != "single_brace" || detectSingle.MatchString(text) {
			return found
		}
		return ""
	default:
		return p
	}
}

var populatorNames = []string{"jinja2", "double_brace_regex", "double_brace", "single_brace_regex", "single_brace", "autodetect", "autodetect_strict"}

var securityLevels = []string{"strict", "standard", "relaxed"}

var hfKeys = []string{"template", "messages", "template_dictionary", "template_variables", "metadata",
	"client_parameters", "custom_data", "populator", "jinja2_security_level", "syntax", "variables", "vars", "tests", "name", "description"}

// hfSettings are what a prompt and its dictionary agree on.
type hfSettings struct {
	populator, security, syntax string
	declared                    []string
	declaredSpan                source.Span
}

// promptTemplates reads the map under `prompt:`.
func (r *reader) promptTemplates(s *ast.Structure) {
	p, _ := s.Get("prompt")
	r.head = r.foreignMeta(p)
	r.doc.Meta = r.head
	set := r.hfSettings(p, hfSettings{populator: "jinja2", security: "standard"})
	r.hfChecks(p)
	for i := range p.Map {
		// Other keys are custom data; only near misses are worth a word.
		if e := &p.Map[i]; !slices.Contains(hfKeys, e.Key) {
			if near, ok := diag.Near(e.Key, hfKeys); ok && len(near) > 4 {
				r.unknownKey(e, hfKeys)
			}
		}
	}
	if t, ok := s.Get("tests"); ok {
		r.tests(t)
	} else if t, ok := p.Get("tests"); ok {
		r.tests(t)
	}
	if d, ok := p.Get("template_dictionary"); ok {
		r.templateDictionary(d, set)
		return
	}
	for _, key := range []string{"template", "messages"} {
		if t, ok := p.Get(key); ok {
			r.hfEntry("", keySpan(p, key), t, r.head, set, false)
			return
		}
	}
	r.report("PCC419", source.Span{Start: p.Start, End: p.Start + 1}, "`prompt` has neither `template` nor `template_dictionary`").
		WithHelp("write the prompt under `template:`, as a text or as a list of messages")
}

// hfSettings reads the keys that say how templates are populated.
func (r *reader) hfSettings(p *ast.Structure, set hfSettings) hfSettings {
	for i := range p.Map {
		e := &p.Map[i]
		switch e.Key {
		case "populator":
			if v := r.oneOf(e.Key, &e.Value, populatorNames); v != "" {
				set.populator = populators[v]
			}
		case "jinja2_security_level":
			if v := r.oneOf(e.Key, &e.Value, securityLevels); v != "" {
				set.security = v
			}
		case "template_variables":
			switch e.Value.Kind {
			case ast.SNull:
			case ast.SList:
				set.declared, set.declaredSpan = r.texts(e.Key, &e.Value), e.KeySpan
			default:
				r.want("a list of names", e.Key, &e.Value)
			}
		case "syntax":
			set.syntax = r.head.Syntax
		}
	}
	if r.o.Populator != "" {
		set.populator = populators[r.o.Populator]
	}
	if r.o.Security != "" {
		set.security = r.o.Security
	}
	return set
}

// hfChecks holds the containers against the form: maps, and for the client
// parameters also a list of maps, as the project's own documentation has it.
func (r *reader) hfChecks(p *ast.Structure) {
	for _, key := range []string{"metadata", "client_parameters", "custom_data"} {
		v, ok := p.Get(key)
		if !ok || v.Kind == ast.SMap || v.Kind == ast.SNull || key == "client_parameters" && v.Kind == ast.SList {
			continue
		}
		r.want("a map", key, v)
	}
}

// warnEmpty warns of a container without prompts: the library loads it, and
// renders nothing.
func (r *reader) warnEmpty(s *ast.Structure, what, help string) {
	d := r.report("PCC429", s.Span(), "%s", what)
	d.Severity = diag.Warning
	d.Help = help
}

// templateDictionary reads name → {template, …}, or, in the short form,
// name → text or list of messages.
func (r *reader) templateDictionary(d *ast.Structure, set hfSettings) {
	if d.Kind != ast.SMap {
		r.want("a map of prompts by name", "template_dictionary", d)
		return
	}
	if len(d.Map) == 0 {
		r.warnEmpty(d, "the dictionary holds no prompt", "write one prompt a line: name: text")
	}
	for i := range d.Map {
		e := &d.Map[i]
		switch e.Value.Kind {
		case ast.SMap:
		case ast.SString, ast.SList:
			r.hfEntry(e.Key, e.KeySpan, &e.Value, r.head, set, true)
			continue
		default:
			r.want("a map with `template`, a text or a list of messages", e.Key, &e.Value)
			continue
		}
		t, ok := e.Value.Get("template")
		if !ok {
			t, ok = e.Value.Get("messages")
		}
		if !ok {
			found := make([]string, len(e.Value.Map))
			for j := range e.Value.Map {
				found[j] = e.Value.Map[j].Key
			}
			r.report("PCC419", e.KeySpan, "the prompt `%s` has no `template`", diag.Shorten(e.Key, 60)).WithNames(e.Key).
				WithHelp("it has %s", diag.Shorten(strings.Join(found, ", "), 200))
			continue
		}
		r.hfChecks(&e.Value)
		own := set
		own.declared = nil
		r.hfEntry(e.Key, e.KeySpan, t, r.inherit(r.foreignMeta(&e.Value)), r.hfSettings(&e.Value, own), false)
	}
}

// hfEntry reads one template: a text or a list of messages.
func (r *reader) hfEntry(name string, span source.Span, t *ast.Structure, meta *ast.Meta, set hfSettings, common bool) {
	if strings.HasPrefix(set.populator, "autodetect") {
		var b strings.Builder
		collectTexts(&b, t)
		set.populator = PopulatorOf(set.populator, b.String())
		if set.populator == "" {
			r.report("PCC422", t.Span(), "no placeholder tells which populator to use")
			return
		}
	}
	rules := ast.Rules{Form: ast.FormPromptTemplates, Syntax: set.syntax, Populator: set.populator, Security: set.security,
		Exact: !r.o.Unchecked, Declared: set.declared, DeclaredSpan: set.declaredSpan, Common: common}
	if len(rules.Declared) == 0 {
		rules.Declared = nil
	}
	o := HFOptions(r.o.Parser, set.populator)
	if set.syntax != "" {
		o = r.parserOptions(set.syntax)
	}
	switch t.Kind {
	case ast.SString:
		r.entry(name, span, []ast.Node{r.template(t, o)}, false, meta, rules, t)
	case ast.SList:
		if len(t.Items) == 0 {
			r.warnEmpty(t, "the template is a list without messages", "list its messages: - role: user, and below it content: …")
		}
		body := make([]ast.Node, 0, len(t.Items))
		for i := range t.Items {
			if m := r.hfMessage(&t.Items[i], o); m != nil {
				body = append(body, m)
			}
		}
		r.entry(name, span, body, true, meta, rules, t)
	default:
		r.want("a text or a list of messages", "template", t)
	}
}

// HFOptions are what a text is parsed with under a populator.
func HFOptions(o parser.Options, populator string) parser.Options {
	switch populator {
	case "double_brace":
		o.Syntax, o.PlaceholdersOnly, o.Names = lexer.DoubleBrace(), true, parser.NamesFlat
	case "single_brace":
		o.Syntax, o.PlaceholdersOnly, o.Names = lexer.SingleBrace(), true, parser.NamesFlat
	default:
		o.Syntax = lexer.Jinja()
		j := lexer.JinjaOptions{}
		if o.Jinja != nil {
			j = *o.Jinja
		}
		j.TrimBlocks, j.LstripBlocks = true, true
		o.Jinja = &j
	}
	return o
}

// hfMessage reads {role, content}; further keys are kept.
func (r *reader) hfMessage(s *ast.Structure, o parser.Options) ast.Node {
	if s.Kind != ast.SMap {
		r.report("PCC420", s.Span(), "a message is a map with `role` and `content`, and this is %s", withArticle(s.Kind.String()))
		return nil
	}
	var missing []string
	for _, key := range []string{"role", "content"} {
		if _, ok := s.Get(key); !ok {
			missing = append(missing, key)
		}
	}
	if missing != nil {
		r.report("PCC420", source.Span{Start: s.Start, End: s.Start + 1}, "this message has no `%s`", strings.Join(missing, "` and no `")).WithNames(missing...).
			WithHelp("%s", hfMessageHelp(s))
		return nil
	}
	role, _ := s.Get("role")
	if role.Kind != ast.SString {
		r.want("a role such as `user`", "role", role)
		return nil
	}
	if !ast.IsRole(role.Str) {
		d := r.report("PCC417", role.Span(), "`%s` is no role", diag.Shorten(role.Str, 60)).WithNames(role.Str)
		if near, ok := NearRole(role.Str); ok {
			d.Help = "did you mean `" + near + "`?"
		}
		return nil
	}
	m := &ast.Message{Range: s.Range, Role: literal(role.Str, role.Span()), NullKeys: true}
	for i := range s.Map {
		e := &s.Map[i]
		switch e.Key {
		case "role":
		case "content":
			if !r.hfContent(m, &e.Value, o) {
				return nil
			}
		default:
			m.Keys = append(m.Keys, ast.Entry{Key: e.Key, KeySpan: e.KeySpan, Value: r.structure(&e.Value, o)})
		}
	}
	return m
}

// hfMessageHelp shows how to write a message that lacks a key. The short form of
// a message is ours: the library of such files cannot load it.
func hfMessageHelp(s *ast.Structure) string {
	for i := range s.Map {
		key := s.Map[i].Key
		if ast.IsRole(key) {
			return "write both keys: - role: " + key + ", and below it content: …"
		}
		if near, ok := diag.Near(key, []string{"role", "content"}); ok {
			return "did you mean `" + near + "` by `" + diag.Shorten(key, 60) + "`?"
		}
	}
	if _, ok := s.Get("content"); ok {
		return "add `role: user`, `role: system` or `role: assistant`"
	}
	if _, ok := s.Get("role"); ok {
		return "add `content:` with the text of the message"
	}
	return "write both keys: - role: user, and below it content: …"
}

// hfMessages reports messages with role and content right under `prompt`, where
// the list belongs under `template`.
func (r *reader) hfMessages(p *ast.Structure) bool {
	for i := range p.Items {
		for _, key := range []string{"role", "content"} {
			if _, ok := p.Items[i].Get(key); !ok {
				return false
			}
		}
	}
	if len(p.Items) == 0 {
		return false
	}
	r.report("PCC419", source.Span{Start: p.Start, End: p.Start + 1}, "`prompt` has no `template` above its messages").
		WithHelp("write `template:` under `prompt:`, and the messages under that")
	return true
}

func (r *reader) hfContent(m *ast.Message, s *ast.Structure, o parser.Options) bool {
	switch s.Kind {
	case ast.SString:
		m.Body = []ast.Node{r.template(s, o)}
		return true
	case ast.SList:
		for i := range s.Items {
			if s.Items[i].Kind != ast.SMap {
				r.want("a map such as {type: text, text: …}", "an item of content", &s.Items[i])
				return false
			}
		}
		c := r.structure(s, o)
		m.Content = &c
		return true
	}
	r.want("a text or a list of parts", "content", s)
	return false
}

// The rules of prompt_templates' old `autodetect`, until v0.0.11: `.` does not
// match a line break, and the first pattern that matches anywhere decides.
var (
	detectJinja = []*regexp.Regexp{
		regexp.MustCompile(`\{%\s*.*?\s*%\}`),
		regexp.MustCompile(`\{#\s*.*?\s*#\}`),
		regexp.MustCompile(`\{\{\s*.*?\|.*?\}\}`),
		regexp.MustCompile(`\{\{\s*.*?\..*?\}\}`),
		regexp.MustCompile(`\{\{\s*.*?\[.*?\].*?\}\}`),
	}
	detectDouble = regexp.MustCompile(`\{\{[^{}|.\[]+\}\}`)
	detectSingle = regexp.MustCompile(`\{[^{}|.\[]+\}`)
)

// Autodetect chooses a populator for a text as prompt_templates v0.0.11 did:
// "jinja2", "double_brace" or "single_brace".
func Autodetect(text string) string {
	for _, p := range detectJinja {
		if p.MatchString(text) {
			return "jinja2"
		}
	}
	if detectDouble.MatchString(text) {
		return "double_brace"
	}
	return "single_brace"
}

// collectTexts writes the strings of s, one a line.
func collectTexts(b *strings.Builder, s *ast.Structure) {
	switch s.Kind {
	case ast.SString:
		b.WriteString(s.Str)
		b.WriteByte('\n')
	case ast.SList:
		for i := range s.Items {
			collectTexts(b, &s.Items[i])
		}
	case ast.SMap:
		for i := range s.Map {
			collectTexts(b, &s.Map[i].Value)
		}
	}
}
