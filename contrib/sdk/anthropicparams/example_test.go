package anthropicparams_test

import (
	"context"
	"fmt"
	"log"

	"github.com/anthropics/anthropic-sdk-go/v2"

	"github.com/pcc-lang/pcc/contrib/sdk/anthropicparams"
	"github.com/pcc-lang/pcc/prompt"
)

// A request for Anthropic's messages API.
func ExampleMessages() {
	set, err := prompt.LoadText("capital.yaml", `
model: claude-sonnet-4-5
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
	params, err := anthropicparams.Messages(request, prompt.FormatOptions{})
	if err != nil {
		log.Fatal(err)
	}
	call := func(client anthropic.Client) (*anthropic.Message, error) {
		return client.Messages.New(context.Background(), params)
	}
	_ = call // call(anthropic.NewClient())
	fmt.Println(params.Model, params.MaxTokens, params.System[0].Text, params.Messages[0].OfUser.Content[0].OfText.Text)
	// Output: claude-sonnet-4-5 300 Answer in one word. What is the capital of Norway?
}
