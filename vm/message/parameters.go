package message

import (
	"slices"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/vm"
)

// parameters says how a provider names the parameters of a request.
type parameters struct {
	form string
	// names are the parameters that the providers share, by the names of requests.
	names map[string]string
	// own are those that the provider has under this very name, and others may not.
	own []string
	// stops: stop is a list of texts.
	stops bool
	// without tells why shared parameters are missing.
	without string
}

// The tables, from the types of the providers' packages: openai-node,
// resources/chat/completions (ChatCompletionCreateParams) and resources/responses
// (ResponseCreateParams), https://github.com/openai/openai-node; anthropic-sdk-typescript,
// resources/messages (MessageCreateParams),
// https://github.com/anthropics/anthropic-sdk-typescript; js-genai, types
// (GenerationConfig), https://github.com/googleapis/js-genai.
var (
	openAIParameters = parameters{form: "openai",
		names: map[string]string{"max_tokens": "max_completion_tokens", "temperature": "temperature", "top_p": "top_p", "stop": "stop", "seed": "seed",
			"frequency_penalty": "frequency_penalty", "presence_penalty": "presence_penalty", "parallel_tool_calls": "parallel_tool_calls"},
		own: []string{"n", "logprobs", "top_logprobs", "logit_bias", "user", "store", "metadata", "reasoning_effort", "verbosity", "service_tier",
			"safety_identifier", "prompt_cache_key", "prompt_cache_retention", "modalities", "audio", "prediction", "stream", "stream_options", "web_search_options"},
	}
	responsesParameters = parameters{form: "responses",
		names: map[string]string{"max_tokens": "max_output_tokens", "temperature": "temperature", "top_p": "top_p", "parallel_tool_calls": "parallel_tool_calls"},
		own: []string{"reasoning", "store", "metadata", "include", "truncation", "user", "service_tier", "safety_identifier", "prompt_cache_key",
			"prompt_cache_retention", "top_logprobs", "previous_response_id", "conversation", "background", "max_tool_calls", "stream", "stream_options"},
	}
	anthropicParameters = parameters{form: "anthropic",
		names:   map[string]string{"max_tokens": "max_tokens", "stop": "stop_sequences"},
		own:     []string{"thinking", "metadata", "service_tier", "container", "mcp_servers", "context_management", "stream"},
		stops:   true,
		without: ": version 2026-10-21 of its API has no parameter of sampling",
	}
	geminiParameters = parameters{form: "gemini",
		names: map[string]string{"max_tokens": "maxOutputTokens", "temperature": "temperature", "top_p": "topP", "top_k": "topK", "stop": "stopSequences",
			"seed": "seed", "frequency_penalty": "frequencyPenalty", "presence_penalty": "presencePenalty"},
		own: []string{"candidateCount", "responseLogprobs", "logprobs", "thinkingConfig", "responseModalities", "speechConfig", "mediaResolution",
			"routingConfig", "audioTimestamp", "enableAffectiveDialog", "imageConfig"},
		stops: true,
	}
)

// sampling are the parameters that Anthropic's API had before.
var sampling = []string{"temperature", "top_p", "top_k"}

// shared are the names that more than one provider has, for suggestions.
var shared = []string{"max_tokens", "temperature", "top_p", "top_k", "stop", "seed", "frequency_penalty", "presence_penalty", "parallel_tool_calls"}

func readParameters(v vm.Value) (*vm.Map, error) {
	if !v.IsMapping() {
		return nil, faultAt("PCC371", "parameters", "the parameters are a map, and not %s", v.Kind().Noun()).WithHelp("write {max_tokens: 256}")
	}
	e, err := reader().Entries(v)
	if err != nil {
		return nil, err
	}
	out := vm.NewMap(e.Len())
	for i := range e.Len() {
		if k, x := e.At(i); !x.IsMissing() {
			out.Put(k, x)
		}
	}
	return out, nil
}

// write puts the parameters of r into a body, by the provider's names, but those that
// the caller has read itself.
func (p *parameters) write(r *Request, body *vm.Map, read ...string) error {
	if r.Parameters == nil {
		return nil
	}
	for i := range r.Parameters.Len() {
		k, v := r.Parameters.At(i)
		key, _ := k.Str()
		name, ok := p.names[key]
		switch {
		case slices.Contains(read, key):
			continue
		case ok:
		case slices.Contains(p.own, key):
			name = key
		default:
			return p.unknown(key)
		}
		if err := typed(key, v); err != nil {
			return err
		}
		if key == "stop" && p.stops && !v.IsSequence() {
			v = vm.ListOf([]vm.Value{v})
		}
		body.Set(name, v)
	}
	return nil
}

// unknown is the error of a parameter that the provider does not have.
func (p *parameters) unknown(key string) error {
	why := ""
	if slices.Contains(sampling, key) {
		why = p.without
	}
	d := faultAt("PCC360", "parameters."+diag.ClipName(key), "the form %s has no parameter of this name%s", p.form, why).WithNames(key).
		WithHelp("leave it out for this provider")
	if near, ok := diag.Near(key, append(shared, p.own...)); ok && !slices.Contains(shared, key) {
		d.Help = "did you mean `" + near + "`?"
	}
	return d
}

// typed refuses values of shared parameters that no provider takes.
func typed(key string, v vm.Value) error {
	at := "parameters." + key
	_, isInt := v.Int64()
	_, isFloat := v.Float64()
	switch key {
	case "max_tokens", "top_k", "seed":
		if !isInt {
			return faultAt("PCC371", at, "this is a whole number, and not %s", v.Kind().Noun()).WithHelp("write it without quotes")
		}
	case "temperature", "top_p", "frequency_penalty", "presence_penalty":
		if !isInt && !isFloat {
			return faultAt("PCC371", at, "this is a number, and not %s", v.Kind().Noun()).WithHelp("write it without quotes")
		}
	case "parallel_tool_calls":
		_, err := flagAt(v, at)
		return err
	case "stop":
		if _, ok := v.Str(); ok {
			return nil
		}
		items, err := reader().Items(v)
		if !v.IsSequence() || err != nil || slices.ContainsFunc(items, func(x vm.Value) bool { _, ok := x.Str(); return !ok }) {
			return faultAt("PCC371", at, "this is a text or a list of texts").WithHelp("write [\"END\"]")
		}
	}
	return nil
}

// has reports whether the request gives a parameter.
func (r *Request) has(key string) bool {
	if r.Parameters == nil {
		return false
	}
	_, ok := r.Parameters.Get(key)
	return ok
}

// parallel is what the request says of parallel calls; nil where it says nothing.
func (r *Request) parallel() (*bool, error) {
	if r.Parameters == nil {
		return nil, nil
	}
	v, _ := r.Parameters.Get("parallel_tool_calls")
	return flagAt(v, "parameters.parallel_tool_calls")
}
