package compiler_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/stdlib"
	"github.com/pcc-lang/pcc/vm"
)

// keywordCalls are calls of everything that Jinja's templates can call, each
// with the arguments ARGS.
func keywordCalls() []string {
	d := stdlib.Jinja()
	calls := []string{
		"{% macro q() %}{% endmacro %}{{ q(ARGS) }}", "{% macro q(a, b=1) %}{% endmacro %}{{ q(1, ARGS) }}", "{% macro q() %}{{ kwargs }}{{ nope.nope }}{% endmacro %}{{ q(ARGS) }}",
		"{% macro q() %}{{ caller(ARGS) }}{% endmacro %}{% call q() %}{% endcall %}", "{% macro q() %}{{ caller() }}{% endmacro %}{% call q(ARGS) %}{% endcall %}",
		"{% for x in [1, 2] %}{{ loop.cycle(1, ARGS) }}{% endfor %}", "{% for x in [1, 2] %}{{ loop.changed(1, ARGS) }}{% endfor %}",
		"{% for x in [[1], [2]] recursive %}{{ loop(x, ARGS) }}{% endfor %}", "{% for x in [[1], [2]] recursive %}{{ loop(ARGS) }}{% endfor %}", "{% for x in [1] %}{{ loop(ARGS) }}{% endfor %}",
		"{% block b %}{{ super(ARGS) }}{% endblock %}", "{% block b %}{% endblock %}{{ self.b(ARGS) }}", "{{ cycler(1, 2).next(ARGS) }}", "{{ joiner()(ARGS) }}",
		"{{ ''.join.join(ARGS) }}", "{{ nope(ARGS) }}", "{{ 1(ARGS) }}", "{{ 1|host(ARGS) }}", "{% set n = namespace(ARGS) %}{{ n.nope.nope }}",
		"{{ dict(ARGS).nope.nope }}", "{{ dict({'b': 1}, ARGS) + 1 }}", "{{ '%(nope)s'|format(ARGS) }}", "{{ '{nope}'.format(ARGS) }}",
		"{{ [1]|map(attribute='a', ARGS)|list }}", "{{ [1]|map('nope', ARGS)|list }}", "{{ q(a=1, ARGS) }}",
	}
	subjects := []string{"'x'", "[1, 2]", "{'a': 1}", "3", "none"}
	for name := range d.Globals {
		for _, before := range []string{"", "1, ", "[1], 2, "} {
			calls = append(calls, "{{ "+name+"("+before+"ARGS) }}")
		}
	}
	for _, subject := range subjects {
		for _, before := range []string{"", "'a', ", "1, 2, "} {
			for name := range d.Filters {
				calls = append(calls, fmt.Sprintf("{{ %s|%s(%sARGS)|string }}", subject, name, before), fmt.Sprintf("{{ [%s]|map('%s', %sARGS)|list }}", subject, name, before))
			}
			for name := range d.Tests {
				for _, by := range []string{"select", "reject"} {
					calls = append(calls, fmt.Sprintf("{{ [%s]|%s('%s', %sARGS)|list }}", subject, by, name, before))
				}
				calls = append(calls, fmt.Sprintf("{{ [{'k': %s}]|selectattr('k', '%s', %sARGS)|list }}", subject, name, before))
				if name != "in" {
					calls = append(calls, fmt.Sprintf("{{ %s is %s(%sARGS) }}", subject, name, before))
				}
			}
			for _, methods := range d.Methods {
				for name := range methods {
					calls = append(calls, fmt.Sprintf("{{ %s.%s(%sARGS) }}", subject, name, before))
				}
			}
		}
	}
	return calls
}

// shown is all that an error tells.
func shown(err error) string {
	text := fmt.Sprintf("%v %+v", err, err)
	var d *diag.Diagnostic
	if errors.As(err, &d) {
		text += fmt.Sprint(d.Message, d.Help, d.Names, d.Trace, d.SpanLabel, d.Labels)
	}
	var e *vm.Error
	if errors.As(err, &e) {
		text += fmt.Sprintf("%#v", e.Names) + e.Msg + e.Help
	}
	return text
}

// TestKeywordsFromData calls everything with a keyword argument whose name is
// data: no diagnostic has it.
func TestKeywordsFromData(t *testing.T) {
	const secret = "CANARY-7f3a"
	failed := 0
	for _, call := range keywordCalls() {
		for _, args := range []string{"**{token: 1}", "**given", "a=1, **{token: 1}", "**{token: 1, token ~ '2': 2}"} {
			src := strings.ReplaceAll(call, "ARGS", args)
			p, err := compiler.Compile(src, compiler.WithSyntax("jinja"), compiler.WithFilter("host", func(x, y int) int { return x + y }))
			if err == nil {
				_, err = p.Render(map[string]any{"token": secret, "given": map[string]any{secret: 1}})
			}
			if err == nil {
				continue
			}
			failed++
			if text := shown(err); strings.Contains(text, "CANARY") {
				t.Errorf("%s: %s", src, text)
			}
		}
	}
	if failed < 3000 {
		t.Errorf("only %d calls fail", failed)
	}
}

// TestKeywordsInTheText names keyword arguments that the template's text has,
// whether `**` is near or not.
func TestKeywordsInTheText(t *testing.T) {
	for src, want := range map[string]string{
		"{{ 'x'|truncate(wrong=1) }}":                                            "truncate() got an unexpected keyword argument 'wrong'",
		"{{ 'x'|truncate(**{'wrong': 1}) }}":                                     "truncate() got an unexpected keyword argument 'wrong'",
		"{{ 'x'|truncate(wrong=1, **{}) }}":                                      "truncate() got an unexpected keyword argument 'wrong'",
		"{{ 'x'|truncate(**{token: 1}) }}":                                       "truncate() got an unexpected keyword argument",
		"{{ 'x'|truncate(**{token: 1}) }}{# wrong_ #}{# swrongwrong #}":          "truncate() got an unexpected keyword argument",
		"{{ ['x']|map('truncate', wrong=1)|list }}":                              "truncate() got an unexpected keyword argument 'wrong'",
		"{{ ['x']|map('truncate', **{token: 1})|list }}":                         "truncate() got an unexpected keyword argument",
		"{{ ['x']|map(attribute='a', wrong=1)|list }}":                           "Unexpected keyword argument 'wrong'",
		"{{ ['x']|map(attribute='a', **{token: 1})|list }}":                      "Unexpected keyword argument",
		"{% macro q() %}{% endmacro %}{{ q(wrong=1) }}":                          "macro 'q' takes no keyword argument 'wrong'",
		"{% macro q() %}{% endmacro %}{{ q(**{token: 1}) }}":                     "macro 'q' takes no keyword argument of that name",
		"{% for x in [1] %}{{ loop.cycle(1, wrong=1) }}{% endfor %}":             "LoopContext.cycle() got an unexpected keyword argument 'wrong'",
		"{% for x in [1] %}{{ loop.changed(1, **{token: 1}) }}{% endfor %}":      "LoopContext.changed() got an unexpected keyword argument",
		"{% macro q() %}{% endmacro %}{{ q(**{token|replace('wro', '') : 1}) }}": "macro 'q' takes no keyword argument of that name",
	} {
		p, err := compiler.Compile(src, compiler.WithSyntax("jinja"))
		if err == nil {
			_, err = p.Render(map[string]any{"token": "wrong"})
		}
		var d *diag.Diagnostic
		if !errors.As(err, &d) || d.Message != want {
			t.Errorf("%s: %v, want %s", src, err, want)
		}
	}
}
