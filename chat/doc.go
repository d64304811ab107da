// Package chat renders the chat templates of models: the bytes of a request go
// in, the exact prompt comes out, as Hugging Face's transformers writes it.
//
// Load reads a model's folder, a tokenizer_config.json, a chat_template.jinja
// or a GGUF file; New takes a template's text. A Template is compiled once, is
// immutable, and serves any number of goroutines:
//
//	t, err := chat.Load("models/qwen3")
//	res, err := t.Apply(ctx, request) // {"messages": […], "tools": […]}
//	fmt.Print(res.Prompt)
//
// Requests are data: nothing in them is ever read as a template. Templates run
// in a sandbox and under limits, which DefaultLimits names.
//
// The files, in reading order: load.go, files.go and places.go (from files to
// a Template), request.go and normalise.go (from bytes or Go values to what a
// template is given), apply.go (rendering), capabilities.go and probe*.go
// (what a template supports), segments.go, boundaries.go and media.go (where each
// piece of a prompt comes from), near.go (misspelt keys), aliases.go.
package chat
