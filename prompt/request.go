package prompt

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/parser/document"
	"github.com/pcc-lang/pcc/vm"
	"github.com/pcc-lang/pcc/vm/message"
)

// What a whole request to a model consists of. Request.Body writes it as the API of a
// provider takes it: openai (chat completions), responses, anthropic or gemini.
type (
	// Request is a whole request: the messages, and what a document says beside them.
	Request = message.Request
	// Tool is a function that the model may call.
	Tool = message.Tool
	// ToolChoice says whether the model is to call a tool.
	ToolChoice = message.ToolChoice
	// Output is a JSON Schema that the answer keeps to.
	Output = message.Output
)

// WithRequest makes Program.Report also tell what the document says of the request
// beside the messages. RenderRequest does that itself.
func WithRequest() RenderOption { return vm.WithRequest() }

// Providers lists the names that Request.Body takes.
func Providers() []string { return message.Providers() }

// RenderRequest renders a prompt with data to a whole request: its messages, and the
// model, parameters, tools and output that its document declares.
//
//	request, err := prompt.RenderRequest(ctx, p, data)
//	body, err := request.Body("anthropic", prompt.FormatOptions{})
//
// The error is a diag.List, as that of every render.
func RenderRequest(ctx context.Context, p *Program, data any, opts ...RenderOption) (*Request, error) {
	r, err := p.Report(ctx, data, append(slices.Clip(opts), vm.WithRequest())...)
	if err != nil {
		return nil, err
	}
	return RequestOf(p, r)
}

// RequestOf makes a request of what a render of p with WithRequest reported.
func RequestOf(p *Program, r *Report) (*Request, error) {
	in := vm.NewMap(6)
	in.Set("messages", vm.ListOf(nil)) // those of the report are taken as they are
	if r.Request != nil {
		for i := range r.Request.Len() {
			k, v := r.Request.At(i)
			key, _ := k.Str()
			if key == "tools" {
				if _, fixed := p.Image().Request.Get(key); !fixed {
					var err error
					if v, err = toolsOfData(p, v); err != nil {
						return nil, err
					}
				}
			}
			in.Put(k, v)
		}
	}
	out, err := message.ParseRequest(vm.MapOf(in))
	var d *diag.Diagnostic
	if errors.As(err, &d) {
		d.File, d.Span = p.RequestPlace(strings.FieldsFunc(d.Message, func(r rune) bool { return r == '.' || r == ':' || r == '[' })[0])
		return nil, diag.List{d}
	}
	if err != nil {
		return nil, err
	}
	out.Messages = r.Messages
	return out, nil
}

// toolsOfData reads tools that the data gives, in any of the forms that a document
// takes.
func toolsOfData(p *Program, v vm.Value) (vm.Value, error) {
	if v.IsMissing() {
		return vm.Null, nil
	}
	fault := func(code diag.Code, path, what, help string) error {
		f, span := p.RequestPlace("tools")
		d := diag.New(code, f, span, "%s: %s", path, what)
		d.Severity = diag.Error
		if help != "" {
			d.Help = help
		}
		return diag.List{d}
	}
	text, err := vm.NewEnv(&vm.Dialect{}, vm.DefaultLimits()).JSON(nil, v, vm.JSONOptions{})
	if err != nil {
		return vm.Null, fault("PCC433", "tools", "the tools of the data are no JSON", "")
	}
	f := source.New("tools.json", string(text))
	s, list := document.ReadJSON(f, source.Span{End: source.Pos(len(text))}, document.YAMLOptions{})
	if s == nil {
		return vm.Null, fault(list[0].Code, "tools", "the tools of the data cannot be read: "+list[0].Message, list[0].Help)
	}
	tools, list := document.Tools(f, s)
	for _, d := range list {
		if d.Severity != diag.Error {
			continue
		}
		// The message may hold texts of the data, which no diagnostic shows.
		what := "this is no definition of a tool"
		if d.Code == "PCC410" {
			what = d.Message
		}
		return vm.Null, fault(d.Code, "tools"+pathTo(s, d.Span.Start), what, d.Help)
	}
	if list := schemaFaults(f, &ast.Entry{Key: "tools", Value: *tools}); len(list) > 0 {
		return vm.Null, fault(list[0].Code, "tools"+pathTo(s, list[0].Span.Start), list[0].Message, list[0].Help)
	}
	return compiler.ValueOf(tools), nil
}

// pathTo is the path to the innermost value at a place, such as [0].parameters.
func pathTo(s *ast.Structure, at source.Pos) string {
	holds := func(v *ast.Structure) bool { return v.Start <= at && at < max(v.End, v.Start+1) }
	for i := range s.Items {
		if v := &s.Items[i]; holds(v) {
			return "[" + strconv.Itoa(i) + "]" + pathTo(v, at)
		}
	}
	for i := range s.Map {
		e := &s.Map[i]
		if e.KeySpan.Start <= at && at < e.KeySpan.End {
			return "." + diag.ClipName(e.Key)
		}
		if holds(&e.Value) {
			return "." + diag.ClipName(e.Key) + pathTo(&e.Value, at)
		}
	}
	return ""
}
