// Package gguf reads what a chat template needs from the metadata of a GGUF
// model file: the templates and the special tokens. Tensors are never read.
//
// What enters: a file as an io.ReaderAt and its size. What leaves: a Metadata,
// or an *Error with the kind of the fault and its byte offset.
//
// The layout is that of ggml's docs/gguf.md, versions 2 and 3. Every count and
// every length is compared with the bytes that are left in the file before
// anything of that size is allocated, so that a file costs no more memory than
// its own size, whatever its counts say.
package gguf

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"
)

// Metadata is what a model file says about its chat templates.
type Metadata struct {
	// Version of the file format, 2 or 3.
	Version int
	// Template is tokenizer.chat_template; HasTemplate tells an empty one from
	// none.
	Template    string
	HasTemplate bool
	// Named holds tokenizer.chat_template.NAME in the order of the file.
	Named []Named
	// BOS and EOS are the texts of the tokens that tokenizer.ggml.bos_token_id
	// and eos_token_id name, nil where the file has no vocabulary, no id, or
	// the id -1.
	BOS, EOS *string
}

// Named is a template with a name, such as tool_use.
type Named struct{ Name, Template string }

// Kind is the class of a fault.
type Kind string

// The kinds of faults.
const (
	Truncated       Kind = "truncated"        // the file ends inside its metadata
	Magic           Kind = "magic"            // it does not begin with "GGUF"
	Version         Kind = "version"          // neither version 2 nor 3
	Type            Kind = "type"             // a value type that does not exist
	WrongType       Kind = "wrong-type"       // a known key with a value of another type
	Duplicate       Kind = "duplicate"        // a key occurs twice
	UTF8            Kind = "utf8"             // a text that is needed is not UTF-8
	Key             Kind = "key"              // a key that is empty, too long or not ASCII
	Bool            Kind = "bool"             // a boolean that is neither 0 nor 1
	Depth           Kind = "depth"            // arrays nested too deep
	TokenID         Kind = "token-id"         // an id outside the vocabulary
	MissingTemplate Kind = "missing-template" // the list names a template that is not there
	Limit           Kind = "limit"            // more keys or longer templates than any model has
	Unreadable      Kind = "read"             // the reader failed
)

// Error is a fault of a file.
type Error struct {
	Kind    Kind
	Offset  int64 // in bytes from the start of the file
	Message string
	Cause   error // of the reader, else nil
}

func (e *Error) Error() string { return fmt.Sprintf("byte %d: %s", e.Offset, e.Message) }

// Unwrap returns the reader's error.
func (e *Error) Unwrap() error { return e.Cause }

// The limits of a file. Real models have about 50 keys, and templates of some
// 20 KB.
const (
	maxKeys     = 1 << 16
	maxKey      = 1<<16 - 1 // docs/gguf.md: keys are at most 2^16-1 bytes
	maxTemplate = 10 << 20  // a template may be as long as any other source
	maxToken    = 1 << 16
	maxNesting  = 64
)

// The value types of docs/gguf.md (gguf_metadata_value_type).
const (
	typeUint8 = iota
	typeInt8
	typeUint16
	typeInt16
	typeUint32
	typeInt32
	typeFloat32
	typeBool
	typeString
	typeArray
	typeUint64
	typeInt64
	typeFloat64
	typeCount
)

// widths are the bytes of a value of each type: of a string or an array the
// least that one takes.
var widths = [typeCount]int64{1, 1, 2, 2, 4, 4, 4, 1, 8, 12, 8, 8, 8}

var typeNames = [typeCount]string{"uint8", "int8", "uint16", "int16", "uint32", "int32", "float32", "bool",
	"string", "array", "uint64", "int64", "float64"}

// The keys that are read.
const (
	keyTemplate  = "tokenizer.chat_template"
	keyTemplates = "tokenizer.chat_templates"
	keyTokens    = "tokenizer.ggml.tokens"
	keyBOS       = "tokenizer.ggml.bos_token_id"
	keyEOS       = "tokenizer.ggml.eos_token_id"
)

// parser holds the state of one reading.
type parser struct {
	cursor
	m      Metadata
	listed []string // tokenizer.chat_templates
	// The vocabulary is walked a second time for the texts that are asked
	// for, since the ids may come behind it.
	tokens     int64 // offset of the first token
	tokenCount uint64
	ids        [2]tokenID // bos, eos
}

type tokenID struct {
	set    bool
	id     int64
	offset int64
}

// Read reads the metadata of a file of size bytes. The error is an *Error.
func Read(r io.ReaderAt, size int64) (*Metadata, error) {
	p := &parser{cursor: cursor{r: r, size: size, order: binary.LittleEndian}, tokens: -1}
	if err := p.file(); err != nil {
		return nil, err
	}
	return &p.m, nil
}

func (p *parser) file() error {
	magic, err := p.take(4)
	if err != nil {
		return err
	}
	if string(magic) != "GGUF" {
		return p.fault(Magic, 0, "the file does not begin with GGUF")
	}
	version, err := p.uint32()
	if err != nil {
		return err
	}
	if version&0xffff == 0 && version != 0 {
		// docs/gguf.md: big-endian models exist, and nothing else in the file
		// tells them apart.
		p.order = binary.BigEndian
		version = binary.BigEndian.Uint32(binary.LittleEndian.AppendUint32(nil, version))
	}
	if version != 2 && version != 3 {
		return p.fault(Version, 4, "version %d is not supported; 2 and 3 are", version)
	}
	p.m.Version = int(version)
	if _, err := p.uint64(); err != nil { // tensors
		return err
	}
	at := p.off
	count, err := p.uint64()
	if err != nil {
		return err
	}
	// A key takes 8 bytes for its length and 1 at least, its type 4, its value 1.
	if count > uint64(p.left())/14 {
		return p.fault(Truncated, at, "the file names %d keys and ends before them", count)
	}
	if count > maxKeys {
		return p.fault(Limit, at, "the file has %d keys; the limit is %d", count, maxKeys)
	}
	seen := make(map[string]bool, min(count, 256))
	for range count {
		if err := p.entry(seen); err != nil {
			return err
		}
	}
	return p.resolve()
}

// entry reads one key and its value.
func (p *parser) entry(seen map[string]bool) error {
	at := p.off
	key, err := p.text(maxKey, Key, "a key")
	if err != nil {
		return err
	}
	if key == "" || strings.IndexFunc(key, func(r rune) bool { return r <= ' ' || r >= 0x7f }) >= 0 {
		return p.fault(Key, at, "a key is empty or not ASCII")
	}
	if seen[key] {
		return p.fault(Duplicate, at, "the key %s occurs twice", key)
	}
	seen[key] = true
	at = p.off
	kind, err := p.kind()
	if err != nil {
		return err
	}
	switch name, named := strings.CutPrefix(key, keyTemplate+"."); {
	case key == keyTemplate:
		p.m.Template, err = p.template(kind, at, key)
		p.m.HasTemplate = true
		return err
	case named && name != "":
		text, err := p.template(kind, at, key)
		p.m.Named = append(p.m.Named, Named{Name: name, Template: text})
		return err
	case key == keyTemplates:
		return p.templateNames(kind, at)
	case key == keyTokens:
		return p.vocabulary(kind, at)
	case key == keyBOS:
		return p.tokenID(&p.ids[0], kind, at, key)
	case key == keyEOS:
		return p.tokenID(&p.ids[1], kind, at, key)
	}
	return p.skip(kind, 0)
}

// template reads a text value whole.
func (p *parser) template(kind uint32, at int64, key string) (string, error) {
	if kind != typeString {
		return "", p.wrong(at, key, "string", kind)
	}
	at = p.off
	s, err := p.text(maxTemplate, Limit, "the template")
	if err == nil && !utf8.ValidString(s) {
		err = p.fault(UTF8, at, "the value of %s is not UTF-8", key)
	}
	return s, err
}

// templateNames reads the list of names. An empty list may be of any type,
// since some writers choose one where there is no item.
func (p *parser) templateNames(kind uint32, at int64) error {
	if kind != typeArray {
		return p.wrong(at, keyTemplates, "array of strings", kind)
	}
	item, count, err := p.array()
	if err != nil {
		return err
	}
	if item != typeString && count > 0 {
		return p.wrong(at, keyTemplates, "array of strings", item)
	}
	if count > maxKeys {
		return p.fault(Limit, at, "%s has %d names; the limit is %d", keyTemplates, count, maxKeys)
	}
	for range count {
		name, err := p.text(maxKey, Limit, "a template's name")
		if err != nil {
			return err
		}
		p.listed = append(p.listed, name)
	}
	return nil
}

func (p *parser) vocabulary(kind uint32, at int64) error {
	if kind != typeArray {
		return p.wrong(at, keyTokens, "array of strings", kind)
	}
	item, count, err := p.array()
	if err != nil {
		return err
	}
	if item != typeString && count > 0 {
		return p.wrong(at, keyTokens, "array of strings", item)
	}
	p.tokens, p.tokenCount = p.off, count
	for range count {
		if err := p.skip(typeString, 0); err != nil {
			return err
		}
	}
	return nil
}

func (p *parser) tokenID(id *tokenID, kind uint32, at int64, key string) error {
	id.offset = p.off
	n, ok, err := p.integer(kind)
	if err != nil {
		return err
	}
	if !ok {
		return p.wrong(at, key, "integer", kind)
	}
	id.set, id.id = true, n
	return nil
}

// resolve looks the special tokens up and compares the list of names with the
// templates.
func (p *parser) resolve() error {
	named := make(map[string]bool, len(p.m.Named)+1)
	named["default"] = p.m.HasTemplate
	for _, t := range p.m.Named {
		named[t.Name] = true
	}
	for _, name := range p.listed {
		if !named[name] {
			return p.fault(MissingTemplate, p.off, "%s names a template that the file does not have", keyTemplates)
		}
	}
	last := int64(-1)
	for _, id := range p.ids {
		if !id.set || p.tokens < 0 || id.id == -1 {
			continue
		}
		if id.id < 0 || uint64(id.id) >= p.tokenCount {
			return p.fault(TokenID, id.offset, "the token id %d is outside the vocabulary of %d tokens", id.id, p.tokenCount)
		}
		last = max(last, id.id)
	}
	if last < 0 {
		return nil
	}
	p.off = p.tokens
	for i := int64(0); i <= last; i++ {
		wanted := [2]bool{p.ids[0].set && p.ids[0].id == i, p.ids[1].set && p.ids[1].id == i}
		if !wanted[0] && !wanted[1] {
			if err := p.skip(typeString, 0); err != nil {
				return err
			}
			continue
		}
		at := p.off
		text, err := p.text(maxToken, Limit, "a special token")
		if err != nil {
			return err
		}
		if !utf8.ValidString(text) {
			return p.fault(UTF8, at, "the text of token %d is not UTF-8", i)
		}
		if wanted[0] {
			p.m.BOS = &text
		}
		if wanted[1] {
			p.m.EOS = &text
		}
	}
	return nil
}

// kind reads a value type.
func (p *parser) kind() (uint32, error) {
	at := p.off
	kind, err := p.uint32()
	if err == nil && kind >= typeCount {
		err = p.fault(Type, at, "the value type %d does not exist", kind)
	}
	return kind, err
}

// array reads the head of an array: the type of its items and their number,
// which fit the rest of the file.
func (p *parser) array() (item uint32, count uint64, err error) {
	if item, err = p.kind(); err != nil {
		return 0, 0, err
	}
	at := p.off
	if count, err = p.uint64(); err != nil {
		return 0, 0, err
	}
	if count > uint64(p.left()/widths[item]) {
		return 0, 0, p.fault(Truncated, at, "an array of %d items ends behind the file", count)
	}
	return item, count, nil
}

// skip passes over a value. depth is the number of arrays around it.
func (p *parser) skip(kind uint32, depth int) error {
	switch kind {
	case typeString:
		at := p.off
		n, err := p.uint64()
		if err != nil {
			return err
		}
		if n > uint64(p.left()) {
			return p.fault(Truncated, at, "a string of %d bytes ends behind the file", n)
		}
		p.off += int64(n)
		return nil
	case typeArray:
		if depth >= maxNesting {
			return p.fault(Depth, p.off, "arrays are nested more than %d deep", maxNesting)
		}
		item, count, err := p.array()
		if err != nil {
			return err
		}
		if item != typeString && item != typeArray && item != typeBool {
			p.off += int64(count) * widths[item] // array has compared it with the file's size
			return nil
		}
		for range count {
			if err := p.skip(item, depth+1); err != nil {
				return err
			}
		}
		return nil
	case typeBool:
		at := p.off
		b, err := p.take(1)
		if err == nil && b[0] > 1 {
			err = p.fault(Bool, at, "a boolean has the value %d", b[0])
		}
		return err
	}
	_, err := p.take(int(widths[kind]))
	return err
}

// integer reads a number; ok is false where kind is no integer type.
func (p *parser) integer(kind uint32) (n int64, ok bool, err error) {
	switch kind {
	case typeFloat32, typeFloat64, typeBool, typeString, typeArray:
		return 0, false, nil
	}
	b, err := p.take(int(widths[kind]))
	if err != nil {
		return 0, false, err
	}
	switch kind {
	case typeUint8:
		n = int64(b[0])
	case typeInt8:
		n = int64(int8(b[0]))
	case typeUint16:
		n = int64(p.order.Uint16(b))
	case typeInt16:
		n = int64(int16(p.order.Uint16(b)))
	case typeUint32:
		n = int64(p.order.Uint32(b))
	case typeInt32:
		n = int64(int32(p.order.Uint32(b)))
	case typeUint64:
		n = int64(min(p.order.Uint64(b), math.MaxInt64))
	case typeInt64:
		n = int64(p.order.Uint64(b))
	}
	return n, true, nil
}

// text reads a string of at most most bytes.
func (p *parser) text(most uint64, kind Kind, what string) (string, error) {
	at := p.off
	n, err := p.uint64()
	if err != nil {
		return "", err
	}
	if n > uint64(p.left()) {
		return "", p.fault(Truncated, at, "a string of %d bytes ends behind the file", n)
	}
	if n > most {
		return "", p.fault(kind, at, "%s has %d bytes; the limit is %d", what, n, most)
	}
	b, err := p.take(int(n))
	return string(b), err
}

func (p *parser) wrong(at int64, key, want string, kind uint32) error {
	return p.fault(WrongType, at, "%s must be of type %s, and is of type %s", key, want, typeNames[kind])
}
