package document

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/lexer"
	"github.com/pcc-lang/pcc/parser"
)

// The files in which transformers keeps chat templates (its
// utils/hub.py and tokenization_utils_base.py): the configuration of a
// tokenizer, with the template under chat_template, or since 2025 a file of its
// own beside it, and further templates in a folder. Package chat reads more, and
// applies what it reads to requests; here the templates are documents.
const (
	TokenizerConfig   = "tokenizer_config.json"
	ChatTemplateFile  = "chat_template.jinja"
	MoreChatTemplates = "additional_chat_templates"
)

// ChatTemplateSyntax is the Jinja syntax of transformers' chat templates.
func ChatTemplateSyntax() lexer.JinjaOptions {
	return lexer.JinjaOptions{TrimBlocks: true, LstripBlocks: true, LoopControls: true, Generation: true}
}

// tokenizerLimits are the limits of a tokenizer's configuration, which lists
// the tokens that were added, thousands in some models. Those of several models
// in one folder have the model's name in front: gemma3_tokenizer_config.json.
func tokenizerLimits(name string, l Limits) Limits {
	if strings.HasSuffix(name, TokenizerConfig) {
		if l.Bytes == 0 {
			l.Bytes = 16 << 20
		}
		if l.Nodes == 0 {
			l.Nodes = 1_000_000
		}
	}
	return l
}

// isTokenizer reports whether a document holds chat templates, or stands beside
// one as the configuration of its tokenizer.
func (r *reader) isTokenizer(s *ast.Structure) bool {
	if _, ok := s.Get("chat_template"); ok {
		return true
	}
	if path.Base(r.file.Name) != TokenizerConfig {
		return false
	}
	info, err := fs.Stat(r.fsys, path.Join(r.dir, ChatTemplateFile))
	return err == nil && info.Mode().IsRegular()
}

// chatTemplates reads `chat_template`: a text, or a list of {name, template}. A
// chat_template.jinja beside the file goes before it. The special tokens are
// default data, as are the variables that transformers always gives.
func (r *reader) chatTemplates(s *ast.Structure) {
	r.head = &ast.Meta{File: r.file, Vars: tokenizerVars(s)}
	r.doc.Meta = r.head
	if f, ok := r.chatTemplateFile(path.Join(r.dir, ChatTemplateFile)); ok {
		r.chatTemplate("", f, s.Span(), nil)
	} else if t, ok := s.Get("chat_template"); ok {
		r.chatTemplateValue(t)
	}
	entries, err := fs.ReadDir(r.fsys, path.Join(r.dir, MoreChatTemplates))
	if err != nil {
		return
	}
	for _, e := range entries {
		name, isJinja := strings.CutSuffix(e.Name(), ".jinja")
		taken := slices.ContainsFunc(r.doc.Entries, func(d *ast.DocumentEntry) bool { return d.Name == name })
		if !isJinja || taken || e.IsDir() {
			continue
		}
		if f, ok := r.chatTemplateFile(path.Join(r.dir, MoreChatTemplates, e.Name())); ok {
			r.chatTemplate(name, f, s.Span(), nil)
		}
	}
	// Beside others the main template has a name.
	if len(r.doc.Entries) > 1 && r.doc.Entries[0].Name == "" {
		r.doc.Entries[0].Name = "default"
	}
}

func (r *reader) chatTemplateValue(t *ast.Structure) {
	switch t.Kind {
	case ast.SString:
		r.chatTemplate("", TextFile(r.file, t), t.Span(), t)
	case ast.SList:
		for i := range t.Items {
			item := &t.Items[i]
			name, okName := item.Get("name")
			text, okText := item.Get("template")
			if !okName || !okText || text.Kind != ast.SString {
				r.want("a map with `name` and `template`", "chat_template", item)
				continue
			}
			r.chatTemplate(r.text("name", name), TextFile(r.file, text), name.Span(), text)
		}
	default:
		r.want("a template, or a list of {name, template}", "chat_template", t)
	}
}

// chatTemplateFile reads a file that may be there.
func (r *reader) chatTemplateFile(name string) (*source.File, bool) {
	info, err := fs.Stat(r.fsys, name)
	if err != nil || !info.Mode().IsRegular() {
		return nil, false
	}
	text, err := readFile(r.fsys, name, parser.MaxSource)
	if err != nil {
		r.openFault(source.Span{}, name, err)
		return nil, false
	}
	r.doc.Files = append(r.doc.Files, name)
	return source.New(name, text), true
}

// chatTemplate adds a template. It is a text of its own: what it renders is
// one text, with the roles written as the model wants them.
func (r *reader) chatTemplate(name string, f *source.File, span source.Span, data *ast.Structure) {
	o := r.o.Parser
	o.Syntax = lexer.Jinja()
	if o.Jinja == nil {
		j := ChatTemplateSyntax()
		o.Jinja = &j
	}
	t, diags := parser.Parse(f, o)
	r.diags = append(r.diags, diags...)
	t.Front = &ast.FrontMatter{Meta: r.head}
	r.doc.Entries = append(r.doc.Entries, &ast.DocumentEntry{Name: name, Span: span, Template: t,
		Rules: ast.Rules{Form: ast.FormChatTemplate}, Data: data})
}

// tokenizerVars are the special tokens of a tokenizer (texts, or maps with the
// text under content; null is none), and what transformers gives a template
// where the caller says nothing.
func tokenizerVars(s *ast.Structure) *ast.Structure {
	vars := &ast.Structure{Range: s.Range, Kind: ast.SMap}
	for i := range s.Map {
		e := s.Map[i]
		switch {
		case strings.HasSuffix(e.Key, "_token"):
			if token, ok := tokenText(&e.Value); ok {
				e.Value = token
				vars.Map = append(vars.Map, e)
			}
		case e.Key == "additional_special_tokens" && e.Value.Kind == ast.SList:
			list := ast.Structure{Range: e.Value.Range, Kind: ast.SList}
			for j := range e.Value.Items {
				if token, ok := tokenText(&e.Value.Items[j]); ok {
					list.Items = append(list.Items, token)
				}
			}
			e.Value = list
			vars.Map = append(vars.Map, e)
		}
	}
	vars.Map = append(vars.Map,
		ast.Entry{Key: "tools", Value: ast.Structure{Kind: ast.SNull}},
		ast.Entry{Key: "documents", Value: ast.Structure{Kind: ast.SNull}},
		ast.Entry{Key: "add_generation_prompt", Value: ast.Structure{Kind: ast.SBool}})
	return vars
}

func tokenText(s *ast.Structure) (ast.Structure, bool) {
	if s.Kind == ast.SMap {
		c, ok := s.Get("content")
		if !ok {
			return ast.Structure{}, false
		}
		s = c
	}
	return *s, s.Kind == ast.SString
}
