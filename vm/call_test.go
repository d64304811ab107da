package vm

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/pcc-lang/pcc/internal/code"
)

// echoArgs returns its arguments as text, so that a test sees how they were bound.
func echoArgs(e *Env, args []Value) (Value, error) {
	s, err := e.Repr(TupleOf(args))
	return String(s), err
}

func params(spec string) []ParamSpec {
	var out []ParamSpec
	for _, p := range strings.Fields(spec) {
		name, def, optional := strings.Cut(p, "=")
		switch {
		case strings.HasPrefix(name, "**"):
			out = append(out, ParamSpec{Name: name[2:], Kind: Keywords})
		case strings.HasPrefix(name, "*"):
			out = append(out, ParamSpec{Name: name[1:], Kind: Variadic})
		case optional:
			out = append(out, ParamSpec{Name: name, Kind: Optional, Default: String(def)})
		default:
			out = append(out, ParamSpec{Name: name})
		}
	}
	return out
}

// Binding follows Python's functions, error texts included (checked against
// def f(…) in Python 3.11).
func TestCallBuiltinBinds(t *testing.T) {
	for _, c := range []struct {
		params string
		args   []any
		names  string
		want   string
	}{
		{"", nil, "", "()"}, {"a", []any{1}, "", "(1,)"}, {"a b=x", []any{1}, "", "(1, 'x')"}, {"a b=x", []any{1, 2}, "", "(1, 2)"}, {"a b=x c=y", []any{1, 3}, "c", "(1, 'x', 3)"},
		{"a b=x", []any{5, 6}, "b a", "(6, 5)"}, {"a *rest", []any{1, 2, 3}, "", "(1, (2, 3))"}, {"a *rest", []any{1}, "", "(1, ())"}, {"a **kw", []any{1, 2}, "z", "(1, {'z': 2})"},
		{"*rest **kw", []any{1, 2, 3}, "k", "((1, 2), {'k': 3})"}, {"a *rest b=x", []any{1, 2, 3}, "b", "(1, (2,), 3)"}, {"a *rest b", []any{1, 2, 3}, "b", "(1, (2,), 3)"},
		{"a", nil, "", "!f() missing 1 required positional argument: 'a'"}, {"a b", nil, "", "!f() missing 2 required positional arguments: 'a' and 'b'"},
		{"a b c", nil, "", "!f() missing 3 required positional arguments: 'a', 'b' and 'c'"}, {"a b", []any{1}, "b", "!f() missing 1 required positional argument: 'a'"},
		{"a", []any{1, 2}, "", "!f() takes 1 positional argument but 2 were given"}, {"", []any{1}, "", "!f() takes 0 positional arguments but 1 were given"},
		{"a b=x", []any{1, 2, 3}, "", "!f() takes from 1 to 2 positional arguments but 3 were given"}, {"a", []any{1, 2}, "a", "!f() got multiple values for argument 'a'"},
		{"a", []any{1, 2}, "z", "!f() got an unexpected keyword argument"}, {"**kw", []any{1, 2}, "z z", "!f() got multiple values for a keyword argument"},
		{"a *rest", []any{1, 2}, "rest", "!f() got an unexpected keyword argument"},
	} {
		b := &Builtin{Name: "f", Params: params(c.params), Fn: echoArgs}
		e := pythonEnv()
		v, err := e.CallBuiltin(b, valuesOf(c.args), strings.Fields(c.names))
		got := ""
		var f *Error
		if errors.As(err, &f) {
			if got = "!" + f.Msg; f.Kind != "type" || !strings.Contains(f.Help, b.Signature()) {
				t.Errorf("f(%s): kind %s, help %q", c.params, f.Kind, f.Help)
			}
		} else {
			got, _ = v.Str()
		}
		if got != c.want {
			t.Errorf("f(%s) with %v and names %q: got %s, want %s", c.params, c.args, c.names, got, c.want)
		}
	}
	b := &Builtin{Name: "upper", Params: params("self"), PositionalOnly: true, Fn: echoArgs}
	if _, err := pythonEnv().CallBuiltin(b, valuesOf([]any{"x", 1}), []string{"a"}); err == nil || err.Error() != "upper() takes no keyword arguments" {
		t.Errorf("keyword for a positional-only method: %v", err)
	}
}

func TestCallStrict(t *testing.T) {
	e := pythonEnv()
	e.Dialect.Undefined = UndefinedStrict
	b := &Builtin{Name: "f", Params: params("a b=x"), Fn: echoArgs}
	_, err := e.CallBuiltin(b, []Value{undefinedVar("x")}, nil)
	if got := outcome(e, Null, err); got != "!undefined: 'x' is undefined" {
		t.Errorf("a filter of a strict undefined value: %s", got)
	}
	if _, err := e.CallBuiltin(b, []Value{Int(1), undefinedVar("x")}, nil); err != nil {
		t.Errorf("a strict undefined argument: %v", err)
	}
	welcome := *b
	welcome.TakesUndefined = true
	if _, err := e.CallBuiltin(&welcome, []Value{undefinedVar("x")}, nil); err != nil {
		t.Errorf("a filter that takes undefined values: %v", err)
	}
}

func TestCallDispatch(t *testing.T) {
	e := pythonEnv()
	b := &Builtin{Name: "f", Params: params("self a=x"), Fn: echoArgs}
	e.Dialect.Methods = map[Kind]map[string]*Builtin{KindString: {"f": b}}
	method, err := e.Attr(String("text"), "f")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		f    Value
		args []any
		want string
	}{
		{ObjectOf(b), []any{1}, `"(1, 'x')"`}, {method, []any{2}, `"('text', 2)"`}, {method, nil, `"('text', 'x')"`},
		{Int(5), nil, "!type: 'int' object is not callable"}, {Null, nil, "!type: 'NoneType' object is not callable"}, {String("f"), nil, "!type: 'str' object is not callable"},
		{undefinedVar("x"), nil, "!undefined: 'x' is undefined"}, {e.unsafe(String("a"), "__len__"), nil, "!security: access to attribute '__len__' of 'str' object is unsafe."},
	} {
		v, err := e.Call(c.f, valuesOf(c.args), nil)
		if got := outcome(e, v, err); got != c.want {
			t.Errorf("%v(%v) = %s, want %s", c.f, c.args, got, c.want)
		}
	}
	v, err := e.CallMethod(String("text"), "f", []Value{Int(1)}, nil)
	if got := outcome(e, v, err); got != `"('text', 1)"` {
		t.Errorf("CallMethod: %s", got)
	}
}

// Whatever a function does, the render gets an error or a value.
func TestCallContains(t *testing.T) {
	var nilMap map[string]int
	for name, c := range map[string]struct {
		fn   Func
		user bool
		want string
	}{
		"panic":        {func(*Env, []Value) (Value, error) { panic("CANARY") }, false, "f panicked (string)"},
		"user panic":   {func(*Env, []Value) (Value, error) { panic(errors.New("CANARY")) }, true, "f panicked (*errors.errorString)"},
		"runtime":      {func(*Env, []Value) (Value, error) { nilMap["a"] = 1; return Null, nil }, true, "f panicked (runtime."},
		"Goexit":       {func(*Env, []Value) (Value, error) { runtime.Goexit(); return Null, nil }, true, "f ended its goroutine"},
		"user error":   {func(*Env, []Value) (Value, error) { return Null, errors.New("plain") }, true, "plain"},
		"panic of nil": {func(*Env, []Value) (Value, error) { panic(nil) }, true, "f panicked (*runtime.PanicNilError)"},
	} {
		b := &Builtin{Name: "f", Fn: c.fn, User: c.user}
		_, err := nativeEnv().CallBuiltin(b, nil, nil)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "CANARY") {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
}

func TestCallUserCharges(t *testing.T) {
	e := nativeEnv()
	before := e.memory
	args := []Value{String("kept")}
	b := &Builtin{Name: "f", Params: params("a"), User: true, Fn: func(c *Env, got []Value) (Value, error) {
		if err := c.Charge(1000); err != nil {
			return Null, err
		}
		s, _ := got[0].Str()
		return String(s + "!"), nil
	}}
	v, err := e.CallBuiltin(b, args, nil)
	charged := before - e.memory
	if got := outcome(e, v, err); got != `"kept!"` || charged != 1000 {
		t.Errorf("got %s, %d bytes charged", got, charged)
	}
}

// A function that blocks for ever does not keep a render that is cancelled.
func TestCallUserIsCancelled(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	e := nativeEnv()
	e.Ctx = ctx
	release := make(chan struct{})
	defer close(release)
	_, err := e.CallBuiltin(&Builtin{Name: "f", User: true, Fn: func(*Env, []Value) (Value, error) { <-release; return Null, nil }}, nil, nil)
	var f *Error
	if !errors.As(err, &f) || f.Kind != "cancelled" {
		t.Errorf("error %v", err)
	}
}

func TestEscape(t *testing.T) {
	for _, c := range []struct {
		v    any
		want string
	}{
		{`<a href='x'>&"</a>`, "&lt;a href=&#39;x&#39;&gt;&amp;&#34;&lt;/a&gt;"}, {"plain é", "plain é"}, {"", ""}, {Safe("<b>"), "<b>"}, {42, "42"}, {nil, "None"},
		{[]any{"<"}, "[&#39;&lt;&#39;]"}, {undefinedVar("x"), ""},
	} {
		v, err := pythonEnv().Escape(Of(c.v))
		if got, _ := v.Str(); err != nil || got != c.want || !v.IsSafe() {
			t.Errorf("escape(%v) = %q, %v, safe %v; want %q", c.v, got, err, v.IsSafe(), c.want)
		}
	}
	limits := DefaultLimits()
	limits.Memory = 1000
	_, err := NewEnv(&Dialect{}, limits).Escape(String(strings.Repeat("<", 500)))
	wantLimit(t, "escaping", err)
}

func TestErrorCodes(t *testing.T) {
	for kind, want := range map[string]string{"undefined": "PCC301", "type": "PCC320", "value": "PCC321", "zerodivision": "PCC322", "overflow": "PCC323",
		"security": "PCC324", "runtime": "PCC325", "notfound": "PCC326", "assertion": "PCC327", "key": "PCC328", "other": "PCC325"} {
		if got := (&Error{Kind: kind}).CodeOf(); got != want {
			t.Errorf("%s: code %s, want %s", kind, got, want)
		}
	}
	if got := (&Error{Kind: "limit", Code: "PCC904"}).CodeOf(); got != "PCC904" {
		t.Errorf("an error's own code is replaced by %s", got)
	}
}

func BenchmarkCallBuiltin(b *testing.B) {
	nothing := func(_ *Env, args []Value) (Value, error) { return args[0], nil }
	for _, c := range []struct {
		name   string
		params string
		user   bool
		args   int
	}{{"exact", "a", false, 1}, {"defaults", "a b=x c=y", false, 1}, {"user", "a", true, 1}} {
		fn := &Builtin{Name: "f", Params: params(c.params), User: c.user, Fn: nothing}
		b.Run(c.name, func(b *testing.B) {
			e, args := nativeEnv(), make([]Value, c.args)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := e.CallBuiltin(fn, args, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func ExampleBuiltin_Signature() {
	b := &Builtin{Name: "truncate", Params: []ParamSpec{{Name: "s"}, {Name: "length", Kind: Optional, Default: Int(255)}, {Name: "rest", Kind: Variadic}, {Name: "kw", Kind: Keywords}}}
	fmt.Println(b.Signature())
	// Output: truncate(s, length=255, *rest, **kw)
}

// A function of the caller's is called on a goroutine of its own, whether it has
// a short way for a text or not; one of ours takes that way.
func TestCallTextOnly(t *testing.T) {
	for _, user := range []bool{true, false} {
		b := &Builtin{Name: "f", Params: params("a"), User: user,
			Fn:   func(*Env, []Value) (Value, error) { return String("long"), nil },
			Text: func(*Env, string) (string, error) { return "short", nil }}
		p, err := New(letter(func(img *Image) {
			img.Builtins, img.Consts = []*Builtin{b}, []Value{String("x")}
			img.Functions[0].Code = []code.Instr{{Op: code.OpConst}, {Op: code.OpFilter, B: -1, N: 1}, {Op: code.OpEmit}, {Op: code.OpReturn}}
		}))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := p.Render(nil); err != nil || got != map[bool]string{true: "long", false: "short"}[user] {
			t.Errorf("user %v: %q, %v", user, got, err)
		}
	}
}
