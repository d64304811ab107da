package schema

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

func TestCheck(t *testing.T) {
	for _, c := range []struct{ schema, path, message string }{
		{`{}`, "", ""},
		{`true`, "", ""},
		{`{"type":"object","properties":{"a":{"type":["string","null"],"pattern":"(?<!x)\\p{L}"}},"required":["a"],"additionalProperties":false}`, "", ""},
		{`{"$ref":"#/$defs/n","$defs":{"n":{"type":"object","properties":{"kids":{"type":"array","items":{"$ref":"#/$defs/n"}}}}}}`, "", ""},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","definitions":{"a":{}},"properties":{"x":{"$ref":"#/definitions/a"}}}`, "", ""},
		{`{"type":"object","x-order":1,"properties":{"a":{"type":"string","example":"b"}}}`, "", ""},
		{`{"$ref":"#"}`, "", ""},
		{`{"type":"strin"}`, "type", "one of"},
		{`{"properties":{"a":{"type":"whole"}}}`, "properties/a/type", "one of"},
		{`{"properties":{"a":{"type":7}}}`, "properties/a/type", ""},
		{`{"properties":{"a":"string"}}`, "properties/a", "a text"},
		{`{"properties":[]}`, "properties", "must be a map"},
		{`{"properties":{"a":{"type":"string","required":true}}}`, "properties/a/required", "must be a list"},
		{`{"required":"a"}`, "required", "must be a list"},
		{`{"required":["a","a"]}`, "required", "same"},
		{`{"enum":5}`, "enum", "must be a list"},
		{`{"minLength":-1}`, "minLength", "from 0 on"},
		{`{"items":[{"type":"string"}]}`, "items", ""},
		{`{"anyOf":[]}`, "anyOf", "empty"},
		{`5`, "", "a number"},
		{`{"$ref":"#/$defs/none"}`, "$ref", "nowhere"},
		{`{"properties":{"a":{"$ref":"#none"}}}`, "properties/a/$ref", "nowhere"},
		{`{"properties":{"a":{"$ref":"https://example.com/a.json"}}}`, "properties/a/$ref", "nothing is fetched"},
		{`{"properties":{"a":{"$ref":"file:///etc/passwd"}}}`, "properties/a/$ref", "nothing is fetched"},
		{`{"properties":{"a":{"$ref":"other.json#/x"}}}`, "properties/a/$ref", "nothing is fetched"},
		{`{"$schema":"https://example.com/draft","type":"string"}`, "$schema", "not known"},
	} {
		d := json.NewDecoder(strings.NewReader(c.schema))
		d.UseNumber()
		var doc any
		if err := d.Decode(&doc); err != nil {
			t.Fatal(err)
		}
		f := Check(doc)
		switch {
		case f == nil && c.path+c.message != "":
			t.Errorf("%s is let pass", c.schema)
		case f == nil:
		case c.path+c.message == "":
			t.Errorf("%s: %v", c.schema, f)
		case strings.Join(f.Path, "/") != c.path || !strings.Contains(f.Message, c.message):
			t.Errorf("%s: %q at %q, want %q at %q", c.schema, f.Message, strings.Join(f.Path, "/"), c.message, c.path)
		}
	}
}

// The library that is the oracle: it fetches nothing, and looks into no pattern.
type noLoader struct{}

func (noLoader) Load(string) (any, error) { return nil, errors.New("nothing is fetched") }

type pattern string

func (p pattern) String() string        { return string(p) }
func (pattern) MatchString(string) bool { return true }

func oracle(t *testing.T, doc any) error {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.UseLoader(noLoader{})
	c.UseRegexpEngine(func(s string) (jsonschema.Regexp, error) { return pattern(s), nil })
	if err := c.AddResource("schema:///", doc); err != nil {
		t.Fatal(err)
	}
	_, err := c.Compile("schema:///")
	return err
}

// TestOracle holds random schemas, of which about half are at fault, against a
// library's verdict.
func TestOracle(t *testing.T) {
	names := []string{"additionalItems", "dependencies", "definitions"} // and all others
	for name := range rules {
		switch name {
		case "$vocabulary", "$schema", "$id", "id", "$dynamicRef", "$dynamicAnchor", "$anchor", "$comment", "contentSchema":
		default:
			names = append(names, name)
		}
	}
	slices.Sort(names)
	r := rand.New(rand.NewPCG(1, 2))
	good, bad := 0, 0
	for n := range 6000 {
		g := generator{r: r, names: names}
		doc := g.schema(0)
		if m, ok := doc.(map[string]any); ok && n%3 == 0 {
			m["$schema"] = []string{"http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2019-09/schema", "http://json-schema.org/draft-06/schema", "http://json-schema.org/draft-04/schema#"}[n/3%4]
		}
		fault, err := Check(doc), oracle(t, doc)
		if err == nil && fault != nil && strings.Contains(fault.Message, "reference") {
			continue // the library does not look at keywords that have no effect, such as an `else` alone
		}
		if (fault == nil) != (err == nil) {
			text, _ := json.Marshal(doc)
			t.Fatalf("%s:\nhere %v, the library %v", text, fault, err)
		}
		if fault == nil {
			good++
		} else {
			bad++
		}
	}
	if good < 1000 || bad < 1000 {
		t.Errorf("%d schemas are good and %d bad", good, bad)
	}
}

// generator makes schemas whose keywords have mostly values that suit them.
type generator struct {
	r     *rand.Rand
	names []string
}

func (g *generator) pick(list ...any) any { return list[g.r.IntN(len(list))] }

func (g *generator) schema(depth int) any {
	if depth > 3 || g.r.IntN(8) == 0 {
		return g.pick(map[string]any{}, true, map[string]any{"type": "string"}, map[string]any{"type": "string"})
	}
	m := map[string]any{}
	for range g.r.IntN(3) + 1 {
		name := g.names[g.r.IntN(len(g.names))]
		if m[name] = g.value(rules[name].kind, depth); g.r.IntN(40) == 0 {
			m[name] = g.pick("x", 1.0, -1.0, 0.5, nil, true, []any{}, []any{"a", "a"}, []any{1.0}, map[string]any{}, map[string]any{"a": 1.0})
		}
	}
	return m
}

func (g *generator) value(k kind, depth int) any {
	switch k {
	case isSchemas:
		return []any{g.schema(depth + 1), g.schema(depth + 1)}
	case isSchemaMap:
		return map[string]any{"a": g.schema(depth + 1), "b": g.schema(depth + 1)}
	case isDependencies:
		return map[string]any{"a": g.pick(g.schema(depth+1), []any{"b"})}
	case isType:
		return g.pick("string", "object", []any{"string", "null"}, "whole", []any{"string", "string"}, "array", "number")
	case isText:
		return "a"
	case isRef:
		return g.pick("#", "#", "#/properties/a", "#none", "other.json", "#/a~1b")
	case isTexts:
		return g.pick([]any{"a", "b"}, []any{"a"}, []any{"a", "a"}, []any{})
	case isTextsMap:
		return map[string]any{"a": []any{"b"}}
	case isBool:
		return true
	case isCount:
		return g.pick(0.0, 3.0, 3.0, 3.0, 1.5)
	case isNumber, isPositive:
		return g.pick(1.5, 2.0)
	case isLimit:
		return g.pick(1.0, 2.0, true)
	case isList:
		return g.pick([]any{"a", 1.0}, []any{nil}, []any{"a"})
	}
	return g.schema(depth + 1)
}
