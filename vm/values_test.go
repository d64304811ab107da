package vm

import "testing"

// pythonEnv is Jinja's environment with full budgets and no methods.
func pythonEnv() *Env {
	return NewEnv(&Dialect{Name: "jinja", Python: true, Style: StylePython}, DefaultLimits())
}

func nativeEnv() *Env { return NewEnv(&Dialect{Name: "native"}, DefaultLimits()) }

// must unwraps a result that may not fail.
func must(t testing.TB) func(s string, err error) string {
	return func(s string, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
}

// list, tuple and dict make values from Go ones.
func list(items ...any) Value  { return ListOf(valuesOf(items)) }
func tuple(items ...any) Value { return TupleOf(valuesOf(items)) }

func valuesOf(items []any) []Value {
	out := make([]Value, len(items))
	for i, it := range items {
		out[i] = Of(it)
	}
	return out
}

// dict takes keys and values in turn.
func dict(pairs ...any) Value {
	m := NewMap(len(pairs) / 2)
	for i := 0; i < len(pairs); i += 2 {
		if !m.Put(Of(pairs[i]), Of(pairs[i+1])) {
			panic("unhashable key")
		}
	}
	return MapOf(m)
}

func undefinedVar(name string) Value { return UndefinedOf(&Undefined{Name: name}) }
