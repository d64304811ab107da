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
// in a sandbox and under limits: 200,000,000 steps, 256 MiB of memory and 64 MiB of
// output a render (DefaultLimits), 64 MiB and 4,000,000 values a request, 256 MiB for
// what its values take when they are decoded, 10 MiB a template, 64 MiB a
// tokenizer's configuration.
//
// WithSegments tells which bytes of a prompt come from the request, and which of
// them spell control tokens; Result.Boundaries what of a prompt a server may keep.
//
// The files, in reading order: load.go, files.go and places.go (from files to
// a Template), request.go and normalise.go (from bytes or Go values to what a
// template is given), apply.go (rendering), capabilities.go and probe*.go
// (what a template supports), segments.go, boundaries.go and media.go (where each
// piece of a prompt comes from), near.go (misspelt keys and roles, what is not read), aliases.go.
package chat
