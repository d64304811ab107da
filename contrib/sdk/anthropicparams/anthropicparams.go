// Package anthropicparams gives requests that PCC rendered as the parameters that the
// client of github.com/anthropics/anthropic-sdk-go takes.
package anthropicparams

import (
	"encoding/json"

	"github.com/anthropics/anthropic-sdk-go/v2"

	"github.com/pcc-lang/pcc/contrib/sdk/internal/body"
	"github.com/pcc-lang/pcc/prompt"
)

// Messages gives a request as the parameters of Client.Messages.New. What the API
// cannot say is an error with its place in the request, and so is what the types of the
// SDK have no field for. Whether the answer is streamed is the choice of the method that
// is called: leave `stream` out of the request.
//
// The types of the SDK hold lists of blocks where the API also takes a text; a text
// becomes a list of one text block, which is the same to the API.
func Messages(r *prompt.Request, o prompt.FormatOptions) (p anthropic.MessageNewParams, err error) {
	err = decode(r, o, &p)
	return p, err
}

// Beta gives a request as the parameters of Client.Beta.Messages.New, which has the
// parameters `mcp_servers` and `context_management`, as Messages does.
func Beta(r *prompt.Request, o prompt.FormatOptions) (p anthropic.BetaMessageNewParams, err error) {
	err = decode(r, o, &p)
	return p, err
}

func decode(r *prompt.Request, o prompt.FormatOptions, params any) error {
	text, err := body.Of(r, "anthropic", o)
	if err != nil {
		return err
	}
	if text, err = inBlocks(text); err != nil {
		return err
	}
	return body.Decode(text, params, nil)
}

type object = map[string]json.RawMessage

// inBlocks writes a body with lists of blocks in place of texts.
func inBlocks(text []byte) ([]byte, error) {
	var request object
	if err := json.Unmarshal(text, &request); err != nil {
		return nil, err
	}
	if err := list(request, "system"); err != nil {
		return nil, err
	}
	err := each(request, "messages", func(message object) error {
		if err := list(message, "content"); err != nil {
			return err
		}
		return each(message, "content", func(block object) error {
			if string(block["type"]) != `"tool_result"` {
				return nil
			}
			return list(block, "content")
		})
	})
	if err != nil {
		return nil, err
	}
	return json.Marshal(request)
}

// list makes a text under a key a list of one block, an empty one a list of none.
func list(o object, key string) error {
	var text string
	if raw := o[key]; len(raw) == 0 || raw[0] != '"' {
		return nil
	} else if err := json.Unmarshal(raw, &text); err != nil {
		return err
	}
	blocks := []map[string]string{}
	if text != "" {
		blocks = append(blocks, map[string]string{"type": "text", "text": text})
	}
	raw, err := json.Marshal(blocks)
	o[key] = raw
	return err
}

// each changes the objects of a list under a key.
func each(o object, key string, change func(object) error) error {
	var items []object
	if err := json.Unmarshal(o[key], &items); err != nil {
		return err
	}
	for _, item := range items {
		if err := change(item); err != nil {
			return err
		}
	}
	raw, err := json.Marshal(items)
	o[key] = raw
	return err
}
