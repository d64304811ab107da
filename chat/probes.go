package chat

import (
	"context"
	"slices"
	"strings"

	"github.com/pcc-lang/pcc/vm"
)

// probeSteps bounds one probe: a template that does more for three messages is
// taken to refuse them.
const probeSteps = 2_000_000

// probeMemory is what one probe may allocate in bytes.
const probeMemory = 16 << 20

// probeLooks bounds all probes of a template together, as looks at the context:
// there is one each 1,024 steps, and each 64 KiB of other work. Those that come
// after it has been used up count as failed.
const probeLooks = 20_000

// probeContext ends when the probes have used up what they may, or its parent
// does.
type probeContext struct {
	context.Context
	looks int
}

func (c *probeContext) Err() error {
	if c.looks--; c.looks < 0 {
		return context.DeadlineExceeded
	}
	return c.Context.Err()
}

// The words by which a probe finds its parts again. Templates change the case
// of some.
const (
	systemWord, systemWord2 = "ZsysA7", "ZsysB8"
	userWord, userWord2     = "ZusrC9", "ZusrD4"
	assistantWord           = "ZastE5"
	reasonWord              = "ZrsnF6"
	resultWord, resultWord2 = "ZresG3", "ZresH2"
	valueWord, valueWord2   = "ZvalQ7", "ZvalR6"
	textWord                = "ZtxtK1"
	documentWord            = "ZdocL9"
	toolName, toolName2     = "zq_tool", "zq_second"
	toolWord                = "ZdscM8"
	parameterName           = "zq_param"
	callID, callID2         = "zqcall001", "zqcall002"
)

// prober renders the small requests.
type prober struct {
	ctx     context.Context
	program *vm.Program
	parts   bool // content is a list of parts
	needs   string
}

// request is a probe: messages, and what else the template is given.
type request struct {
	messages []vm.Value
	extra    []pair
}

type pair struct {
	key   string
	value vm.Value
}

func object(pairs ...pair) vm.Value {
	m := vm.NewMap(len(pairs))
	for _, p := range pairs {
		m.Set(p.key, p.value)
	}
	return vm.MapOf(m)
}

func list(items ...vm.Value) vm.Value { return vm.ListOf(items) }

func text(s string) vm.Value { return vm.String(s) }

// content is the text of a message in the form that the template reads.
func (p *prober) content(s string) vm.Value {
	if p.parts {
		return list(textPart(s))
	}
	return text(s)
}

func textPart(s string) vm.Value { return object(pair{"type", text("text")}, pair{"text", text(s)}) }

func (p *prober) message(role, s string, more ...pair) vm.Value {
	return object(append([]pair{{"role", text(role)}, {"content", p.content(s)}}, more...)...)
}

func (p *prober) user(s string) vm.Value      { return p.message("user", s) }
func (p *prober) system(s string) vm.Value    { return p.message("system", s) }
func (p *prober) assistant(s string) vm.Value { return p.message("assistant", s) }

// tool is a function with a description and one parameter.
func tool(name, description, parameter string) vm.Value {
	return object(pair{"type", text("function")}, pair{"function", object(
		pair{"name", text(name)}, pair{"description", text(description)},
		pair{"parameters", object(pair{"type", text("object")},
			pair{"properties", object(pair{parameter, object(pair{"type", text("string")}, pair{"description", text("a value")})})},
			pair{"required", list(text(parameter))})})})
}

func otherTool() vm.Value { return tool("other_tool", "does something else", "other") }

func documentItem() vm.Value {
	return object(pair{"title", text("a title")}, pair{"text", text(documentWord)}, pair{"doc_id", text("1")})
}

// render renders a probe with what the template needs.
func (p *prober) render(r request) (string, bool) {
	m := vm.NewMap(12)
	for _, v := range []pair{{"bos_token", text("<s>")}, {"eos_token", text("</s>")}, {"pad_token", text("<pad>")},
		{"unk_token", text("<unk>")}, {"tools", vm.Null}, {"documents", vm.Null}, {"add_generation_prompt", vm.Bool(false)}} {
		m.Set(v.key, v.value)
	}
	messages := r.messages
	if strings.Contains(p.needs, "system") && !hasRole(messages, "system") {
		messages = append([]vm.Value{p.system("be brief")}, messages...)
	}
	if strings.Contains(p.needs, "tools") {
		m.Set("tools", list(otherTool()))
	}
	if p.needs == "documents" {
		m.Set("documents", list(object(pair{"title", text("t")}, pair{"text", text("other text")}, pair{"doc_id", text("0")})))
	}
	m.Set("messages", vm.ListOf(messages))
	for _, e := range r.extra {
		m.Set(e.key, e.value)
	}
	out, err := p.program.RenderContext(p.ctx, vm.MapOf(m), vm.WithLimits(vm.Limits{Steps: probeSteps, Memory: probeMemory}), vm.WithClock(probeClock))
	return out, err == nil
}

func hasRole(messages []vm.Value, role string) bool {
	return len(messages) > 0 && slices.ContainsFunc(messages[:1], func(m vm.Value) bool {
		v, _ := vm.Lookup(m, "role")
		s, _ := v.Str()
		return s == role
	})
}

// holds reports whether out has all words, whatever their case.
func holds(out string, words ...string) bool {
	lower := strings.ToLower(out)
	for _, w := range words {
		if !strings.Contains(lower, strings.ToLower(w)) {
			return false
		}
	}
	return true
}

// ask renders messages and looks for words.
func (p *prober) ask(words []string, messages ...vm.Value) Answer {
	return p.askRequest(request{messages: messages}, words...)
}

func (p *prober) askRequest(r request, words ...string) Answer {
	out, ok := p.render(r)
	return answer(out, ok, words...)
}

// answer is whether a prompt was rendered and holds all words.
func answer(out string, ok bool, words ...string) Answer {
	switch {
	case !ok:
		return Refused
	case holds(out, words...):
		return Yes
	}
	return No
}

// probe finds everything out.
func probe(ctx context.Context, program *vm.Program, variables []string) *Capabilities {
	p := &prober{ctx: &probeContext{ctx, probeLooks}, program: program}
	c := &Capabilities{Variables: variables}
	p.basics(c)
	p.roles(c)
	p.tools(c)
	p.calls(c)
	p.generation(c)
	p.reasoning(c)
	p.media(c)
	return c
}

// basics finds what the template needs, and the form of content that it reads.
func (p *prober) basics(c *Capabilities) {
	c.Needs = "nothing helps"
find:
	for _, needs := range []string{"none", "system", "tools", "documents", "system+tools"} {
		for _, parts := range []bool{false, true} {
			p.needs, p.parts = needs, parts
			if _, ok := p.render(request{messages: []vm.Value{p.user(userWord)}}); ok {
				c.Needs = needs
				break find
			}
		}
	}
	if c.Needs == "nothing helps" {
		p.needs = "none"
	}
	p.parts = false
	c.PlainContent = p.ask([]string{userWord}, p.user(userWord))
	p.parts = true
	out, ok := p.render(request{messages: []vm.Value{p.user(userWord)}})
	switch {
	case !ok:
		c.TypedContent = Refused
	case strings.Contains(out, "[{'type'"):
		c.TypedContent = AsRepr
	case strings.Contains(out, `{"type"`):
		c.TypedContent = AsJSON
	case holds(out, userWord):
		c.TypedContent = Yes
	default:
		c.TypedContent = No
	}
	plain, typed := c.PlainContent == Yes, c.TypedContent == Yes
	switch {
	case plain && typed:
		c.Content = "both"
	case plain:
		c.Content = "string"
	case typed:
		c.Content = "list"
	default:
		c.Content = "none"
	}
	p.parts = c.Content == "list"
}

func (p *prober) roles(c *Capabilities) {
	u, u2, a, s := p.user(userWord), p.user(userWord2), p.assistant(assistantWord), p.system(systemWord)
	c.System = p.ask([]string{systemWord, userWord}, s, u)
	c.MultiSystem = p.ask([]string{systemWord, systemWord2, userWord}, s, p.system(systemWord2), u)
	c.SystemLater = p.ask([]string{userWord, assistantWord, systemWord, userWord2}, u, a, s, u2)
	c.Developer = p.ask([]string{systemWord, userWord}, p.message("developer", systemWord), u)
	c.Assistant = p.ask([]string{userWord, assistantWord, userWord2}, u, a, u2)
	c.TwoUsers = p.ask([]string{userWord, userWord2}, u, u2)
	c.AssistantFirst = p.ask([]string{assistantWord, userWord}, a, u)
	c.AlternationEnforced = c.Assistant == Yes && c.TwoUsers == Refused
	out, ok := p.render(request{messages: []vm.Value{u}})
	c.BOS = ok && strings.HasPrefix(out, "<s>")
	out, ok = p.render(request{messages: []vm.Value{u, a}})
	c.EOSAfterAssistant = ok && strings.Contains(out, "</s>")
}

func (p *prober) tools(c *Capabilities) {
	extra := []pair{{"tools", list(tool(toolName, toolWord, parameterName))}}
	out, ok := p.render(request{messages: []vm.Value{p.user(userWord)}, extra: extra})
	if !ok || !holds(out, toolName) {
		if with, fine := p.render(request{messages: []vm.Value{p.system(systemWord), p.user(userWord)}, extra: extra}); fine {
			out, ok = with, true
		}
	}
	c.Tools, c.ToolsSchema = Refused, No
	if ok {
		c.Tools = No
		if holds(out, toolName) {
			c.Tools = Yes
			if holds(out, toolWord, parameterName) {
				c.ToolsSchema = Yes
			}
		}
	}
	c.Documents = p.askRequest(request{messages: []vm.Value{p.user(userWord)}, extra: []pair{{"documents", list(documentItem())}}}, documentWord)
}

func (p *prober) generation(c *Capabilities) {
	u := []vm.Value{p.user(userWord)}
	without, ok := p.render(request{messages: u})
	with, ok2 := p.render(request{messages: u, extra: []pair{{"add_generation_prompt", vm.Bool(true)}}})
	switch {
	case !ok || !ok2:
		c.GenerationPrompt = Refused
	case with == without:
		c.GenerationPrompt = No
	default:
		c.GenerationPrompt = Yes
		if added, found := strings.CutPrefix(with, without); found {
			c.GenerationText = &added
		}
	}
}

// differ renders the requests that may show a switch of reasoning, with the
// variable set to a and to b, and reports whether any differ.
func (p *prober) differ(name string, a, b vm.Value) bool {
	u := p.user(userWord)
	thought := p.message("assistant", assistantWord, pair{"reasoning_content", text(reasonWord)})
	for _, messages := range [][]vm.Value{{u}, {p.system(systemWord), u}, {u, thought, p.user(userWord2)}} {
		for _, tools := range []vm.Value{vm.Null, list(otherTool())} {
			if tools.IsNull() && strings.Contains(p.needs, "tools") {
				continue
			}
			with := func(v vm.Value) (string, bool) {
				return p.render(request{messages: messages, extra: []pair{{"add_generation_prompt", vm.Bool(true)}, {"tools", tools}, {name, v}}})
			}
			x, ok := with(a)
			y, ok2 := with(b)
			if ok && ok2 && x != y {
				return true
			}
		}
	}
	return false
}

func (p *prober) reasoning(c *Capabilities) {
	for _, name := range []string{"enable_thinking", "thinking"} {
		if !p.differ(name, vm.Bool(true), vm.Bool(false)) {
			continue
		}
		c.Thinking = &name
		u := request{messages: []vm.Value{p.user(userWord)}, extra: []pair{{"add_generation_prompt", vm.Bool(true)}}}
		plain, _ := p.render(u)
		u.extra = append(u.extra, pair{name, vm.Bool(true)})
		on, _ := p.render(u)
		u.extra[1].value = vm.Bool(false)
		off, _ := p.render(u)
		by := "other"
		switch {
		case on == off:
			by = "same"
		case plain == on:
			by = "on"
		case plain == off:
			by = "off"
		}
		c.ThinkingDefault = &by
		break
	}
	c.ReasoningEffort = p.differ("reasoning_effort", text("low"), text("high"))
	c.ReasoningContent = p.ask([]string{reasonWord}, p.user(userWord),
		p.message("assistant", assistantWord, pair{"reasoning_content", text(reasonWord)}))
}

// media asks for parts that are no text: only where the template reads lists.
func (p *prober) media(c *Capabilities) {
	c.Image, c.ImageURL, c.Audio, c.Video = No, No, No, No
	if c.TypedContent != Yes {
		return
	}
	plain, ok := p.render(request{messages: []vm.Value{object(pair{"role", text("user")}, pair{"content", list(textPart(userWord))})}})
	for _, m := range []struct {
		answer *Answer
		marker **string
		part   vm.Value
	}{
		{&c.Image, &c.ImageMarker, object(pair{"type", text("image")}, pair{"image", text("zq.png")})},
		{&c.ImageURL, &c.ImageURLMarker, object(pair{"type", text("image_url")}, pair{"image_url", object(pair{"url", text("zq.png")})})},
		{&c.Audio, &c.AudioMarker, object(pair{"type", text("audio")}, pair{"audio", text("zq.wav")})},
		{&c.Video, &c.VideoMarker, object(pair{"type", text("video")}, pair{"video", text("zq.mp4")})},
	} {
		out, fine := p.render(request{messages: []vm.Value{object(pair{"role", text("user")}, pair{"content", list(m.part, textPart(userWord))})}})
		switch {
		case !fine || !ok:
			*m.answer = Refused
		case holds(out, "'type':"): // the list as Python prints it, perhaps in capitals
		case out != plain && holds(out, userWord):
			*m.answer = Yes
			*m.marker = inserted(plain, out)
		}
	}
}

// inserted returns the one piece that with has and without lacks, or nil.
func inserted(without, with string) *string {
	if len(with) <= len(without) {
		return nil
	}
	start := 0
	for start < len(without) && without[start] == with[start] {
		start++
	}
	n := len(with) - len(without)
	if with[start+n:] != without[start:] {
		return nil
	}
	piece := with[start : start+n]
	return &piece
}
