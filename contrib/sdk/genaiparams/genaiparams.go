// Package genaiparams gives requests that PCC rendered as the parameters that the
// client of google.golang.org/genai takes.
package genaiparams

import (
	"bytes"
	"encoding/json"

	"google.golang.org/genai"

	"github.com/pcc-lang/pcc/contrib/sdk/internal/body"
	"github.com/pcc-lang/pcc/prompt"
)

// Content gives a request as the contents and the configuration that
// Client.Models.GenerateContent takes beside r.Model. What the API cannot say, and a
// parameter that the SDK does not know, is an error.
func Content(r *prompt.Request, o prompt.FormatOptions) ([]*genai.Content, *genai.GenerateContentConfig, error) {
	text, err := body.Of(r, "gemini", o)
	if err != nil {
		return nil, nil, err
	}
	// The configuration of the SDK holds what the body has in generationConfig, and
	// of what stands beside that all but the contents: generateContentConfigToMldev
	// of the SDK moves it to its places.
	config := &genai.GenerateContentConfig{}
	parts := struct {
		Contents          []*genai.Content             `json:"contents"`
		SystemInstruction **genai.Content              `json:"systemInstruction"`
		Tools             *[]*genai.Tool               `json:"tools"`
		ToolConfig        **genai.ToolConfig           `json:"toolConfig"`
		GenerationConfig  *genai.GenerateContentConfig `json:"generationConfig"`
	}{nil, &config.SystemInstruction, &config.Tools, &config.ToolConfig, config}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&parts); err != nil {
		return nil, nil, err
	}
	return parts.Contents, config, nil
}
