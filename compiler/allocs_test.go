package compiler_test

import (
	"runtime"
	"testing"

	"github.com/pcc-lang/pcc/compiler"
)

// compileMemory is the memory in bytes that compiling src takes, after pools
// have filled, and the number of allocations.
func compileMemory(t *testing.T, src string, opts ...compiler.Option) (bytes, allocs uint64) {
	t.Helper()
	const runs = 100
	compile := func() {
		if _, err := compiler.Compile(src, opts...); err != nil {
			t.Fatal(err)
		}
	}
	// The least of some tries: a garbage collection empties pools.
	for try := range 5 {
		compile()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range runs {
			compile()
		}
		runtime.ReadMemStats(&after)
		b, n := (after.TotalAlloc-before.TotalAlloc)/runs, (after.Mallocs-before.Mallocs)/runs
		if try == 0 || b < bytes {
			bytes, allocs = b, n
		}
	}
	return bytes, allocs
}

// TestDetectionMemory holds the choice of a syntax to what it needs: the tree
// that it reads is used, and what it reads in vain lives in memory that is used
// again, whether or not the text holds delimiters of both families.
func TestDetectionMemory(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector empties pools at random")
	}
	for _, src := range []string{
		"Hello {name}, this is {product}.",
		"Put it in <answer></answer>, {name}, and <b>nothing</b> else. {when a < b}less{/when}",
	} {
		given, _ := compileMemory(t, src, compiler.WithSyntax("brace"))
		found, _ := compileMemory(t, src)
		if found > given+800 {
			t.Errorf("%q takes %d bytes, %d where the syntax is given", src, found, given)
		}
	}
}

// TestCompileMemory holds compiling to the memory that programs need: trees,
// scopes and tables on the way live in memory that is used again. The bounds
// are a tenth above what it takes.
func TestCompileMemory(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector empties pools at random")
	}
	const native = "{loop users as u}{when u.plan == \"pro\"}{u.name}: {u.mail.first}{else}{u.id|upper}{/when}\n{/loop}{greeting}"
	const jinja = "{% for u in users %}{% if u.plan == 'pro' %}{{ u.name }}: {{ u.mail.first }}{% else %}{{ u.id|upper }}{% endif %}\n{% endfor %}{% set x = greeting %}{{ x }}"
	for _, c := range []struct {
		syntax, src   string
		bytes, allocs uint64
	}{
		{"brace", native, 5_300, 27},
		{"jinja", jinja, 6_000, 39},
	} {
		bytes, allocs := compileMemory(t, c.src, compiler.WithSyntax(compiler.Syntax(c.syntax)))
		t.Logf("%s: %d bytes, %d allocations", c.syntax, bytes, allocs)
		if bytes > c.bytes || allocs > c.allocs {
			t.Errorf("%s: %d bytes in %d allocations, at most %d in %d are expected", c.syntax, bytes, allocs, c.bytes, c.allocs)
		}
	}
}
