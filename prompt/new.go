package prompt

import (
	"errors"
	"fmt"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/parser/document"
	"github.com/pcc-lang/pcc/vm"
)

// Spec is what a prompt_templates document says besides its template.
type Spec struct {
	// Variables are the template's variables; nil leaves them unchecked.
	Variables []string
	// Metadata, ClientParameters and CustomData are kept as they are: maps,
	// structs, or ordered maps (*vm.Map).
	Metadata, ClientParameters, CustomData any
	// Populator is "jinja2" (the default), "double_brace", "single_brace" or
	// "autodetect"; Security "strict", "standard" (the default) or "relaxed".
	Populator, Security string
}

// Part is a prompt of a dictionary that NewDictionary makes.
type Part struct {
	Name string
	Set  *Set // made by NewText or NewChat, or loaded from such a document
}

// NewText makes a prompt_templates document of a text. The Set renders it and
// saves it.
func NewText(template string, spec Spec, opts ...Option) (*Set, error) {
	return newDocument(textStructure(template), spec, opts)
}

// NewChat makes a prompt_templates document of messages. Their contents, Parts
// and further keys are templates.
func NewChat(messages []vm.Message, spec Spec, opts ...Option) (*Set, error) {
	list := ast.Structure{Kind: ast.SList, Items: make([]ast.Structure, 0, len(messages))}
	for i, m := range messages {
		s, err := messageStructure(m)
		if err != nil {
			return nil, fmt.Errorf("message %d: %w", i+1, err)
		}
		list.Items = append(list.Items, s)
	}
	return newDocument(list, spec, opts)
}

// NewDictionary makes a dictionary of other prompt_templates documents.
func NewDictionary(parts []Part, spec Spec, opts ...Option) (*Set, error) {
	dict := ast.Structure{Kind: ast.SMap}
	for _, part := range parts {
		if part.Set == nil || part.Set.doc == nil || part.Set.doc.Form != ast.FormPromptTemplates {
			return nil, fmt.Errorf("%q is no prompt_templates document", part.Name)
		}
		p, _ := part.Set.doc.Data.Get("prompt")
		if _, nested := p.Get("template_dictionary"); nested {
			return nil, fmt.Errorf("%q is a dictionary itself", part.Name)
		}
		if _, dup := dict.Get(part.Name); dup {
			return nil, fmt.Errorf("two prompts are named %q", part.Name)
		}
		dict.Map = append(dict.Map, ast.Entry{Key: part.Name, Value: *p})
	}
	fields, err := spec.fields()
	if err != nil {
		return nil, err
	}
	return loadStructure(promptDocument(append([]ast.Entry{{Key: "template_dictionary", Value: dict}}, fields...)), opts)
}

func newDocument(template ast.Structure, spec Spec, opts []Option) (*Set, error) {
	fields, err := spec.fields()
	if err != nil {
		return nil, err
	}
	return loadStructure(promptDocument(append([]ast.Entry{{Key: "template", Value: template}}, fields...)), opts)
}

func promptDocument(fields []ast.Entry) *ast.Structure {
	return &ast.Structure{Kind: ast.SMap, Map: []ast.Entry{{Key: "prompt", Value: ast.Structure{Kind: ast.SMap, Map: fields}}}}
}

// fields are the entries of a spec, in the order of saved documents.
func (s Spec) fields() ([]ast.Entry, error) {
	var out []ast.Entry
	if s.Variables != nil {
		list := ast.Structure{Kind: ast.SList}
		for _, name := range s.Variables {
			list.Items = append(list.Items, textStructure(name))
		}
		out = append(out, ast.Entry{Key: "template_variables", Value: list})
	}
	for _, f := range []struct {
		key   string
		value any
	}{{"metadata", s.Metadata}, {"client_parameters", s.ClientParameters}, {"custom_data", s.CustomData}} {
		if f.value == nil {
			continue
		}
		v, err := structureOf(vm.Of(f.value))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.key, err)
		}
		out = append(out, ast.Entry{Key: f.key, Value: v})
	}
	for _, f := range [][2]string{{"populator", s.Populator}, {"jinja2_security_level", s.Security}} {
		if f[1] != "" {
			out = append(out, ast.Entry{Key: f[0], Value: textStructure(f[1])})
		}
	}
	return out, nil
}

func textStructure(s string) ast.Structure { return ast.Structure{Kind: ast.SString, Str: s} }

func messageStructure(m vm.Message) (ast.Structure, error) {
	content := textStructure(m.Content)
	if !m.Parts.IsNull() {
		var err error
		if content, err = structureOf(m.Parts); err != nil {
			return content, err
		}
	}
	s := ast.Structure{Kind: ast.SMap, Map: []ast.Entry{{Key: "role", Value: textStructure(m.Role)}, {Key: "content", Value: content}}}
	if m.Name != "" {
		s.Map = append(s.Map, ast.Entry{Key: "name", Value: textStructure(m.Name)})
	}
	if m.Extra != nil {
		extra, err := structureOf(vm.MapOf(m.Extra))
		if err != nil {
			return s, err
		}
		s.Map = append(s.Map, extra.Map...)
	}
	return s, nil
}

// structureOf makes a document's data of a value, through JSON, so that the
// value's own rules (struct tags, order of keys) hold.
func structureOf(v vm.Value) (ast.Structure, error) {
	env := vm.NewEnv(&vm.Dialect{}, vm.DefaultLimits())
	b, err := env.JSON(nil, v, vm.JSONOptions{})
	if err != nil {
		return ast.Structure{}, err
	}
	s, list := document.ReadText("value.json", string(b), document.YAMLOptions{})
	if err := list.Err(); err != nil {
		return ast.Structure{}, errors.New("the value cannot stand in a document: " + list[0].Message)
	}
	return *s, nil
}

// loadStructure writes a document and loads it, so that its diagnostics show
// the text that Save would write. They name it as WithName does.
func loadStructure(doc *ast.Structure, opts []Option) (*Set, error) {
	o, err := compiler.DocumentOptionsOf(opts...)
	if err != nil {
		return nil, err
	}
	name := o.Name
	if name == "" {
		name = "new.yaml"
	}
	o.Read.Data = true
	return loadText(source.New(name, string(document.WriteYAML(doc))), nil, o)
}
