package message

import (
	"fmt"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/vm"
)

// Request is a whole request to a model, for any provider. Body writes it as the
// provider's API takes it, FromBody reads it back.
type Request struct {
	Model    string
	Messages []vm.Message
	Tools    []Tool
	// ToolChoice is nil where the request does not say.
	ToolChoice *ToolChoice
	// Parameters are by the names of OpenAI's chat completions API: max_tokens,
	// temperature, top_p, top_k, stop, seed, frequency_penalty, presence_penalty,
	// parallel_tool_calls, and what one provider alone has. Nil is none.
	Parameters *vm.Map
	// Output is the form of the answer; nil is text.
	Output *Output
}

// Tool is a function that the model may call.
type Tool struct {
	Name, Description string
	// Parameters is a JSON Schema of an object; null where the tool takes none.
	Parameters vm.Value
	// Strict asks that arguments keep to the schema; nil is the provider's default.
	Strict *bool
	// at is the place of the tool's fields in the request, for errors.
	at string
}

// ToolChoice says whether the model is to call a tool: Mode is auto, none, required,
// or tool, which is the one called Name.
type ToolChoice struct{ Mode, Name string }

// Output is a JSON Schema that the answer keeps to.
type Output struct {
	Name, Description string
	Schema            vm.Value
	Strict            *bool
}

// faultAt is the error of what stands at a place of a request.
func faultAt(code diag.Code, at, format string, args ...any) *diag.Diagnostic {
	d := diag.New(code, nil, source.Span{}, "%s: %s", at, fmt.Sprintf(format, args...))
	d.Severity = diag.Error
	return d
}

// requestKeys are the keys of a request in the form that ParseRequest reads.
var requestKeys = []string{"model", "messages", "tools", "tool_choice", "parameters", "output"}

// ParseRequest reads a request: a map with `messages` in the form that Parse reads,
// and where they are wanted `model`, `tools`, `tool_choice`, `parameters` and `output`.
// A tool is in OpenAI's form, {type: function, function: {name, description,
// parameters, strict}}, or in that of the Model Context Protocol, {name, description,
// inputSchema}. The choice is auto, none, required, {name: …}, or OpenAI's. The
// output is {name, schema, strict}. Null is as if it were absent.
func ParseRequest(v vm.Value) (*Request, error) {
	if !v.IsMapping() {
		return nil, faultAt("PCC371", "request", "a request is a map, and this is %s", v.Kind().Noun()).
			WithHelp(`write {"model": …, "messages": [{"role": "user", "content": …}]}`)
	}
	e, err := reader().Entries(v)
	if err != nil {
		return nil, err
	}
	r := &Request{}
	messages := false
	for i := range e.Len() {
		k, x := e.At(i)
		key, _ := k.Str()
		if x.IsMissing() {
			continue
		}
		var err error
		switch key {
		case "model":
			r.Model, err = textAt(x, key)
		case "messages":
			messages = true
			r.Messages, err = Parse(x)
		case "tools":
			r.Tools, err = readTools(x)
		case "tool_choice":
			r.ToolChoice, err = readChoice(x)
		case "parameters":
			r.Parameters, err = readParameters(x)
		case "output":
			r.Output, err = readOutput(x)
		default:
			d := faultAt("PCC371", diag.ClipName(key), "a request has no key of this name").WithNames(key).
				WithHelp("the keys are %s; further parameters stand under `parameters`", diag.QuotedList(requestKeys))
			if near, ok := diag.Near(key, requestKeys); ok {
				d.Help = "did you mean `" + near + "`?"
			}
			err = d
		}
		if err != nil {
			return nil, err
		}
	}
	if !messages {
		return nil, faultAt("PCC371", "messages", "the request has none").WithHelp(`give a list such as [{"role": "user", "content": "Hi"}]`)
	}
	return r, r.check()
}

// check holds the parts of a request against each other.
func (r *Request) check() error {
	names := map[string]bool{}
	for i := range r.Tools {
		t := &r.Tools[i]
		if names[t.Name] {
			return faultAt("PCC371", t.at+".name", "two tools have the name %q", diag.ClipName(t.Name)).WithHelp("give each tool a name of its own")
		}
		names[t.Name] = true
	}
	if c := r.ToolChoice; c != nil {
		switch {
		case c.Mode == "tool" && !names[c.Name]:
			return faultAt("PCC371", "tool_choice.name", "the request has no tool %q", diag.ClipName(c.Name)).WithHelp("name one of `tools`")
		case c.Mode == "required" && len(r.Tools) == 0:
			return faultAt("PCC371", "tool_choice", "the request has no tools").WithHelp("give `tools`, or leave `tool_choice` out")
		}
	}
	return nil
}

// Value is the request in the form that ParseRequest reads.
func (r *Request) Value() vm.Value {
	out := vm.NewMap(6)
	if r.Model != "" {
		out.Set("model", vm.String(r.Model))
	}
	out.Set("messages", vm.ListOf(values(r.Messages)))
	if len(r.Tools) > 0 {
		out.Set("tools", openAITools(r.Tools))
	}
	if c := r.ToolChoice; c != nil {
		out.Set("tool_choice", c.value(mapOf("name", c.Name)))
	}
	if r.Parameters != nil && r.Parameters.Len() > 0 {
		out.Set("parameters", vm.MapOf(r.Parameters))
	}
	if o := r.Output; o != nil {
		out.Set("output", o.value(o.Name))
	}
	return vm.MapOf(out)
}

// textAt is a text of the request.
func textAt(v vm.Value, at string) (string, error) {
	s, ok := v.Str()
	if !ok {
		return "", faultAt("PCC371", at, "this is a text, and not %s", v.Kind().Noun()).WithHelp("put it in quotes")
	}
	return s, nil
}

// flagAt is true or false, nil where it is absent.
func flagAt(v vm.Value, at string) (*bool, error) {
	if v.IsMissing() {
		return nil, nil
	}
	b, ok := v.AsBool()
	if !ok {
		return nil, faultAt("PCC371", at, "this is true or false, and not %s", v.Kind().Noun()).WithHelp("write true or false without quotes")
	}
	return &b, nil
}
