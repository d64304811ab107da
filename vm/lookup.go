package vm

import (
	"reflect"
	"strconv"
	"strings"
)

// Lookup resolves a name on data: the one place where a template's text turns
// into access to a Go value. It reads maps and the JSON fields of structs;
// methods, unexported fields and fields tagged `json:"-"` are out of reach.
func Lookup(v Value, name string) (Value, bool) { return (*Env)(nil).lookup(v, name) }

// lookup is Lookup in a render; e may be nil.
func (e *Env) lookup(v Value, name string) (Value, bool) {
	if x, ok, known := member(v, name); known {
		return x, ok
	}
	switch v.ref.(type) {
	case nil, strPtr, safePtr, intMark, floatMark, boolMark, []any, *List, *Tuple, *Undefined, *Iterator, Object:
		return Value{}, false
	}
	if planFor(v.ref).form != formOther { // a list, a scalar, a nil pointer
		return Value{}, false
	}
	v = e.canonical(v)
	if x, ok, known := member(v, name); known { // behind further pointers, or raw JSON
		return x, ok
	}
	if !isMap(v) {
		return Value{}, false
	}
	switch r, shape := hostShape(v); shape {
	case reflect.Map:
		return hostMapGet(r, String(name))
	case reflect.Struct:
		return planOf(r.Type()).get(r, name)
	}
	return Value{}, false
}

// fieldOf is Lookup for the maps and structs that member knows. It is false for all
// else.
func fieldOf(v Value, name string) (Value, bool) {
	x, ok, _ := member(v, name)
	return x, ok
}

// isMapAttribute reports whether name is a method or another attribute of maps,
// which hides a key of that name in x.name.
func (e *Env) isMapAttribute(name string) bool {
	if e.methodsOf != e.Dialect {
		e.methodsOf, e.mapMethods = e.Dialect, e.Dialect.Methods[KindMap]
	}
	return e.mapMethods[name] != nil || isDunder(name) && hasDunder(KindMap, name)
}

// Attr is x.name. Native: the key of a map, or the item of a list where name
// is a number. Jinja: an attribute or method first, then the key.
func (e *Env) Attr(v Value, name string) (Value, error) {
	if !e.Dialect.AttributesFirst() {
		return e.nativeAttr(v, name)
	}
	if x, ok, known := member(v, name); known && !e.isMapAttribute(name) {
		if ok {
			return x, nil
		}
		return e.undefined(v, name), nil
	}
	if v.IsUndefined() {
		return e.undefinedAttr(v, name)
	}
	if x, ok, err := e.attribute(v, name); ok || err != nil {
		return x, err
	}
	if x, ok := e.lookup(v, name); ok {
		return x, nil
	}
	if o, ok := v.ref.(Indexer); ok {
		if x, ok, err := o.Index(e, String(name)); ok && err == nil {
			return x, nil
		}
	}
	return e.undefined(v, name), nil
}

func (e *Env) nativeAttr(v Value, name string) (Value, error) {
	if x, ok, known := member(v, name); ok {
		return x, nil
	} else if known {
		return e.undefined(v, name), nil
	}
	if x, ok := e.lookup(v, name); ok {
		return x, nil
	}
	v = e.canonical(v)
	switch o := v.ref.(type) {
	case *Undefined:
		return v, nil
	case Attributer:
		if x, ok, err := e.objectAttr(o, name); ok || err != nil {
			return x, err
		}
	}
	if i, err := strconv.Atoi(name); err == nil && isDigits(name) {
		if x, ok, err := e.elementAt(v, int64(i)); ok || err != nil {
			return x, err
		}
	}
	return e.undefined(v, name), nil
}

func isDigits(s string) bool { return strings.Trim(s, "0123456789") == "" }

// undefined makes the value of a name that v lacks.
func (e *Env) undefined(v Value, name string) Value {
	return e.undefinedOf(&Undefined{Name: name, Owner: e.TypeName(v)})
}

// undefinedAttr is Undefined.__getattr__: chainable values give themselves,
// others raise.
func (e *Env) undefinedAttr(v Value, name string) (Value, error) {
	if isDunder(name) && hasDunder(KindUndefined, name) {
		if e.Dialect.Sandbox != SandboxNone {
			return e.unsafe(v, name), nil
		}
		return e.dunder(v, name)
	}
	if x, ok := undefinedSlot(v.Undef(), name); ok {
		if e.Dialect.Sandbox != SandboxNone {
			return e.unsafe(v, name), nil
		}
		return x, nil
	}
	if e.Dialect.Undefined == UndefinedChainable {
		return v, nil
	}
	return Value{}, e.undefinedError(v)
}

// undefinedSlot gives the attributes of jinja2.Undefined that say what lacks.
func undefinedSlot(u *Undefined, name string) (Value, bool) {
	switch name {
	case "_undefined_name":
		return String(u.Name), true
	case "_undefined_hint":
		if u.Message == "" {
			return Null, true
		}
		return String(u.Message), true
	}
	return Null, false
}

// Item is x[key]. Native: the key of a map, or an index, negative from the
// end. Jinja: the item first, then the attribute. The key counts as data: no
// message names it, see ConstItem.
func (e *Env) Item(v, key Value) (Value, error) { return e.item(v, key, true) }

// ConstItem is Item with a key that stands in the template, so that messages
// may name it.
func (e *Env) ConstItem(v, key Value) (Value, error) { return e.item(v, key, false) }

func (e *Env) item(v, key Value, dynamic bool) (Value, error) {
	switch key.ref.(type) {
	case strPtr:
		s, _ := key.Str()
		if err := e.Spend(len(s)); err != nil { // it is hashed
			return Value{}, err
		}
		if x, ok := fieldOf(v, s); ok {
			return x, nil
		}
	case intMark:
		if m, ok := v.ref.([]any); ok {
			if i := int64(key.num); i >= 0 && i < int64(len(m)) {
				return Of(m[i]), nil
			}
		}
	}
	v, key = e.canonical(v), e.canonical(key)
	if v.IsUndefined() {
		if !e.Dialect.UndefinedObjects() {
			return v, nil
		}
		return e.undefinedAttr(v, "")
	}
	if key.IsUndefined() && !e.Dialect.UndefinedObjects() {
		return key, nil
	}
	if x, ok, err := e.subscript(v, key); ok || err != nil {
		return x, err
	}
	if s, ok := key.Str(); ok && e.Dialect.AttributesFirst() {
		if x, ok, err := e.attribute(v, s); ok || err != nil {
			return x, err
		}
	}
	return e.undefinedItem(v, key, dynamic)
}

// subscript is v[key] without any fallback.
func (e *Env) subscript(v, key Value) (Value, bool, error) {
	if isMap(v) {
		x, found, _, err := e.mapGet(v, key)
		return x, found, err
	}
	if o, ok := v.ref.(Indexer); ok {
		return o.Index(e, key)
	}
	n, ok := numberOf(key, e.Dialect.BoolsAreNumbers())
	if !ok || n.kind != numInt {
		return Value{}, false, nil
	}
	return e.elementAt(v, n.i)
}

// elementAt is item i of a list or tuple, or code point i of a string,
// negative from the end; v is canonical.
func (e *Env) elementAt(v Value, i int64) (Value, bool, error) {
	if n, ok := seqLen(v); ok {
		if i < 0 {
			i += int64(n)
		}
		if i < 0 || i >= int64(n) {
			return Value{}, false, nil
		}
		return seqAt(v, int(i)), true, nil
	}
	switch x := v.ref.(type) {
	case strPtr, safePtr:
		s, _ := v.Str()
		c, ok, err := e.codePoint(s, i)
		if !ok || err != nil {
			return Value{}, false, err
		}
		if v.IsSafe() {
			return Safe(c), true, nil
		}
		return String(c), true, nil
	case []byte:
		if i < 0 {
			i += int64(len(x))
		}
		if i < 0 || i >= int64(len(x)) {
			return Value{}, false, nil
		}
		return Int(int64(x[i])), true, nil
	}
	return Value{}, false, nil
}

// undefinedItem makes the value of a key that v lacks.
func (e *Env) undefinedItem(v, key Value, dynamic bool) (Value, error) {
	u := &Undefined{Owner: e.TypeName(v), Dynamic: dynamic}
	if s, ok := key.Str(); ok {
		u.Name = s
		return e.undefinedOf(u), nil
	}
	u.Element = true
	u.Name = e.TypeName(key)
	if n, ok := numberOf(key, true); ok && n.kind != numBig {
		s, err := e.Str(key)
		if err != nil {
			return Value{}, err
		}
		u.Name = s
	}
	return e.undefinedOf(u), nil
}
