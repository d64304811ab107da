package document

import (
	"slices"
	"strings"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/lexer"
	"github.com/pcc-lang/pcc/parser"
)

// AgentForgeRules are what differs between the versions of AgentForge.
type AgentForgeRules struct {
	// Dots says that placeholders may hold paths.
	Dots bool
	// Escapes says that /{x/} is a literal group.
	Escapes bool
	// Python says that lists and maps print by Python's repr, and null as
	// None; else they print as Markdown, and null keeps its placeholder.
	Python bool
	// Bold says that maps print with bold keys, and no line is indented.
	Bold bool
	// Both says that system and user must be there.
	Both bool
}

// agentForgeVersions is the table of versions (tags and commits of
// DataBassGit/AgentForge); "" is the newest.
var agentForgeVersions = map[string]AgentForgeRules{
	"":        {Dots: true, Escapes: true},
	"head":    {Dots: true, Escapes: true},
	"f5760dd": {Dots: true, Escapes: true, Bold: true, Both: true},
	"4425be8": {Dots: true, Escapes: true, Python: true, Both: true},
	"v0.5.0":  {Escapes: true, Python: true, Both: true},
	"v0.4.0":  {Escapes: true, Python: true, Both: true},
	"v0.2.11": {Python: true},
}

// AgentForge returns the rules of a version.
func AgentForge(version string) (AgentForgeRules, bool) {
	r, ok := agentForgeVersions[version]
	return r, ok
}

// ParserOptions are what a text of this version is parsed with.
func (v AgentForgeRules) ParserOptions(o parser.Options) parser.Options {
	o.Syntax = lexer.SingleBrace()
	o.PlaceholdersOnly, o.LiteralGroups = true, v.Escapes
	o.Names = parser.NamesASCIIPath
	return o
}

// Undot makes text of the placeholders that hold a path, which versions
// without Dots leave as they are.
func (v AgentForgeRules) Undot(body []ast.Node) {
	if v.Dots {
		return
	}
	for i, n := range body {
		if out, ok := n.(*ast.Output); ok {
			if _, flat := out.Expr.(*ast.Name); !flat {
				body[i] = &ast.Text{Range: out.Range, Value: out.Raw}
			}
		}
	}
}

// agentForge reads `prompts:` with `system` and `user`, the same keys at top
// level, or v0.4's `Prompts: System/User`.
func (r *reader) agentForge(s *ast.Structure) {
	v := agentForgeVersions[r.o.Version]
	prompts, top := s, true
	capital := false
	for _, key := range []string{"prompts", "Prompts"} {
		if p, ok := s.Get(key); ok {
			prompts, top, capital = p, false, key == "Prompts"
		}
	}
	r.head = r.foreignMeta(s)
	r.doc.Meta = r.head
	if r.head.Syntax != "" {
		r.head.Extra = slices.DeleteFunc(r.head.Extra, func(e ast.Entry) bool { return e.Key == "syntax" })
	}
	if t, ok := s.Get("tests"); ok {
		r.tests(t)
	}
	roles := [2]string{"system", "user"}
	if capital {
		roles = [2]string{"System", "User"}
	}
	if prompts.Kind == ast.SList && !capital {
		span := keySpan(s, "prompts")
		d := r.report("PCC410", span, "`prompts` holds `system` and `user`, and a list of entries stands under `prompt`").
			WithHelp("did you mean `prompt`?")
		d.Fix = &diag.Fix{Span: span, Replacement: "prompt"}
		return
	}
	if prompts.Kind != ast.SMap {
		r.want("a map with `system` and `user`", "prompts", prompts)
		return
	}
	if !r.checkPrompts(prompts, roles, top, v.Both || capital) {
		return
	}
	o := r.agentForgeOptions(v)
	var body []ast.Node
	for i, role := range roles {
		p, ok := prompts.Get(role)
		if !ok {
			continue
		}
		m := &ast.Message{Range: p.Range, Role: literal(strings.ToLower(role), keySpan(prompts, role))}
		if i == 0 && isBlankPrompt(p) && !v.Both {
			continue // left empty in the file, it is as good as absent
		}
		m.Blank = ast.BlankFails
		if i == 0 && r.o.BlankSystem {
			m.Blank = ast.BlankDropped
		}
		sections := &ast.Sections{Range: p.Range, Name: role, Separator: "\n"}
		r.sections(sections, "", p, o)
		m.Body = []ast.Node{sections}
		body = append(body, m)
	}
	r.entry("", s.Span(), body, true, r.head, ast.Rules{Form: ast.FormAgentForge, Syntax: r.head.Syntax}, prompts)
}

func (r *reader) agentForgeOptions(v AgentForgeRules) parser.Options {
	if r.head.Syntax != "" {
		return r.parserOptions(r.head.Syntax)
	}
	return v.ParserOptions(r.o.Parser)
}

// isBlankPrompt reports whether a prompt holds no text at all.
func isBlankPrompt(s *ast.Structure) bool {
	switch s.Kind {
	case ast.SNull:
		return true
	case ast.SString:
		return strings.TrimSpace(s.Str) == ""
	case ast.SMap:
		return !slices.ContainsFunc(s.Map, func(e ast.Entry) bool { return !isBlankPrompt(&e.Value) })
	}
	return false
}

func keySpan(s *ast.Structure, key string) (span source.Span) {
	for i := range s.Map {
		if s.Map[i].Key == key {
			return s.Map[i].KeySpan
		}
	}
	return span
}

// checkPrompts holds the keys of `prompts:` against the form. At top level
// other keys are metadata.
func (r *reader) checkPrompts(p *ast.Structure, roles [2]string, top, both bool) bool {
	if !top && isSectionsOnly(p) {
		r.sectionsOnly(p, roles)
		return false
	}
	ok := true
	for i := range p.Map {
		e := &p.Map[i]
		if top || slices.Contains(roles[:], e.Key) {
			continue
		}
		d := r.report("PCC419", e.KeySpan, "`prompts` holds only `%s` and `%s`, and this is `%s`", roles[0], roles[1], diag.Shorten(e.Key, 60)).WithNames(e.Key).
			WithHelp("move `%s` out of `prompts`: beside it, keys are kept as metadata", diag.Shorten(e.Key, 60))
		if near, found := diag.Near(e.Key, roles[:]); found {
			d.Help = "did you mean `" + near + "`?"
			d.Fix = &diag.Fix{Span: e.KeySpan, Replacement: near}
		}
		ok = false
	}
	need := roles[1:]
	if both {
		need = roles[:]
	}
	for _, role := range need {
		if _, found := p.Get(role); !found && ok {
			r.report("PCC419", source.Span{Start: p.Start, End: p.Start + 1}, "there is no `%s` prompt", role).WithNames(role).
				WithHelp("add `%s:` with a text", role)
			ok = false
		}
	}
	for _, role := range roles {
		s, found := p.Get(role)
		if !found {
			continue
		}
		// AgentForge's reader of YAML makes an empty text of a key without a
		// value; a prompt cannot do without the user's part.
		if s.Kind == ast.SNull && (strings.EqualFold(role, "user") || IsJSON(r.file.Name)) {
			r.want("a text or a map of sections", role, s)
			ok = false
			continue
		}
		FixPlaceholders(s)
		if s.Kind != ast.SString && s.Kind != ast.SMap {
			r.want("a text or a map of sections", role, s)
			ok = false
		}
	}
	return ok
}

// isSectionsOnly reports whether prompts have the shape of AgentForge until
// v0.2: sections under free names, without `system` and `user`.
func isSectionsOnly(p *ast.Structure) bool {
	for i := range p.Map {
		e := &p.Map[i]
		key := strings.ToLower(e.Key)
		_, near := diag.Near(key, []string{"system", "user"})
		if near || key == "system" || key == "user" || e.Value.Kind != ast.SString && e.Value.Kind != ast.SNull {
			return false
		}
	}
	return len(p.Map) > 0
}

// sectionsOnly reports prompts of the old shape, and what to write instead.
func (r *reader) sectionsOnly(p *ast.Structure, roles [2]string) {
	names := make([]string, len(p.Map))
	for i := range p.Map {
		names[i] = p.Map[i].Key
	}
	d := r.report("PCC419", p.Map[0].KeySpan, "there is no `%s` prompt, but sections alone, as AgentForge v0.2 had them", roles[1]).
		WithNames(names...)
	d.Help = "write `prompts:` with `user:` below it, and the sections one step further in; what instructs the model stands under `system:`"
}

// FixPlaceholders does what AgentForge's Config.fix_prompt_placeholders does: a
// map whose one key is an identifier without a value is the placeholder {key}, and
// null, false, zero and the like are empty texts. (The unquoted {key} itself
// was read as text already.)
func FixPlaceholders(s *ast.Structure) {
	switch s.Kind {
	case ast.SNull, ast.SBool, ast.SInt, ast.SFloat:
		if s.Kind == ast.SNull || !s.Bool && (s.Int == nil || s.Int.Sign() == 0) && s.Float == 0 {
			s.Kind, s.Str, s.Source = ast.SString, "", ""
		}
	case ast.SList:
		for i := range s.Items {
			FixPlaceholders(&s.Items[i])
		}
	case ast.SMap:
		if len(s.Map) == 1 && s.Map[0].Value.Kind == ast.SNull && isASCIIName(s.Map[0].Key) {
			s.Kind, s.Str, s.Range = ast.SString, "{"+s.Map[0].Key+"}", ast.At(s.Map[0].KeySpan)
			s.Map = nil
			return
		}
		for i := range s.Map {
			FixPlaceholders(&s.Map[i].Value)
		}
	}
}

func isASCIIName(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c != '_' && (c|0x20 < 'a' || c|0x20 > 'z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// sections adds the sections of s to out. Deeper maps join as one list, which
// is the same: all levels join with one line break.
func (r *reader) sections(out *ast.Sections, name string, s *ast.Structure, o parser.Options) {
	switch s.Kind {
	case ast.SString:
		if s.Str == "" {
			return // an empty section is dropped
		}
		if name == "" {
			name = "main"
		}
		e := r.template(s, o)
		agentForgeVersions[r.o.Version].Undot(e.Body)
		out.Items = append(out.Items, &ast.Section{Range: s.Range, Name: name, Body: []ast.Node{e}})
	case ast.SMap:
		for i := range s.Map {
			e := &s.Map[i]
			sub := e.Key
			if name != "" {
				sub = name + "." + e.Key
			}
			r.sections(out, sub, &e.Value, o)
		}
	default:
		r.want("a text or a map of sections", name, s)
	}
}
