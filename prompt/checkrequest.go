package prompt

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/internal/schema"
)

// checkRequests holds the schemas of a document's tools and outputs against the
// rules of JSON Schema.
func checkRequests(doc *ast.Document) diag.List {
	if doc == nil {
		return nil
	}
	var list diag.List
	seen := map[source.Span]bool{} // what several prompts inherit is checked once
	for _, e := range doc.Entries {
		if e.Template == nil {
			continue
		}
		for _, n := range e.Template.Body {
			request, ok := n.(*ast.Request)
			if !ok {
				continue
			}
			for i := range request.Keys {
				k := &request.Keys[i]
				if seen[k.KeySpan] {
					continue
				}
				seen[k.KeySpan] = true
				list = append(list, schemaFaults(doc.File, &k.Entry)...)
			}
		}
	}
	return list
}

// schemaFaults are the faults of the schemas in a key of a request.
func schemaFaults(f *source.File, k *ast.Entry) diag.List {
	var list diag.List
	check := func(what string, s *ast.Structure) {
		fault := schema.Check(plain(s))
		if fault == nil {
			return
		}
		at := s
		for i, key := range fault.Path {
			next := inside(at, key)
			if next == nil {
				break
			}
			if at = next; i == len(fault.Path)-1 {
				what += ", at `" + diag.Shorten(strings.Join(fault.Path, "."), 80) + "`"
			}
		}
		list = append(list, diag.New("PCC434", f, at.Span(), "%s: %s", what, fault.Message))
	}
	switch k.Key {
	case "output":
		if s, ok := k.Value.Get("schema"); ok {
			check("the schema of the output", s)
		}
	case "tools":
		for i := range k.Value.Items {
			function, ok := k.Value.Items[i].Get("function")
			if !ok {
				continue
			}
			name, _ := function.Get("name")
			if s, ok := function.Get("parameters"); ok && name != nil {
				check("the parameters of the tool `"+diag.Shorten(name.Str, 60)+"`", s)
			}
		}
	}
	return list
}

// inside is what a key or an index of s leads to, or nil.
func inside(s *ast.Structure, key string) *ast.Structure {
	if s.Kind == ast.SList {
		if i, err := strconv.Atoi(key); err == nil && i >= 0 && i < len(s.Items) {
			return &s.Items[i]
		}
		return nil
	}
	v, _ := s.Get(key)
	return v
}

// plain is s as package schema takes it. Documents are nested no deeper than their
// limit.
func plain(s *ast.Structure) any {
	switch s.Kind {
	case ast.SBool:
		return s.Bool
	case ast.SInt:
		return json.Number(s.Int.String())
	case ast.SFloat:
		return s.Float
	case ast.SString, ast.STemplate:
		return s.Str
	case ast.SList:
		out := make([]any, len(s.Items))
		for i := range s.Items {
			out[i] = plain(&s.Items[i])
		}
		return out
	case ast.SMap:
		out := make(map[string]any, len(s.Map))
		for i := range s.Map {
			out[s.Map[i].Key] = plain(&s.Map[i].Value)
		}
		return out
	}
	return nil
}
