package vm

import (
	"encoding"
	"encoding/json"
	"fmt"
	"math/big"
	"reflect"
	"sync"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
)

// A Go value may have a text of its own, which one of its methods gives: Error,
// String or MarshalText. Where the caller opted in (Env.Host) that text is what
// it prints as, compares with texts as, and is as a key. Strings and bytes of
// such types are their text and nothing else, so that what a method hides stays
// hidden; numbers, booleans, lists and structs also keep what they are.
//
// Without the option no method is called, and a report warns of each type whose
// values were printed by what they are made of.

var (
	errorType    = reflect.TypeFor[error]()
	stringerType = reflect.TypeFor[fmt.Stringer]()
	textType     = reflect.TypeFor[encoding.TextMarshaler]()
)

// textMethods caches which type has a text, for the life of the process: that
// depends on nothing but the type.
var textMethods sync.Map // reflect.Type → string, the method's name or ""

// textMethod is the method that gives values of type t their text, "" where
// there is none. Types that print in a way of our own have none.
func textMethod(t reflect.Type) string {
	if t.NumMethod() == 0 {
		return ""
	}
	if name, ok := textMethods.Load(t); ok {
		return name.(string)
	}
	name := ""
	base := t
	for base.Kind() == reflect.Pointer && base.Name() == "" {
		base = base.Elem()
	}
	switch {
	case base == timeType, base == bigIntType, base == jsonNumberType, base == valueType, base == reflectValueType,
		isRawType(base), t.Implements(objectType), t == reflect.TypeFor[*Error](), t == reflect.TypeFor[*Undefined]():
	case t.Implements(errorType):
		name = "Error"
	case t.Implements(stringerType):
		name = "String"
	case t.Implements(textType):
		name = "MarshalText"
	}
	textMethods.Store(t, name)
	return name
}

// ownText reports whether x is of a type that has a text of its own.
func ownText(x any) bool {
	switch x.(type) {
	case nil, boolMark, intMark, floatMark, strPtr, safePtr, string, bool, int, int64, float64,
		map[string]any, []any, *List, *Tuple, *Map, *Undefined, *Iterator, Object, *spelled,
		*big.Int, json.Number, []byte:
		return false
	}
	return textMethod(reflect.TypeOf(x)) != ""
}

// isNilPointer reports whether x is a nil pointer of any type.
func isNilPointer(x any) bool {
	r := reflect.ValueOf(x)
	return r.Kind() == reflect.Pointer && r.IsNil()
}

// hostText is the text that a Go value's own method gives it, where the caller
// opted in. The method is called on a goroutine of its own, so that no panic or
// Goexit leaves it; a nil pointer's too, as package fmt does: methods may give it a
// text, and one that cannot is an error.
func (e *Env) hostText(v Value) (text string, ok bool, err error) {
	if !e.Host {
		if e.unprinted != nil {
			e.unprinted.note(v.ref)
		}
		return "", false, nil
	}
	if s, is := v.ref.(*spelled); is {
		return s.text, s.host, nil
	}
	if !ownText(v.ref) {
		return "", false, nil
	}
	out, err := e.isolated("printing a value of the host", func(*Env) (Value, error) {
		switch x := v.ref.(type) {
		case error:
			return String(x.Error()), nil
		case fmt.Stringer:
			return String(x.String()), nil
		case encoding.TextMarshaler:
			b, err := x.MarshalText()
			if err != nil {
				return Null, &Error{Kind: "runtime", Msg: "the method MarshalText of a value of the host failed"}
			}
			return String(string(b)), nil
		}
		return Null, nil
	})
	if err != nil {
		return "", false, err
	}
	text, _ = out.Str()
	return text, true, nil
}

// hostTextValue is hostText as a value; ok is false for v without one, which comes
// back. A method that fails ends the render; e may be nil.
func (e *Env) hostTextValue(v Value) (Value, bool) {
	if e == nil || !e.Host {
		return v, false
	}
	text, ok, err := e.hostText(v)
	if err != nil {
		e.end(err)
		return Null, true
	}
	if !ok {
		return v, false
	}
	return String(text), true
}

// OwnText returns the text that a method of v's Go type gives it, where the caller
// opted in, and v itself where there is none. A report without the option warns
// of the type. Whoever writes values piece by piece asks it before looking into
// one: what the text hides must not be seen. A method that fails ends the render.
func (e *Env) OwnText(v Value) Value {
	switch v.ref.(type) {
	case nil, strPtr, safePtr, intMark, boolMark, floatMark, string, int, bool, float64,
		map[string]any, []any, *Map, *List, *Undefined, *Tuple:
		return v
	}
	text, ok, err := e.hostText(v)
	switch {
	case err != nil:
		e.end(err)
		return Null
	case ok:
		return String(text)
	}
	return v
}

// hostString is the text that stands for v where v is a string, or bytes, of a
// type that has one.
func (e *Env) hostString(v Value) (Value, bool) {
	if e == nil || !e.Host || !ownText(v.ref) {
		return v, false
	}
	if k := v.Kind(); k != KindString && k != KindBytes {
		return v, false
	}
	return e.hostTextValue(v)
}

// asTexts prepares two values for a comparison: where one is a text, the other
// counts as its own text, if it has one.
func (e *Env) asTexts(a, b Value) (Value, Value) {
	a, b = e.resolved(a), e.resolved(b)
	switch {
	case a.Kind() == KindString:
		b, _ = e.hostTextValue(b)
	case b.Kind() == KindString:
		a, _ = e.hostTextValue(a)
	}
	return a, b
}

// hostKey is a key of a Go map as Entries lists it: a number or boolean that has
// a text prints as that and is found by what it is.
func (e *Env) hostKey(r reflect.Value) Value {
	v := hostOf(r)
	k := e.canonical(v)
	if !e.Host {
		if e.unprinted != nil {
			e.unprinted.note(v.ref)
		}
		return k
	}
	if text, ok := e.hostTextValue(v); ok && k.Kind() != KindString {
		s, _ := text.Str()
		return Value{ref: &spelled{value: k, text: s, host: true}}
	}
	return k
}

// hostTextKey finds the entry of a Go map whose key has the given text.
func (e *Env) hostTextKey(v, key Value) (Value, bool, error) {
	s, isText := key.Str()
	r, shape := hostShape(v)
	if !e.Host || !isText || shape != reflect.Map || textMethod(r.Type().Key()) == "" {
		return Value{}, false, nil
	}
	en, err := e.Entries(v)
	if err != nil {
		return Value{}, false, err
	}
	for i := range en.Len() {
		k, x := en.At(i)
		text, ok, err := e.hostText(k)
		if err != nil {
			return Value{}, false, err
		}
		if !ok {
			text, ok = k.Str()
		}
		if ok && text == s {
			return x, true, nil
		}
	}
	return Value{}, false, nil
}

// unprintedTypes notes types whose values are printed although they have a text of
// their own, each once.
type unprintedTypes struct {
	types []reflect.Type
	told  int // of types
}

func (s *unprintedTypes) note(x any) {
	if len(s.types) == maxNotes || !ownText(x) || isNilPointer(x) { // which prints as null
		return
	}
	t := reflect.TypeOf(x)
	for _, known := range s.types {
		if known == t {
			return
		}
	}
	s.types = append(s.types, t)
}

// warnUnprinted warns of the types that were noted since it was last called, by the
// instruction at span.
func (m *machine) warnUnprinted(site int32, span source.Span) {
	s := m.env.unprinted
	for ; s.told < len(s.types) && len(m.notes) < maxNotes; s.told++ {
		t := s.types[s.told]
		var f *source.File
		if site >= 0 {
			f = m.img.Sites[site].File
		}
		d := diag.New("PCC384", f, span, "a value of the Go type %s is printed by what it is made of, and not by its method %s", typeName(t), textMethod(t))
		d.Help = "compile with WithHostMethods, so that its method is called, or give the text itself"
		d.Trace = m.trace(site)
		m.notes = append(m.notes, d)
	}
}

// warnUnprintedHere is warnUnprinted by the instruction that runs.
func (m *machine) warnUnprintedHere() {
	if s := m.env.unprinted; s != nil && s.told < len(s.types) {
		_, site, span := m.where()
		m.warnUnprinted(site, span)
	}
}
