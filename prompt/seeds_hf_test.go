package prompt_test

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/prompt"
	"github.com/pcc-lang/pcc/vm"
)

// runPromptTemplates runs a row of hf.jsonl.
func runPromptTemplates(t *testing.T, r *seedRow) seedResult {
	in := r.in
	if lib := str(in, "yaml_library"); lib != "" {
		return noCounterpart("there is one YAML reader")
	}
	switch kind := str(in, "kind"); kind {
	case "text", "chat":
		return runTemplate(t, r, kind)
	case "names", "populator":
		opts := []compiler.Option{compiler.WithForm("prompt-templates"), compiler.WithPopulator(prompt.Populator(str(in, "populator")))}
		if level := str(in, "jinja2_security_level"); level != "" {
			opts = append(opts, compiler.WithSecurityLevel(prompt.SecurityLevel(level)))
		}
		if kind == "populator" {
			opts = append(opts, compiler.WithUncheckedVariables())
		}
		p, err := compiler.Compile(str(in, "template"), opts...)
		if err != nil {
			return loadError(err)
		}
		if kind == "names" {
			return value(rootNames(p))
		}
		s, err := p.Render(field(in, "vars"))
		if err != nil {
			return fails(err)
		}
		return value(s)
	case "file":
		return runFile(in)
	case "dictionary":
		return runDictionary(in)
	case "format":
		ms, err := prompt.ParseMessages(field(in, "messages"))
		if err != nil {
			return fails(err)
		}
		return formatClient(ms, str(in, "client"))
	case "keyword_clash":
		return noCounterpart("variables are data here, not keyword arguments")
	default:
		t.Errorf("%s: unknown kind %q", r.id, kind)
	}
	return seedResult{}
}

// rootNames are the variables of a program, sorted.
func rootNames(p *vm.Program) []string {
	x := p.Image().Exact
	if x == nil {
		return nil
	}
	names := append(slices.Clone(x.Required), x.Optional...)
	slices.Sort(names)
	if names == nil {
		names = []string{}
	}
	return names
}

func specOf(in vm.Value) prompt.Spec {
	s := prompt.Spec{Populator: str(in, "populator"), Security: str(in, "jinja2_security_level")}
	if s.Populator == "autodetect" && strings.HasPrefix(str(in, "version"), "8d52847") {
		s.Populator = "autodetect_strict"
	}
	if l, ok := field(in, "template_variables").List(); ok {
		s.Variables = []string{}
		for _, v := range l.Items {
			name, _ := v.Str()
			s.Variables = append(s.Variables, name)
		}
	}
	for _, f := range []struct {
		key string
		to  *any
	}{{"metadata", &s.Metadata}, {"client_parameters", &s.ClientParameters}, {"custom_data", &s.CustomData}} {
		if has(in, f.key) {
			*f.to = field(in, f.key)
		}
	}
	return s
}

// newTemplate makes the document that a row describes.
func newTemplate(in vm.Value, kind string) (*prompt.Set, error) {
	text, isText := field(in, "template").Str()
	if kind == "text" || isText {
		if !isText {
			return nil, errors.New("a text template is a text")
		}
		return prompt.NewText(text, specOf(in))
	}
	// The messages stand in the row as they may be malformed: read as a document.
	doc := mapOf("template", field(in, "template"))
	m, _ := doc.Map()
	for _, key := range []string{"template_variables", "metadata", "client_parameters", "custom_data", "populator", "jinja2_security_level"} {
		if has(in, key) {
			m.Set(key, field(in, key))
		}
	}
	return prompt.LoadText("t.yaml", yamlOf(mapOf("prompt", doc)), nil)
}

func runTemplate(t *testing.T, r *seedRow, kind string) seedResult {
	in := r.in
	switch op := str(in, "op"); op {
	case "display", "repr", "getitem", "to_langchain":
		return noCounterpart("Python's " + op)
	case "save", "save_load":
		return runSave(t, in, kind)
	case "", "variables":
	default:
		t.Errorf("%s: unknown operation %q", r.id, op)
	}
	_, isText := field(in, "template").Str()
	if kind == "chat" && isText || kind == "text" && !isText {
		return noCounterpart("a Python class given the other class's template")
	}
	s, err := newTemplate(in, kind)
	if err != nil {
		return loadError(err)
	}
	p, err := s.Find("")
	if err != nil {
		return loadError(err)
	}
	if str(in, "op") == "variables" {
		return value(rootNames(p))
	}
	return populate(p, field(in, "vars"), str(in, "client"))
}

// populate renders a template as prompt_templates does.
func populate(p *vm.Program, vars vm.Value, client string) seedResult {
	if !p.IsChat() {
		s, err := p.Render(vars)
		if err != nil {
			return fails(err)
		}
		return value(s)
	}
	ms, err := p.Messages(vars)
	if err != nil {
		return fails(err)
	}
	if client != "" {
		return formatClient(ms, client)
	}
	return formatClient(ms, "messages")
}

func formatClient(ms []vm.Message, client string) seedResult {
	v, err := prompt.FormatMessages(ms, client, prompt.FormatOptions{})
	if err != nil {
		return fails(err)
	}
	if m, ok := v.Map(); ok && client == "anthropic" {
		if _, ok := m.Get("system"); !ok {
			m.Set("system", vm.Null) // absent in requests, null in the original
		}
	}
	return value(plainJSON(v))
}

// runSave saves a template, and loads it again to compare.
func runSave(t *testing.T, in vm.Value, kind string) seedResult {
	s, err := newTemplate(in, kind)
	if err != nil {
		return loadError(err)
	}
	name := filepath.Join(t.TempDir(), str(in, "filename"))
	if format := str(in, "format"); format != "" {
		if format != strings.TrimPrefix(filepath.Ext(name), ".") {
			return fails(errors.New("the ending tells the format"))
		}
	}
	if err := s.Save(name); err != nil {
		return fails(err)
	}
	again, err := prompt.LoadFile(name)
	if err != nil {
		return loadError(err)
	}
	saved := plainJSON(field(field(again.Data(), "prompt"), "template"))
	want := plainJSON(field(in, "template"))
	if str(in, "op") == "save_load" {
		return value(map[string]any{"template": saved, "equal": equalJSON(saved, want)})
	}
	return value(again.Data())
}

// savedData is what a text that the original saved holds.
func savedData(text any) any {
	source, ok := text.(string)
	if !ok {
		return text
	}
	s, err := prompt.LoadText("saved.yaml", source, nil)
	if err != nil {
		return err.Error()
	}
	return plainJSON(s.Data())
}

func equalJSON(a, b any) bool { return jsonText(a) == jsonText(b) }

func runFile(in vm.Value) seedResult {
	name := str(in, "filename")
	if name == "" {
		name = "t.yaml"
	}
	if class := str(in, "class"); class != "" && class != "base" {
		return noCounterpart("Python classes for text and chat")
	}
	if !has(in, "text") {
		_, err := prompt.Load(noFiles, name)
		return loadError(err)
	}
	var opts []compiler.Option
	if p := str(in, "populator"); p != "" {
		opts = append(opts, compiler.WithPopulator(prompt.Populator(p)))
	}
	s, err := prompt.LoadText(name, str(in, "text"), nil, opts...)
	if err != nil {
		return loadError(err)
	}
	p, ok := s.Lookup("")
	if !ok {
		return loadError(errors.New("a dictionary, not a template"))
	}
	out := described(s, p)
	if has(in, "vars") {
		got := populate(p, field(in, "vars"), "")
		if got.err != nil {
			return got
		}
		out["populated"] = got.value
	}
	return value(out)
}

// described is what the original tells of a loaded template.
func described(s *prompt.Set, p *vm.Program) map[string]any {
	prompt := field(s.Data(), "prompt")
	out := map[string]any{"type": "TextPromptTemplate"}
	if p != nil && p.IsChat() {
		out["type"] = "ChatPromptTemplate"
	}
	out["template"] = plainJSON(field(prompt, "template"))
	out["template_variables"] = orEmpty(prompt, "template_variables", []any{})
	for k, v := range fields(prompt) {
		out[k] = v
	}
	return out
}

// fields are the maps beside a template; unknown keys belong to custom_data.
func fields(prompt vm.Value) map[string]any {
	out := map[string]any{}
	for _, key := range []string{"metadata", "client_parameters", "custom_data"} {
		out[key] = orEmpty(prompt, key, map[string]any{})
	}
	custom, isMap := out["custom_data"].(map[string]any)
	m, ok := prompt.Map()
	if !ok || !isMap {
		return out
	}
	for i := range m.Len() {
		k, v := m.At(i)
		key, _ := k.Str()
		if !slices.Contains([]string{"template", "template_dictionary", "template_variables", "metadata", "client_parameters", "custom_data"}, key) {
			custom[key] = plainJSON(v)
		}
	}
	return out
}

func orEmpty(v vm.Value, key string, empty any) any {
	if !has(v, key) {
		return empty
	}
	return plainJSON(field(v, key))
}

func runDictionary(in vm.Value) seedResult {
	s, err := prompt.LoadText("t.yaml", str(in, "text"), nil)
	if err != nil {
		return loadError(err)
	}
	if s.Form() != "prompt-templates" || !has(field(s.Data(), "prompt"), "template_dictionary") {
		return loadError(errors.New("no dictionary"))
	}
	for _, key := range []string{"get", "populate"} {
		if !has(in, key) {
			continue
		}
		if _, err := s.Find(str(in, key)); err != nil {
			return fails(err)
		}
	}
	prompt := field(s.Data(), "prompt")
	out := fields(prompt)
	types := map[string]any{}
	for name, p := range s.All() {
		types[name] = "TextPromptTemplate"
		if p.IsChat() {
			types[name] = "ChatPromptTemplate"
		}
	}
	names := s.Names()
	if names == nil {
		names = []string{}
	}
	out["names"], out["types"] = names, types
	if has(in, "populate") {
		p, _ := s.Find(str(in, "populate"))
		got := populate(p, field(in, "vars"), "")
		if got.err != nil {
			return got
		}
		out["populated"] = got.value
	}
	return value(out)
}
