package message

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/vm"
)

// kind is what a part of content is.
type kind uint8

const (
	textPart kind = iota
	refusalPart
	imagePart
	audioPart
	filePart
	ownPart // in the form of the provider itself, which takes it as it is
)

// noun names a kind in messages.
func (k kind) noun() string {
	return [...]string{"text", "a refusal", "an image", "audio", "a file", "a part"}[k]
}

// part is one part of a message's content.
type part struct {
	field string // its place in the message: ".content", ".content[2]"
	kind  kind
	text  string
	media media
	cache bool
	plain bool     // a text without keys of its own
	keep  bool     // a text with keys of the provider's own, which stay
	value vm.Value // as it stands in the message
}

// spelling says how the parts of a provider are told from those that every
// form takes, which are OpenAI's and the short ones, {text: …}, {image: {url: …}}.
type spelling struct {
	form string
	// own reports whether a part is in the provider's own form.
	own func(p vm.Value, typ string) bool
	// textKeys are further keys that the provider takes in a text part.
	textKeys []string
}

// partsOf lists the parts of structured content; a single map is one part.
func partsOf(v vm.Value) []vm.Value {
	if v.IsSequence() {
		if items, err := reader().Items(v); err == nil {
			return items
		}
	}
	return []vm.Value{v}
}

// read lists the parts of the content of message i. A text is one part; null
// and absent content are none.
func (s *spelling) read(m *vm.Message, i int) ([]part, error) {
	if m.Parts.IsNull() {
		if m.State != vm.HasContent {
			return nil, nil
		}
		return []part{{field: ".content", text: m.Content, plain: true}}, nil
	}
	items := partsOf(m.Parts)
	out := make([]part, len(items))
	for n, item := range items {
		p := part{field: fmt.Sprintf(".content[%d]", n), value: item}
		if err := s.one(&p, i); err != nil {
			return nil, err
		}
		out[n] = p
	}
	return out, nil
}

// one reads p.value.
func (s *spelling) one(p *part, i int) error {
	if text, ok := p.value.Str(); ok {
		p.text, p.plain = text, true
		return nil
	}
	if !p.value.IsMapping() {
		return fault("PCC360", i, p.field, "a part of a message is a text or a map, and this is %s", p.value.Kind().Noun()).WithHelp(partsHelp)
	}
	typ, isTyped := lookupText(p.value, "type")
	if s.own != nil && s.own(p.value, typ) {
		p.kind = ownPart
		return nil
	}
	asked, _ := vm.Lookup(p.value, "cache")
	var err error
	if p.cache, err = marked(asked, i, p.field+".cache"); err != nil {
		return err
	}
	inner := typ // the key that holds what the part is about
	switch typ {
	case "text", "input_audio", "file":
	case "refusal":
		p.kind = refusalPart
	case "image_url":
		p.kind = imagePart
	case "":
		short := []string{}
		for _, key := range []string{"text", "image", "audio", "file"} {
			if _, ok := vm.Lookup(p.value, key); ok {
				short = append(short, key)
			}
		}
		if isTyped || len(short) != 1 {
			return s.unknown(p, i, typ)
		}
		inner = short[0]
	default:
		return s.unknown(p, i, typ)
	}
	switch inner {
	case "input_audio", "audio":
		p.kind = audioPart
	case "file":
		p.kind = filePart
	case "image":
		p.kind = imagePart
	}
	if err := s.keys(p, i, inner); err != nil {
		return err
	}
	v, _ := vm.Lookup(p.value, inner)
	if inner == "text" || inner == "refusal" {
		var ok bool
		if p.text, ok = v.Str(); !ok {
			return fault("PCC360", i, p.field+"."+inner, "this is a text, and not %s", v.Kind().Noun()).WithHelp(partsHelp)
		}
		return nil
	}
	return p.readMedia(v, i, inner, typ != "")
}

const partsHelp = "write parts such as {type: text, text: …} or {type: image_url, image_url: {url: …}}"

// unknown is the error of a part whose type no form shares with this one.
func (s *spelling) unknown(p *part, i int, typ string) error {
	if typ == "" {
		return fault("PCC360", i, p.field, "the form %s cannot tell what this part is", s.form).WithHelp(partsHelp)
	}
	return fault("PCC360", i, p.field+".type", "the form %s has no counterpart of a part of the type %q", s.form, diag.ClipName(typ)).WithNames(typ)
}

// keys refuses keys of a part beside its type, its mark and inner.
func (s *spelling) keys(p *part, i int, inner string) error {
	e, err := reader().Entries(p.value)
	if err != nil {
		return err
	}
	p.plain = inner == "text" && !p.cache
	for j := range e.Len() {
		k, v := e.At(j)
		key, _ := k.Str()
		switch {
		case key == "type", key == inner, key == "cache", v.IsMissing():
		case inner == "text" && slices.Contains(s.textKeys, key):
			if p.cache {
				return fault("PCC360", i, p.field+"."+key, "the part has `cache` and the provider's own `%s`", key).WithHelp("keep one of them")
			}
			p.keep, p.plain = true, false
		default:
			return fault("PCC360", i, p.field+"."+diag.ClipName(key), "the form %s has no place for the key `%s` of a part", s.form, diag.ClipName(key)).WithNames(key)
		}
	}
	return nil
}

// refuse is the error of a part that the provider cannot say there.
func (s *spelling) refuse(p *part, i int, where string) *diag.Diagnostic {
	d := fault("PCC360", i, p.field, "the form %s has no place for %s%s", s.form, p.kind.noun(), where)
	if p.kind == ownPart {
		d.WithHelp("give it as a text")
	}
	return d
}

// texts joins the texts of the content of message i by sep, for forms that take
// nothing else.
func (s *spelling) texts(m *vm.Message, i int, sep string, o *Options) (string, error) {
	parts, err := s.read(m, i)
	if err != nil {
		return "", err
	}
	if len(parts) == 0 {
		return "", noContent(i, m)
	}
	whole, err := messageMark(m, i)
	if err != nil {
		return "", err
	}
	if whole {
		o.unplaced(i, "", s.form)
	}
	var b strings.Builder
	for n := range parts {
		p := &parts[n]
		if p.kind != textPart {
			return "", s.refuse(p, i, "").WithHelp("give the message as a text, or choose another form with --as")
		}
		if p.cache {
			o.unplaced(i, p.field, s.form)
		}
		if n > 0 {
			b.WriteString(sep)
		}
		b.WriteString(p.text)
	}
	return b.String(), nil
}

// noContent is the error of a message that says nothing: its content is null,
// absent or an empty list, and it calls no tool.
func noContent(i int, m *vm.Message) error {
	help := "give it a text"
	if m.Role == "assistant" {
		help = "give it a text, or tool_calls"
	}
	return fault("PCC360", i, ".content", "the message has neither content nor calls of tools").WithHelp("%s", help)
}

// mark puts the mark of message i, and what messages ask for by `cache`, on
// parts: that of the message goes to its last part.
func mark(m *vm.Message, i int, parts []part) error {
	whole, err := messageMark(m, i)
	if whole && len(parts) > 0 {
		parts[len(parts)-1].cache, parts[len(parts)-1].plain = true, false
	}
	return err
}

func lookupText(v vm.Value, key string) (string, bool) {
	x, ok := vm.Lookup(v, key)
	s, isText := x.Str()
	return s, ok && isText
}
