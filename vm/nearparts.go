package vm

import (
	"strings"

	"github.com/pcc-lang/pcc/ast/diag"
)

// This file tells lists that are nearly parts of a message's content. A list that is
// not is written as text, and a misspelt key is enough to make it none.

// maxNearParts bounds the items of a list that are looked at.
const maxNearParts = 100

// noteNearParts notes that v, which is written as text where parts may stand, is a
// list of which some items are parts, or one of which an item has a misspelt key.
func (m *machine) noteNearParts(o *Out, v Value) {
	if !m.report || len(m.notes) >= maxNotes {
		return
	}
	if k := v.Kind(); k != KindList && k != KindTuple && k != KindHost {
		return
	}
	n, ok := seqLen(v)
	if !ok {
		return
	}
	parts, other, key, near := 0, -1, "", ""
	for i := range min(n, maxNearParts) {
		item := m.env.canonical(seqAt(v, i))
		if isPart(item) {
			parts++
			continue
		}
		if other < 0 {
			other = i
		}
		if near == "" {
			if key, near = m.nearPart(item); near != "" {
				other = i
			}
		}
	}
	if other < 0 || parts == 0 && near == "" || !m.firstAt(place{o.Site, uint32(o.Span.Start)}) {
		return
	}
	d := diag.New("PCC385", m.img.Sites[o.Site].File, o.Span, "`%s` is written as text: its item %d is no part of a message", diag.ClipName(o.Name), other+1).
		WithNames(o.Name)
	if near != "" {
		d.Help = "did you mean `" + near + "` by the key `" + diag.ClipName(key) + "`?"
	}
	d.Trace = m.trace(o.Site)
	m.notes = append(m.notes, d)
}

// nearPart is the key of v that is most likely meant as near, which would make v a
// part: the one that says what a short part is, or the type of a provider's part that
// has what the type names.
func (m *machine) nearPart(v Value) (key, near string) {
	if k := v.Kind(); k != KindMap && !(k == KindHost && isRecord(v)) {
		return "", ""
	}
	const most = 3 // keys of such a map: a type, what it names and a mark
	n, ok := mapLen(v)
	if !ok || n == 0 || n > most {
		return "", ""
	}
	names := candidates(v)
	others := 0
	for _, name := range names {
		if name == "cache" || name == "cache_control" {
			continue
		}
		if others++; others == 1 {
			key = name
		}
	}
	if others == 1 {
		if near, ok := m.nearest.Find(key, func() []string { return partKeys[:] }); ok {
			return key, near
		}
		return "", ""
	}
	for _, name := range names {
		typ, _ := Lookup(v, name)
		s, isText := typ.Str()
		if !isText || s == name || !hasWhatItNames(v, s) {
			continue
		}
		if near, ok := m.nearest.Find(name, func() []string { return []string{"type"} }); ok {
			return name, near
		}
	}
	return "", ""
}

// hasWhatItNames reports whether v has the key that a part of the type typ has.
func hasWhatItNames(v Value, typ string) bool {
	if len(typ) > nearTypeBytes {
		return false
	}
	for _, key := range [...]string{typ, strings.TrimPrefix(typ, "input_"), "source"} {
		if _, ok := Lookup(v, key); ok {
			return true
		}
	}
	return false
}

// nearTypeBytes is the length of the longest type that a part has, and more.
const nearTypeBytes = 32
