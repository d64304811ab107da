package vm

import (
	"fmt"
	"math/big"
	"time"
)

var undefinedNames = [...]string{UndefinedDefault: "Undefined", UndefinedChainable: "ChainableUndefined",
	UndefinedStrict: "StrictUndefined", UndefinedDebug: "DebugUndefined"}

// TypeName is the name of v's type: Python's in Jinja ("int", "dict"), ours in
// native dialects ("integer", "map").
func (e *Env) TypeName(v Value) string {
	if isMapForm(v) {
		if e.Dialect.PythonErrors() {
			return "dict"
		}
		return KindMap.String()
	}
	v = e.canonical(v)
	if !e.Dialect.PythonErrors() {
		switch o := v.ref.(type) {
		case Named:
			return o.NativeName()
		case Object:
			return o.TypeName(e)
		}
		if k := v.Kind(); k != KindHost || !v.IsMapping() {
			return k.String()
		}
		return KindMap.String()
	}
	switch x := v.ref.(type) {
	case nil:
		return "NoneType"
	case *Undefined:
		return undefinedNames[e.Dialect.Undefined]
	case boolMark:
		return "bool"
	case intMark, *big.Int:
		return "int"
	case floatMark:
		return "float"
	case strPtr:
		return "str"
	case safePtr:
		return "Markup"
	case *Tuple:
		return "tuple"
	case time.Time:
		return "datetime"
	case []byte:
		return "bytes"
	case *Iterator:
		if x.Name != "" {
			return x.Name
		}
		return "generator"
	case Object:
		return x.TypeName(e)
	}
	if _, ok := seqLen(v); ok {
		return "list"
	}
	if isMap(v) {
		return "dict"
	}
	return "object"
}

// Format implements fmt.Formatter with the kind of v only, so that no value of
// the data gets into logs by accident.
func (v Value) Format(f fmt.State, _ rune) { fmt.Fprintf(f, "<%s>", v.Kind()) }
