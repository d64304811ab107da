package main

import (
	"cmp"
	"fmt"
	"io"
	"iter"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/vm"
)

// hostTypes reads a fixture that declares a type of the host's in Go's words
// and what the data holds of it:
//
//	type M map[string]any; m[0..999]=m
//	type T struct{Label string}; func (*T) TypeName() string
//	type D struct{M *vm.Map}
//	WithHostMethods; type Redact string; func (Redact) String() string
//
// A method that runs without WithHostMethods is a fault.
type hostTypes struct {
	name, body string
	pointer    bool // the data holds a pointer to it
	methods    []string
	variable   string // of self
	from, to   int    // the keys of self's that hold self
	opted      bool
}

var (
	typeDecl   = regexp.MustCompile(`^type (\w+) (.+)$`)
	methodDecl = regexp.MustCompile(`^func \((?:\w+ )?(\*?)(\w+)\) (\w+)\(`)
	selfDecl   = regexp.MustCompile(`^(\w+)\[(\d+)\.\.(\d+)\] ?= ?(\w+)$`)
)

// read takes one part of a fixture and reports whether it is about types.
func (h *hostTypes) read(part string) bool {
	if part == "WithHostMethods" {
		h.opted = true
		return true
	}
	if m := typeDecl.FindStringSubmatch(part); m != nil {
		h.name, h.body = m[1], m[2]
		return true
	}
	if m := methodDecl.FindStringSubmatch(part); m != nil && m[2] == h.name {
		h.pointer = h.pointer || m[1] == "*"
		h.methods = append(h.methods, m[3])
		return true
	}
	if m := selfDecl.FindStringSubmatch(part); m != nil && m[1] == m[4] {
		from, err1 := strconv.Atoi(m[2])
		to, err2 := strconv.Atoi(m[3])
		h.variable, h.from, h.to = m[1], from, to
		return err1 == nil && err2 == nil && from <= to
	}
	return false
}

// Types of the host with methods, by what they are made of. Methods cannot be
// made while a program runs, so each that a fixture may ask for stands here.
type (
	objectStruct  struct{ Label string }
	objectPointer struct{ Label string }
	stringStruct  struct{ Label string }
	stringPointer struct{ Label string }
	errorStruct   struct{ Label string }
	lenStruct     struct{ Label string }
	jsonStruct    struct{ Label string }
	textStruct    struct{ Label string }
	attrStruct    struct{ Label string }
	stringText    string
	objectText    string
	lenText       string
	stringInt     int
	lenFunc       func()
	lenChan       chan int
	lenMap        map[string]any
	stringMap     map[string]any
	objectMap     map[string]any
	stringList    []any
	lenList       []any
	plainMap      map[string]any
	plainAnyMap   map[any]any
	plainList     []any
)

func ran() string { methodCalls.Add(1); return "***" }

func (objectStruct) TypeName() string           { return ran() }
func (*objectPointer) TypeName() string         { return ran() }
func (stringStruct) String() string             { return ran() }
func (*stringPointer) String() string           { return ran() }
func (errorStruct) Error() string               { return ran() }
func (lenStruct) Len() int                      { return len(ran()) }
func (jsonStruct) MarshalJSON() ([]byte, error) { return []byte(strconv.Quote(ran())), nil }
func (textStruct) MarshalText() ([]byte, error) { return []byte(ran()), nil }
func (attrStruct) Attr(string) any              { return ran() }
func (stringText) String() string               { return ran() }
func (objectText) TypeName() string             { return ran() }
func (lenText) Len() int                        { return len(ran()) }
func (stringInt) String() string                { return ran() }
func (lenFunc) Len() int                        { return len(ran()) }
func (lenChan) Len() int                        { return len(ran()) }
func (lenMap) Len() int                         { return len(ran()) }
func (stringMap) String() string                { return ran() }
func (objectMap) TypeName() string              { return ran() }
func (stringList) String() string               { return ran() }
func (lenList) Len() int                        { return len(ran()) }

// labelled is a value of the type with the method, "" for none; pointer says
// that only a pointer has it.
func labelled(body, method string, pointer bool) (any, bool) {
	kind, _, _ := strings.Cut(body, "{")
	key := strings.TrimSpace(kind) + " " + method
	if pointer {
		switch key {
		case "struct TypeName":
			return &objectPointer{"label"}, true
		case "struct String":
			return &stringPointer{"label"}, true
		}
	}
	v, ok := map[string]any{
		"struct TypeName":         objectStruct{"label"},
		"struct String":           stringStruct{"label"},
		"struct Error":            errorStruct{"label"},
		"struct Len":              lenStruct{"label"},
		"struct MarshalJSON":      jsonStruct{"label"},
		"struct MarshalText":      textStruct{"label"},
		"struct Attr":             attrStruct{"label"},
		"string String":           stringText(canary),
		"string TypeName":         objectText("label"),
		"string Len":              lenText("label"),
		"int String":              stringInt(7),
		"func() Len":              lenFunc(func() {}),
		"chan int Len":            make(lenChan),
		"map[string]any Len":      lenMap{"Label": "label"},
		"map[string]any String":   stringMap{"Label": "label"},
		"map[string]any TypeName": objectMap{"Label": "label"},
		"[]any String":            stringList{"label"},
		"[]any Len":               lenList{"label"},
		"map[string]any ":         plainMap{},
		"map[any]any ":            plainAnyMap{},
		"[]any ":                  plainList{},
	}[key]
	if ok && pointer {
		p := reflect.New(reflect.TypeOf(v))
		p.Elem().Set(reflect.ValueOf(v))
		v = p.Interface()
	}
	return v, ok
}

// fieldValues are the types that a field of a struct may have, with a value of
// each. The keys of maps are names of fields of this package's own types.
func fieldValues() map[string]any {
	m := vm.NewMap(4)
	for _, key := range []string{"Frozen", "Items", "Names", "Next", "Label"} {
		m.Set(key, vm.String("yes"))
	}
	list := vm.ListOf([]vm.Value{vm.String("label")})
	l, _ := list.List()
	return map[string]any{
		"string": "label", "int": 7, "float64": 1.5, "bool": true, "[]any": []any{"label"}, "any": "label",
		"map[string]any": map[string]any{"Label": "label"}, "*vm.Map": m, "vm.Value": list, "*vm.List": l,
		"time.Time": time.Unix(0, 0).UTC(), "error": io.EOF, "iter.Seq[int]": iter.Seq[int](func(func(int) bool) {}),
	}
}

// structOf makes a value of a struct type without methods.
func structOf(body string) (any, error) {
	inside, ok := strings.CutPrefix(body, "struct")
	inside = strings.TrimSpace(inside)
	if !ok || !strings.HasPrefix(inside, "{") || !strings.HasSuffix(inside, "}") {
		return nil, fmt.Errorf("no type %q", body)
	}
	values := fieldValues()
	var fields []reflect.StructField
	var held []any
	for decl := range strings.SplitSeq(strings.Trim(inside, "{}"), ",") {
		name, typ, _ := strings.Cut(strings.TrimSpace(decl), " ")
		v, ok := values[strings.TrimSpace(typ)]
		if !ok {
			return nil, fmt.Errorf("no field of type %q", typ)
		}
		fields = append(fields, reflect.StructField{Name: name, Type: reflect.TypeOf(v)})
		held = append(held, v)
	}
	s := reflect.New(reflect.StructOf(fields)).Elem()
	for i, v := range held {
		s.Field(i).Set(reflect.ValueOf(v))
	}
	return s.Interface(), nil
}

// use makes the row's data of what was declared.
func (h *hostTypes) use(c *attackCase) {
	method := ""
	if len(h.methods) > 0 {
		method = h.methods[0]
	}
	v, ok := labelled(h.body, method, h.pointer)
	if !ok || len(h.methods) > 1 {
		var err error
		if v, err = structOf(h.body); err != nil || len(h.methods) > 0 {
			c.t.Fatalf("there is no type %s with %v: %v", h.body, h.methods, err)
		}
	}
	v = h.filled(c, v)
	if h.opted {
		c.opts = append(c.opts, compiler.WithHostMethods())
	} else {
		c.row.Assert.FlagUnset = true
	}
	c.row.Assert.Stable = max(c.row.Assert.Stable, 3)
	if strings.Contains(c.row.Template, ".Label }}") && strings.HasPrefix(h.body, "struct") {
		c.row.Assert.Equals = cmp.Or(c.row.Assert.Equals, &[]string{"label"}[0])
	}
	if t := reflect.TypeOf(v); t.Kind() == reflect.Struct && readsFieldAsVariable(t, c.row.Template) {
		c.data = v
		return
	}
	c.data = map[string]any{"x": v, strings.ToLower(h.name): v}
	if h.variable != "" {
		c.data.(map[string]any)[h.variable] = v
	}
}

// filled is v with itself in it, under many keys.
func (h *hostTypes) filled(c *attackCase, v any) any {
	if h.variable == "" {
		return v
	}
	switch v := v.(type) {
	case plainMap:
		for i := h.from; i <= h.to; i++ {
			v[strconv.Itoa(i)] = v
		}
	case plainAnyMap:
		for i := h.from; i <= h.to; i++ {
			v[i] = v
		}
	case plainList:
		whole := make(plainList, h.to+1)
		for i := h.from; i <= h.to; i++ {
			whole[i] = whole
		}
		return whole
	default:
		c.t.Fatalf("nothing can be put into %T", v)
	}
	return v
}

// readsFieldAsVariable reports whether the template reads a field of t by its
// name alone: then a value of t is the data as a whole.
func readsFieldAsVariable(t reflect.Type, template string) bool {
	for i := range t.NumField() {
		if regexp.MustCompile(`(^|[^.\w'"])` + t.Field(i).Name + `\b`).MatchString(template) {
			return true
		}
	}
	return false
}
