package vm

import (
	"strings"

	"github.com/pcc-lang/pcc/ast/source"
)

// Func is the Go side of a filter, test, function or method. args holds one
// value for each parameter of the signature, in order, defaults filled in; a
// *args parameter arrives as one tuple, **kwargs as one map. A filter's or
// test's subject, and a method's receiver, is args[0]. The slice belongs to the
// machine: it is valid during the call only, so that a lazy sequence copies
// what it needs later.
type Func func(env *Env, args []Value) (Value, error)

// ParamKind tells how a parameter takes arguments.
type ParamKind uint8

// Parameter kinds.
const (
	Required ParamKind = iota
	Optional
	Variadic // *args
	Keywords // **kwargs
)

// ParamSpec is one parameter of a Builtin.
type ParamSpec struct {
	Name    string
	Kind    ParamKind
	Default Value // Optional
}

// Builtin is a filter, test, function or method with its signature.
type Builtin struct {
	Name   string
	Params []ParamSpec
	Doc    string // one or two sentences for `pcc explain` and the docs
	Fn     Func
	// Text, where set, is what Fn does for a string and no other argument: the
	// commonest call, which then needs no list of arguments. Markup stays markup.
	// Functions of the caller's (User) are called by Fn all the same: this runs on
	// the render's own goroutine.
	Text func(env *Env, s string) (string, error)
	// Write, where set, appends the text that Fn returns to dst: for a result that
	// is printed at once. Safe tells whether Fn's is Markup.
	Write func(env *Env, dst []byte, args []Value) ([]byte, error)
	Safe  bool
	// Impure functions (clock, random, state) are never folded.
	Impure bool
	// TakesUndefined says that an undefined subject is welcome (default,
	// defined, …); otherwise a strict environment refuses it before the call.
	TakesUndefined bool
	// User marks a function of the caller's: it runs on a goroutine of its
	// own, see CallBuiltin.
	User bool
	// PositionalOnly refuses keyword arguments, as many Python methods do.
	PositionalOnly bool
}

// Signature writes the parameters as in `truncate(s, length=255, *rest)`.
func (b *Builtin) Signature() string {
	var w strings.Builder
	w.WriteString(b.Name)
	w.WriteByte('(')
	for i, p := range b.Params {
		if i > 0 {
			w.WriteString(", ")
		}
		switch p.Kind {
		case Required:
			w.WriteString(p.Name)
		case Optional:
			w.WriteString(p.Name)
			w.WriteByte('=')
			w.WriteString(signatureLiteral(p.Default))
		case Variadic:
			w.WriteString("*" + p.Name)
		case Keywords:
			w.WriteString("**" + p.Name)
		}
	}
	w.WriteByte(')')
	return w.String()
}

func signatureLiteral(v Value) string {
	if s, ok := v.Str(); ok {
		return pythonRepr(s)
	}
	return string(AppendJSON(nil, v, JSONOptions{}))
}

// Object is a value with behaviour of its own: a range, a namespace, a macro,
// a loop, a cycler. The optional interfaces below give it abilities. Each of
// them asks for a method with a type of this package: no type of the host's is
// an object by accident, so that none of its methods is called.
type Object interface {
	// TypeName is the Python name of the type, as error texts give it.
	TypeName(env *Env) string
}

type (
	// Named has another name in native diagnostics: TypeName's is Python's.
	Named interface {
		Object
		NativeName() string
	}
	// Attributer has attributes.
	Attributer interface {
		Attr(env *Env, name string) (Value, bool)
	}
	// AttrSetter takes `set x.name = v`.
	AttrSetter interface{ SetAttr(name string, v Value) }
	// Indexer is read with x[key].
	Indexer interface {
		Index(env *Env, key Value) (Value, bool, error)
	}
	// Printer prints itself; repr asks for the form inside containers.
	Printer interface {
		Print(env *Env, dst []byte, repr bool) ([]byte, error)
	}
	// Caller can be called.
	Caller interface {
		Call(env *Env, args []Value, names []string) (Value, error)
	}
	// Iterable gives its items.
	Iterable interface{ Iterate() *Iterator }
	// Lener has a length.
	Lener interface {
		Object
		Len() int
	}
	// truther decides its own truth (default: true, or Len() > 0).
	truther interface {
		Object
		Truth() bool
	}
	// Container decides `x in it`.
	Container interface {
		Contains(env *Env, x Value) (bool, error)
	}
	// Equaler decides equality with another value.
	Equaler interface {
		Equal(env *Env, other Value) (equal, known bool)
	}
)

// Iterator is a lazy sequence that can be walked once (Python's generator).
type Iterator struct {
	// Next gives the next item; ok is false at the end.
	Next func() (v Value, ok bool, err error)
	Name string // Python type name, "generator" where empty
}

// Error is a failure inside a builtin or an operation, before the machine adds
// the position. Kind is one of the classes of diag.Diagnostic.Kind; Code may be
// empty, then it follows from Kind.
type Error struct {
	Kind  string
	Code  string
	Msg   string
	Help  string
	Names []string
	// At is the place in the data, for errors of a decoder; Line is 0 elsewhere.
	At source.Position
	// Cause is the error that led to this one, for errors.Is and errors.As; its
	// text is not shown.
	Cause error

	key bool // the name is a key of some value, not a variable's
	// missing says that the name of the one in Names has no value, and that the
	// failure comes of it.
	missing bool
	// naming and keyword are the longer message, see KeywordError.
	naming, keyword string
	raw             []byte // the raw JSON of the host that could not be decoded
	part            *Out   // where it happened, if that is not the instruction's place
}

func (e *Error) Error() string { return e.Msg }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }
