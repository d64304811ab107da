package document

import (
	"regexp"
	"slices"
	"strings"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
)

// This file reads definitions of tools and of the output, in the forms that people
// have, and gives them in one: tools as OpenAI's chat completions API takes them.

// Tools gives definitions of tools in one form: a list of {type: function,
// function: {name, description, parameters, strict}}. It takes that form, the form
// of the Model Context Protocol and of Anthropic (`inputSchema`, `input_schema`),
// and the short one, {name: {description, parameters: {city: string!}}}. f is what
// s was read from.
func Tools(f *source.File, s *ast.Structure) (*ast.Structure, diag.List) {
	r := &reporter{file: f}
	out, ok := r.tools(s)
	if !ok {
		return nil, r.diags
	}
	return &out, r.diags
}

func (r *reporter) tools(s *ast.Structure) (ast.Structure, bool) {
	before := len(r.diags)
	out := ast.Structure{Range: s.Range, Kind: ast.SList, Items: []ast.Structure{}}
	switch s.Kind {
	case ast.SList:
		for i := range s.Items {
			item := &s.Items[i]
			if item.Kind != ast.SMap {
				r.report("PCC433", item.Span(), "a tool is a map, and this is %s", withArticle(item.Kind.String())).WithHelp("%s", toolHelp)
				continue
			}
			if len(item.Map) == 1 && item.Map[0].Value.Kind == ast.SMap && item.Map[0].Key != "function" {
				out.Items = append(out.Items, r.shortTool(&item.Map[0], item.Range))
				continue
			}
			out.Items = append(out.Items, r.tool(item))
		}
	case ast.SMap:
		if _, one := s.Get("name"); one && !allMaps(s) {
			r.report("PCC433", source.Span{Start: s.Start, End: s.Start + 1}, "`tools` is a list, and this is one tool").
				WithHelp("begin it with a dash: - name: …")
			return out, false
		}
		for i := range s.Map {
			out.Items = append(out.Items, r.shortTool(&s.Map[i], s.Range))
		}
	default:
		r.want("a list of tools, or a name of the data", "tools", s)
		return out, false
	}
	r.sameNames(&out)
	return out, !r.diags[before:].HasErrors()
}

const toolHelp = "write - name: {description: …, parameters: {city: string!}}"

// allMaps reports whether all values of a map are maps or empty.
func allMaps(s *ast.Structure) bool {
	return !slices.ContainsFunc(s.Map, func(e ast.Entry) bool { return e.Value.Kind != ast.SMap && e.Value.Kind != ast.SNull })
}

// sameNames reports two tools of one name.
func (r *reporter) sameNames(tools *ast.Structure) {
	seen := map[string]*ast.Structure{}
	for i := range tools.Items {
		f, ok := tools.Items[i].Get("function")
		if !ok {
			continue
		}
		n, ok := f.Get("name")
		if !ok {
			continue
		}
		if first := seen[n.Str]; first != nil {
			r.report("PCC433", n.Span(), "two tools are named `%s`", diag.Shorten(n.Str, 60)).WithNames(n.Str).
				WithLabel(first.Span(), "the other one is here").WithHelp("give each a name of its own")
			continue
		}
		seen[n.Str] = n
	}
}

// The keys of a tool in each form.
var (
	functionKeys = []string{"name", "description", "parameters", "strict"}
	// Those of the Model Context Protocol's Tool, revision 2025-06-18, and of
	// Anthropic's Tool. What is no part of a function is for clients.
	foreignToolKeys = []string{"title", "annotations", "outputSchema", "inputSchema", "input_schema", "icons", "_meta"}
)

// tool reads a tool that says its own name.
func (r *reporter) tool(s *ast.Structure) ast.Structure {
	typ, typed := s.Get("type")
	if f, ok := s.Get("function"); ok && f.Kind == ast.SMap {
		if typed && typ.Str != "function" {
			r.report("PCC433", typ.Span(), "the type of a tool that is a function is `function`")
		}
		return r.function(f, s.Range)
	}
	if typed && typ.Kind == ast.SString && typ.Str != "function" && typ.Str != "custom" {
		r.report("PCC433", typ.Span(), "a tool of the type `%s` is a provider's own, and only functions stand here", diag.Shorten(typ.Str, 60)).WithNames(typ.Str).
			WithHelp("add it to the body that you send, or write type: function")
		return function(s.Range, nil)
	}
	return r.function(s, s.Range)
}

// shortTool reads name: {description, parameters}.
func (r *reporter) shortTool(e *ast.Entry, at ast.Range) ast.Structure {
	if e.Value.Kind == ast.SNull {
		return function(at, []ast.Entry{nameEntry(e)})
	}
	if e.Value.Kind != ast.SMap {
		r.report("PCC433", e.Value.Span(), "the tool `%s` is a map with `description` and `parameters`, and this is %s", diag.Shorten(e.Key, 60), withArticle(e.Value.Kind.String())).
			WithNames(e.Key).WithHelp("%s", toolHelp)
		return function(at, []ast.Entry{nameEntry(e)})
	}
	def := e.Value
	if _, ok := def.Get("name"); !ok {
		def.Map = append([]ast.Entry{nameEntry(e)}, def.Map...)
	}
	return r.function(&def, at)
}

func nameEntry(e *ast.Entry) ast.Entry {
	return ast.Entry{Key: "name", KeySpan: e.KeySpan, Value: ast.Structure{Range: ast.At(e.KeySpan), Kind: ast.SString, Str: e.Key}}
}

func function(at ast.Range, keys []ast.Entry) ast.Structure {
	return ast.Structure{Range: at, Kind: ast.SMap, Map: []ast.Entry{
		{Key: "type", KeySpan: at.Span(), Value: ast.Structure{Range: at, Kind: ast.SString, Str: "function"}},
		{Key: "function", KeySpan: at.Span(), Value: ast.Structure{Range: at, Kind: ast.SMap, Map: keys}}}}
}

// toolName matches the names that all providers take.
var toolName = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,128}$`)

// function reads the definition of a function.
func (r *reporter) function(s *ast.Structure, at ast.Range) ast.Structure {
	var keys []ast.Entry
	for i := range s.Map {
		e := s.Map[i]
		switch e.Key {
		case "type", "annotations", "outputSchema", "icons", "_meta", "title":
			continue
		case "name":
			if e.Value.Kind != ast.SString || !toolName.MatchString(e.Value.Str) {
				r.report("PCC433", e.Value.Span(), "the name of a tool is letters, digits, `_`, `-` and `.`, at most 128").
					WithHelp("write a name such as get_weather")
			}
		case "description":
			if e.Value.Kind == ast.SNull {
				continue
			}
			if e.Value.Kind != ast.SString {
				r.want("a text", e.Key, &e.Value)
			}
		case "parameters", "inputSchema", "input_schema":
			e.Key = "parameters"
			if e.Value.Kind == ast.SNull {
				continue
			}
			e.Value = r.parameterSchema(&e.Value)
		case "strict":
			if e.Value.Kind == ast.SNull {
				continue
			}
			r.boolean(e.Key, &e.Value)
		default:
			known := append(slices.Clone(functionKeys), foreignToolKeys...)
			r.unknownKey(&e, known)
			continue
		}
		keys = append(keys, e)
	}
	if _, ok := s.Get("name"); !ok {
		r.report("PCC433", source.Span{Start: at.Start, End: at.Start + 1}, "this tool has no name").WithHelp("%s", toolHelp)
	}
	return function(at, keys)
}

// parameterSchema reads the parameters of a tool: a JSON Schema of an object, or
// the short form, in which each key is a parameter.
func (r *reporter) parameterSchema(s *ast.Structure) ast.Structure {
	switch {
	case s.Kind != ast.SMap:
		r.report("PCC433", s.Span(), "parameters are a map, and this is %s", withArticle(s.Kind.String())).
			WithHelp("write one parameter a line: city: string!")
		return *s
	case len(s.Map) == 0, isObjectSchema(s):
		return *s
	}
	return r.shortObject(s, false)
}

// output reads `output`: a JSON Schema, the short form, or {name, schema, strict}.
func (r *reporter) output(s *ast.Structure) (ast.Structure, bool) {
	before := len(r.diags)
	if s.Kind != ast.SMap {
		r.want("a JSON Schema, or a map such as {answer: string!}", "output", s)
		return *s, false
	}
	schema, named := s, false
	var keys []ast.Entry
	if inner, ok := s.Get("schema"); ok && inner.Kind == ast.SMap && onlyKeys(s, "schema", "name", "strict", "description") {
		schema, named = inner, true
	}
	if named {
		for i := range s.Map {
			e := &s.Map[i]
			switch e.Key {
			case "strict":
				r.boolean(e.Key, &e.Value)
			case "name", "description":
				r.text(e.Key, &e.Value)
			}
			if e.Key != "schema" {
				keys = append(keys, *e)
			}
		}
	}
	if len(schema.Map) == 0 {
		r.report("PCC433", schema.Span(), "this schema says nothing of the output").WithHelp("write one field a line: answer: string!")
	}
	value := *schema
	if !isObjectSchema(schema) && !isListSchema(schema) {
		value = r.shortObject(schema, true)
	}
	keys = append(keys, ast.Entry{Key: "schema", KeySpan: ast.At(s.Span()).Span(), Value: value})
	return ast.Structure{Range: s.Range, Kind: ast.SMap, Map: keys}, !r.diags[before:].HasErrors()
}

// responseFormat reads OpenAI's `response_format`: {type: json_schema,
// json_schema: {name, schema, strict}}, {type: json_object} or {type: text}.
func (r *reporter) responseFormat(s *ast.Structure) (ast.Structure, bool) {
	typ, _ := s.Get("type")
	if s.Kind != ast.SMap || typ == nil || typ.Kind != ast.SString {
		r.want("a map with a `type`, as OpenAI's API takes it", "response_format", s)
		return *s, false
	}
	switch typ.Str {
	case "text":
		return *s, false
	case "json_object":
		object := ast.Structure{Range: typ.Range, Kind: ast.SMap, Map: []ast.Entry{entryOf("type", "object", typ.Range)}}
		return ast.Structure{Range: s.Range, Kind: ast.SMap, Map: []ast.Entry{{Key: "schema", KeySpan: typ.Span(), Value: object}}}, true
	case "json_schema":
		inner, ok := s.Get("json_schema")
		if !ok || inner.Kind != ast.SMap {
			r.report("PCC433", typ.Span(), "a response_format of this type has a `json_schema`").WithHelp("write json_schema: {name: …, schema: {…}}")
			return *s, false
		}
		if _, ok := inner.Get("schema"); !ok {
			r.report("PCC433", inner.Span(), "`json_schema` has no `schema`").WithHelp("write json_schema: {name: …, schema: {…}}")
			return *s, false
		}
		return r.output(inner)
	}
	d := r.report("PCC412", typ.Span(), "`%s` is no type of response_format", diag.Shorten(typ.Str, 60)).WithNames(typ.Str)
	d.Help = "it is one of json_schema, json_object, text"
	if near, ok := diag.Near(typ.Str, []string{"json_schema", "json_object", "text"}); ok {
		d.Help = "did you mean `" + near + "`?"
	}
	return *s, false
}

func onlyKeys(s *ast.Structure, known ...string) bool {
	return !slices.ContainsFunc(s.Map, func(e ast.Entry) bool { return !slices.Contains(known, e.Key) })
}

// is reports whether the key of a map is that text.
func is(s *ast.Structure, key string, texts ...string) bool {
	v, ok := s.Get(key)
	return ok && v.Kind == ast.SString && slices.Contains(texts, v.Str)
}

// isObjectSchema reports whether a map is a JSON Schema of an object, and no list
// of parameters in the short form, which may have any names.
func isObjectSchema(s *ast.Structure) bool {
	if is(s, "type", "object") {
		return true
	}
	if p, ok := s.Get("properties"); ok && p.Kind == ast.SMap && allSchemaKeys(s) {
		return true
	}
	for _, key := range []string{"$ref", "$defs", "$schema", "anyOf", "oneOf", "allOf"} {
		if v, ok := s.Get(key); ok && (v.Kind == ast.SList || key[0] == '$') {
			return true
		}
	}
	return false
}

func isListSchema(s *ast.Structure) bool {
	items, ok := s.Get("items")
	return is(s, "type", "array") && ok && (items.Kind == ast.SMap || items.Kind == ast.SBool)
}

// schemaKeys are the keywords of JSON Schema that are seen in tools.
var schemaKeys = []string{"type", "description", "title", "enum", "const", "default", "examples", "items", "prefixItems", "properties",
	"required", "additionalProperties", "patternProperties", "propertyNames", "format", "pattern", "minimum", "maximum",
	"exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "minItems", "maxItems", "uniqueItems",
	"minProperties", "maxProperties", "contains", "anyOf", "oneOf", "allOf", "not", "if", "then", "else", "$ref", "$defs", "$schema",
	"$id", "$comment", "definitions", "nullable", "deprecated", "readOnly", "writeOnly", "contentEncoding", "contentMediaType"}

// shapeKeys are those of which a schema has one.
var shapeKeys = []string{"type", "enum", "const", "items", "properties", "anyOf", "oneOf", "allOf", "not", "$ref", "format", "pattern"}

func allSchemaKeys(s *ast.Structure) bool {
	return !slices.ContainsFunc(s.Map, func(e ast.Entry) bool { return !slices.Contains(schemaKeys, e.Key) })
}

// isSchema reports whether a field of the short form is given by a JSON Schema.
func isSchema(s *ast.Structure) bool {
	return allSchemaKeys(s) && slices.ContainsFunc(s.Map, func(e ast.Entry) bool { return slices.Contains(shapeKeys, e.Key) })
}

// shortTypes are the types of the short form, with those of JSON Schema. An empty
// one is any.
var shortTypes = map[string]string{"string": "string", "str": "string", "text": "string", "integer": "integer", "int": "integer",
	"number": "number", "float": "number", "boolean": "boolean", "bool": "boolean", "object": "object", "map": "object",
	"array": "array", "list": "array", "null": "null", "any": ""}

var shortTypeNames = []string{"string", "integer", "number", "boolean", "object", "map", "array", "list", "any"}

// shortObject makes the schema of an object of {field: type, …}. A field that is
// needed has a `!` behind its type or its name; closed refuses further fields.
// Documents are nested no deeper than their limit.
func (r *reporter) shortObject(s *ast.Structure, closed bool) ast.Structure {
	at := s.Range
	var fields, required []ast.Entry
	for i := range s.Map {
		e := s.Map[i]
		name, needed := strings.CutSuffix(e.Key, "!")
		e.Key = name
		var must bool
		e.Value, must = r.shortField(&e, closed)
		if needed || must {
			required = append(required, ast.Entry{Value: ast.Structure{Range: ast.At(e.KeySpan), Kind: ast.SString, Str: name}})
		}
		fields = append(fields, e)
	}
	out := ast.Structure{Range: at, Kind: ast.SMap, Map: []ast.Entry{
		{Key: "type", KeySpan: at.Span(), Value: ast.Structure{Range: at, Kind: ast.SString, Str: "object"}},
		{Key: "properties", KeySpan: at.Span(), Value: ast.Structure{Range: at, Kind: ast.SMap, Map: fields}}}}
	if required != nil {
		list := ast.Structure{Range: at, Kind: ast.SList}
		for _, e := range required {
			list.Items = append(list.Items, e.Value)
		}
		out.Map = append(out.Map, ast.Entry{Key: "required", KeySpan: at.Span(), Value: list})
	}
	if closed {
		out.Map = append(out.Map, ast.Entry{Key: "additionalProperties", KeySpan: at.Span(), Value: ast.Structure{Range: at, Kind: ast.SBool, Source: "false"}})
	}
	return out
}

// shortField makes the schema of a field, and tells whether it is needed.
func (r *reporter) shortField(e *ast.Entry, closed bool) (out ast.Structure, needed bool) {
	s := &e.Value
	switch s.Kind {
	case ast.SString:
		return r.shortType(s)
	case ast.SList:
		return r.shortList(e, closed)
	case ast.SMap:
		if !isSchema(s) {
			return r.shortObject(s, closed), false
		}
		out = *s
		out.Map = nil
		for i := range s.Map {
			k := s.Map[i]
			switch {
			case k.Key == "required" && k.Value.Kind == ast.SBool:
				needed = needed || k.Value.Bool
				continue
			case k.Key == "type" && k.Value.Kind == ast.SString:
				typ, must := r.shortType(&k.Value)
				needed = needed || must
				out.Map = append(out.Map, typ.Map...)
				continue
			}
			out.Map = append(out.Map, k)
		}
		return out, needed
	case ast.SNull:
		r.report("PCC433", e.KeySpan, "`%s` has no type", diag.Shorten(e.Key, 60)).WithNames(e.Key).WithHelp("write %s: string", diag.Shorten(e.Key, 60))
	default:
		r.report("PCC433", s.Span(), "`%s` is a type, and this is %s", diag.Shorten(e.Key, 60), withArticle(s.Kind.String())).WithNames(e.Key).
			WithHelp("write a type such as string, or the values that it may have: [a, b]")
	}
	return *s, false
}

// shortType reads `string!`, `integer`, `string[]`.
func (r *reporter) shortType(s *ast.Structure) (out ast.Structure, needed bool) {
	word, needed := strings.CutSuffix(strings.TrimSpace(s.Str), "!")
	if !needed {
		word = strings.TrimSuffix(word, "?")
	}
	inner, lists := word, 0
	for strings.HasSuffix(inner, "[]") && lists < maxLists {
		inner, lists = strings.TrimSuffix(inner, "[]"), lists+1
	}
	typ, ok := shortTypes[inner]
	if !ok {
		d := r.report("PCC433", s.Span(), "`%s` is no type", diag.Shorten(s.Str, 60)).WithNames(s.Str)
		d.Help = "it is one of " + strings.Join(shortTypeNames, ", ") + ", with `[]` behind it for a list, and `!` where it is needed"
		if near, ok := diag.Near(inner, shortTypeNames); ok {
			d.Help = "did you mean `" + near + "`?"
		}
		return *s, needed
	}
	out = ast.Structure{Range: s.Range, Kind: ast.SMap, Map: []ast.Entry{}}
	if typ != "" {
		out.Map = append(out.Map, entryOf("type", typ, s.Range))
	}
	for range lists {
		out = listOf(s.Range, out)
	}
	return out, needed
}

// maxLists bounds the lists in a type such as string[][].
const maxLists = 8

func listOf(at ast.Range, items ast.Structure) ast.Structure {
	return ast.Structure{Range: at, Kind: ast.SMap, Map: []ast.Entry{entryOf("type", "array", at), {Key: "items", KeySpan: at.Span(), Value: items}}}
}

// shortList reads the values that a field may have, [c, f], or what its items are:
// [string] or [{name: string}].
func (r *reporter) shortList(e *ast.Entry, closed bool) (ast.Structure, bool) {
	s := &e.Value
	if len(s.Items) == 1 {
		item := &s.Items[0]
		word, needed := strings.CutSuffix(item.Str, "!")
		if _, is := shortTypes[word]; item.Kind == ast.SString && is {
			plain := *item
			plain.Str = word
			typ, _ := r.shortType(&plain)
			return listOf(s.Range, typ), needed
		}
		if item.Kind == ast.SMap {
			field := ast.Entry{Key: e.Key, KeySpan: e.KeySpan, Value: *item}
			typ, needed := r.shortField(&field, closed)
			return listOf(s.Range, typ), needed
		}
	}
	kinds := map[ast.StructureKind]bool{}
	for i := range s.Items {
		if k := s.Items[i].Kind; k == ast.SList || k == ast.SMap {
			r.report("PCC433", s.Items[i].Span(), "the values of `%s` are texts and numbers, and this is %s", diag.Shorten(e.Key, 60), withArticle(k.String())).WithNames(e.Key)
			return *s, false
		}
		kinds[s.Items[i].Kind] = true
	}
	if len(s.Items) == 0 {
		r.report("PCC433", s.Span(), "`%s` may have no value", diag.Shorten(e.Key, 60)).WithNames(e.Key).
			WithHelp("list its values, or write a type such as string")
		return *s, false
	}
	out := ast.Structure{Range: s.Range, Kind: ast.SMap}
	if len(kinds) == 1 {
		for kind, typ := range map[ast.StructureKind]string{ast.SString: "string", ast.SInt: "integer", ast.SFloat: "number", ast.SBool: "boolean"} {
			if kinds[kind] {
				out.Map = append(out.Map, entryOf("type", typ, s.Range))
			}
		}
	}
	out.Map = append(out.Map, ast.Entry{Key: "enum", KeySpan: e.KeySpan, Value: *s})
	return out, false
}
