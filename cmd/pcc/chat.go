package main

import (
	"os"
	"path/filepath"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/chat"
	"github.com/pcc-lang/pcc/parser/document"
	"github.com/pcc-lang/pcc/vm"
)

// chatFiles are the files of a model's folder that hold its chat template, the
// first of them that is there.
var chatFiles = []string{"tokenizer_config.json", "chat_template.jinja", "chat_template.json", "processor_config.json"}

// chatFile is the file of --chat-template: of a folder, the one that holds its
// chat template.
func chatFile(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return path, nil
	}
	for _, name := range chatFiles {
		full := filepath.Join(path, name)
		if info, err := os.Stat(full); err != nil || !info.Mode().IsRegular() {
			continue
		}
		if name == "tokenizer_config.json" && !holdsChatTemplate(full) {
			continue
		}
		return full, nil
	}
	return "", usagef("the folder %s holds no chat template: no %s", path, oneOf(chatFiles))
}

// holdsChatTemplate reports whether the configuration of a tokenizer has a chat
// template, itself or in the file beside it. One that cannot be read is left to
// its reader.
func holdsChatTemplate(path string) bool {
	if _, err := os.Stat(filepath.Join(filepath.Dir(path), "chat_template.jinja")); err == nil {
		return true
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return true
	}
	v, err := vm.DecodeJSON(b, vm.DecodeOptions{MaxBytes: maxTokenizerBytes})
	if err != nil {
		return true
	}
	_, ok := vm.Lookup(v, "chat_template")
	return ok
}

// maxTokenizerBytes is more than the configuration of any tokenizer has.
const maxTokenizerBytes = 64 << 20

// chatPrograms are a model's chat templates: the one of all conversations, and
// that of those with tools, if it has one.
type chatPrograms struct{ plain, tools *vm.Program }

// of is the template that transformers takes for the data (get_chat_template of
// its tokenization_utils_base.py): the one named tool_use where tools are given.
func (c *chatPrograms) of(data vm.Value) *vm.Program {
	if c.tools != nil {
		if v, ok := vm.Lookup(data, "tools"); ok && !v.IsNull() {
			return c.tools
		}
	}
	return c.plain
}

// loadChat loads the chat templates of the file at path; entry names one.
func (a *app) loadChat(path, entry string, t *templateFlags) (*chatPrograms, error) {
	own := *t
	if own.chat = !document.IsDocument(path); own.chat {
		// The special tokens stand in the files beside the template. What cannot
		// be read is told when the template itself is loaded.
		own.tokens, _ = chat.SpecialTokens(path)
	}
	prompts, err := a.load(path, &own)
	if err != nil || len(prompts) == 0 {
		a.explainNoChat(path)
		return nil, err
	}
	if form := prompts[0].form; form != "chat-template" && document.IsDocument(path) {
		return nil, usagef("%s is a document of the form %s and holds no `chat_template`; give it as FILE to render its messages", path, form)
	}
	return a.chatOf(prompts, path, entry)
}

// chatOf picks the chat templates out of those of a file.
func (a *app) chatOf(prompts []loaded, path, entry string) (*chatPrograms, error) {
	p, err := pick(prompts, path, entry)
	if err != nil {
		return nil, err
	}
	c := &chatPrograms{plain: p.Program}
	if entry == "" {
		for i := range prompts {
			if entryName(path, prompts[i].name) == "tool_use" {
				c.tools = prompts[i].Program
			}
		}
	}
	return c, nil
}

// explainNoChat says what is missing where a file that should hold a chat template
// is told to be no prompt document.
func (a *app) explainNoChat(path string) {
	for i, d := range a.found {
		if d.Code == "PCC416" {
			own := *d
			own.Message = "it has no `chat_template`"
			own.Help = "name the tokenizer_config.json of a model for chat, its chat_template.jinja, or their folder"
			a.found[i] = &own
		}
	}
}

// checkConversation wants the data of a chat template to hold messages: without
// them transformers cannot be called either.
func checkConversation(data vm.Value) error {
	v, ok := vm.Lookup(data, "messages")
	if ok && v.IsSequence() {
		return nil
	}
	d := diag.New("PCC304", nil, source.Span{}, "a chat template needs `messages`, and the data has none").WithNames("messages")
	d.Help = `give a list such as {"messages": [{"role": "user", "content": "Hi"}]}`
	if ok {
		d.Message = "the `messages` of a chat template are a list, and this is " + v.Kind().String()
		return d
	}
	if m, isMap := data.Map(); isMap {
		var names []string
		for i := range m.Len() {
			k, _ := m.At(i)
			if s, ok := k.Str(); ok {
				names = append(names, s)
			}
		}
		if near, ok := diag.Near("messages", names); ok {
			d.Help = "the data has `" + near + "`; did you mean `messages`?"
		}
	}
	return d
}
