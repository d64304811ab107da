// Package message turns chat messages and whole requests into what clients of model
// providers take: OpenAI's chat completions and responses, Anthropic's messages,
// Gemini's contents, and
// two forms of older prompt systems, "google" of the library prompt_templates
// and "text", the completion form of PDX.
//
// What enters: the messages of a render, or of Parse. What leaves: a
// value whose keys keep their order (Value, MarshalJSON), or an error with a
// code and the place in the messages. Nothing that a message holds is left out
// without a word: what a provider says in another way is translated, and what it
// cannot say is refused.
//
// The files, in reading order: message.go (the forms by name), parts.go (the
// parts of content), media.go (images, audio, files), calls.go (tool calls and
// results), then one file a provider: openai.go, responses.go, anthropic.go,
// gemini.go, google.go, text.go. A Request is a whole request: request.go, tools.go
// and parameters.go read and check it, body.go writes it for each provider.
package message
