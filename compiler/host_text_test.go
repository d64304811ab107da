package compiler_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/compiler"
)

// Types that have a text of their own, of each kind of Go type. Their text is
// "shown" but for the durations.
type (
	shownString string
	shownBytes  []byte
	shownInt    int16
	shownFloat  float64
	shownBool   bool
	shownList   []string
	shownArray  [2]int
	shownMap    map[string]any
	shownStruct struct{ Secret string }
	shownError  struct{ secret string }
	marshalled  struct{ Secret string }
)

func (shownString) String() string              { return "shown" }
func (shownBytes) String() string               { return "shown" }
func (shownInt) String() string                 { return "shown" }
func (shownFloat) String() string               { return "shown" }
func (shownBool) String() string                { return "shown" }
func (shownList) String() string                { return "shown" }
func (shownArray) String() string               { return "shown" }
func (shownMap) String() string                 { return "shown" }
func (shownStruct) String() string              { return "shown" }
func (*shownError) Error() string               { return "shown" }
func (marshalled) MarshalText() ([]byte, error) { return []byte("shown"), nil }

func shownValues() map[string]any {
	s, n := shownString("SECRET"), shownInt(7)
	return map[string]any{"string": s, "pointer": &s, "bytes": shownBytes("SECRET"), "int": n, "pointer to int": &n, "float": shownFloat(1.5), "bool": shownBool(true), "list": shownList{"SECRET"},
		"array": shownArray{1, 2}, "map": shownMap{"SECRET": 1}, "struct": shownStruct{"SECRET"}, "error": &shownError{"SECRET"}, "text": marshalled{"SECRET"}}
}

// textUses are the ways in which a value gives its text.
var textUses = map[string][]string{
	"jinja": {"{{ x }}", "{{ x ~ '!' }}", "{{ x|upper }}", "{{ [x, x]|join(',') }}", "{{ x|tojson }}", "{{ x == 'shown' }}{{ 'shown' == x }}{{ x != 'shown' }}{{ x < 'z' }}", "{{ x in ['shown'] }}{{ 'shown' in [x] }}",
		"{{ [x] }}", "{{ {'k': x} }}", "{{ {'k': x}|tojson }}", "{{ '%s'|format(x) }}", "{{ '%s|%r' % (x, x) }}", "{{ '{} {:>7} {!s}'.format(x, x, x) }}", "{{ x|string }}", "{{ x|replace('s', 'b') }}", "{{ x|trim }}", "{{ x|escape }}",
		"{{ x|pprint }}", "{{ [x]|pprint }}", "{{ [x]|map('upper')|join }}", "{{ x|title }}", "{{ x|e }}", "{{ x|urlencode }}", "{{ [x]|unique|join }}", "{{ x|center(9) }}", "{{ {'a': x}|xmlattr }}",
		"{% if x == 'shown' %}y{% endif %}", "{% set y = x %}{{ y }}{{ y|upper }}", "{% for i in [x] %}{{ i }}{% endfor %}", "{% macro q(a) %}{{ a }}{{ a|lower }}{% endmacro %}{{ q(x) }}", "{{ x is eq('shown') }}", "{{ [x]|select('equalto', 'shown')|list|length }}"},
	"brace": {"{x}", "{{ x ~ '!' }}", "{x|upper}", "{{ [x, x]|join(',') }}", "{x|json}", "{{ x == 'shown' }}{{ 'shown' == x }}{{ x != 'shown' }}", "{{ x in ['shown'] }}{{ 'shown' in [x] }}",
		"{{ [x] }}", "{{ {'k': x}|json }}", "{{ {'k': x} }}", "{x|string}", "{x|xml}", "{{ [x]|bullets }}", "{{ {'k': x}|yaml }}", "{{ [x]|markdown }}", "{x|quote}", "{x|oneline}", "{x|fence}",
		"{switch x}{case 'shown'}y{default}n{/switch}", "{switch x}{case 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'shown'}y{case 1, 2, 3, 4, 5, 6, 7, 8, 9}m{default}n{/switch}", "{when x == 'shown'}y{/when}", "{loop xs as i}{i}{i|upper}{/loop}"},
}

// TestHostText: with WithHostMethods a value of the host is its own text wherever
// a text is asked for, as if the caller had given the text, and nothing of what
// the text hides gets out.
func TestHostText(t *testing.T) {
	type field struct {
		X  any   `json:"x"`
		Xs []any `json:"xs"`
	}
	for syntax, uses := range textUses {
		for _, src := range uses {
			p, err := compiler.Compile(src, compiler.WithSyntax(compiler.Syntax(syntax)), compiler.WithHostMethods())
			if err != nil {
				t.Errorf("%s: %v", src, err)
				continue
			}
			want, err := p.Render(map[string]any{"x": "shown", "xs": []any{"shown"}})
			if err != nil {
				t.Errorf("%s: %v", src, err)
				continue
			}
			for name, v := range shownValues() {
				for _, data := range []any{map[string]any{"x": v, "xs": []any{v}}, field{v, []any{v}}, &field{v, []any{v}}} {
					for range 3 {
						if got, err := p.Render(data); err != nil || got != want {
							t.Errorf("%s of a %s in a %T: %q, %v, want %q", src, name, data, got, err, want)
							break
						}
					}
				}
			}
			typed := struct {
				X  shownString   `json:"x"`
				Xs []shownString `json:"xs"`
			}{"SECRET", []shownString{"SECRET"}}
			for _, data := range []any{typed, &typed, map[string]shownString{"x": "SECRET"}} {
				if _, isMap := data.(map[string]shownString); isMap && strings.Contains(src, "xs") {
					continue
				}
				for range 3 {
					if got, err := p.Render(data); err != nil || got != want {
						t.Errorf("%s of a field in a %T: %q, %v, want %q", src, data, got, err, want)
						break
					}
				}
			}
		}
	}
}

// TestHostTextKeepsTheRest: what is a number, a list or a struct stays one beside
// its text.
func TestHostTextKeepsTheRest(t *testing.T) {
	data := map[string]any{"d": 90 * time.Second, "off": shownBool(false), "user": shownStruct{"Ada"}, "users": []shownStruct{{"Ada"}, {"Bob"}}, "list": shownList{"a", "b"},
		"err": errors.New("no connection"), "keys": map[shownInt]string{1: "a"}, "hidden": map[shownString]int{"SECRET": 1}, "m": shownMap{"k": 1}}
	for src, want := range map[string]string{
		"{{ d }} {{ d > 60 }} {{ d // 1000000000 }} {{ d == '1m30s' }}":                   "1m30s True 90 True",
		"{% if off %}on{% else %}off{% endif %}{{ off }}":                                 "offshown",
		"{{ user.Secret }} {{ user }} {{ users|map(attribute='Secret')|join }}":           "Ada shown AdaBob",
		"{{ list[0] }}{% for x in list %}{{ x }}{% endfor %}{{ list|length }}{{ list }}":  "aab2shown",
		"{% if err %}{{ err }}{% endif %}{{ 'connection' in err }}":                       "no connectionTrue",
		"{{ keys }}{% for k in keys %}{{ k }}{{ keys[k] }}{{ k + 1 }}{% endfor %}":        "{'shown': 'a'}showna2",
		"{{ keys|tojson }}{{ keys['shown'] }}{{ keys[1] }}":                               `{"shown": "a"}aa`,
		"{{ hidden }}{{ hidden|tojson }}{% for k in hidden %}{{ hidden[k] }}{% endfor %}": `{'shown': 1}{"shown": 1}1`,
		"{{ m.k }}{% for k, v in m.items() %}{{ k }}{{ v }}{% endfor %}{{ m['k'] }}":      "1k11",
		"{{ [d, 5, d]|sum }}": "180000000005",
		"{% for k, v in keys|dictsort %}{{ k }}{{ v }}{% endfor %}{{ keys|items|list }}":      "showna[('shown', 'a')]",
		"{{ users|tojson }}{{ users|groupby('Secret')|length }}{{ users|map('upper')|list }}": `["shown", "shown"]2['SHOWN', 'SHOWN']`,
	} {
		p, err := compiler.Compile(src, compiler.WithSyntax("jinja"), compiler.WithHostMethods())
		if err != nil {
			t.Fatal(err)
		}
		if got, err := p.Render(data); got != want || err != nil {
			t.Errorf("%s: %q, %v, want %q", src, got, err, want)
		}
	}
}

// TestHostTextOfNil: a nil pointer prints by its method, which may fail on it; in
// conditions it is null.
func TestHostTextOfNil(t *testing.T) {
	for _, tt := range []struct {
		src, want string
		code      diag.Code
		none      any
	}{
		{"{% if x %}y{% endif %}{{ x is none }}", "True", "", (*shownStruct)(nil)},
		{"{{ x }}", "", "PCC302", (*shownStruct)(nil)},
		{"{{ x }}", "no one", "", (*nilReady)(nil)},
	} {
		p, err := compiler.Compile(tt.src, compiler.WithSyntax("jinja"), compiler.WithHostMethods())
		if err != nil {
			t.Fatal(err)
		}
		got, err := p.Render(map[string]any{"x": tt.none})
		if got != tt.want || (err != nil) != (tt.code != "") || err != nil && !errors.Is(err, &diag.Diagnostic{Code: tt.code}) {
			t.Errorf("%s of %T: %q, %v", tt.src, tt.none, got, err)
		}
	}
}

// nilReady has a text of its nil pointer too.
type nilReady struct{ name string }

func (n *nilReady) String() string {
	if n == nil {
		return "no one"
	}
	return n.name
}

// TestSilentText: without WithHostMethods a report warns once of each type whose
// values print by what they are made of, at the place that prints the first; a
// strict program fails for it. What prints nothing of such values warns of nothing.
func TestSilentText(t *testing.T) {
	type user struct {
		Name shownString
		Wait time.Duration
	}
	u := user{"a", time.Minute}
	for _, c := range []struct {
		src   string
		data  any
		types []string
	}{
		{"{{ x }}{{ x }}", map[string]any{"x": time.Minute}, []string{"time.Duration"}},
		{"{{ x }}{{ x }}", map[string]any{"x": shownString("s")}, []string{"shownString"}},
		{"{{ x ~ 1 }}", map[string]any{"x": shownString("s")}, []string{"shownString"}},
		{"{{ x|upper }}", map[string]any{"x": shownString("s")}, []string{"shownString"}},
		{"{{ [x] }}", map[string]any{"x": shownString("s")}, []string{"shownString"}},
		{"{{ [x]|join }}", map[string]any{"x": errors.New("e")}, []string{"*errors.errorString"}},
		{"{{ x|tojson }}", map[string]any{"x": map[string]any{"a": []any{shownInt(1), marshalled{}}}}, []string{"shownInt", "marshalled"}},
		{"{{ x.Name }}{{ x.Wait }}", map[string]any{"x": u}, []string{"shownString", "time.Duration"}},
		{"{{ x.Name }}{{ x.Wait }}", map[string]any{"x": &u}, []string{"shownString", "time.Duration"}},
		{"{{ Name }}{{ Wait }}", u, []string{"shownString", "time.Duration"}},
		{"{{ x }}", map[string]any{"x": map[shownString]int{"a": 1}}, []string{"shownString"}},
		{"{{ x.Wait > 5 }}{{ x.Name == 'a' }}{{ 1 if x.Name }}{{ x is defined }}", map[string]any{"x": u}, nil},
		{"{{ x }}", map[string]any{"x": time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}, nil},
		{"{{ x }}", map[string]any{"x": struct{ A string }{"a"}}, nil},
	} {
		for _, syntax := range []string{"jinja", "brace"} {
			if syntax == "brace" && strings.ContainsAny(c.src, ">[") {
				continue
			}
			src := c.src
			if syntax == "brace" {
				src = strings.ReplaceAll(src, "tojson", "json")
			}
			p, err := compiler.Compile(src, compiler.WithSyntax(compiler.Syntax(syntax)))
			if err != nil {
				t.Fatal(err)
			}
			for range 3 { // the second and third run bound code
				r, err := p.Report(context.Background(), c.data)
				if err != nil {
					t.Fatal(err)
				}
				var got []*diag.Diagnostic
				for _, d := range p.Findings(r) {
					if d.Code == "PCC384" {
						got = append(got, d)
					}
				}
				if len(got) != len(c.types) {
					t.Errorf("%s of %s: %v, want %v", src, syntax, got, c.types)
					continue
				}
				for i, d := range got {
					_, at, _ := d.Position()
					if !strings.Contains(d.Message, c.types[i]) || !strings.Contains(d.Help, "WithHostMethods") || at.Line != 1 || d.Severity != diag.Warning {
						t.Errorf("%s: %+v, want %s", src, d, c.types[i])
					}
				}
			}
			if _, err := p.Render(c.data); err != nil {
				t.Errorf("%s: %v", src, err)
			}
			strict, err := compiler.Compile(src, compiler.WithSyntax(compiler.Syntax(syntax)), compiler.WithStrict())
			if err != nil {
				t.Fatal(err)
			}
			if _, err := strict.Render(c.data); errors.Is(err, &diag.Diagnostic{Code: "PCC384"}) != (len(c.types) > 0) {
				t.Errorf("%s, strict: %v", src, err)
			}
			open, err := compiler.Compile(src, compiler.WithSyntax(compiler.Syntax(syntax)), compiler.WithStrict(), compiler.WithHostMethods())
			if err != nil {
				t.Fatal(err)
			}
			if r, err := open.Report(context.Background(), c.data); err != nil && errors.Is(err, &diag.Diagnostic{Code: "PCC384"}) {
				t.Errorf("%s, with the option: %v, %v", src, r, err)
			}
		}
	}
}
