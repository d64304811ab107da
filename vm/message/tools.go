package message

import (
	"fmt"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/vm"
)

// This file reads and writes the tools of a request, the choice among them, and the
// schema of the answer.

const toolsHelp = "write {type: function, function: {name: …, description: …, parameters: {type: object, properties: {…}}}}"

// fields goes over the entries of a map at a place, with those of `known` names; an
// entry of another name is an error.
func fields(v vm.Value, at, help string, known map[string]func(x vm.Value, at string) error) error {
	if !v.IsMapping() {
		return faultAt("PCC371", at, "this is a map, and not %s", v.Kind().Noun()).WithHelp("%s", help)
	}
	e, err := reader().Entries(v)
	if err != nil {
		return err
	}
	names := make([]string, 0, len(known))
	for name := range known {
		names = append(names, name)
	}
	for i := range e.Len() {
		k, x := e.At(i)
		key, _ := k.Str()
		if x.IsMissing() {
			continue
		}
		read, ok := known[key]
		if !ok {
			d := faultAt("PCC371", at+"."+diag.ClipName(key), "there is no key of this name here").WithNames(key).WithHelp("%s", help)
			if near, ok := diag.Near(key, names); ok {
				d.Help = "did you mean `" + near + "`?"
			}
			return d
		}
		if read == nil {
			continue
		}
		if err := read(x, at+"."+key); err != nil {
			return err
		}
	}
	return nil
}

// into stores a text.
func into(to *string) func(vm.Value, string) error {
	return func(x vm.Value, at string) (err error) {
		*to, err = textAt(x, at)
		return err
	}
}

// flagInto stores true or false.
func flagInto(to **bool) func(vm.Value, string) error {
	return func(x vm.Value, at string) (err error) {
		*to, err = flagAt(x, at)
		return err
	}
}

// schemaInto stores a JSON Schema; of an object where object is set.
func schemaInto(to *vm.Value, object bool) func(vm.Value, string) error {
	return func(x vm.Value, at string) error {
		if !x.IsMapping() {
			return faultAt("PCC371", at, "a JSON Schema is a map, and not %s", x.Kind().Noun()).WithHelp("write {type: object, properties: {…}}")
		}
		if typ, ok := lookupText(x, "type"); object && ok && typ != "object" {
			return faultAt("PCC371", at+".type", "the arguments of a tool are an object, and not of the type %q", diag.ClipName(typ)).
				WithHelp("write `type: object`, and the argument under `properties`")
		}
		*to = x
		return nil
	}
}

func readTools(v vm.Value) ([]Tool, error) {
	if !v.IsSequence() {
		return nil, faultAt("PCC371", "tools", "the tools are a list, and this is %s", v.Kind().Noun()).WithHelp(toolsHelp)
	}
	items, err := reader().Items(v)
	if err != nil {
		return nil, err
	}
	out := make([]Tool, len(items))
	for i, item := range items {
		if err := out[i].read(item, fmt.Sprintf("tools[%d]", i)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// read takes a tool in OpenAI's form, or in that of the Model Context Protocol
// (https://modelcontextprotocol.io/specification, Tool).
func (t *Tool) read(v vm.Value, at string) error {
	t.at = at
	function := func(x vm.Value, at string) error {
		t.at = at
		return fields(x, at, toolsHelp, map[string]func(vm.Value, string) error{
			"name": into(&t.Name), "description": into(&t.Description), "strict": flagInto(&t.Strict), "parameters": schemaInto(&t.Parameters, true)})
	}
	known := map[string]func(vm.Value, string) error{
		"type": func(x vm.Value, at string) error {
			if typ, err := textAt(x, at); err != nil || typ != "function" {
				return faultAt("PCC371", at, "a tool of a request is a function").WithHelp(toolsHelp)
			}
			return nil
		},
		"function": function,
	}
	if _, nested := vm.Lookup(v, "function"); !nested {
		known["name"], known["description"], known["strict"] = into(&t.Name), into(&t.Description), flagInto(&t.Strict)
		known["inputSchema"], known["parameters"] = schemaInto(&t.Parameters, true), schemaInto(&t.Parameters, true)
		delete(known, "function")
		for _, told := range []string{"title", "annotations", "outputSchema", "_meta", "icons"} { // for the client, not the model
			known[told] = nil
		}
	}
	if err := fields(v, at, toolsHelp, known); err != nil {
		return err
	}
	if t.Name == "" {
		return faultAt("PCC371", t.at+".name", "the tool has no name").WithHelp(toolsHelp)
	}
	return nil
}

const choiceHelp = "write auto, none, required, or {name: …}"

func readChoice(v vm.Value) (*ToolChoice, error) {
	if mode, ok := v.Str(); ok {
		switch mode {
		case "auto", "none", "required":
			return &ToolChoice{Mode: mode}, nil
		}
		return nil, faultAt("PCC371", "tool_choice", "there is no choice %q", diag.ClipName(mode)).WithHelp(choiceHelp)
	}
	c := &ToolChoice{Mode: "tool"}
	err := fields(v, "tool_choice", choiceHelp, map[string]func(vm.Value, string) error{
		"type": nil, "name": into(&c.Name),
		"function": func(x vm.Value, at string) error {
			return fields(x, at, choiceHelp, map[string]func(vm.Value, string) error{"name": into(&c.Name)})
		},
	})
	if err == nil && c.Name == "" {
		err = faultAt("PCC371", "tool_choice.name", "the choice names no tool").WithHelp(choiceHelp)
	}
	return c, err
}

// value is the choice as most forms have it: a word, or what names a tool.
func (c *ToolChoice) value(tool vm.Value) vm.Value {
	if c.Mode == "tool" {
		return tool
	}
	return vm.String(c.Mode)
}

const outputHelp = "write {name: …, schema: {type: object, properties: {…}}, strict: true}"

func readOutput(v vm.Value) (*Output, error) {
	o := &Output{}
	err := fields(v, "output", outputHelp, map[string]func(vm.Value, string) error{
		"name": into(&o.Name), "description": into(&o.Description), "strict": flagInto(&o.Strict), "schema": schemaInto(&o.Schema, false)})
	if err == nil && o.Schema.IsNull() {
		err = faultAt("PCC371", "output.schema", "the output has no schema").WithHelp(outputHelp)
	}
	return o, err
}

// value is the output with the keys that OpenAI's forms share.
func (o *Output) value(name string) vm.Value {
	out := vm.NewMap(4)
	if name != "" {
		out.Set("name", vm.String(name))
	}
	if o.Description != "" {
		out.Set("description", vm.String(o.Description))
	}
	out.Set("schema", o.Schema)
	if o.Strict != nil {
		out.Set("strict", vm.Bool(*o.Strict))
	}
	return vm.MapOf(out)
}

// named is the name that OpenAI's APIs want of every schema.
func (o *Output) named() string {
	if o.Name == "" {
		return "output"
	}
	return o.Name
}

// declared is the tool's name, and its description where it has one.
func (t *Tool) declared() *vm.Map {
	out := vm.NewMap(4)
	out.Set("name", vm.String(t.Name))
	if t.Description != "" {
		out.Set("description", vm.String(t.Description))
	}
	return out
}

// schema is that of the arguments, for APIs that want one of every tool.
func (t *Tool) schema() vm.Value {
	if t.Parameters.IsNull() {
		return mapOf("type", "object", "properties", vm.MapOf(vm.NewMap(0)))
	}
	return t.Parameters
}

func (t *Tool) strict() bool { return t.Strict != nil && *t.Strict }

// openAITools are the tools in the form of the chat completions API.
func openAITools(tools []Tool) vm.Value {
	out := make([]vm.Value, len(tools))
	for i := range tools {
		t := &tools[i]
		f := t.declared()
		if !t.Parameters.IsNull() {
			f.Set("parameters", t.Parameters)
		}
		if t.Strict != nil {
			f.Set("strict", vm.Bool(*t.Strict))
		}
		out[i] = mapOf("type", "function", "function", vm.MapOf(f))
	}
	return vm.ListOf(out)
}
