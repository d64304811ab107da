// Package openaiparams gives requests that PCC rendered as the parameters that the
// client of github.com/openai/openai-go takes.
package openaiparams

import (
	"encoding/json"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/responses"

	"github.com/pcc-lang/pcc/contrib/sdk/internal/body"
	"github.com/pcc-lang/pcc/prompt"
)

// Chat gives a request as the parameters of Client.Chat.Completions.New. What the API
// cannot say is an error with its place in the request, and so is what the types of the
// SDK have no field for. Whether the answer is streamed is the choice of the method that
// is called: leave `stream` out of the request.
func Chat(r *prompt.Request, o prompt.FormatOptions) (p openai.ChatCompletionNewParams, err error) {
	text, err := body.Of(r, "openai", o)
	if err != nil {
		return p, err
	}
	// The decoder of the SDK takes a chosen function for a list of allowed ones.
	err = body.Decode(text, &p, func() {
		if c := r.ToolChoice; c != nil && c.Mode == "tool" {
			p.ToolChoice = openai.ChatCompletionToolChoiceOptionUnionParam{OfFunctionToolChoice: &openai.ChatCompletionNamedToolChoiceParam{
				Function: openai.ChatCompletionNamedToolChoiceFunctionParam{Name: c.Name}}}
		}
	})
	return p, err
}

// Responses gives a request as the parameters of Client.Responses.New, as Chat does.
//
// The decoder of the SDK tells items by their type: messages get `type: "message"`,
// which the API takes to stand there anyway.
func Responses(r *prompt.Request, o prompt.FormatOptions) (p responses.ResponseNewParams, err error) {
	text, err := body.Of(r, "responses", o)
	if err != nil {
		return p, err
	}
	if text, err = typed(text); err != nil {
		return p, err
	}
	// As for chat completions.
	err = body.Decode(text, &p, func() {
		if c := r.ToolChoice; c != nil && c.Mode == "tool" {
			p.ToolChoice = responses.ResponseNewParamsToolChoiceUnion{OfFunctionTool: &responses.ToolChoiceFunctionParam{Name: c.Name}}
		}
	})
	return p, err
}

// typed gives each item of the input a type.
func typed(text []byte) ([]byte, error) {
	var request map[string]json.RawMessage
	if err := json.Unmarshal(text, &request); err != nil {
		return nil, err
	}
	var items []map[string]json.RawMessage
	if err := json.Unmarshal(request["input"], &items); err != nil {
		return nil, err
	}
	for _, item := range items {
		if _, ok := item["type"]; !ok {
			item["type"] = json.RawMessage(`"message"`)
		}
	}
	var err error
	if request["input"], err = json.Marshal(items); err != nil {
		return nil, err
	}
	return json.Marshal(request)
}
