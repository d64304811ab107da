package chat

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	json2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/vm"
)

// Request is a chat request as Go values. Each field may be raw JSON
// (json.RawMessage, jsontext.Value, or []byte of JSON), a vm.Value or *vm.Map,
// or anything that encodes to JSON: structs with json tags, maps, slices, and
// raw JSON anywhere inside them. Raw JSON and structs keep the order of keys;
// Go's maps have none and are given in alphabetical order.
type Request struct {
	// Messages is a list of maps with a role each: [{"role": …, "content": …}].
	Messages any
	// Tools and Documents are lists, or nil.
	Tools, Documents any
	// AddGenerationPrompt appends what begins the model's answer.
	AddGenerationPrompt bool
	// ContinueFinalMessage ends the prompt inside the text of the last
	// message, so that the model goes on with it.
	ContinueFinalMessage bool
	// Template names one of several templates; "" chooses as transformers does.
	Template string
	// Variables are what else the template reads, such as enable_thinking. They
	// go before the special tokens of the tokenizer.
	Variables map[string]any
}

// value makes a request of r as if it had come as JSON.
func (r Request) value() (*vm.Map, error) {
	m := vm.NewMap(8)
	for _, f := range []struct {
		key string
		v   any
	}{{"messages", r.Messages}, {"tools", r.Tools}, {"documents", r.Documents}} {
		if f.v == nil && f.key != "messages" {
			continue
		}
		v, err := toValue(f.v, f.key)
		if err != nil {
			return nil, err
		}
		m.Set(f.key, v)
	}
	for _, key := range slices.Sorted(maps.Keys(r.Variables)) {
		v, err := toValue(r.Variables[key], key)
		if err != nil {
			return nil, err
		}
		m.Set(key, v)
	}
	m.Set("add_generation_prompt", vm.Bool(r.AddGenerationPrompt))
	if r.ContinueFinalMessage {
		m.Set("continue_final_message", vm.Bool(true))
	}
	return m, nil
}

// toValue is the JSON value that x stands for. path names it in errors.
func toValue(x any, path string) (vm.Value, error) {
	switch x := x.(type) {
	case nil:
		return vm.Null, nil
	case vm.Value:
		return x, nil
	case *vm.Map:
		return vm.MapOf(x), nil
	case json.RawMessage:
		return decode(x, path)
	case []byte:
		return decode(x, path)
	case string:
		return vm.String(x), nil
	case bool:
		return vm.Bool(x), nil
	}
	if raw, ok := x.(jsontext.Value); ok { // from Go 1.27 on a json.RawMessage
		return decode(raw, path)
	}
	b, err := json2.Marshal(x, json2.Deterministic(true), json2.WithMarshalers(ownMarshalers))
	if err != nil {
		d := fault("PCC371", "`%s` of the request cannot be written as JSON", path)
		d.Help = "give maps, lists, structs, texts, numbers, booleans or raw JSON, without cycles"
		d.Cause = err
		return vm.Null, diag.List{d}
	}
	return decode(b, path)
}

// ownMarshalers writes the values of this module inside others.
var ownMarshalers = json2.JoinMarshalers(
	json2.MarshalToFunc(func(e *jsontext.Encoder, v vm.Value) error {
		return e.WriteValue(vm.AppendJSON(nil, v, vm.JSONOptions{Python: true}))
	}),
	json2.MarshalToFunc(func(e *jsontext.Encoder, m *vm.Map) error {
		return e.WriteValue(vm.AppendJSON(nil, vm.MapOf(m), vm.JSONOptions{Python: true}))
	}),
)

func decode(b []byte, path string) (vm.Value, error) {
	v, err := vm.DecodeJSON(b, vm.DecodeOptions{})
	if err != nil {
		return vm.Null, diag.List{decodeFault(source.New("request "+path, string(b)), err)}
	}
	return v, nil
}

// order is what a request asks for besides the template's variables.
type order struct {
	vars     *vm.Map
	messages *vm.List
	tools    bool
	cont     bool
}

// read checks a request and sorts it out. The keys are those of transformers'
// apply_chat_template and of OpenAI's requests; what chat_template_kwargs holds
// counts as if it stood at the top, as in vLLM.
func read(m *vm.Map) (o order, err error) {
	o.vars = vm.NewMap(m.Len() + 4)
	for i := range m.Len() {
		k, v := m.At(i)
		key, _ := k.Str()
		switch key {
		case "chat_template_kwargs":
			kwargs, ok := v.Map()
			if !ok && !v.IsNull() {
				return o, wrongType(key, "an object", v)
			}
			for j := 0; ok && j < kwargs.Len(); j++ {
				name, value := kwargs.At(j)
				o.vars.Put(name, value)
			}
		case "continue_final_message":
			if o.cont, err = flag(key, v); err != nil {
				return o, err
			}
		case "add_generation_prompt":
			on, err := flag(key, v)
			if err != nil {
				return o, err
			}
			o.vars.Set(key, vm.Bool(on))
		default:
			o.vars.Put(k, v)
		}
	}
	for _, key := range []string{"messages", "tools", "documents"} {
		v, ok := o.vars.Get(key)
		if !ok || v.IsNull() {
			continue
		}
		list, isList := v.List()
		if !isList {
			return o, wrongType(key, "a list", v)
		}
		switch key {
		case "messages":
			o.messages = list
		case "tools":
			o.tools = true
		}
	}
	if o.messages == nil {
		return o, noMessages(m)
	}
	for i, message := range o.messages.Items {
		if err := checkMessage(message, i); err != nil {
			return o, err
		}
	}
	return o, nil
}

// flag is a boolean of a request; null is false.
func flag(key string, v vm.Value) (bool, error) {
	if b, ok := v.AsBool(); ok {
		return b, nil
	}
	if v.IsNull() {
		return false, nil
	}
	return false, wrongType(key, "true or false", v)
}

func checkMessage(m vm.Value, i int) error {
	path := fmt.Sprintf("messages[%d]", i)
	if !m.IsMapping() {
		return wrongType(path, "an object", m)
	}
	role, ok := vm.Lookup(m, "role")
	if !ok {
		d := fault("PCC371", "`%s` of the request has no `role`", path)
		d.Help = `give each message a role: {"role": "user", "content": …}`
		return diag.List{d}
	}
	if _, ok := role.Str(); !ok {
		return wrongType(path+".role", "a text", role)
	}
	return nil
}

func wrongType(path, want string, v vm.Value) error {
	d := fault("PCC371", "`%s` of the request must be %s, and is of type %s", path, want, v.Kind())
	d.Help = "correct the request: " + path + " takes " + want
	return diag.List{d}
}

func noMessages(m *vm.Map) error {
	d := fault("PCC371", "the request has no `messages`")
	d.Help = `give a list such as "messages": [{"role": "user", "content": "Hi"}]`
	var names []string
	for i := range m.Len() {
		k, _ := m.At(i)
		if s, ok := k.Str(); ok {
			names = append(names, s)
		}
	}
	if near, ok := diag.Near("messages", names); ok {
		d.Help = "did you mean `messages` by `" + near + "`?"
	}
	return diag.List{d}
}
