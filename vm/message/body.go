package message

import (
	"fmt"
	"strings"

	"github.com/pcc-lang/pcc/vm"
)

// providers write whole bodies, by the names of the forms.
var providers = map[string]func(*Request, Options) (*vm.Map, error){
	"openai": openAIBody, "responses": responsesBody, "anthropic": anthropicBody, "gemini": geminiBody,
}

// Providers lists the names that Body takes.
func Providers() []string { return []string{"openai", "responses", "anthropic", "gemini"} }

// Body writes the request as the API of a provider takes it: openai (chat
// completions), responses, anthropic (messages) or gemini (generateContent, in whose
// address the model stands). What the provider cannot say is an error with its place
// in the request, and what it leaves out that changes nothing is noted.
func (r *Request) Body(provider string, o Options) (vm.Value, error) {
	write, ok := providers[provider]
	if !ok {
		return vm.Null, fmt.Errorf("unknown provider %q: it is one of %s", provider, strings.Join(Providers(), ", "))
	}
	if err := r.check(); err != nil {
		return vm.Null, err
	}
	body, err := write(r, o)
	if err != nil {
		return vm.Null, err
	}
	return vm.MapOf(body), nil
}

func (r *Request) begin() *vm.Map {
	body := vm.NewMap(8)
	if r.Model != "" {
		body.Set("model", vm.String(r.Model))
	}
	return body
}

func openAIBody(r *Request, o Options) (*vm.Map, error) {
	messages, err := OpenAI(r.Messages, o)
	if err != nil {
		return nil, err
	}
	body := r.begin()
	body.Set("messages", messages.Value())
	if err := openAIParameters.write(r, body); err != nil {
		return nil, err
	}
	if len(r.Tools) > 0 {
		body.Set("tools", openAITools(r.Tools))
	}
	if c := r.ToolChoice; c != nil {
		body.Set("tool_choice", c.value(mapOf("type", "function", "function", mapOf("name", c.Name))))
	}
	if out := r.Output; out != nil {
		body.Set("response_format", mapOf("type", "json_schema", "json_schema", out.value(out.named())))
	}
	return body, nil
}

func responsesBody(r *Request, o Options) (*vm.Map, error) {
	input, err := Responses(r.Messages, o)
	if err != nil {
		return nil, err
	}
	body := r.begin()
	body.Set("input", input.Value())
	if err := responsesParameters.write(r, body); err != nil {
		return nil, err
	}
	if len(r.Tools) > 0 {
		tools := make([]vm.Value, len(r.Tools))
		for i := range r.Tools {
			t := &r.Tools[i]
			f := vm.NewMap(5)
			f.Set("type", vm.String("function"))
			over(vm.MapOf(f), vm.MapOf(t.declared()))
			// FunctionTool wants both; false is the default of chat completions.
			f.Set("parameters", t.schema())
			f.Set("strict", vm.Bool(t.strict()))
			tools[i] = vm.MapOf(f)
		}
		body.Set("tools", vm.ListOf(tools))
	}
	if c := r.ToolChoice; c != nil {
		body.Set("tool_choice", c.value(mapOf("type", "function", "name", c.Name)))
	}
	if out := r.Output; out != nil {
		format := vm.NewMap(5)
		format.Set("type", vm.String("json_schema"))
		over(vm.MapOf(format), out.value(out.named()))
		body.Set("text", mapOf("format", vm.MapOf(format)))
	}
	return body, nil
}

func anthropicBody(r *Request, o Options) (*vm.Map, error) {
	if !r.has("max_tokens") {
		return nil, faultAt("PCC360", "parameters.max_tokens", "the form anthropic wants the most tokens of the answer").
			WithHelp("write `parameters: {max_tokens: 1024}`")
	}
	// The list of messages keeps roles that the API does not know, see Anthropic: a
	// request would be refused for them.
	for i := range r.Messages {
		switch m := &r.Messages[i]; m.Role {
		case "system", "developer", "user", "assistant":
		case "tool":
			if id, _ := extraText(m, "tool_call_id"); id == "" {
				return nil, unanswering(i)
			}
		default:
			return nil, unsupportedRole(i, m.Role, "anthropic")
		}
	}
	messages, err := Anthropic(r.Messages, o)
	if err != nil {
		return nil, err
	}
	if len(messages.Messages) == 0 {
		return nil, faultAt("PCC360", "messages", "the form anthropic wants a message beside the system's").WithHelp("add a message of the user")
	}
	body := r.begin()
	if err := anthropicParameters.write(r, body, "parallel_tool_calls"); err != nil {
		return nil, err
	}
	over(vm.MapOf(body), messages.Value())
	if len(r.Tools) > 0 {
		tools := make([]vm.Value, len(r.Tools))
		for i := range r.Tools {
			t := &r.Tools[i]
			f := t.declared()
			f.Set("input_schema", t.schema())
			if t.strict() {
				f.Set("strict", vm.Bool(true))
			}
			tools[i] = vm.MapOf(f)
		}
		body.Set("tools", vm.ListOf(tools))
	}
	parallel, err := r.parallel()
	if err != nil {
		return nil, err
	}
	if c := r.ToolChoice; c != nil || parallel != nil && !*parallel && len(r.Tools) > 0 {
		choice := mapOf("type", "auto")
		if c != nil {
			switch c.Mode {
			case "required":
				choice = mapOf("type", "any")
			case "tool":
				choice = mapOf("type", "tool", "name", c.Name)
			default:
				choice = mapOf("type", c.Mode)
			}
		}
		if parallel != nil && !*parallel && (c == nil || c.Mode != "none") {
			choice = with(choice, "disable_parallel_tool_use", vm.Bool(true))
		}
		body.Set("tool_choice", choice)
	}
	if out := r.Output; out != nil {
		body.Set("output_config", mapOf("format", mapOf("type", "json_schema", "schema", out.Schema)))
	}
	return body, nil
}

func geminiBody(r *Request, o Options) (*vm.Map, error) {
	messages, err := Gemini(r.Messages, o)
	if err != nil {
		return nil, err
	}
	if len(messages.Contents) == 0 {
		return nil, faultAt("PCC360", "messages", "the form gemini wants a message beside the system's").WithHelp("add a message of the user")
	}
	parallel, err := r.parallel()
	if err != nil {
		return nil, err
	}
	if parallel != nil && !*parallel && len(r.Tools) > 0 {
		return nil, faultAt("PCC360", "parameters.parallel_tool_calls", "the form gemini cannot switch parallel calls off").
			WithHelp("leave it out for this provider")
	}
	body := vm.NewMap(5)
	over(vm.MapOf(body), messages.Value())
	config := vm.NewMap(8)
	if err := geminiParameters.write(r, config, "parallel_tool_calls"); err != nil {
		return nil, err
	}
	if len(r.Tools) > 0 {
		tools := make([]vm.Value, len(r.Tools))
		for i := range r.Tools {
			t := &r.Tools[i]
			if t.strict() {
				return nil, faultAt("PCC360", t.at+".strict", "the form gemini has no switch for strict arguments").WithHelp("leave it out for this provider")
			}
			f := t.declared()
			if !t.Parameters.IsNull() {
				f.Set("parametersJsonSchema", t.Parameters)
			}
			tools[i] = vm.MapOf(f)
		}
		body.Set("tools", vm.ListOf([]vm.Value{mapOf("functionDeclarations", vm.ListOf(tools))}))
	}
	if c := r.ToolChoice; c != nil {
		calling := mapOf("mode", map[string]string{"auto": "AUTO", "none": "NONE", "required": "ANY", "tool": "ANY"}[c.Mode])
		if c.Mode == "tool" {
			calling = with(calling, "allowedFunctionNames", vm.ListOf([]vm.Value{vm.String(c.Name)}))
		}
		body.Set("toolConfig", mapOf("functionCallingConfig", calling))
	}
	if out := r.Output; out != nil {
		config.Set("responseMimeType", vm.String("application/json"))
		config.Set("responseJsonSchema", out.Schema)
	}
	if config.Len() > 0 {
		body.Set("generationConfig", vm.MapOf(config))
	}
	return body, nil
}
