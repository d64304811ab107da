package chat

import (
	"context"
	"slices"
	"strings"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/vm"
)

// Result is a rendered request.
type Result struct {
	// Prompt is what the model reads.
	Prompt string
	// Template is the name of the template that was taken.
	Template string
	// Generated are the byte spans of Prompt inside {% generation %} tags, in order:
	// what the model has written, for masks of a training loss. A template without
	// such tags has none.
	Generated [][2]int
	// Segments are the pieces of Prompt with their origins, and Media the images and
	// other media of the request; both only WithSegments.
	Segments []Segment
	Media    []Media
	// Warnings are what rendering found: of names without a value, for instance,
	// with compiler.WithUndefined.
	Warnings diag.List

	applied *applied // for Boundaries
}

// Apply renders a request in JSON: an object with messages, and where they are
// wanted tools, documents, add_generation_prompt, continue_final_message,
// chat_template_kwargs, and whatever else the template reads. The order of keys
// is kept, integers are exact and apart from floats. The error is a diag.List that names the
// place in the request; there is no result then. Options of the render go
// before those of the template.
func (t *Template) Apply(ctx context.Context, request []byte, opts ...vm.RenderOption) (*Result, error) {
	left := maxValues
	v, err := decode(request, "", &left)
	if err != nil {
		return nil, err
	}
	m, ok := v.Map()
	if !ok {
		d := fault("PCC371", "a request must be a JSON object, and this is of type %s", v.Kind())
		d.Help = `write {"messages": [{"role": "user", "content": "Hi"}]}`
		return nil, diag.List{d}
	}
	return t.apply(ctx, m, "", opts)
}

// ApplyMap is Apply for a request that is decoded already, by vm.DecodeJSON for
// instance. The map is not changed.
func (t *Template) ApplyMap(ctx context.Context, request *vm.Map, opts ...vm.RenderOption) (*Result, error) {
	return t.apply(ctx, request, "", opts)
}

// ApplyRequest renders a request of Go values. It gives the same prompt as
// Apply for the same request in JSON.
func (t *Template) ApplyRequest(ctx context.Context, r Request, opts ...vm.RenderOption) (*Result, error) {
	m, err := r.value()
	if err != nil {
		return nil, err
	}
	return t.apply(ctx, m, r.Template, opts)
}

func (t *Template) apply(ctx context.Context, request *vm.Map, name string, more []vm.RenderOption) (*Result, error) {
	o, err := read(request)
	if err != nil {
		return nil, err
	}
	n, err := t.choose(name, o.tools)
	if err != nil {
		return nil, err
	}
	suspect := n.suspect(request, o.messages)
	messages, err := n.normalise(ctx, o.messages)
	if err != nil {
		return nil, err
	}
	last, err := o.continued(messages)
	if err != nil {
		return nil, err
	}
	opts := append(slices.Clip(t.options), more...)
	o.vars.Set("messages", vm.Of(messages))
	report, err := n.program.Report(ctx, vm.MapOf(o.vars), opts...)
	if err != nil {
		return nil, err
	}
	res := &Result{Prompt: report.Text, Template: n.name, Generated: report.Generated, Warnings: append(suspect, n.program.Findings(report)...)}
	res.applied = &applied{template: t, named: n, vars: o.vars, messages: messages, opts: opts, whole: report.Text}
	if report.Segments != nil {
		if res.Segments, err = t.segments(report.Text, report.Segments); err != nil {
			return nil, err
		}
		res.applied.ends = ends(res.Segments, len(messages.Items))
		if res.Media, err = n.media(ctx, messages, res.Segments, report.Text); err != nil {
			return nil, err
		}
	}
	if o.cont {
		if err := res.cut(last); err != nil {
			return nil, err
		}
	}
	return res, nil
}

// continued is the text that the prompt is to end in, by the rules of
// transformers (apply_chat_template in utils/chat_template_utils.py): that of
// the last message, or of its last part with a text.
func (o *order) continued(messages *vm.List) (string, error) {
	if !o.cont {
		return "", nil
	}
	if on, _ := o.vars.Get("add_generation_prompt"); !on.IsNull() {
		if b, _ := on.AsBool(); b {
			d := fault("PCC371", "`continue_final_message` and `add_generation_prompt` of the request exclude each other")
			d.Help = "set one of them: the prompt ends either inside the last message or where an answer begins"
			return "", diag.List{d}
		}
	}
	if len(messages.Items) > 0 {
		content, _ := vm.Lookup(messages.Items[len(messages.Items)-1], "content")
		if s, ok := content.Str(); ok {
			return s, nil
		}
		if parts, ok := content.List(); ok {
			for i := len(parts.Items) - 1; i >= 0; i-- {
				if t, ok := vm.Lookup(parts.Items[i], "text"); ok {
					if s, ok := t.Str(); ok {
						return s, nil
					}
				}
			}
		}
	}
	d := fault("PCC371", "the last message of the request has no text that `continue_final_message` could go on with")
	d.Help = "end the request with a message that has a text, or leave continue_final_message out"
	return "", diag.List{d}
}

// pythonSpace are the characters that Python's str.strip removes, the ASCII
// ones and those of Unicode.
func pythonSpace(r rune) bool {
	switch {
	case r >= '\t' && r <= '\r', r >= 0x1c && r <= ' ', r == 0x85, r == 0xa0, r == 0x1680, r >= 0x2000 && r <= 0x200a,
		r == 0x2028, r == 0x2029, r == 0x202f, r == 0x205f, r == 0x3000:
		return true
	}
	return false
}

// cut ends the prompt in last. A template that trims the message's trailing
// space has it trimmed here too.
func (r *Result) cut(last string) error {
	trimmed := strings.TrimFunc(last, pythonSpace)
	at := strings.LastIndex(r.Prompt, trimmed)
	if at < 0 {
		d := fault("PCC371", "the text of the last message does not appear in the prompt, so that `continue_final_message` cannot end in it")
		d.Help = "the template changes or drops the text; leave continue_final_message out"
		return diag.List{d}
	}
	end := at + len(trimmed)
	if whole := at + len(strings.TrimLeftFunc(last, pythonSpace)); whole <= len(r.Prompt) && r.Prompt[at:whole] == last {
		end = whole
	}
	r.Prompt = r.Prompt[:end]
	for i := range r.Generated {
		r.Generated[i][1] = min(r.Generated[i][1], end)
		r.Generated[i][0] = min(r.Generated[i][0], end)
	}
	for i := range r.Segments {
		if s := &r.Segments[i]; s.End >= end {
			s.End, s.Text = end, r.Prompt[s.Start:]
			r.Segments = r.Segments[:i+1]
			break
		}
	}
	for i := range r.Media {
		if m := &r.Media[i]; m.End > end {
			m.Start, m.End = -1, -1
		}
	}
	return nil
}
