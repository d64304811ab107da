package prompt

import "github.com/pcc-lang/pcc/vm/message"

// Forms of messages for clients of model providers. What a message holds and a
// provider says in another way is translated, what it cannot say is an error.
type (
	// FormatOptions change how messages are formatted.
	FormatOptions = message.Options
	// OpenAIMessages is the `messages` of a request to OpenAI's chat completions
	// API and the servers that follow it.
	OpenAIMessages = message.OpenAIMessages
	// AnthropicRequest is what a prompt gives to a request to Anthropic's
	// messages API.
	AnthropicRequest = message.AnthropicRequest
	// GeminiRequest is what a prompt gives to a request to the Gemini API.
	GeminiRequest = message.GeminiRequest
)

// FormatMessages gives messages in the form that is named openai, anthropic,
// gemini, google, text or messages: lists and maps, for text a string.
func FormatMessages(messages []Message, form string, o FormatOptions) (Value, error) {
	return message.Format(messages, form, o)
}

// FormatOpenAI gives messages for OpenAI's chat completions API.
func FormatOpenAI(messages []Message, o FormatOptions) (OpenAIMessages, error) {
	return message.OpenAI(messages, o)
}

// FormatAnthropic gives messages for Anthropic's messages API.
func FormatAnthropic(messages []Message, o FormatOptions) (*AnthropicRequest, error) {
	return message.Anthropic(messages, o)
}

// FormatGemini gives messages for the Gemini API.
func FormatGemini(messages []Message, o FormatOptions) (*GeminiRequest, error) {
	return message.Gemini(messages, o)
}

// ParseMessages reads messages from plain data: a list of maps with role and
// content, in OpenAI's form.
func ParseMessages(v Value) ([]Message, error) { return message.Parse(v) }
