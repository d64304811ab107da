package prompt

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/pcc-lang/pcc/vm"
)

// Schema returns the JSON Schema (draft 2020-12) of the data that p reads: from
// the declarations where there are any, else inferred from use.
func Schema(p *vm.Program) ([]byte, error) {
	root := &schemaNode{}
	for _, v := range p.Variables() {
		names := v.Names()
		if len(names) == 1 {
			root.add(&v)
			continue
		}
		for i, name := range names {
			root.addOne(name, v.Type, i == 0)
		}
	}
	for i := range p.Image().Contract {
		// What is read of a declared variable says nothing about the need of it.
		if c := &p.Image().Contract[i]; root.fields[c.Name] != nil && !c.Required {
			root.required[c.Name] = false
		}
	}
	root.typ = "map"
	var b strings.Builder
	b.WriteString(`{"$schema": "https://json-schema.org/draft/2020-12/schema", `)
	root.write(&b)
	b.WriteString("}")
	v := jsontext.Value(b.String())
	if err := v.Indent(jsontext.WithIndent("  ")); err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	return append(v, '\n'), nil
}

// schemaNode is a value's schema while it is put together.
type schemaNode struct {
	typ, description, def string
	enum                  []string
	names                 []string
	required              map[string]bool
	fields                map[string]*schemaNode
	items                 *schemaNode
}

// add puts the variable v into the schema of the data. What is read of a list's
// items is needed of each item that there is: the list itself may be missing.
func (n *schemaNode) add(v *vm.Variable) {
	parts := strings.Split(v.Name, ".")
	items := -1 // the last part that is a list of items
	for i, part := range parts {
		if strings.HasSuffix(part, "[]") {
			items = i
		}
	}
	for i, part := range parts {
		name, lists := strings.TrimRight(part, "[]"), strings.Count(part, "[]")
		n.setType("map")
		n = n.child(name, v.Required && i > items)
		for range lists {
			n.setType("list")
			if n.items == nil {
				n.items = &schemaNode{}
			}
			n = n.items
		}
	}
	n.setType(v.Type)
	n.description, n.enum, n.def = v.Description, v.Enum, v.Default
}

// addOne adds one of several names that a variable is read by, none of which is
// needed. A value by the first name is the one that is read, so that the type
// that use tells holds for it, and for no other. Where it is read from the items
// of a list, these need not be maps: then another name is read.
func (n *schemaNode) addOne(name, typ string, first bool) {
	for part := range strings.SplitSeq(name, ".") {
		n = n.child(strings.TrimRight(part, "[]"), false)
		for range strings.Count(part, "[]") {
			if first {
				n.setType("list")
			}
			if n.items == nil {
				n.items = &schemaNode{}
			}
			n = n.items
		}
	}
	if first {
		n.setType(typ)
	}
}

func (n *schemaNode) setType(t string) {
	if t != "" && t != "any" && (n.typ == "" || n.typ == "any") {
		n.typ = t
	}
}

func (n *schemaNode) child(name string, required bool) *schemaNode {
	if n.fields == nil {
		n.fields, n.required = map[string]*schemaNode{}, map[string]bool{}
	}
	c := n.fields[name]
	if c == nil {
		c = &schemaNode{}
		n.fields[name] = c
		n.names = append(n.names, name)
	}
	n.required[name] = n.required[name] || required
	return c
}

var schemaTypes = map[string]string{"string": "string", "integer": "integer", "number": "number",
	"boolean": "boolean", "list": "array", "map": "object"}

// write writes the members of n's object. Nesting is bounded by the source's.
func (n *schemaNode) write(b *strings.Builder) {
	sep := ""
	member := func(key, value string) {
		fmt.Fprintf(b, "%s%s: %s", sep, quoteJSON(key), value)
		sep = ", "
	}
	if t := schemaTypes[n.typ]; t != "" {
		member("type", quoteJSON(t))
	}
	if n.description != "" {
		member("description", quoteJSON(n.description))
	}
	if n.def != "" {
		member("default", n.def)
	}
	if len(n.enum) > 0 {
		q := make([]string, len(n.enum))
		for i, e := range n.enum {
			q[i] = quoteJSON(e)
			if n.typ == "integer" || n.typ == "number" || n.typ == "boolean" {
				q[i] = e
			}
		}
		member("enum", "["+strings.Join(q, ", ")+"]")
	}
	if len(n.names) > 0 {
		var props, req []string
		for _, name := range n.names {
			var inner strings.Builder
			n.fields[name].write(&inner)
			props = append(props, quoteJSON(name)+": {"+inner.String()+"}")
			if n.required[name] {
				req = append(req, quoteJSON(name))
			}
		}
		member("properties", "{"+strings.Join(props, ", ")+"}")
		if len(req) > 0 {
			member("required", "["+strings.Join(req, ", ")+"]")
		}
	}
	if n.items != nil {
		var inner strings.Builder
		n.items.write(&inner)
		member("items", "{"+inner.String()+"}")
	}
}

func quoteJSON(s string) string {
	q, err := jsontext.AppendQuote(nil, s)
	if err != nil {
		return `""`
	}
	return string(q)
}
