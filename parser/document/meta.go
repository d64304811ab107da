package document

import (
	"slices"
	"strings"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/lexer"
)

// reporter collects the diagnostics of one file.
type reporter struct {
	file  *source.File
	diags diag.List
}

func (r *reporter) report(code diag.Code, span source.Span, format string, args ...any) *diag.Diagnostic {
	d := diag.New(code, r.file, span, format, args...)
	r.diags = append(r.diags, d)
	return d
}

// want reports that the value of key is not of the kind that belongs there.
func (r *reporter) want(kind, key string, s *ast.Structure) {
	span := s.Span()
	if span.Len() == 0 {
		span.End++
	}
	d := r.report("PCC410", span, "`%s` must be %s, and this is %s", key, kind, withArticle(s.Kind.String()))
	if help, ok := wantHelp[kind]; ok {
		d.Help = help
	}
}

// wantHelp shows how to write what a key takes.
var wantHelp = map[string]string{
	"a list of messages":                          "begin each message with a dash: - user: …",
	"a list of entries":                           "begin each entry with a dash: - user: ask.jinja",
	"a text or a map of sections":                 "write the text itself, or one section a line: name: text",
	"a map with `system` and `user`":              "write system: … and user: … below it",
	"a map with `template`, or a list of entries": "write template: … below it, or entries such as - user: …",
	"a list of tests":                             "begin each test with a dash: - data: {…}",
	"an expression":                               "write a name or a comparison, such as plan == \"pro\"",
	"a text, a list of parts or {file: name}":     "write the text; for another file {file: name.md}",
	"a text or {file: name}":                      "write the text; for that of another file {file: name.md}",
	"a map such as {contains: text}":              "write what is expected, such as {contains: text}",
	"a map of keys":                               "write keys and values, such as syntax: brace",
	"a template, or a list of {name, template}":   "write the template as one text",
}

func withArticle(kind string) string {
	switch {
	case kind == "null":
		return "empty"
	case strings.HasPrefix(kind, "i"):
		return "an " + kind
	}
	return "a " + kind
}

// text reads a string; numbers and other plain scalars count as they are
// written.
func (r *reporter) text(key string, s *ast.Structure) string {
	switch s.Kind {
	case ast.SString:
		return s.Str
	case ast.SBool, ast.SInt, ast.SFloat:
		return s.Source
	}
	r.want("a text", key, s)
	return ""
}

// oneOf reads one of a fixed set of names.
func (r *reporter) oneOf(key string, s *ast.Structure, names []string) string {
	v := r.text(key, s)
	if v == "" || slices.Contains(names, v) {
		return v
	}
	d := r.report("PCC412", s.Span(), "`%s` is no %s", diag.Shorten(v, 60), key).WithNames(v)
	d.Help = "it is one of " + strings.Join(names, ", ")
	if near, ok := diag.Near(v, names); ok {
		d.Help = "did you mean `" + near + "`? " + d.Help
		d.Fix = &diag.Fix{Span: s.Span(), Replacement: near}
	}
	return ""
}

// nearRoles warns of declared roles that are nearly one of those that there are.
func (r *reporter) nearRoles(s *ast.Structure) {
	items := s.Items
	if s.Kind == ast.SString {
		items = []ast.Structure{*s}
	}
	for i := range items {
		role := items[i].Str
		if near, ok := diag.Near(role, ast.Roles()); ok {
			r.report("PCC411", items[i].Span(), "`%s` declares a role of your own", diag.Shorten(role, 60)).WithNames(role).WithHelp("did you mean `%s`?", near)
		}
	}
}

func (r *reporter) boolean(key string, s *ast.Structure) bool {
	if s.Kind != ast.SBool {
		r.want("true or false", key, s)
	}
	return s.Bool
}

// unknownKey warns of a key that means nothing in a map with these keys.
func (r *reporter) unknownKey(e *ast.Entry, known []string) {
	d := r.report("PCC411", e.KeySpan, "the key `%s` means nothing here", diag.Shorten(e.Key, 60)).WithNames(e.Key)
	if near, ok := diag.Near(e.Key, known); ok {
		d.Help = "did you mean `" + near + "`?"
		if near == "tests" {
			d.Kind = Unchecked
		}
		d.Fix = &diag.Fix{Span: e.KeySpan, Replacement: near}
		if strings.EqualFold(near, e.Key) {
			// Another reader may take the two for one key.
			d.Severity = diag.Error
		}
	}
}

// VariableTypes are the types that a contract may name.
var VariableTypes = []string{"string", "integer", "number", "boolean", "list", "map", "any"}

// headKeys are the keys that readMeta reads.
var headKeys = []string{"name", "description", "syntax", "undefined", "format", "roles", "variables", "vars"}

// foreignMeta reads the head of a document of another system, whose users may
// have keys of their own under our names: `format` and `roles` say nothing
// there, and a name or description need not be a text.
func (r *reporter) foreignMeta(s *ast.Structure) *ast.Meta {
	return r.readMeta(s, func(e *ast.Entry) bool {
		switch e.Key {
		case "format", "roles":
			return false
		case "name", "description":
			return e.Value.Kind != ast.SList && e.Value.Kind != ast.SMap && e.Value.Kind != ast.SNull
		}
		return true
	})
}

// meta reads what a head declares. Other keys land in Extra.
func (r *reporter) meta(s *ast.Structure) *ast.Meta {
	return r.readMeta(s, func(*ast.Entry) bool { return true })
}

func (r *reporter) readMeta(s *ast.Structure, ours func(*ast.Entry) bool) *ast.Meta {
	m := &ast.Meta{File: r.file}
	if s == nil || s.Kind == ast.SNull {
		return m
	}
	for i := range s.Map {
		e := &s.Map[i]
		if !ours(e) {
			m.Extra = append(m.Extra, *e)
			continue
		}
		switch e.Key {
		case "name":
			m.Name = r.text(e.Key, &e.Value)
		case "description":
			m.Description = r.text(e.Key, &e.Value)
		case "syntax":
			if m.Syntax = r.oneOf(e.Key, &e.Value, append(lexer.Names(), "auto")); m.Syntax == "auto" {
				m.Syntax = ""
			}
		case "undefined":
			m.Undefined = r.oneOf(e.Key, &e.Value, []string{"keep", "error", "empty"})
		case "format":
			m.Format = r.oneOf(e.Key, &e.Value, []string{"roles"})
		case "roles":
			m.Roles = r.texts(e.Key, &e.Value)
			r.nearRoles(&e.Value)
		case "variables":
			m.Contract = true
			m.Variables = r.variables(&e.Value)
		case "vars":
			if e.Value.Kind != ast.SMap && e.Value.Kind != ast.SNull {
				r.want("a map", e.Key, &e.Value)
				continue
			}
			m.Vars = &e.Value
		default:
			m.Extra = append(m.Extra, *e)
		}
	}
	return m
}

// texts reads a list of texts, or a single text as a list of one.
func (r *reporter) texts(key string, s *ast.Structure) []string {
	if s.Kind != ast.SList {
		return []string{r.text(key, s)}
	}
	out := make([]string, 0, len(s.Items))
	for i := range s.Items {
		out = append(out, r.text("an item of "+key, &s.Items[i]))
	}
	return out
}

var variableKeys = []string{"type", "description", "enum", "default", "required"}

// variables reads a contract: a map name → declaration, where the declaration
// may be empty or just a type, or a list of names.
func (r *reporter) variables(s *ast.Structure) []ast.Variable {
	var out []ast.Variable
	switch s.Kind {
	case ast.SNull:
	case ast.SList:
		for i := range s.Items {
			item := &s.Items[i]
			out = append(out, ast.Variable{Name: r.text("a variable's name", item), Span: item.Span(), Type: "any", Required: true})
		}
	case ast.SMap:
		for i := range s.Map {
			out = append(out, r.variable(&s.Map[i]))
		}
	default:
		r.want("a map of declarations", "variables", s)
	}
	return out
}

func (r *reporter) variable(e *ast.Entry) ast.Variable {
	v := ast.Variable{Name: e.Key, Span: e.KeySpan, Type: "any", Required: true}
	d := &e.Value
	switch d.Kind {
	case ast.SNull:
		return v
	case ast.SString:
		if t := r.oneOf("type", d, VariableTypes); t != "" {
			v.Type = t
		}
		return v
	case ast.SMap:
	default:
		r.want("a map such as {type: string}", e.Key, d)
		return v
	}
	for i := range d.Map {
		k := &d.Map[i]
		switch k.Key {
		case "type":
			if t := r.oneOf(k.Key, &k.Value, VariableTypes); t != "" {
				v.Type = t
			}
		case "description":
			v.Description = r.text(k.Key, &k.Value)
		case "enum":
			if k.Value.Kind != ast.SList || len(k.Value.Items) == 0 {
				r.want("a list of values", k.Key, &k.Value)
				continue
			}
			v.Enum = k.Value.Items
		case "default":
			v.Default, v.Required = &k.Value, false
		case "required":
			if req := r.boolean(k.Key, &k.Value); v.Default == nil {
				v.Required = req
			}
		default:
			r.unknownKey(k, variableKeys)
		}
	}
	if v.Default != nil {
		v.Required = false
		r.checkDefault(&v)
	}
	return v
}

// checkDefault holds a default against the type and the enum of its variable.
func (r *reporter) checkDefault(v *ast.Variable) {
	d := v.Default
	if d.Kind == ast.SNull {
		return
	}
	if !fits(d, v.Type) {
		r.report("PCC410", d.Span(), "the default of `%s` is %s, and its type is %s", v.Name, withArticle(d.Kind.String()), v.Type).
			WithNames(v.Name)
	}
	if v.Enum != nil && !slices.ContainsFunc(v.Enum, func(s ast.Structure) bool { return sameScalar(&s, d) }) {
		r.report("PCC410", d.Span(), "the default of `%s` is not in its `enum`", v.Name).WithNames(v.Name).
			WithHelp("use one of the listed values, or add it to `enum`")
	}
}

// fits reports whether s is of a contract's type. A plain scalar may stand for
// a string: `default: 1.10` under `type: string` is the text 1.10.
func fits(s *ast.Structure, typ string) bool {
	switch typ {
	case "string":
		return s.Kind != ast.SList && s.Kind != ast.SMap
	case "integer":
		return s.Kind == ast.SInt
	case "number":
		return s.Kind == ast.SInt || s.Kind == ast.SFloat
	case "boolean":
		return s.Kind == ast.SBool
	case "list":
		return s.Kind == ast.SList
	case "map":
		return s.Kind == ast.SMap
	}
	return true
}

// sameScalar compares two scalars by kind and value.
func sameScalar(a, b *ast.Structure) bool {
	if a.Kind != b.Kind {
		return false
	}
	switch a.Kind {
	case ast.SNull:
		return true
	case ast.SBool:
		return a.Bool == b.Bool
	case ast.SInt:
		return a.Int.Cmp(b.Int) == 0
	case ast.SFloat:
		return a.Float == b.Float
	case ast.SString:
		return a.Str == b.Str
	}
	return false
}
