package document

import (
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
)

// Read reads the document at name in fsys: a template file, a YAML or JSON
// document, or an agent folder (which has a config.yaml). The form is told by
// the shape. The document is nil where nothing could be read of it.
func Read(fsys fs.FS, name string, o Options) (*ast.Document, diag.List) {
	r := &reader{reporter: &reporter{file: source.New(name, "")}, fsys: fsys, dir: path.Dir(name), o: o.withBudget(), doc: &ast.Document{}}
	if !fs.ValidPath(name) {
		r.openFault(source.Span{}, name, errOutside)
		return nil, r.diags
	}
	if info, err := fs.Stat(fsys, name); err == nil && info.IsDir() {
		config, ok := agentConfig(fsys, name)
		if !ok {
			r.report("PCC416", source.Span{}, "the folder `%s` holds no config.yaml", diag.Shorten(name, 120)).
				WithHelp("an agent folder has a config.yaml and a templates folder")
			return nil, r.diags
		}
		name, r.dir = config, name
		r.file = source.New(name, "")
	}
	limit := r.maxSource()
	if IsDocument(name) {
		o.Limits = tokenizerLimits(name, o.Limits)
		r.o.Limits = o.Limits
		limit = o.Limits.orDefault().Bytes
	}
	text, err := readFile(fsys, name, limit)
	if err != nil {
		r.openFault(source.Span{}, name, err)
		return nil, r.diags
	}
	r.doc.Files = append(r.doc.Files, name)
	return r.read(source.New(name, text))
}

// ReadFile reads a document whose text is at hand; the files that it names are
// looked for in fsys, which may be nil, relative to the folder of its name.
func ReadFile(f *source.File, fsys fs.FS, o Options) (*ast.Document, diag.List) {
	if fsys == nil {
		fsys = noFiles{}
	}
	r := &reader{reporter: &reporter{file: f}, fsys: fsys, dir: path.Dir(f.Name), o: o.withBudget(), doc: &ast.Document{}}
	return r.read(f)
}

// noFiles is a file system without files.
type noFiles struct{}

func (noFiles) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// IsDocument reports whether a file of this name is read as YAML or JSON, by
// its ending; others are template files.
func IsDocument(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".yaml", ".yml", ".json":
		return true
	}
	return false
}

// agentConfig finds the configuration file of an agent folder.
func agentConfig(fsys fs.FS, dir string) (string, bool) {
	for _, name := range []string{"config.yaml", "config.yml"} {
		name = path.Join(dir, name)
		if info, err := fs.Stat(fsys, name); err == nil && info.Mode().IsRegular() {
			return name, true
		}
	}
	return "", false
}

// IsAgent reports whether dir is an agent folder.
func IsAgent(fsys fs.FS, dir string) bool {
	if _, ok := agentConfig(fsys, dir); !ok {
		return false
	}
	info, err := fs.Stat(fsys, path.Join(dir, "templates"))
	return err == nil && info.IsDir()
}

func (r *reader) read(f *source.File) (*ast.Document, diag.List) {
	r.file, r.doc.File = f, f
	if !r.o.Data && !IsDocument(f.Name) {
		r.templateDocument()
		if r.o.Tests {
			r.siblingTests()
		}
		return r.doc, r.diagnostics()
	}
	read := ReadData
	if r.o.Data {
		read = func(f *source.File, o YAMLOptions) (*ast.Structure, diag.List) {
			return ReadYAML(f, source.Span{End: source.Pos(len(f.Text))}, o)
		}
	}
	s, diags := read(f, YAMLOptions{Placeholders: PlaceholdersText, Limits: r.o.Limits})
	r.diags = append(r.diags, diags...)
	if s == nil {
		return nil, r.diagnostics()
	}
	r.doc.Data = s
	form := r.recognise(s)
	if form == nil {
		return nil, r.diagnostics()
	}
	r.doc.Form = form.form
	if !form.placeholders {
		r.refusePlaceholders()
	}
	if form.booleans11 {
		booleans11(s)
	}
	if form.core {
		walkScalars(s, func(s *ast.Structure) {
			if s.Kind == ast.SString && s.Source == s.Str && leadingZeros.MatchString(s.Source) {
				resolvePlain(s, s.Source, false)
			}
		})
	}
	form.read(r, s)
	if r.o.Tests && form.form != ast.FormAgent {
		r.siblingTests()
	}
	for _, e := range r.doc.Entries {
		keepMetadata(e.Template.Front.Meta)
	}
	return r.doc, r.diagnostics()
}

// templateDocument makes a document of one template file.
func (r *reader) templateDocument() {
	t, diags := ReadTemplate(r.file, r.o.Parser)
	r.diags = append(r.diags, diags...)
	r.doc.Meta = &ast.Meta{File: r.file}
	if t.Front != nil {
		r.doc.Meta = t.Front.Meta
		r.head = t.Front.Meta
		for i := range r.head.Extra {
			if r.head.Extra[i].Key == "tests" {
				r.tests(&r.head.Extra[i].Value)
			}
		}
	}
	r.doc.Entries = []*ast.DocumentEntry{{Template: t, Span: source.Span{End: source.Pos(len(r.file.Text))}}}
}

// bodyKeys are the keys that hold prompts and tests, and are no metadata.
var bodyKeys = []string{"messages", "template", "templates", "prompt", "prompts", "Prompts", "system", "user",
	"system_template", "template_dictionary", "tests", "chat_template"}

// keepMetadata drops what was read as prompts from the further keys of a head.
func keepMetadata(m *ast.Meta) {
	m.Extra = slices.DeleteFunc(slices.Clone(m.Extra), func(e ast.Entry) bool { return slices.Contains(bodyKeys, e.Key) })
}

// formRule describes a form: how it is told, and how it is read.
type formRule struct {
	form ast.Form
	// placeholders says that an unquoted {x} is read as text.
	placeholders bool
	booleans11   bool
	// core says that digits with leading zeros are numbers, as the library that
	// reads such files has it.
	core bool
	read func(*reader, *ast.Structure)
}

var (
	nativeForm     = formRule{form: ast.FormNative, read: (*reader).native}
	agentForgeForm = formRule{form: ast.FormAgentForge, placeholders: true, booleans11: true, read: (*reader).agentForge}
	shortForm      = formRule{form: ast.FormAgentForge, booleans11: true, read: (*reader).agentForge}
	hfForm         = formRule{form: ast.FormPromptTemplates, core: true, read: (*reader).promptTemplates}
	pairForm       = formRule{form: ast.FormPair, read: (*reader).pair}
	tokenizerForm  = formRule{form: ast.FormChatTemplate, read: (*reader).chatTemplates}
	agentForm      = formRule{form: ast.FormAgent, booleans11: true, read: (*reader).agent}
)

// recognise tells the form of a document by its top-level keys, first match.
func (r *reader) recognise(s *ast.Structure) *formRule {
	if isTests(s) {
		r.report("PCC416", source.Span{Start: s.Start, End: s.Start + 1}, "this file holds tests, and no prompt").
			WithHelp("run `pcc test` on the document or the folder that they belong to")
		return nil
	}
	if s.Kind == ast.SList {
		if len(s.Items) > 0 && !slices.ContainsFunc(s.Items, isMessageItem) {
			r.report("PCC416", source.Span{Start: s.Start, End: s.Start + 1}, "this is no prompt document: it is a list, and none of its items is a message").
				WithHelp("begin each message with its role: - user: …")
			return nil
		}
		return &nativeForm
	}
	if s.Kind != ast.SMap {
		r.report("PCC416", s.Span(), "a prompt document is a map or a list of messages, and this is %s", withArticle(s.Kind.String()))
		return nil
	}
	has := func(keys ...string) bool {
		for _, k := range keys {
			if _, ok := s.Get(k); ok {
				return true
			}
		}
		return false
	}
	switch {
	case r.isTokenizer(s):
		return &tokenizerForm
	case has("messages", "templates"):
		return &nativeForm
	case has("prompt"):
		p, _ := s.Get("prompt")
		switch p.Kind {
		case ast.SList:
			if r.hfMessages(p) {
				return nil
			}
			return &agentForm
		case ast.SMap:
			return &hfForm
		}
		r.want("a map with `template`, or a list of entries", "prompt", p)
		return nil
	case has("prompts", "Prompts"):
		return &agentForgeForm
	case has("system_template"):
		return &pairForm
	case has("template"):
		if r.o.Form == ast.FormPair {
			return &pairForm
		}
		return &nativeForm
	case has("system", "user"):
		if r.o.Tree && r.o.Form != ast.FormAgentForge && isData(s) {
			r.report("PCC416", source.Span{Start: s.Start, End: s.Start + 1}, "this is most likely data, and no prompt document: nothing under `system` or `user` is the text of a prompt").
				WithHelp("write `prompts:` above the two keys, if they are prompts")
			return nil
		}
		return &shortForm
	}
	r.unrecognised(s)
	return nil
}

// isData reports whether the values of `system` and `user`, which data has as well,
// are no prompts: none of their texts has a placeholder or is more than a few words.
func isData(s *ast.Structure) bool {
	for _, key := range []string{"system", "user"} {
		v, ok := s.Get(key)
		if !ok {
			continue
		}
		data := true
		walkScalars(v, func(s *ast.Structure) {
			data = data && (s.Kind != ast.SString || !isPromptText(s.Str))
		})
		if !data {
			return false
		}
	}
	return true
}

// isPromptText reports whether a text is likely one of a prompt: it has what may be a
// tag, several lines or more than a few words.
func isPromptText(s string) bool {
	const few = 3
	return strings.ContainsAny(s, "{<\n") || len(strings.Fields(s)) > few
}

// formKeys are the keys that tell a form.
var formKeys = []string{"messages", "templates", "template", "prompt", "prompts", "system_template", "system", "user", "chat_template"}

// isMessageItem reports whether an item of a list has a key that makes a
// message list, or one key alone that nearly does.
func isMessageItem(s ast.Structure) bool {
	for i := range s.Map {
		key := s.Map[i].Key
		if ast.IsRole(key) || slices.Contains([]string{"role", "when", "loop", "switch", "messages"}, key) {
			return true
		}
		_, near := diag.Near(key, append([]string{"when", "loop", "switch", "messages", "human"}, ast.Roles()...))
		if len(s.Map) == 1 && (near || strings.ContainsAny(key, "{}<>")) {
			return true
		}
	}
	return false
}

// formKey finds a key that tells a form in the text of a document that cannot
// be read.
var formKey = regexp.MustCompile(`(?m)^[ \t]*[{,]?[ \t]*["']?(messages|templates?|prompts?|Prompts|system|user|system_template|chat_template)["']?[ \t]*:|-[ \t]+["']?(role|system|user|assistant)["']?[ \t]*:`)

// LooksLikePrompts reports whether a text that is no well-formed YAML or JSON
// was likely meant as a prompt document.
func LooksLikePrompts(text string) bool { return formKey.MatchString(text) }

func (r *reader) unrecognised(s *ast.Structure) {
	d := r.report("PCC416", source.Span{Start: s.Start, End: s.Start + 1}, "this is no prompt document: none of its keys tells a form")
	switch base := path.Base(r.file.Name); {
	case base == TokenizerConfig:
		d.Message = "this tokenizer's configuration has no `chat_template`, and no " + ChatTemplateFile + " stands beside it"
		d.Help = "get the model's " + ChatTemplateFile + "; a base model has none"
		return
	case (base == "config.yaml" || base == "config.yml") && IsAgent(r.fsys, r.dir):
		d.Message = "this agent's configuration has no `prompt`"
		d.Help = "list its templates: prompt: [{system: system.jinja}, {user: user.jinja}]"
	}
	for i := range s.Map {
		near, ok := diag.Near(s.Map[i].Key, formKeys)
		if !ok {
			continue
		}
		d.Span = s.Map[i].KeySpan
		d.Help = "did you mean `" + near + "`?"
		if s.Map[i].Key != near+"s" && suits(near, &s.Map[i].Value) { // `users` is rather a key of data
			d.Fix = &diag.Fix{Span: d.Span, Replacement: near}
			return
		}
	}
}

// suits reports whether a value is of the kind that a key that tells a form
// needs: data has keys that are near such keys.
func suits(key string, v *ast.Structure) bool {
	switch key {
	case "messages":
		return v.Kind == ast.SList && slices.ContainsFunc(v.Items, isMessageItem)
	case "prompts", "templates":
		return v.Kind == ast.SMap
	case "prompt":
		return v.Kind == ast.SMap || v.Kind == ast.SList
	case "system", "user":
		return v.Kind == ast.SMap || v.Kind == ast.SString
	}
	return v.Kind == ast.SString
}

// refusePlaceholders makes errors of the warnings for unquoted placeholders.
func (r *reader) refusePlaceholders() {
	for _, d := range r.diags {
		if d.Code == "PCC402" {
			d.Severity = diag.Error
			d.Message = strings.Replace(d.Message, "was read as text", "is a map to YAML", 1)
		}
	}
}

// booleans11 gives the plain scalars yes, no, on and off their YAML 1.1
// meaning; the spelling is kept.
func booleans11(s *ast.Structure) {
	walkScalars(s, func(s *ast.Structure) {
		if b, ok := words11[s.Source]; ok && s.Kind == ast.SString && s.Source == s.Str {
			s.Kind, s.Bool = ast.SBool, b
		}
	})
}

// walkScalars calls f for each scalar in s. Documents are nested no deeper than
// their limit.
func walkScalars(s *ast.Structure, f func(*ast.Structure)) {
	switch s.Kind {
	case ast.SList:
		for i := range s.Items {
			walkScalars(&s.Items[i], f)
		}
	case ast.SMap:
		for i := range s.Map {
			walkScalars(&s.Map[i].Value, f)
		}
	default:
		f(s)
	}
}
