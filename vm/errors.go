package vm

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pcc-lang/pcc/ast/source"
)

func itoa(i int) string { return strconv.Itoa(i) }

// kindCodes gives the code of an Error that carries none.
var kindCodes = map[string]string{
	"undefined":    "PCC301",
	"type":         "PCC320",
	"value":        "PCC321",
	"zerodivision": "PCC322",
	"overflow":     "PCC323",
	"security":     "PCC324",
	"runtime":      "PCC325",
	"notfound":     "PCC326",
	"assertion":    "PCC327",
	"key":          "PCC328",
}

// CodeOf returns the diagnostic code of e: its own, or the one of its kind.
func (e *Error) CodeOf() string {
	if e.Code != "" {
		return e.Code
	}
	if c, ok := kindCodes[e.Kind]; ok {
		return c
	}
	return kindCodes["runtime"]
}

// KeywordError is the failure of a call for the keyword argument called name.
// Such names may be data, by way of `**`: the message is naming with the name
// behind it where the template's text has that word, and unnamed elsewhere.
func KeywordError(kind, naming, unnamed, name string) *Error {
	return &Error{Kind: kind, Msg: unnamed, naming: naming, keyword: name}
}

// message is what e says about a template in f; nil where that is not known.
func (e *Error) message(f *source.File) string {
	if e.keyword == "" || f == nil || f.Private || !hasWord(f.Text, e.keyword) {
		return e.Msg
	}
	return e.naming + " '" + e.keyword + "'"
}

// hasWord reports whether text holds word with no letter, digit or underscore
// on either side.
func hasWord(text, word string) bool {
	part := func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
	for from := 0; ; {
		i := strings.Index(text[from:], word)
		if i < 0 {
			return false
		}
		i += from
		from = i + len(word)
		before, _ := utf8.DecodeLastRuneInString(text[:i])
		after, _ := utf8.DecodeRuneInString(text[from:])
		if !part(before) && !part(after) {
			return true
		}
	}
}

// fail makes an Error with the text of the dialect in force.
func (e *Env) fail(kind, python, native string) error {
	if e.Dialect.PythonErrors() {
		return &Error{Kind: kind, Msg: python}
	}
	return &Error{Kind: kind, Msg: native}
}

// failHelp is fail with a help line for native dialects.
func (e *Env) failHelp(kind, python, native, help string) error {
	if e.Dialect.PythonErrors() {
		return &Error{Kind: kind, Msg: python}
	}
	return &Error{Kind: kind, Msg: native, Help: help}
}

// errDepth is the failure of walking a value deeper than Limits.ValueDepth.
func (e *Env) errDepth() error {
	return &Error{Kind: "limit", Code: "PCC906",
		Msg:  "a value is nested deeper than the limit of " + itoa(e.limits.ValueDepth) + " levels, or contains itself",
		Help: "flatten the data, or raise Limits.ValueDepth"}
}

// errDigits is the failure of computing an integer longer than
// Limits.NumberDigits.
func (e *Env) errDigits() error {
	return &Error{Kind: "limit", Code: "PCC911",
		Msg:  "an integer would be longer than the limit of " + itoa(e.limits.NumberDigits) + " digits",
		Help: "use smaller numbers, or raise Limits.NumberDigits"}
}

// strict reports whether v is undefined in a way that forbids all use of it.
func (e *Env) strict(v Value) bool {
	u := v.Undef()
	return u != nil && !u.Lenient && e.Dialect.UndefinedObjects() && e.Dialect.Undefined == UndefinedStrict
}

// nameMissing adds to the failure of a builtin the name of the argument that has
// no value, if that is what the builtin may have failed for: "Object of type
// Undefined …" says nothing of the data.
func (e *Env) nameMissing(err error, args []Value) error {
	failed, ours := err.(*Error)
	if !ours || failed.Names != nil || failed.Code != "" || failed.Help != "" || failed.Kind != "type" && failed.Kind != "value" {
		return err
	}
	for _, v := range args {
		u := v.Undef()
		if u == nil || u.Name == "" || u.Dynamic || u.Message != "" {
			continue
		}
		named := *failed
		named.Msg += ": `" + u.Name + "` has no value"
		named.Names, named.key, named.missing = []string{u.Name}, u.Owner != "", true
		return &named
	}
	return err
}

// undefinedError is the failure of using v, which is undefined.
func (e *Env) undefinedError(v Value) error {
	u := v.Undef()
	if u == nil {
		u = &Undefined{}
	}
	kind := "undefined"
	if u.Unsafe {
		kind = "security"
	}
	err := &Error{Kind: kind, Msg: u.text(e.Dialect.PythonErrors())}
	if u.Unsafe && strings.HasPrefix(u.Name, "_") {
		err.Help = "names that begin with an underscore are out of reach of templates"
	}
	if u.Name != "" && !u.Dynamic {
		err.Names, err.key = []string{u.Name}, u.Owner != ""
	}
	return err
}

// text describes u as Jinja does, or in our own words. Keys computed while
// rendering are data, so they are not named.
func (u *Undefined) text(python bool) string {
	switch {
	case u.Message != "":
		return u.Message
	case python && u.Owner == "":
		return quotePython(u.Name) + " is undefined"
	case python && u.Dynamic:
		return ownerRepr(u.Owner) + " has no such element"
	case python && u.Element:
		return ownerRepr(u.Owner) + " has no element " + u.Name
	case python:
		return "'" + ownerRepr(u.Owner) + "' has no attribute " + quotePython(u.Name)
	case u.Owner == "":
		return "`" + u.Name + "` is missing"
	case u.Dynamic:
		return "a value of type " + u.Owner + " has no such key"
	case u.Element:
		return "a value of type " + u.Owner + " has no element " + u.Name
	}
	return "a value of type " + u.Owner + " has no `" + u.Name + "`"
}

// ownerRepr is Jinja's object_type_repr for a type name.
func ownerRepr(owner string) string {
	if owner == "NoneType" {
		return "None"
	}
	return owner + " object"
}
