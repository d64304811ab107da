// Package schema holds JSON Schemas against the rules of JSON Schema. What enters
// is a schema as data, what leaves is its first fault with the place in it. Nothing is
// fetched from anywhere.
//
// The rules are those of the meta-schemas of draft 2020-12 and, where `$schema` names
// one of them, of 2019-09, 7, 6 and 4, written as a table: a library for validating
// data by schemas reads its meta-schemas when a program starts, which costs every
// program that imports package prompt some milliseconds. The tests hold the table
// against such a library.
package schema

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Fault is what is wrong with a schema. The message holds keywords and types, and no
// value of the schema.
type Fault struct {
	Path    []string // keys and indexes that lead to the place
	Message string
}

// maxDepth bounds the nesting; the readers of documents and data have limits of
// their own below it.
const maxDepth = 200

// Check holds a schema against the rules of its draft, 2020-12 unless `$schema` says
// otherwise: doc is made of map[string]any, []any, string, bool, float64, json.Number
// and nil. It returns the first fault, or nil; of several that of the key that sorts
// first.
func Check(doc any) *Fault {
	c := checker{draft: 2020, resources: map[string]any{}}
	if m, ok := doc.(map[string]any); ok {
		if s, ok := m["$schema"].(string); ok {
			if c.draft, ok = drafts[strings.TrimSuffix(strings.Replace(s, "https:", "http:", 1), "#")]; !ok {
				return &Fault{Path: []string{"$schema"}, Message: "this draft of JSON Schema is not known"}
			}
		}
	}
	root := &url.URL{Scheme: "schema", Path: "/"}
	c.resources[root.String()] = doc
	c.schema(doc, root, 0)
	if c.fault == nil {
		c.references()
	}
	return c.fault
}

// drafts are those that `$schema` may name.
var drafts = map[string]int{
	"http://json-schema.org/draft-04/schema":      4,
	"http://json-schema.org/draft-06/schema":      6,
	"http://json-schema.org/draft-07/schema":      7,
	"http://json-schema.org/draft/2019-09/schema": 2019,
	"http://json-schema.org/draft/2020-12/schema": 2020,
	"http://json-schema.org/schema":               2020,
}

type checker struct {
	draft     int
	path      []string
	fault     *Fault
	resources map[string]any // what has an address: the schema, and those with `$id` inside
	refs      []reference
}

// reference is a `$ref` that is looked up when all resources are known.
type reference struct {
	path []string
	base *url.URL
	to   string
}

func (c *checker) report(format string, args ...any) {
	if c.fault == nil {
		c.fault = &Fault{Path: slices.Clone(c.path), Message: fmt.Sprintf(format, args...)}
	}
}

// at runs f for what a key or an index leads to.
func (c *checker) at(key string, f func()) {
	if c.fault == nil {
		c.path = append(c.path, key)
		f()
		c.path = c.path[:len(c.path)-1]
	}
}

// typeName is a JSON type as messages have it.
func typeName(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "a boolean"
	case string:
		return "a text"
	case []any:
		return "a list"
	case map[string]any:
		return "a map"
	}
	return "a number"
}

func (c *checker) want(what string, v any) { c.report("this must be %s, and is %s", what, typeName(v)) }

// schema checks v, which must be a schema.
func (c *checker) schema(v any, base *url.URL, depth int) {
	if depth > maxDepth {
		c.report("schemas are nested more than %d deep", maxDepth)
		return
	}
	m, ok := v.(map[string]any)
	if !ok {
		if _, isBool := v.(bool); !isBool || c.draft == 4 {
			c.want("a schema, which is a map", v)
		}
		return
	}
	id := "$id"
	if c.draft == 4 {
		id = "id"
	}
	if s, ok := m[id].(string); ok {
		if u, err := base.Parse(s); err == nil && (u.Fragment == "" || c.draft < 2019) {
			if u.Fragment = ""; u.String() != base.String() {
				base = u
				c.resources[u.String()] = v
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(m)) {
		rule, known := rules[key]
		if !known || !rule.in(c.draft) {
			continue
		}
		c.at(key, func() { c.keyword(key, rule, m, base, depth) })
	}
}

// kind is what a keyword takes.
type kind uint8

const (
	isSchema kind = iota
	isSchemas
	isSchemaMap
	isItems
	isDependencies
	isType
	isText
	isTexts
	isTextsMap
	isBool
	isBoolMap
	isCount
	isNumber
	isPositive
	isLimit
	isList
	isMap
	isRef
)

// rule is what a keyword takes, in the drafts from..to.
type rule struct {
	kind     kind
	from, to int
}

func (r rule) in(draft int) bool { return draft >= r.from && (r.to == 0 || draft <= r.to) }

// rules are the keywords of the meta-schemas.
var rules = map[string]rule{
	"additionalItems": {kind: isSchema, to: 2019}, "additionalProperties": {}, "contains": {from: 6}, "contentSchema": {from: 2019},
	"else": {from: 7}, "if": {from: 7}, "not": {}, "propertyNames": {from: 6}, "then": {from: 7},
	"unevaluatedItems": {from: 2019}, "unevaluatedProperties": {from: 2019},
	"allOf": {kind: isSchemas}, "anyOf": {kind: isSchemas}, "oneOf": {kind: isSchemas}, "prefixItems": {kind: isSchemas, from: 2020},
	"$defs": {kind: isSchemaMap, from: 2019}, "definitions": {kind: isSchemaMap}, "dependentSchemas": {kind: isSchemaMap, from: 2019},
	"patternProperties": {kind: isSchemaMap}, "properties": {kind: isSchemaMap},
	"items": {kind: isItems}, "dependencies": {kind: isDependencies}, "type": {kind: isType},
	"$anchor": {kind: isText, from: 2019}, "$comment": {kind: isText, from: 7}, "$dynamicAnchor": {kind: isText, from: 2020},
	"$id": {kind: isText, from: 6}, "id": {kind: isText, to: 4}, "$schema": {kind: isText}, "contentEncoding": {kind: isText, from: 7},
	"contentMediaType": {kind: isText, from: 7}, "description": {kind: isText}, "format": {kind: isText}, "pattern": {kind: isText}, "title": {kind: isText},
	"$ref": {kind: isRef}, "$dynamicRef": {kind: isRef, from: 2020},
	"required": {kind: isTexts}, "dependentRequired": {kind: isTextsMap, from: 2019},
	"deprecated": {kind: isBool, from: 2019}, "readOnly": {kind: isBool, from: 7}, "uniqueItems": {kind: isBool}, "writeOnly": {kind: isBool, from: 7},
	"$vocabulary": {kind: isBoolMap, from: 2019},
	"maxContains": {kind: isCount, from: 2019}, "maxItems": {kind: isCount}, "maxLength": {kind: isCount}, "maxProperties": {kind: isCount},
	"minContains": {kind: isCount, from: 2019}, "minItems": {kind: isCount}, "minLength": {kind: isCount}, "minProperties": {kind: isCount},
	"maximum": {kind: isNumber}, "minimum": {kind: isNumber}, "multipleOf": {kind: isPositive},
	"exclusiveMaximum": {kind: isLimit}, "exclusiveMinimum": {kind: isLimit},
	"enum": {kind: isList}, "examples": {kind: isList, from: 7},
}

// types are those that `type` may name.
var types = []string{"array", "boolean", "integer", "null", "number", "object", "string"}

// keyword checks the value of one keyword of the schema m.
func (c *checker) keyword(key string, r rule, m map[string]any, base *url.URL, depth int) {
	v := m[key]
	sub := func(v any) { c.schema(v, base, depth+1) }
	switch r.kind {
	case isSchema:
		if _, isBool := v.(bool); isBool && c.draft == 4 && strings.HasPrefix(key, "additional") {
			return
		}
		sub(v)
	case isSchemas:
		c.list(v, 1, sub)
	case isSchemaMap:
		c.entries(v, sub)
	case isItems:
		if list, ok := v.([]any); ok && c.draft < 2020 {
			c.list(list, 1, sub)
			return
		}
		sub(v)
	case isDependencies:
		c.entries(v, func(v any) {
			if _, ok := v.([]any); ok {
				c.texts(v, c.draft == 4)
				return
			}
			sub(v)
		})
	case isType:
		if _, ok := v.([]any); ok {
			c.list(v, 1, c.oneType)
			c.unique(v)
			return
		}
		c.oneType(v)
	case isText:
		c.isText(v)
	case isRef:
		if c.isText(v); c.fault == nil {
			c.refs = append(c.refs, reference{slices.Clone(c.path), base, v.(string)})
		}
	case isTexts:
		c.texts(v, c.draft == 4)
	case isTextsMap:
		c.entries(v, func(v any) { c.texts(v, false) })
	case isBool:
		c.isBool(v)
	case isBoolMap:
		c.entries(v, c.isBool)
	case isCount, isNumber, isPositive:
		c.number(r.kind, v)
	case isLimit:
		limit := strings.ToLower(key[len("exclusive"):len("exclusive")+1]) + key[len("exclusive")+1:]
		_, beside := m[limit]
		if c.draft == 4 {
			if c.isBool(v); !beside {
				c.report("this stands beside `%s`", limit)
			}
			return
		}
		c.number(isNumber, v)
	case isList:
		least := 0
		if key == "enum" && c.draft < 2019 {
			least = 1
		}
		if c.list(v, least, func(any) {}); key == "enum" && c.draft < 2019 {
			c.unique(v)
		}
	}
}

func (c *checker) isText(v any) {
	if _, ok := v.(string); !ok {
		c.want("a text", v)
	}
}

func (c *checker) isBool(v any) {
	if _, ok := v.(bool); !ok {
		c.want("true or false", v)
	}
}

func (c *checker) oneType(v any) {
	s, ok := v.(string)
	if !ok {
		c.want("a type or a list of types", v)
	} else if !slices.Contains(types, s) {
		c.report("this is no type: it must be one of %s", strings.Join(types, ", "))
	}
}

// list checks the items of a list of at least some.
func (c *checker) list(v any, least int, item func(any)) {
	list, ok := v.([]any)
	switch {
	case !ok:
		c.want("a list", v)
		return
	case len(list) < least:
		c.report("this list must not be empty")
	}
	for i, x := range list {
		c.at(strconv.Itoa(i), func() { item(x) })
	}
}

// entries checks the values of a map.
func (c *checker) entries(v any, value func(any)) {
	m, ok := v.(map[string]any)
	if !ok {
		c.want("a map", v)
		return
	}
	for _, key := range slices.Sorted(maps.Keys(m)) {
		c.at(key, func() { value(m[key]) })
	}
}

// texts checks a list of different texts.
func (c *checker) texts(v any, some bool) {
	least := 0
	if some {
		least = 1
	}
	c.list(v, least, c.isText)
	c.unique(v)
}

// unique reports equal items: of lists of texts, where they can be compared.
func (c *checker) unique(v any) {
	list, _ := v.([]any)
	seen := map[string]bool{}
	for _, x := range list {
		s, ok := x.(string)
		if ok && seen[s] {
			c.report("two items of this list are the same")
			return
		}
		seen[s] = true
	}
}

func (c *checker) number(k kind, v any) {
	var f float64
	switch x := v.(type) {
	case float64:
		f = x
	case json.Number:
		var err error
		if f, err = x.Float64(); err != nil && !math.IsInf(f, 0) {
			c.want("a number", v)
			return
		}
	default:
		c.want("a number", v)
		return
	}
	switch {
	case k == isCount && (f != math.Trunc(f) || f < 0):
		c.report("this must be a whole number from 0 on")
	case k == isPositive && f <= 0:
		c.report("this number must be greater than 0")
	}
}

// references looks up what each `$ref` leads to.
func (c *checker) references() {
	for _, r := range c.refs {
		u, err := r.base.Parse(r.to)
		if err != nil {
			c.fault = &Fault{Path: r.path, Message: "this is no reference"}
			return
		}
		fragment := u.Fragment
		u.Fragment, u.RawFragment = "", ""
		doc, ok := c.resources[u.String()]
		switch {
		case !ok && isDraft(u.String()): // the meta-schema itself
		case !ok:
			c.fault = &Fault{Path: r.path, Message: "this reference leads out of the schema, and nothing is fetched"}
			return
		case !leads(doc, fragment):
			c.fault = &Fault{Path: r.path, Message: "this reference leads nowhere in the schema"}
			return
		}
	}
}

func isDraft(s string) bool {
	_, ok := drafts[strings.Replace(s, "https:", "http:", 1)]
	return ok
}

// leads reports whether a fragment is a place of doc: a JSON pointer (RFC 6901), or
// the name of an anchor.
func leads(doc any, fragment string) bool {
	if fragment == "" {
		return true
	}
	if fragment[0] != '/' {
		return hasAnchor(doc, fragment, 0)
	}
	for _, key := range strings.Split(fragment[1:], "/") {
		key = strings.ReplaceAll(strings.ReplaceAll(key, "~1", "/"), "~0", "~")
		switch x := doc.(type) {
		case map[string]any:
			v, ok := x[key]
			if !ok {
				return false
			}
			doc = v
		case []any:
			i, err := strconv.Atoi(key)
			if err != nil || i < 0 || i >= len(x) {
				return false
			}
			doc = x[i]
		default:
			return false
		}
	}
	return true
}

func hasAnchor(doc any, name string, depth int) bool {
	if depth > maxDepth {
		return false
	}
	switch x := doc.(type) {
	case map[string]any:
		if x["$anchor"] == name || x["$dynamicAnchor"] == name || x["$id"] == "#"+name || x["id"] == "#"+name {
			return true
		}
		for _, v := range x {
			if hasAnchor(v, name, depth+1) {
				return true
			}
		}
	case []any:
		for _, v := range x {
			if hasAnchor(v, name, depth+1) {
				return true
			}
		}
	}
	return false
}
