package chat

// Answer is the result of a probe that asks whether a template shows
// something. Besides the values below, Content probes know repr and json.
type Answer string

// Answers of probes.
const (
	Yes     Answer = "yes"   // the prompt holds all that the request said
	No      Answer = "no"    // the prompt lacks a part of it
	Refused Answer = "error" // the template refuses the request
	// AsRepr and AsJSON: the list of content parts is printed as a whole, as
	// Python prints it or as JSON, so that the model would read its syntax.
	AsRepr Answer = "repr"
	AsJSON Answer = "json"
	// PrintsNone: null content is printed as the word None.
	PrintsNone Answer = "prints-None"
)

// Capabilities tells what a template does with the parts of a request. The
// keys of its JSON form are those of `pcc detect --capabilities`. Each field is
// found by rendering small requests, see probes.go; nothing is guessed from
// the text of the template.
type Capabilities struct {
	// Needs is what a request must have so that the template renders it at
	// all: none, system, tools, documents, system+tools, or "nothing helps".
	Needs string `json:"needs"`
	// PlainContent and TypedContent tell whether content may be a text, and a
	// list of parts; Content is both, string, list or none.
	PlainContent Answer `json:"plain_content"`
	TypedContent Answer `json:"typed_content"`
	Content      string `json:"content"`

	System         Answer `json:"system"`          // a system message first
	MultiSystem    Answer `json:"multi_system"`    // two of them
	SystemLater    Answer `json:"system_later"`    // one after the first turn
	Developer      Answer `json:"developer"`       // the role developer
	Assistant      Answer `json:"assistant"`       // an assistant's turn
	TwoUsers       Answer `json:"two_users"`       // two user messages in a row
	AssistantFirst Answer `json:"assistant_first"` // a conversation that the assistant begins
	// AlternationEnforced: user and assistant must take turns.
	AlternationEnforced bool `json:"alternation_enforced"`

	Tools       Answer `json:"tools"`        // the names of tools are shown
	ToolsSchema Answer `json:"tools_schema"` // their descriptions and parameters too
	// CallObject and CallText are what becomes of a tool call whose arguments
	// are an object, and a JSON text: json, other, escaped, repr, name-only,
	// dropped or error. Arguments is which of the two works: either, object,
	// text or none.
	CallObject        string `json:"call_object"`
	CallText          string `json:"call_text"`
	Arguments         string `json:"arguments"`
	ToolCalls         string `json:"tool_calls"` // yes, no, name-only or error
	CallName          string `json:"call_name"`  // name, id, no or error
	CallContentNull   Answer `json:"call_content_null"`
	CallContentAbsent Answer `json:"call_content_absent"`
	ToolResults       Answer `json:"tool_results"`
	ParallelCalls     Answer `json:"parallel_calls"`
	ParallelResults   Answer `json:"parallel_results"`
	CallWithText      Answer `json:"call_with_text"` // a call beside a text

	GenerationPrompt Answer `json:"generation_prompt"`
	// GenerationText is what add_generation_prompt appends, nil where it is
	// no suffix of the prompt.
	GenerationText *string `json:"generation_text"`

	// Thinking is the variable that switches reasoning on and off, nil where
	// there is none; ThinkingDefault is on, off, same or other.
	Thinking         *string `json:"thinking"`
	ThinkingDefault  *string `json:"thinking_default"`
	ReasoningEffort  bool    `json:"reasoning_effort"`
	ReasoningContent Answer  `json:"reasoning_content"`
	Documents        Answer  `json:"documents"`

	// Media parts, and the text that the template writes for each, nil where
	// it is not one piece.
	Image          Answer  `json:"image"`
	ImageMarker    *string `json:"image_marker"`
	ImageURL       Answer  `json:"image_url"`
	ImageURLMarker *string `json:"image_url_marker"`
	Audio          Answer  `json:"audio"`
	AudioMarker    *string `json:"audio_marker"`
	Video          Answer  `json:"video"`
	VideoMarker    *string `json:"video_marker"`

	BOS               bool `json:"bos"`                 // the prompt begins with the bos token
	EOSAfterAssistant bool `json:"eos_after_assistant"` // an assistant's turn ends in the eos token
	// Variables are the names that the template reads and nothing defines.
	Variables []string `json:"variables"`
}
