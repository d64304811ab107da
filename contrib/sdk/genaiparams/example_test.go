package genaiparams_test

import (
	"context"
	"fmt"
	"log"

	"google.golang.org/genai"

	"github.com/pcc-lang/pcc/contrib/sdk/genaiparams"
	"github.com/pcc-lang/pcc/prompt"
)

// A request for the Gemini API.
func ExampleContent() {
	set, err := prompt.LoadText("capital.yaml", `
model: gemini-3-flash
parameters: {max_tokens: 300}
messages:
  - system: Answer in one word.
  - user: What is the capital of {country}?
`, nil)
	if err != nil {
		log.Fatalf("%+v", err)
	}
	p, err := set.Find("")
	if err != nil {
		log.Fatal(err)
	}
	request, err := prompt.RenderRequest(context.Background(), p, map[string]any{"country": "Norway"})
	if err != nil {
		log.Fatalf("%+v", err)
	}
	contents, config, err := genaiparams.Content(request, prompt.FormatOptions{})
	if err != nil {
		log.Fatal(err)
	}
	call := func(client *genai.Client) (*genai.GenerateContentResponse, error) {
		return client.Models.GenerateContent(context.Background(), request.Model, contents, config)
	}
	_ = call // genai.NewClient(ctx, nil) makes the client
	fmt.Println(request.Model, config.MaxOutputTokens, config.SystemInstruction.Parts[0].Text, contents[0].Parts[0].Text)
	// Output: gemini-3-flash 300 Answer in one word. What is the capital of Norway?
}
