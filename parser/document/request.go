package document

import (
	"slices"
	"strings"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
)

// This file reads what a native document says of the request beside its messages.

// requestKeys are the keys of a document that are part of the request.
var requestKeys = []string{"model", "parameters", "tools", "tool_choice", "output", "response_format"}

// withRequest adds what the head meta says of the request to the body of a prompt.
func (r *reader) withRequest(body []ast.Node, meta *ast.Meta) []ast.Node {
	n := &ast.Request{}
	for i := range meta.Extra {
		if k, ok := r.requestKey(&meta.Extra[i], meta); ok {
			if n.Keys == nil {
				n.Range = ast.At(k.KeySpan)
			}
			n.Keys = append(n.Keys, k)
		}
	}
	if n.Keys == nil {
		return body
	}
	return append(body, n)
}

// requestEntry is a key of the request that was read.
type requestEntry struct {
	ast.RequestKey
	ok bool
}

// requestKey reads a key that is part of the request. What several prompts inherit
// is read once where it holds no template; else it counts against a limit.
func (r *reader) requestKey(key *ast.Entry, meta *ast.Meta) (k ast.RequestKey, ok bool) {
	if !slices.Contains(requestKeys, key.Key) || key.Value.Kind == ast.SNull {
		return k, false
	}
	if known, ok := r.request[key.KeySpan]; ok {
		return known.RequestKey, known.ok
	}
	if r.copied > maxCopies { // that is reported
		return k, false
	}
	k.Entry, ok = r.readRequestKey(*key, meta)
	k.Fixed = !hasTemplate(&k.Value)
	switch {
	case k.Key != "tool_choice" && k.Fixed: // that is held against the prompt's own tools
		if r.request == nil {
			r.request = map[source.Span]requestEntry{}
		}
		r.request[key.KeySpan] = requestEntry{k, ok}
	case !r.copies(countNodes(&k.Value), key):
		return k, false
	}
	return k, ok
}

// maxCopies bounds the values that prompts of one document inherit and cannot share.
const maxCopies = 1 << 19

// copies counts n values that a prompt has for itself of what the key says, and
// reports that they are too many.
func (r *reader) copies(n int, key *ast.Entry) bool {
	if r.copied += n; r.copied <= maxCopies {
		return true
	}
	if r.copied-n <= maxCopies { // once
		r.report("PCC922", key.KeySpan, "the prompts of this document hold more than %d values of what they inherit", maxCopies).WithNames(key.Key)
	}
	return false
}

// hasTemplate reports whether s holds a template.
func hasTemplate(s *ast.Structure) bool {
	return s.Kind == ast.STemplate || slices.ContainsFunc(s.Items, func(s ast.Structure) bool { return hasTemplate(&s) }) ||
		slices.ContainsFunc(s.Map, func(e ast.Entry) bool { return hasTemplate(&e.Value) })
}

func (r *reader) readRequestKey(e ast.Entry, meta *ast.Meta) (ast.Entry, bool) {
	ok := true
	switch e.Key {
	case "model":
		// A map is what a document keeps for its caller, and no name.
		ok = e.Value.Kind != ast.SMap
		e.Value = r.requestText(e.Key, &e.Value)
	case "parameters":
		e.Value, ok = r.parameters(&e.Value)
	case "tools":
		e.Value, ok = r.toolsOf(&e.Value)
	case "tool_choice":
		e.Value, ok = r.toolChoice(&e.Value, meta)
	case "output":
		e.Value, ok = r.output(&e.Value)
	case "response_format":
		e.Key = "output"
		e.Value, ok = r.responseFormat(&e.Value)
	}
	return e, ok
}

// requestText reads a text that may be a template.
func (r *reader) requestText(key string, s *ast.Structure) ast.Structure {
	switch s.Kind {
	case ast.SString:
		return r.structure(s, r.parserOptions(r.head.Syntax))
	case ast.SList:
		r.want("a text", key, s)
	case ast.SBool, ast.SInt, ast.SFloat:
		out := *s
		out.Kind, out.Str = ast.SString, s.Source
		return out
	}
	return *s
}

// parameterNames are the parameters that most providers have, for near misses.
var parameterNames = []string{"max_tokens", "temperature", "top_p", "top_k", "stop", "seed", "frequency_penalty", "presence_penalty", "parallel_tool_calls"}

func (r *reader) parameters(s *ast.Structure) (ast.Structure, bool) {
	if s.Kind != ast.SMap {
		r.want("a map such as {temperature: 0.2}", "parameters", s)
		return *s, false
	}
	for i := range s.Map {
		e := &s.Map[i]
		if near, ok := diag.Near(e.Key, parameterNames); ok && !strings.HasPrefix(e.Key, near) && !strings.HasSuffix(e.Key, near) {
			r.report("PCC411", e.KeySpan, "`%s` is no parameter that providers share", diag.Shorten(e.Key, 60)).WithNames(e.Key).
				WithHelp("did you mean `%s`?", near)
		}
	}
	return r.structure(s, r.parserOptions(r.head.Syntax)), true
}

// toolsOf reads `tools`: definitions, or a name of the data.
func (r *reader) toolsOf(s *ast.Structure) (ast.Structure, bool) {
	if s.Kind != ast.SString {
		out, ok := r.tools(s)
		return out, ok
	}
	if r.bracedName("tools", s) {
		return *s, false
	}
	e := r.expr("tools", s)
	if _, bad := e.(*ast.BadExpr); bad {
		return *s, false
	}
	return ast.Structure{Range: s.Range, Kind: ast.STemplate, Str: s.Str,
		Body: []ast.Node{&ast.Output{Range: s.Range, Expr: e, Raw: s.Str}}}, true
}

// choices are the words of `tool_choice`.
var choices = []string{"auto", "none", "required"}

// toolChoice reads `tool_choice`: a word, or the name of a tool in one of the
// ways that providers have.
func (r *reader) toolChoice(s *ast.Structure, meta *ast.Meta) (ast.Structure, bool) {
	out := *s
	name := s
	switch s.Kind {
	case ast.SString:
		if strings.ContainsAny(s.Str, "{<") {
			return r.structure(s, r.parserOptions(r.head.Syntax)), true
		}
		if slices.Contains(choices, s.Str) {
			return out, true
		}
		d := r.report("PCC412", s.Span(), "`%s` is no tool_choice", diag.Shorten(s.Str, 60)).WithNames(s.Str).
			WithHelp("it is auto, none, required, or the name of a tool: tool_choice: {name: …}")
		near, ok := map[string]string{"any": "required", "true": "required", "false": "none"}[s.Str], true
		if near == "" {
			near, ok = diag.Near(s.Str, choices)
		}
		if ok {
			d.Help = "did you mean `" + near + "`?"
			d.Fix = &diag.Fix{Span: s.Span(), Replacement: near}
		}
		return out, false
	case ast.SMap:
		if f, ok := s.Get("function"); ok && f.Kind == ast.SMap {
			name = f
		}
	}
	n, ok := name.Get("name")
	if !ok || n.Kind != ast.SString || s.Kind != ast.SMap {
		r.want("auto, none, required or {name: tool}", "tool_choice", s)
		return out, false
	}
	if known := r.toolNames(meta); known != nil && !slices.Contains(known, n.Str) && !strings.ContainsAny(n.Str, "{<") {
		d := r.report("PCC433", n.Span(), "there is no tool `%s`", diag.Shorten(n.Str, 60)).WithNames(n.Str).
			WithHelp("the tools are %s", quoted(known))
		if near, ok := diag.Near(n.Str, known); ok {
			d.Help = "did you mean `" + near + "`?"
		}
		return out, false
	}
	value := r.structure(n, r.parserOptions(r.head.Syntax))
	out.Map = []ast.Entry{{Key: "name", KeySpan: n.Span(), Value: value}}
	return out, true
}

// toolNames are the names of the tools that a head defines; nil where the data
// gives them, or their definitions are at fault.
func (r *reader) toolNames(meta *ast.Meta) []string {
	for i := range meta.Extra {
		e := &meta.Extra[i]
		if e.Key != "tools" || e.Value.Kind == ast.SString {
			continue
		}
		read, ok := r.requestKey(e, meta)
		if !ok || !r.copies(len(read.Value.Items), e) {
			return nil
		}
		tools := &read.Value
		names := []string{}
		for j := range tools.Items {
			if f, ok := tools.Items[j].Get("function"); ok {
				if n, ok := f.Get("name"); ok {
					names = append(names, n.Str)
				}
			}
		}
		return names
	}
	return nil
}

// givesData reports whether a key of a document is available to its texts.
func givesData(key string) bool {
	return key == "examples" || key == "output" || key == "response_format"
}

// documentData adds to the default data of a head what its keys make available to
// its texts: `examples`, and `output`, whose schema they may print.
func (r *reader) documentData(meta *ast.Meta) {
	var added []ast.Entry
	for i := range meta.Extra {
		e := &meta.Extra[i]
		switch e.Key {
		case "examples":
			if list, ok := r.examples(&e.Value); ok {
				added = append(added, ast.Entry{Key: "examples", KeySpan: e.KeySpan, Value: list})
			}
		case "output", "response_format":
			out, ok := r.requestKey(e, meta)
			if ok {
				added = append(added, ast.Entry{Key: "output", KeySpan: e.KeySpan, Value: out.Value})
			}
		case "version":
			r.text(e.Key, &e.Value)
		case "labels":
			r.texts(e.Key, &e.Value)
		}
	}
	if added == nil {
		return
	}
	vars := ast.Structure{Kind: ast.SMap}
	if meta.Vars != nil {
		vars = *meta.Vars
	} else if r.headVars != nil {
		vars = *r.headVars
	}
	if !r.copies(len(vars.Map), &added[0]) {
		return
	}
	vars.Map = slices.Clone(vars.Map)
	for _, e := range added {
		for i := range meta.Variables {
			if v := &meta.Variables[i]; v.Name == e.Key {
				r.report("PCC411", v.Span, "the variable `%s` is hidden by the document's own `%s`", e.Key, e.Key).WithNames(e.Key).
					WithLabel(e.KeySpan, "this one counts").WithHelp("give the variable another name")
			}
		}
		at := slices.IndexFunc(vars.Map, func(x ast.Entry) bool { return x.Key == e.Key })
		if at >= 0 {
			r.report("PCC411", vars.Map[at].KeySpan, "`%s` among the `vars` is hidden by the document's own `%s`", e.Key, e.Key).WithNames(e.Key).
				WithLabel(e.KeySpan, "this one counts").WithHelp("give it another name")
			vars.Map[at] = e
			continue
		}
		vars.Map = append(vars.Map, e)
	}
	meta.Vars, meta.Given = &vars, nil
	for _, e := range vars.Map {
		if e.Key == "examples" || e.Key == "output" {
			meta.Given = append(meta.Given, e.Key)
		}
	}
}

// examples reads `examples: file.jsonl`, or a list of its own.
func (r *reader) examples(s *ast.Structure) (ast.Structure, bool) {
	if s.Kind == ast.SList {
		return *s, true
	}
	name := s
	if f, ok := s.Get("file"); ok && s.Kind == ast.SMap {
		name = f
	}
	if name.Kind != ast.SString {
		r.want("the name of a .jsonl file, or a list", "examples", s)
		return *s, false
	}
	if list, ok := r.shots[name.Str]; ok {
		return *list, true
	}
	f, ok := r.open(r.dir, name.Str, name.Span(), maxExamples)
	if !ok {
		return *s, false
	}
	list := ast.Structure{Range: s.Range, Kind: ast.SList, Items: []ast.Structure{}}
	text := f.Text
	nodes := 0
	for at := 0; at < len(text); {
		end := len(text)
		if n := strings.IndexByte(text[at:], '\n'); n >= 0 {
			end = at + n
		}
		if line := text[at:end]; strings.TrimSpace(strings.TrimPrefix(line, "\ufeff")) != "" {
			one, diags := ReadJSON(f, source.Span{Start: source.Pos(at), End: source.Pos(end)}, YAMLOptions{Limits: r.o.Limits})
			for _, d := range diags {
				if d.Code == "PCC409" {
					d.Help = "each line of the file is one JSON value; " + strings.TrimPrefix(d.Help, "each line of the file is one JSON value; ")
					d.Help = strings.TrimSuffix(d.Help, "; ")
				}
				d.Labels = append(d.Labels, diag.Label{File: r.file, Span: name.Span(), Message: "read for this"})
			}
			r.diags = append(r.diags, diags...)
			if one == nil {
				return *s, false
			}
			if nodes += countNodes(one); nodes > maxExampleNodes {
				r.report("PCC922", name.Span(), "`%s` holds more than %d values", diag.Shorten(name.Str, 120), maxExampleNodes).WithNames(name.Str)
				return *s, false
			}
			list.Items = append(list.Items, *one)
		}
		at = end + 1
	}
	if len(list.Items) == 0 {
		r.report("PCC438", name.Span(), "`%s` holds no example", diag.Shorten(name.Str, 120)).WithNames(name.Str)
		return *s, false
	}
	if r.shots == nil {
		r.shots = map[string]*ast.Structure{}
	}
	r.shots[name.Str] = &list
	return list, true
}

// Limits of the files of examples.
const (
	maxExamples     = 4 << 20 // bytes
	maxExampleNodes = 200_000
)

// countNodes is the number of values in s, which is no deeper than the reader of
// documents allows.
func countNodes(s *ast.Structure) int {
	n := 1
	for i := range s.Items {
		n += countNodes(&s.Items[i])
	}
	for i := range s.Map {
		n += countNodes(&s.Map[i].Value)
	}
	return n
}
