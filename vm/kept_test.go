package vm_test

import (
	"context"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/vm"
)

// keptValues are expressions, one for each kind of value that a template can make
// and keep, by what makes it. `s` is text, `m` a map and `l` the list that
// keeps, `i` the turn.
var keptValues = []struct{ name, setup, expr string }{
	{"list", "", "[]"},
	{"list of items", "", "[i, i, i]"},
	{"tuple", "", "()"},
	{"tuple of items", "", "(i, i)"},
	{"map", "", "{}"},
	{"map of entries", "", "{'a': i, 'b': i}"},
	{"map with a tuple as key", "", "{(i, s): 1}"},
	{"map with bytes as key", "", "{s.encode(): 1}"},
	{"large map", "", "dict(big)"},
	{"copied map", "", "big.copy()"},
	{"updated map", "", "dict(big, x=1)"},
	{"map of keys", "", "{}.fromkeys(range(40))"},
	{"translation table", "", "s.maketrans('abcdefghijklmnopqrstuvw', 'bcdefghijklmnopqrstuvwx')"},
	{"copied list", "", "big.keys()|list"},
	{"sum of lists", "", "[i] + [i]"},
	{"sum of tuples", "", "(i,) + (i,)"},
	{"repeated list", "", "[i] * 3"},
	{"slice of a list", "", "xs[1:]"},
	{"slice of a tuple", "", "(1, 2, 3)[1:]"},
	{"slice of a range", "", "range(9)[1:]"},
	{"range", "", "range(i)"},
	{"method of a range", "", "range(9).count"},
	{"other method of a range", "", "range(9).index"},
	{"method of a string", "", "s.upper"},
	{"method of a list", "", "xs.append"},
	{"view of items", "", "big.items()"},
	{"view of keys", "", "big.keys()"},
	{"iterator of items", "", "m|items"},
	{"map", "", "xs|map('string')"},
	{"select", "", "xs|select('eq', 1)"},
	{"selectattr", "", "xs|selectattr('eq', 1)"},
	{"reject", "", "xs|reject"},
	{"unique", "", "xs|unique"},
	{"batch", "", "xs|batch(2)"},
	{"slice", "", "xs|slice(2)"},
	{"reverse", "", "xs|reverse"},
	{"begun map", "", "{% set it = xs|map('string') %}{% set _ = it|first %}{% set _ = l.append(it) %}"},
	{"begun unique", "", "{% set it = xs|unique %}{% set _ = it|first %}{% set _ = l.append(it) %}"},
	{"begun batch", "", "{% set it = xs|batch(2) %}{% set _ = it|first %}{% set _ = l.append(it) %}"},
	{"begun slice", "", "{% set it = xs|slice(2) %}{% set _ = it|first %}{% set _ = l.append(it) %}"},
	{"begun items", "", "{% set it = m|items %}{% set _ = it|first %}{% set _ = l.append(it) %}"},
	{"begun selectattr", "", "{% set it = xs|selectattr('real', 'eq', 1) %}{% set _ = it|first %}{% set _ = l.append(it) %}"},
	{"batch as a list", "", "xs|batch(2)|list"},
	{"slice as a list", "", "xs|slice(2)|list"},
	{"groupby", "", "xs|groupby('real')"},
	{"dictsort", "", "big|dictsort"},
	{"pairs of items", "", "big|items|list"},
	{"sort", "", "xs|sort"},
	{"list of characters", "", "s|list"},
	{"split", "", "'a b c d'.split()"},
	{"split at a text", "", "'a,b,c,d'.split(',')"},
	{"lines", "", "'a\\nb'.splitlines()"},
	{"partition", "", "s.partition('l')"},
	{"undefined name", "", "nope"},
	{"undefined attribute", "", "m.nope"},
	{"undefined key", "", "m['nope']"},
	{"undefined element", "", "xs[99]"},
	{"undefined of attr", "", "m|attr('nope')"},
	{"first of nothing", "", "[]|first"},
	{"last of nothing", "", "[]|last"},
	{"refused attribute", "", "s.__class__"},
	{"namespace", "", "namespace()"},
	{"namespace of entries", "", "namespace(a=1, b=2)"},
	{"cycler", "", "cycler(1, 2)"},
	{"method of a cycler", "{% set c = cycler(1, 2) %}", "c.next"},
	{"items of a cycler", "{% set c = cycler(1, 2) %}", "c.items"},
	{"joiner", "", "joiner(',')"},
	{"loop", "", "loop"},
	{"method of a loop", "", "loop.cycle"},
	{"next item", "", "loop.nextitem"},
	{"macro", "{% macro f(a, b) %}{% endmacro %}", "f"},
	{"arguments of a macro", "{% macro f(a, b) %}{% endmacro %}", "f.arguments"},
	{"self", "{% block b %}{% endblock %}", "self"},
	{"block", "{% block b %}{% endblock %}", "self.b"},
	{"text of a block", "{% block b %}some text{% endblock %}", "self.b()"},
	{"bytes", "", "s.encode()"},
	{"capitals", "", "('\u0390' * 40)|upper"},
	{"small letters", "", "('\u0130' * 40).lower()"},
	{"title", "", "('\u0390 ' * 40)|title"},
	{"capitalized", "", "('\u0390' * 40)|capitalize"},
	{"swapped case", "", "('\u0390' * 40).swapcase()"},
	{"folded case", "", "('\u0390' * 40).casefold()"},
	{"joined", "", "xs|join(',')"},
	{"repeated text", "", "'ab' * 20"},
	{"concatenated", "", "'ab' ~ i"},
	{"sum of texts", "", "s + s"},
	{"format", "", "'%s-%s' % (i, i)"},
	{"format method", "", "'{}-{}'.format(i, i)"},
	{"replaced", "", "s|replace('l', 'lllllll')"},
	{"escaped", "", "('<' * 9)|e"},
	{"marked safe", "", "s|safe"},
	{"number as text", "", "i|string"},
	{"list as text", "", "xs|string"},
	{"JSON", "", "xs|tojson"},
	{"pprint", "", "xs|pprint"},
	{"xmlattr", "", "{'a': i}|xmlattr"},
	{"urlencode", "", "'\u0390\u0390'|urlencode"},
	{"centered", "", "s|center(40)"},
	{"indented", "", "'a\\nb'|indent(20)"},
	{"wrapped", "", "'aa bb cc dd'|wordwrap(2)"},
	{"truncated", "", "'aa bb cc dd'|truncate(8)"},
	{"reversed text", "", "s|reverse"},
	{"slice of a text", "", "s[::2]"},
	{"stripped", "", "'<b>x</b> y'|striptags"},
	{"file size", "", "i|filesizeformat"},
	{"long integer", "", "7 ** 100"},
	{"sum of long integers", "{% set n = 7 ** 40 %}", "n + i"},
	{"complex number", "", "(-8) ** 0.5"},
	{"fraction", "", "(0.1).as_integer_ratio()"},
	{"hexadecimal float", "", "(0.1).hex()"},
	{"integer of a text", "", "'123456789012345678901234567890'|int"},
	{"keywords of a macro", "{% macro f() %}{% set _ = l.append(kwargs) %}{% endmacro %}", "f(a=1, b=2)"},
	{"arguments of a macro that it collects", "{% macro f() %}{% set _ = l.append(varargs) %}{% endmacro %}", "f(1, 2)"},
	{"text of a macro", "{% macro f() %}some text of it{% endmacro %}", "f()"},
	{"caller", "{% macro f() %}{% set _ = l.append(caller) %}{% endmacro %}", "{% call f() %}x{% endcall %}"},
	{"captured text", "", "{% set x %}text {{ i }}{% endset %}{% set _ = l.append(x) %}"},
	{"variable of a namespace", "{% set ns = namespace() %}", "{% set ns.a = [i] %}{% set _ = l.append(ns.a) %}"},
	{"spread arguments", "{% macro f() %}{% set _ = l.append(varargs) %}{% endmacro %}", "f(*xs)"},
	{"imported template", "", "{% import 'part' as p %}{% set _ = l.append(p) %}"},
	{"imported template with context", "", "{% import 'part' as p with context %}{% set _ = l.append(p) %}"},
	{"name that an import lacks", "", "{% from 'part' import nope %}{% set _ = l.append(nope) %}"},
}

// TestKeptValuesArePaidFor keeps many values of each kind and compares what the
// heap grew by with what the render was charged, which may be half of it at
// least: then no template takes more than twice its limit.
func TestKeptValuesArePaidFor(t *testing.T) {
	const turns = 2000
	big := vm.NewMap(0)
	for i := range 40 {
		big.Put(vm.Int(int64(i)), vm.Int(int64(i)))
	}
	m := map[string]any{"a": 1, "b": 2}
	data := map[string]any{"s": "hello", "m": m, "big": big, "xs": []any{1, 2, 3}}
	for _, k := range keptValues {
		t.Run(k.name, func(t *testing.T) {
			body := k.expr
			if !strings.HasPrefix(body, "{%") {
				body = "{% set _ = l.append(" + body + ") %}"
			}
			src := "{% set l = [] %}" + k.setup + "{% for i in range(" + strconv.Itoa(turns) + ") %}" + body + "{% endfor %}{{ l|measure }}"
			var before, after uint64
			p, err := compiler.Compile(src, compiler.WithJinja(compiler.JinjaOptions{}),
				compiler.WithFS(partFS), compiler.WithFilter("measure", func(v vm.Value) (vm.Value, error) {
					after = liveHeap()
					if l, _ := v.List(); len(l.Items) < turns {
						t.Errorf("%d of %d values were kept", len(l.Items), turns)
					}
					return vm.String(""), nil
				}))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := p.Render(data); err != nil { // caches fill
				t.Fatal(err)
			}
			before = liveHeap()
			r, err := p.Report(context.Background(), data)
			if err != nil {
				t.Fatal(err)
			}
			const slack = 32 << 10
			if grown := int64(after) - int64(before); grown > 2*r.Memory+slack {
				t.Errorf("the heap grew by %d bytes a value, charged are %d", grown/turns, r.Memory/turns)
			} else {
				t.Logf("%d bytes a value, charged %d", grown/turns, r.Memory/turns)
			}
			runtime.KeepAlive(p)
		})
	}
}

// liveHeap is the number of bytes in use after a collection, pools emptied.
func liveHeap() uint64 {
	runtime.GC()
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return s.HeapAlloc
}

var partFS = fstest.MapFS{"part": {Data: []byte("{% set a = 1 %}{% macro f() %}{% endmacro %}")}}
