package chat

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/internal/gguf"
	"github.com/pcc-lang/pcc/parser/document"
	"github.com/pcc-lang/pcc/vm"
)

// The files in which transformers keeps chat templates and special tokens
// (utils/hub.py, tokenization_utils_base.py, processing_utils.py).
const (
	configFile      = document.TokenizerConfig
	specialFile     = "special_tokens_map.json"
	templateFile    = document.ChatTemplateFile
	oldTemplateFile = "chat_template.json"
	processorFile   = "processor_config.json"
	moreTemplates   = document.MoreChatTemplates
)

// The longest files that are read. Configurations list the tokens that were
// added, some MB of them.
const (
	maxConfig   = 64 << 20
	maxTemplate = 10 << 20
)

// files collects the templates and tokens of a model.
type files struct {
	fsys   fs.FS
	dir    string // the folder that fsys is, for people
	parts  []part
	tokens *vm.Map
	// special are the tokens of added_tokens_decoder that are special.
	special []string
}

// shown is the path of a file as people know it.
func (f *files) shown(name string) string {
	if f.dir == "" {
		return name
	}
	return filepath.Join(f.dir, filepath.FromSlash(name))
}

// read reads what name is: a folder or a file of a kind that its content or
// its ending tells.
func (f *files) read(name string) *diag.Diagnostic {
	info, err := fs.Stat(f.fsys, name)
	if err != nil {
		return f.unreadable(name, err)
	}
	if info.IsDir() {
		return f.folder(name)
	}
	head, err := f.head(name)
	if err != nil {
		return f.unreadable(name, err)
	}
	dir := path.Dir(name)
	switch {
	case string(head) == "GGUF":
		return f.gguf(name, info.Size())
	case strings.HasSuffix(name, ".gguf"):
		return f.gguf(name, info.Size()) // for its error
	case strings.HasSuffix(name, ".json"):
		return f.config(name, dir)
	case strings.HasSuffix(name, ".jinja"), strings.HasSuffix(name, ".jinja2"), strings.HasSuffix(name, ".j2"):
		text, d := f.text(name, maxTemplate)
		if d != nil {
			return d
		}
		f.add("default", name, text)
		if d := f.neighbours(dir); d != nil {
			return d
		}
		return f.more(dir)
	}
	d := fault("PCC440", "%q holds no chat template", f.shown(name))
	if e := path.Ext(name); e == ".yaml" || e == ".yml" || e == ".md" || e == ".txt" {
		d.Help = "this is a prompt, not a model's chat template: load it as a prompt document; a chat template is in a model's folder, tokenizer_config.json, .jinja or .gguf file"
	}
	return d
}

// head is the first four bytes of a file.
func (f *files) head(name string) ([]byte, error) {
	file, err := f.fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	head := make([]byte, 4)
	n, err := io.ReadFull(file, head)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return head[:n], err
}

// folder reads a model's folder. A template in a file of its own goes before
// the one in the configuration.
func (f *files) folder(dir string) *diag.Diagnostic {
	if d := f.neighbours(dir); d != nil {
		return d
	}
	for _, name := range []string{templateFile, oldTemplateFile, configFile, processorFile} {
		full := path.Join(dir, name)
		if !f.exists(full) {
			continue
		}
		if name == templateFile {
			text, d := f.text(full, maxTemplate)
			if d != nil {
				return d
			}
			f.add("default", full, text)
		} else if d := f.templatesOf(full); d != nil {
			return d
		}
		if len(f.parts) > 0 {
			break
		}
	}
	if d := f.more(dir); d != nil {
		return d
	}
	if len(f.parts) == 0 {
		return fault("PCC440", "the folder %q holds no chat template", f.shown(dir))
	}
	return nil
}

// config reads a JSON file that was named, whatever its name: a tokenizer's
// configuration or a chat_template.json. A chat_template.jinja beside it goes
// before what it holds, as in transformers.
func (f *files) config(name, dir string) *diag.Diagnostic {
	if beside := path.Join(dir, templateFile); path.Base(name) == configFile && f.exists(beside) {
		text, d := f.text(beside, maxTemplate)
		if d != nil {
			return d
		}
		f.add("default", beside, text)
	} else if d := f.templatesOf(name); d != nil {
		return d
	}
	if path.Base(name) == configFile {
		if d := f.more(dir); d != nil {
			return d
		}
	}
	if len(f.parts) == 0 {
		d := fault("PCC440", "%q has no `chat_template`", f.shown(name))
		d.Help = "name the tokenizer_config.json of a model that is made for chat, or its folder"
		return d
	}
	if d := f.specialOf(name); d != nil {
		return d
	}
	return f.neighbours(dir)
}

// neighbours reads the special tokens of the files in dir. Those that are
// there already stay.
func (f *files) neighbours(dir string) *diag.Diagnostic {
	for _, name := range []string{configFile, specialFile} {
		if full := path.Join(dir, name); f.exists(full) {
			if d := f.specialOf(full); d != nil {
				return d
			}
		}
	}
	return nil
}

// more reads the templates of the folder additional_chat_templates.
func (f *files) more(dir string) *diag.Diagnostic {
	entries, err := fs.ReadDir(f.fsys, path.Join(dir, moreTemplates))
	if err != nil {
		return nil // there are none
	}
	for _, e := range entries {
		name, isJinja := strings.CutSuffix(e.Name(), ".jinja")
		if !isJinja || e.IsDir() || f.has(name) {
			continue
		}
		full := path.Join(dir, moreTemplates, e.Name())
		text, d := f.text(full, maxTemplate)
		if d != nil {
			return d
		}
		f.add(name, full, text)
	}
	return nil
}

// templatesOf reads `chat_template` of a JSON file: a text, or a list of
// {name, template}.
func (f *files) templatesOf(name string) *diag.Diagnostic {
	v, file, d := f.json(name)
	if d != nil {
		return d
	}
	t, ok := vm.Lookup(v, "chat_template")
	if !ok || t.IsNull() {
		return nil
	}
	spans := templateSpans(file.Text)
	span := func(i int) source.Span {
		if i < len(spans) {
			return spans[i]
		}
		return source.Span{}
	}
	if text, ok := t.Str(); ok {
		f.parts = append(f.parts, part{"default", templateSource(file, span(0), text)})
		return nil
	}
	wrong := fault("PCC440", "`chat_template` of %q must be a text or a list of {name, template}", file.Name)
	list, ok := t.List()
	if !ok {
		return wrong
	}
	for i, item := range list.Items {
		n, _ := vm.Lookup(item, "name")
		text, _ := vm.Lookup(item, "template")
		s, ok := n.Str()
		src, ok2 := text.Str()
		if !ok || !ok2 {
			return wrong
		}
		if f.has(s) {
			return fault("PCC440", "`chat_template` of %q names %q twice", file.Name, s)
		}
		f.parts = append(f.parts, part{s, templateSource(file, span(i), src)})
	}
	return nil
}

// specialOf reads the special tokens of a JSON file: keys that end in _token,
// whose values are texts, or maps with the text under content; the list
// additional_special_tokens; and the special ones of added_tokens_decoder.
func (f *files) specialOf(name string) *diag.Diagnostic {
	v, _, d := f.json(name)
	if d != nil {
		return d
	}
	m, ok := v.Map()
	if !ok {
		return fault("PCC440", "%q must hold a JSON object, and holds %s", f.shown(name), v.Kind())
	}
	for i := range m.Len() {
		k, v := m.At(i)
		key, _ := k.Str()
		if _, known := f.tokens.Get(key); known {
			continue
		}
		if strings.HasSuffix(key, "_token") {
			if text, ok := tokenText(v); ok {
				f.tokens.Set(key, vm.String(text))
			}
		} else if list, isList := v.List(); isList && key == "additional_special_tokens" {
			var texts []vm.Value
			for _, item := range list.Items {
				if text, ok := tokenText(item); ok {
					texts = append(texts, vm.String(text))
				}
			}
			f.tokens.Set(key, vm.ListOf(texts))
		} else if added, isMap := v.Map(); isMap && key == "added_tokens_decoder" {
			f.addSpecial(added)
		}
	}
	return nil
}

// addSpecial reads the special ones of the tokens that were added to a vocabulary.
func (f *files) addSpecial(added *vm.Map) {
	if f.special != nil {
		return // of a file that goes before
	}
	for i := range added.Len() {
		_, v := added.At(i)
		special, _ := vm.Lookup(v, "special")
		if is, _ := special.AsBool(); !is {
			continue
		}
		if text, ok := tokenText(v); ok {
			f.special = append(f.special, text)
		}
	}
}

func tokenText(v vm.Value) (string, bool) {
	if c, ok := vm.Lookup(v, "content"); ok && v.IsMapping() {
		v = c
	}
	return v.Str()
}

func (f *files) gguf(name string, size int64) *diag.Diagnostic {
	file, err := f.fsys.Open(name)
	if err != nil {
		return f.unreadable(name, err)
	}
	defer file.Close()
	r, ok := file.(io.ReaderAt)
	if !ok {
		return fault("PCC441", "%q cannot be read at any offset, as a GGUF file must be", f.shown(name))
	}
	m, err := gguf.Read(r, size)
	var e *gguf.Error
	switch {
	case errors.As(err, &e):
		d := fault("PCC441", "%q is not a well-formed GGUF file: byte %d: %s", f.shown(name), e.Offset, e.Message)
		d.Cause = e.Cause
		return d
	case err != nil:
		return f.unreadable(name, err)
	case !m.HasTemplate && len(m.Named) == 0:
		d := fault("PCC440", "the GGUF file %q holds no chat template", f.shown(name))
		d.Help = "the model was converted without one; take the tokenizer_config.json of the original model"
		return d
	}
	if m.HasTemplate {
		f.add("default", name, m.Template)
	}
	for _, t := range m.Named {
		if !f.has(t.Name) {
			f.add(t.Name, name, t.Template)
		}
	}
	if m.BOS != nil {
		f.tokens.Set("bos_token", vm.String(*m.BOS))
	}
	if m.EOS != nil {
		f.tokens.Set("eos_token", vm.String(*m.EOS))
	}
	return nil
}

// add adds a template that is the text of a whole file, or in one that has no
// lines.
func (f *files) add(name, file, text string) {
	f.parts = append(f.parts, part{name, source.New(f.shown(file), text)})
}

func (f *files) has(name string) bool {
	for _, p := range f.parts {
		if p.name == name {
			return true
		}
	}
	return false
}

func (f *files) exists(name string) bool {
	info, err := fs.Stat(f.fsys, name)
	return err == nil && info.Mode().IsRegular()
}

// json reads a JSON file. The value is null where there is a finding.
func (f *files) json(name string) (vm.Value, *source.File, *diag.Diagnostic) {
	text, d := f.text(name, maxConfig)
	if d != nil {
		return vm.Null, nil, d
	}
	file := source.New(f.shown(name), text)
	// The last of two equal keys counts, as in Python.
	v, err := vm.DecodeJSON([]byte(text), vm.DecodeOptions{MaxBytes: maxConfig, LastDuplicate: true})
	if err != nil {
		return vm.Null, nil, decodeFault(file, err)
	}
	return v, file, nil
}

// decodeFault is the finding for JSON that cannot be read.
func decodeFault(f *source.File, err error) *diag.Diagnostic {
	var e *vm.Error
	if !errors.As(err, &e) {
		return diag.New("PCC330", f, source.Span{}, "%v", err)
	}
	d := diag.New(diag.Code(e.Code), f, source.Span{}, "%s", e.Msg)
	if e.Help != "" {
		d.Help = e.Help
	}
	return d
}

// text reads a file of at most most bytes.
func (f *files) text(name string, most int64) (string, *diag.Diagnostic) {
	file, err := f.fsys.Open(name)
	if err != nil {
		return "", f.unreadable(name, err)
	}
	defer file.Close()
	b, err := io.ReadAll(io.LimitReader(file, most+1))
	if err != nil {
		return "", f.unreadable(name, err)
	}
	if int64(len(b)) > most {
		d := fault("PCC902", "%q has more than %d bytes", f.shown(name), most)
		d.Help = "no chat template and no tokenizer's configuration is that long; check that it is the right file"
		return "", d
	}
	return string(b), nil
}

func (f *files) unreadable(name string, err error) *diag.Diagnostic {
	name = f.shown(name)
	d := fault("PCC210", "%q cannot be read", name)
	if errors.Is(err, fs.ErrNotExist) {
		d.Message = fmt.Sprintf("there is no file or folder %q", name)
	}
	d.Help = "name a model's folder, its tokenizer_config.json, its chat_template.jinja, or a GGUF file"
	d.Cause = err
	return d
}
