package prompt_test

import (
	"context"
	"encoding/json"
	"log"
	"os"

	"github.com/pcc-lang/pcc/prompt"
)

// A document that says the whole request, as the body for a provider.
func ExampleRenderRequest() {
	const document = `
model: m-1
parameters: {max_tokens: 64}
tools: {get_weather: {parameters: {city: string!}}}
messages:
  - user: What is the weather in {city}?
`
	prompts, err := prompt.LoadText("weather.yaml", document, nil)
	if err != nil {
		log.Fatalf("%+v", err)
	}
	p, err := prompts.Find("")
	if err != nil {
		log.Fatal(err)
	}
	request, err := prompt.RenderRequest(context.Background(), p, map[string]any{"city": "Oslo"})
	if err != nil {
		log.Fatalf("%+v", err)
	}
	body, err := request.Body("anthropic", prompt.FormatOptions{})
	if err != nil {
		log.Fatal(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(body); err != nil {
		log.Fatal(err)
	}
	// Output:
	// {"model":"m-1","max_tokens":64,"messages":[{"role":"user","content":"What is the weather in Oslo?"}],"tools":[{"name":"get_weather","input_schema":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}}]}
}
