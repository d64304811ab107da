package chat

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	json2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/pcc-lang/pcc/ast/diag"
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
	left := maxValues
	for _, f := range []struct {
		key string
		v   any
	}{{"messages", r.Messages}, {"tools", r.Tools}, {"documents", r.Documents}} {
		if f.v == nil && f.key != "messages" {
			continue
		}
		v, err := toValue(f.v, f.key, &left)
		if err != nil {
			return nil, err
		}
		m.Set(f.key, v)
	}
	for _, key := range slices.Sorted(maps.Keys(r.Variables)) {
		v, err := toValue(r.Variables[key], key, &left)
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
func toValue(x any, path string, left *int) (vm.Value, error) {
	switch x := x.(type) {
	case nil:
		return vm.Null, nil
	case vm.Value:
		return x, nil
	case *vm.Map:
		return vm.MapOf(x), nil
	case json.RawMessage:
		return decode(x, path, left)
	case []byte:
		return decode(x, path, left)
	case string:
		return vm.String(x), nil
	case bool:
		return vm.Bool(x), nil
	}
	if raw, ok := x.(jsontext.Value); ok { // from Go 1.27 on a json.RawMessage
		return decode(raw, path, left)
	}
	var b bounded
	err := json2.MarshalWrite(&b, x, json2.Deterministic(true), json2.WithMarshalers(ownMarshalers))
	if errors.Is(err, errTooLong) {
		d := fault("PCC912", "`%s` of the request is longer than %d bytes as JSON", path, maxEncoded)
		d.Help = "split the request, or give less; values that are shared are written as often as they are used"
		return vm.Null, diag.List{d}
	}
	if err != nil {
		d := fault("PCC371", "`%s` of the request cannot be written as JSON", path+pointed(err))
		d.Help = "give maps, lists, structs, texts in UTF-8, finite numbers, booleans or raw JSON, without cycles"
		d.Cause = err
		return vm.Null, diag.List{d}
	}
	return decode(b.Bytes(), path, left)
}

// ownMarshalers writes the values of this module inside others.
var ownMarshalers = json2.JoinMarshalers(
	json2.MarshalToFunc(func(e *jsontext.Encoder, v vm.Value) error {
		return writeOwn(e, v)
	}),
	json2.MarshalToFunc(func(e *jsontext.Encoder, m *vm.Map) error {
		return writeOwn(e, vm.MapOf(m))
	}),
)

// writeOwn writes a value under the limits of a render: one that is too deep, or
// contains itself, is an error.
func writeOwn(e *jsontext.Encoder, v vm.Value) error {
	limits := vm.DefaultLimits()
	limits.Steps, limits.Memory = maxEncoded, 4*maxEncoded
	b, err := vm.NewEnv(&vm.Dialect{Python: true}, limits).JSON(nil, v, vm.JSONOptions{Python: true})
	if err != nil {
		return err
	}
	return e.WriteValue(b)
}

// pointed is the path of the value that cannot be written, where the encoder
// tells it.
func pointed(err error) string {
	var at jsontext.Pointer
	var semantic *json2.SemanticError
	var syntactic *jsontext.SyntacticError
	switch {
	case errors.As(err, &semantic):
		at = semantic.JSONPointer
	case errors.As(err, &syntactic):
		at = syntactic.JSONPointer
	}
	var path strings.Builder
	n := 0
	for token := range at.Tokens() {
		if n++; n > 64 {
			break // of values that contain themselves
		}
		if _, err := strconv.Atoi(token); err == nil {
			path.WriteString("[" + token + "]")
		} else {
			path.WriteString("." + diag.ClipName(token))
		}
	}
	return path.String()
}

// decode reads JSON of the request. left is what the values of one request may
// still take in memory together. The error shows nothing of the data.
func decode(b []byte, path string, left *int) (vm.Value, error) {
	v, err := vm.DecodeJSON(b, vm.DecodeOptions{Memory: left})
	if err != nil {
		d := decodeFault(nil, err)
		where := "the request"
		if path != "" {
			where = "`" + path + "` of the request"
		}
		d.Message = where + ": " + d.Message
		return vm.Null, diag.List{d}
	}
	return v, nil
}

// maxValues is the memory in bytes that the decoded values of one request may take.
const maxValues = 256 << 20

// maxEncoded is the longest JSON that Go values of a request may become.
const maxEncoded = 64 << 20

// bounded holds what is written up to a length.
type bounded struct{ bytes.Buffer }

var errTooLong = errors.New("the JSON of the values is longer than 64 MiB")

func (b *bounded) Write(p []byte) (int, error) {
	if b.Len()+len(p) > maxEncoded {
		return 0, errTooLong
	}
	return b.Buffer.Write(p)
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
	path := func() string { return fmt.Sprintf("messages[%d]", i) } // of what is wrong only
	if !m.IsMapping() {
		return wrongType(path(), "an object", m)
	}
	role, ok := vm.Lookup(m, "role")
	if !ok {
		d := fault("PCC371", "`%s` of the request has no `role`", path())
		d.Help = `give each message a role: {"role": "user", "content": …}`
		return diag.List{d}
	}
	if _, ok := role.Str(); !ok {
		return wrongType(path()+".role", "a text", role)
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
