package vm

import (
	"strings"

	"github.com/pcc-lang/pcc/internal/code"
)

// attribute is Python's getattr(v, name) behind the sandbox; ok is false where
// v has no such attribute. v is not undefined.
func (e *Env) attribute(v Value, name string) (x Value, ok bool, err error) {
	v = e.canonical(v)
	if isDunder(name) {
		o, isObject := v.ref.(Attributer)
		if isObject {
			if x, ok, err = e.objectAttr(o, name); err != nil {
				return Value{}, false, err
			}
		}
		if !ok && !hasDunder(e.methodKind(v), name) {
			return Value{}, false, nil
		}
		if e.Dialect.Sandbox != SandboxNone {
			return e.unsafe(v, name), true, nil
		}
		if !ok {
			x, err = e.dunder(v, name)
		}
		return x, true, err
	}
	kind := e.methodKind(v)
	m := e.method(kind, name)
	if m == nil {
		if x, ok = numberAttribute(v, kind, name); ok {
			return x, true, nil
		}
		o, isObject := v.ref.(Attributer)
		if !isObject {
			return Value{}, false, nil
		}
		x, ok, err = e.objectAttr(o, name)
		if !ok || err != nil {
			return Value{}, false, err
		}
		if e.Dialect.Sandbox != SandboxNone && strings.HasPrefix(name, "_") {
			return e.unsafe(v, name), true, nil
		}
		return x, true, nil
	}
	if e.Dialect.Sandbox == SandboxImmutable && mutators[kind][name] {
		return e.unsafe(v, name), true, nil
	}
	return e.objectOf(&boundMethod{self: v, method: m}), true, nil
}

// PyAttr is the filter attr: an attribute, never an item.
func (e *Env) PyAttr(v Value, name string) (Value, error) {
	if v.IsUndefined() {
		return e.undefinedAttr(v, name)
	}
	if x, ok, err := e.attribute(v, name); ok || err != nil {
		return x, err
	}
	return e.undefined(v, name), nil
}

// methodKind is the kind by which methods are looked up: structs have those of
// maps.
func (e *Env) methodKind(v Value) Kind {
	k := v.Kind()
	if k == KindHost && v.IsMapping() {
		return KindMap
	}
	return k
}

// method finds a method of the dialect; booleans have those of integers.
func (e *Env) method(kind Kind, name string) *Builtin {
	if m := e.Dialect.Methods[kind][name]; m != nil || kind != KindBool {
		return m
	}
	return e.Dialect.Methods[KindInt][name]
}

// objectAttr reads an attribute of an object, which may be the caller's code.
func (e *Env) objectAttr(o Attributer, name string) (x Value, ok bool, err error) {
	defer func() {
		if r := recover(); r != nil {
			x, ok, err = Value{}, false, panicError("an attribute of a value", r)
		}
	}()
	x, ok = o.Attr(e, name)
	if e.memory < 0 { // what it made was more than there is, see Owe
		return Value{}, false, e.end(errMemory)
	}
	return x, ok, nil
}

// mutators are the methods that Jinja's ImmutableSandboxedEnvironment refuses
// (jinja2.sandbox._mutable_spec of 3.1.6).
var mutators = map[Kind]map[string]bool{
	KindMap:  {"clear": true, "pop": true, "popitem": true, "setdefault": true, "update": true},
	KindList: {"append": true, "clear": true, "extend": true, "insert": true, "pop": true, "remove": true, "reverse": true, "sort": true},
}

// unsafe is the undefined value that the sandbox gives in place of an
// attribute: it prints as nothing, and its use is a security error.
func (e *Env) unsafe(v Value, name string) Value {
	return e.undefinedOf(&Undefined{
		Name: name, Owner: e.TypeName(v), Unsafe: true,
		Message: "access to attribute " + quotePython(name) + " of '" + e.TypeName(v) + "' object is unsafe.",
	})
}

// numberAttribute gives the data attributes of Python's numbers.
func numberAttribute(v Value, kind Kind, name string) (Value, bool) {
	if kind != KindInt && kind != KindBool && kind != KindFloat {
		return Value{}, false
	}
	n, _ := numberOf(v, true)
	switch {
	case name == "real", name == "numerator" && kind != KindFloat:
		return n.value(), true
	case name == "imag" && kind == KindFloat:
		return Float(0), true
	case name == "imag":
		return Int(0), true
	case name == "denominator" && kind != KindFloat:
		return Int(1), true
	}
	return Value{}, false
}

func isDunder(name string) bool {
	return len(name) > 4 && strings.HasPrefix(name, "__") && strings.HasSuffix(name, "__")
}

func nameSet(names string) map[string]bool {
	set := map[string]bool{}
	for _, n := range strings.Fields(names) {
		set["__"+n+"__"] = true
	}
	return set
}

// objectAttributes are the special attributes of every Python object. The
// sandbox must tell an attribute that is there, and refused, from one that is
// not (dir(object) of Python 3.11).
var objectAttributes = nameSet(`class delattr dir doc eq format ge getattribute getstate gt hash init
	init_subclass le lt ne new reduce reduce_ex repr setattr sizeof str subclasshook`)

// kindAttributes are the further special attributes by kind of value.
var kindAttributes = map[Kind]map[string]bool{
	KindString: nameSet("add contains getitem getnewargs iter len mod mul rmod rmul"),
	KindBytes:  nameSet("add bytes contains getitem getnewargs iter len mod mul rmod rmul"),
	KindList:   nameSet("add class_getitem contains delitem getitem iadd imul iter len mul reversed rmul setitem"),
	KindTuple:  nameSet("add class_getitem contains getitem getnewargs iter len mul rmul"),
	KindMap:    nameSet("class_getitem contains delitem getitem ior iter len or reversed ror setitem"),
	KindNull:   nameSet("bool"),
	KindInt:    nameSet(numberNames + " " + integerNames),
	KindBool:   nameSet(numberNames + " " + integerNames),
	KindFloat:  nameSet(numberNames + " getformat"),
	KindObject: nameSet(`annotations bool builtins call closure code contains defaults dict get getitem globals iter
		kwdefaults len module name qualname reversed self`),
	KindIterator: nameSet("del iter name next qualname"),
	KindUndefined: nameSet(`add bool call complex float floordiv getattr getitem int iter len mod module mul neg
		pos pow radd rfloordiv rmod rmul rpow rsub rtruediv slots sub truediv`),
}

const (
	numberNames = `abs add bool divmod float floordiv getnewargs int mod mul neg pos pow radd rdivmod
		rfloordiv rmod rmul round rpow rsub rtruediv sub truediv trunc`
	integerNames = "and ceil floor index invert lshift or rand rlshift ror rrshift rshift rxor xor"
)

func hasDunder(kind Kind, name string) bool {
	return objectAttributes[name] || kindAttributes[kind][name]
}

// dunder reads a special attribute where there is no sandbox: the class and
// what the operators of the language do already. Other special attributes
// are not there: nothing of the interpreter is within reach.
func (e *Env) dunder(v Value, name string) (Value, error) {
	if name == "__class__" {
		return e.objectOf(typeObject(e.classPath(v))), nil
	}
	if _, ok := specialMethods[name]; ok && hasDunder(e.methodKind(v), name) && !v.IsUndefined() {
		return e.objectOf(&specialMethod{self: v, name: name}), nil
	}
	if v.IsUndefined() {
		return Value{}, e.undefinedError(v)
	}
	return e.undefined(v, name), nil
}

// classPath is the name of v's class as Python prints it.
func (e *Env) classPath(v Value) string {
	name := e.TypeName(v)
	if v.IsUndefined() {
		return "jinja2.runtime." + name
	}
	switch v.ref.(type) {
	case typeObject:
		return "type"
	case safePtr:
		return "markupsafe.Markup"
	}
	return name
}

// typeObject is a Python class: a name, which can be printed.
type typeObject string

// TypeName implements Object.
func (typeObject) TypeName(*Env) string { return "type" }

// Print implements Printer.
func (t typeObject) Print(_ *Env, dst []byte, _ bool) ([]byte, error) {
	return append(append(append(dst, "<class '"...), t...), "'>"...), nil
}

// Attr implements Attributer.
func (t typeObject) Attr(e *Env, name string) (Value, bool) {
	switch name {
	case "__name__":
		return String(string(t[strings.LastIndexByte(string(t), '.')+1:])), true
	case "__mro__":
		e.Owe(tupleSize + 4*valueSize + 3*objectSize)
		mro := []Value{ObjectOf(t)}
		if t == "bool" {
			mro = append(mro, ObjectOf(typeObject("int")))
		}
		if t != "object" {
			mro = append(mro, ObjectOf(typeObject("object")))
		}
		return TupleOf(mro), true
	}
	return Value{}, false
}

// specialMethods are the special methods that templates may call where there
// is no sandbox: what operators and builtins do already. The value is the
// number of arguments.
var specialMethods = map[string]int{
	"__len__": 0, "__str__": 0, "__repr__": 0, "__bool__": 0,
	"__contains__": 1, "__getitem__": 1,
	"__eq__": 1, "__ne__": 1, "__lt__": 1, "__le__": 1, "__gt__": 1, "__ge__": 1,
	"__add__": 1, "__sub__": 1, "__mul__": 1, "__truediv__": 1, "__floordiv__": 1, "__mod__": 1, "__pow__": 1,
}

var (
	specialCompares = map[string]code.CompareOp{"__eq__": code.CmpEq, "__ne__": code.CmpNe, "__lt__": code.CmpLt,
		"__le__": code.CmpLe, "__gt__": code.CmpGt, "__ge__": code.CmpGe}
	specialBinaries = map[string]code.BinaryOp{"__add__": code.BinAdd, "__sub__": code.BinSub, "__mul__": code.BinMul,
		"__truediv__": code.BinDiv, "__floordiv__": code.BinFloorDiv, "__mod__": code.BinMod, "__pow__": code.BinPow}
)

// specialMethod is a special method bound to its value.
type specialMethod struct {
	self Value
	name string
}

// TypeName implements Object.
func (*specialMethod) TypeName(*Env) string { return "method-wrapper" }

// Call implements Caller.
func (m *specialMethod) Call(e *Env, args []Value, names []string) (Value, error) {
	want := specialMethods[m.name]
	if len(names) > 0 || len(args) != want {
		return Value{}, e.Errorf("type", "%s expected %d argument(s), got %d", m.name, want, len(args))
	}
	if op, ok := specialCompares[m.name]; ok {
		b, err := e.Compare(op, m.self, args[0])
		return Bool(b), err
	}
	if op, ok := specialBinaries[m.name]; ok {
		return e.Binary(op, m.self, args[0])
	}
	switch m.name {
	case "__len__":
		n, err := e.Len(m.self)
		return Int(int64(n)), err
	case "__bool__":
		b, err := e.Truth(m.self)
		return Bool(b), err
	case "__contains__":
		b, err := e.Compare(code.CmpIn, args[0], m.self)
		return Bool(b), err
	case "__getitem__":
		return e.Item(m.self, args[0])
	case "__str__":
		s, err := e.Str(m.self)
		return String(s), err
	}
	s, err := e.Repr(m.self)
	return String(s), err
}
