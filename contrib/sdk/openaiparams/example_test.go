package openaiparams_test

import (
	"context"
	"fmt"
	"log"

	"github.com/openai/openai-go/v3"

	"github.com/pcc-lang/pcc/contrib/sdk/openaiparams"
	"github.com/pcc-lang/pcc/prompt"
)

const document = `
model: gpt-5.2
parameters: {max_tokens: 300}
messages:
  - system: Answer in one word.
  - user: What is the capital of {country}?
`

func render() *prompt.Request {
	set, err := prompt.LoadText("capital.yaml", document, nil)
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
	return request
}

// A request for chat completions.
func ExampleChat() {
	params, err := openaiparams.Chat(render(), prompt.FormatOptions{})
	if err != nil {
		log.Fatal(err)
	}
	call := func(client openai.Client) (*openai.ChatCompletion, error) {
		return client.Chat.Completions.New(context.Background(), params)
	}
	_ = call // call(openai.NewClient())
	fmt.Println(params.Model, params.MaxCompletionTokens.Value, params.Messages[1].OfUser.Content.OfString.Value)
	// Output: gpt-5.2 300 What is the capital of Norway?
}

// A request for the Responses API.
func ExampleResponses() {
	params, err := openaiparams.Responses(render(), prompt.FormatOptions{})
	if err != nil {
		log.Fatal(err)
	}
	call := func(client openai.Client) (string, error) {
		response, err := client.Responses.New(context.Background(), params)
		if err != nil {
			return "", err
		}
		return response.OutputText(), nil
	}
	_ = call // call(openai.NewClient())
	fmt.Println(params.Model, params.MaxOutputTokens.Value, params.Input.OfInputItemList[1].OfMessage.Content.OfString.Value)
	// Output: gpt-5.2 300 What is the capital of Norway?
}
