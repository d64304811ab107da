package vm

import "github.com/pcc-lang/pcc/ast/source"

// This file is about what a document says of a request beside its messages:
// model, parameters, tools. It is rendered on demand only, by code of its own.

// WithRequest makes Report also tell what the document says of the request
// beside the messages, in Report.Request. Without it none of that is rendered.
func WithRequest() RenderOption { return RenderOption{func(e *Env) { e.request = true }} }

// requestKey sets a key of the request. One that is null is left out.
func (m *machine) requestKey(key string, v Value) error {
	if v.IsMissing() {
		return nil
	}
	if err := m.env.Charge(entryRoom); err != nil {
		return err
	}
	if m.request == nil {
		m.request = NewMap(len(m.img.RequestKeys))
	}
	m.request.Set(key, v)
	return nil
}

// request is what the document says of the request, after the code that renders
// it has run.
func (p *Program) request(m *machine) *Map {
	if len(p.img.RequestKeys) == 0 {
		return nil
	}
	out := NewMap(len(p.img.RequestKeys))
	for _, key := range p.img.RequestKeys {
		v, ok := p.img.Request.Get(key)
		if !ok && m.request != nil {
			v, ok = m.request.Get(key)
		}
		if ok {
			out.Set(key, v)
		}
	}
	return out
}

// partKeys are the keys that tell what a part without a type is.
var partKeys = [...]string{"text", "image", "audio", "file"}

// isPart reports whether v is a part of a message's content: a map with a type
// and what the type names, or with one of the short keys and nothing else but a
// mark for the cache.
func isPart(v Value) bool {
	if k := v.Kind(); k != KindMap && !(k == KindHost && isRecord(v)) {
		return false
	}
	if typ, ok := Lookup(v, "type"); ok {
		s, isText := typ.Str()
		return isText && s != "" && s != "function"
	}
	n, ok := mapLen(v)
	if !ok {
		return false
	}
	found := 0
	for _, key := range partKeys {
		if _, ok := Lookup(v, key); ok {
			found++
		}
	}
	if found != 1 {
		return false
	}
	if _, ok := Lookup(v, "cache"); ok {
		found++
	}
	return n == found
}

// isParts reports whether v is a list of parts, and of nothing else; n is how
// many.
func (e *Env) isParts(v Value) (n int, yes bool, err error) {
	if k := v.Kind(); k != KindList && k != KindTuple && k != KindHost {
		return 0, false, nil
	}
	n, ok := seqLen(v)
	if !ok {
		return 0, false, nil
	}
	for i := range n {
		if !isPart(e.canonical(seqAt(v, i))) {
			return 0, false, nil // as a rule the first item settles it
		}
		if err := e.Step(1); err != nil {
			return 0, false, err
		}
	}
	return n, n > 0, nil
}

// IsParts reports whether v is a list of parts of a message's content.
func (e *Env) IsParts(v Value) (bool, error) {
	_, yes, err := e.isParts(e.canonical(v))
	return yes, err
}

// partsInside makes v the content of the open message where it is a list of
// parts.
func (m *machine) partsInside(v Value) (bool, error) {
	n, yes, err := m.env.isParts(v)
	if !yes || len(m.messages) == 0 || len(m.captures) > 0 {
		return false, err
	}
	if err := m.env.Charge(listSize + n*valueSize); err != nil {
		return false, err
	}
	items := make([]Value, n)
	for i := range items {
		items[i] = m.env.canonical(seqAt(v, i))
	}
	m.messages[len(m.messages)-1].parts = ListOf(items)
	return true, nil
}

// parts makes one list of the parts vs, some of which are lists of parts.
func (m *machine) parts(vs []Value) (Value, error) {
	n := 0
	for _, v := range vs {
		if items, ok := seqLen(v); ok && v.Kind() != KindString {
			n += items
		} else {
			n++
		}
	}
	if err := m.env.Charge(listSize + n*valueSize); err != nil {
		return Null, err
	}
	if err := m.env.Step(n); err != nil {
		return Null, err
	}
	out := make([]Value, 0, n)
	for _, v := range vs {
		items, ok := seqLen(v)
		if !ok || v.Kind() == KindString {
			out = append(out, v)
			continue
		}
		for i := range items {
			out = append(out, m.env.canonical(seqAt(v, i)))
		}
	}
	return ListOf(out), nil
}

// RequestPlace is where the source says a key of the request; for one that it does
// not say, its beginning.
func (p *Program) RequestPlace(key string) (*source.File, source.Span) {
	if len(p.img.Sites) == 0 {
		return nil, source.Span{}
	}
	f := p.img.Sites[0].File
	for i, k := range p.img.RequestKeys {
		if k == key && i < len(p.img.RequestSpans) {
			return f, p.img.RequestSpans[i]
		}
	}
	return f, source.Span{}
}
