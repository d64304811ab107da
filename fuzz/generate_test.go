package fuzz

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// FuzzGenerated makes well-formed templates of random numbers, which changes of
// bytes seldom reach, and checks them as FuzzRender does.
func FuzzGenerated(f *testing.F) {
	for i := range uint64(300) {
		f.Add(i, i*7919)
	}
	f.Fuzz(func(t *testing.T, a, b uint64) {
		g := &generator{r: rand.New(rand.NewPCG(a, b)), chat: a%11 == 0}
		src := g.front()
		if g.chat {
			src += g.messages(3)
		} else {
			src += g.body(4)
		}
		undefined := []string{"", "", "keep", "empty", "error"}[b%5]
		checkRender(t, seed{src, generatedData, "brace", undefined})
		if t.Failed() {
			t.Logf("template:\n%s", src)
		}
	})
}

// generatedData holds every kind of value under the names that generator uses.
// Its keys are in order, so that Go maps print the same.
const generatedData = `{
	"b": true, "deep": {"a": {"b": {"c": "abyss"}}}, "e": "", "f": 2.5,
	"list": [3, 1, 2], "m": {"a": 1, "b": "two", "c": null}, "n": 7, "null": null,
	"people": [{"age": 3, "name": "Ann", "tags": ["x", "y"]}, {"name": "Bo", "tags": []}, 5, null],
	"plan": "pro", "rows": [[1, 2], [], [3]], "s": "text {n}", "z": 0
}`

type generator struct {
	r    *rand.Rand
	vars []string // names of the loops around
	loop int      // number of loops around
	chat bool
}

func (g *generator) pick(of ...string) string { return of[g.r.IntN(len(of))] }

func (g *generator) front() string {
	if g.r.IntN(4) > 0 && !g.chat {
		return ""
	}
	return "---\nroles: [user, assistant]\nvars: {plan: free, extra: [1, {a: 2}], s2: more}\n---\n"
}

func (g *generator) name() string {
	names := append([]string{"b", "deep", "e", "f", "list", "m", "n", "null", "people", "plan", "rows", "s", "z",
		"nobody", "extra", "s2", "item", "name", "age"}, g.vars...)
	return g.pick(names...)
}

func (g *generator) path() string {
	p := g.name()
	for g.r.IntN(3) == 0 {
		p += g.pick(".a", ".b", ".c", ".name", ".tags", ".0", "[0]", `["a"]`, `['b']`, ".nope")
	}
	if g.loop > 0 && g.r.IntN(4) == 0 {
		p = g.pick("loop.index", "loop.index0", "loop.first", "loop.last", "loop.length", "loop.parent.index", "loop.nope")
	}
	return p
}

func (g *generator) literal() string {
	return g.pick("0", "1", "2", "7", "2.5", "1.0", `"pro"`, `'x'`, `""`, "true", "false", "null", `"text {n}"`, "[1, 2]", `{"a": 1}`, "[]")
}

// expr is an expression; it begins with a letter where it begins a hard tag.
func (g *generator) expr(depth int) string {
	if depth <= 0 {
		if g.r.IntN(3) == 0 {
			return g.literal()
		}
		return g.path()
	}
	x := func() string {
		e := g.expr(depth - 1 - g.r.IntN(2))
		if strings.HasPrefix(e, "not ") || strings.Contains(e, " if ") || g.r.IntN(4) == 0 {
			return "(" + e + ")"
		}
		return e
	}
	switch g.r.IntN(14) {
	case 0, 1:
		return x() + " " + g.pick("+", "-", "*", "/", "//", "%", "~", "~") + " " + x()
	case 2, 3:
		return x() + " " + g.pick("==", "!=", "<", "<=", ">", ">=", "in", "not in") + " " + x()
	case 4:
		return x() + " " + g.pick("and", "or") + " " + x()
	case 5:
		return "not " + x()
	case 6:
		return "(" + x() + ")"
	case 7:
		return x() + " if " + x() + " else " + x()
	case 8:
		return "(" + x() + ")|" + g.filter()
	case 9:
		return g.path() + "|" + g.filter()
	case 10:
		return "(" + x() + ") is " + g.pick("defined", "not defined", "none", "string", "number", "odd", "mapping", "sequence", "in [1, 2]", "divisibleby(2)")
	case 11:
		return "(" + x() + ")[" + g.pick("0", "1:", "-1", "::2", x()) + "]"
	case 12:
		return "vars" + g.pick("", ".n", `["s"]`, ".nobody", ".m.a", "["+x()+"]")
	}
	return x() + " < " + x() + " <= " + x()
}

func (g *generator) filter() string {
	return g.pick("upper", "length", "default(\"d\")", "default(n)", "join(\", \")", "first", "last", "string", "json", "abs",
		"replace(\"t\", \"T\")", "reverse", "sort", "list", "trim", "int", "float", "default(nobody)", "truncate(length=n)", "bullets", "oneline")
}

// hard is an expression that may begin a hard tag.
func (g *generator) hard(depth int) string {
	e := g.expr(depth)
	if c := e[0]; c >= 'a' && c <= 'z' {
		return e
	}
	return g.path() + " ~ (" + e + ")"
}

func (g *generator) text() string {
	return g.pick("text ", "\n", " ", "{\"k\": 1}", "/{a/}", "{ x }", "ü", "\r\n", "/{\"k\": \"{n}\"/}", "{# c #}", "{##}", "\n  ", "<b>", "}", "{ ")
}

func (g *generator) body(depth int) string {
	var w strings.Builder
	for range g.r.IntN(5) {
		w.WriteString(g.node(depth))
	}
	return w.String()
}

// tag writes a keyword tag, soft or hard.
func (g *generator) tag(s string) string {
	if g.r.IntN(2) == 0 {
		return "{{" + s + "}}"
	}
	return "{" + s + "}"
}

func (g *generator) node(depth int) string {
	if depth <= 0 {
		return g.leaf()
	}
	switch g.r.IntN(9) {
	case 0, 1:
		return g.when(depth)
	case 2, 3, 4:
		return g.loopNode(depth)
	case 5:
		return g.switchNode(depth)
	case 6:
		if len(g.vars) == 0 && g.r.IntN(2) == 0 {
			return g.tag(g.pick(`include "item.md" with x=n`, `include "part.md" with name="N"`, `include "hello.md"`, `include "item.md"`)) + g.pick("", "\n")
		}
	}
	return g.leaf()
}

func (g *generator) leaf() string {
	switch g.r.IntN(5) {
	case 0, 1:
		return g.text()
	case 2:
		return "{" + g.path() + "}"
	case 3:
		return "{" + g.path() + "|" + g.filter() + "}"
	}
	return "{{ " + g.hard(3) + " }}"
}

func (g *generator) when(depth int) string {
	s := ""
	if g.r.IntN(3) == 0 { // a chain on one path
		p := g.path()
		s = g.tag("when "+p+` == "pro"`) + g.body(depth-1)
		for range g.r.IntN(4) {
			s += g.tag("else when "+p+" == "+g.pick(`"free"`, `"Ann"`, `"x"`, `"pro"`, `""`)) + g.body(depth-1)
		}
	} else {
		s = g.tag("when "+g.expr(3)) + g.body(depth-1)
		for range g.r.IntN(2) {
			s += g.tag("else when "+g.expr(2)) + g.body(depth-1)
		}
	}
	if g.r.IntN(2) == 0 {
		s += g.tag("else") + g.body(depth-1)
	}
	return s + g.tag("/when") + g.pick("", "\n")
}

func (g *generator) loopNode(depth int) string {
	vars := g.vars
	head := "loop " + g.pick("list", "people", "rows", "nobody", "null", "m", g.expr(2))
	switch g.r.IntN(3) {
	case 0:
		v := fmt.Sprintf("v%d", len(vars))
		head += " as " + v
		g.vars = append(append([]string(nil), vars...), v)
	case 1:
		k, v := fmt.Sprintf("k%d", len(vars)), fmt.Sprintf("v%d", len(vars))
		head = "loop " + g.pick("m", "deep", "vars", "nobody", "list", g.path()) + " as " + k + ", " + v
		g.vars = append(append([]string(nil), vars...), k, v)
	}
	g.loop++
	s := g.tag(head) + g.pick("", "\n") + g.body(depth-1)
	g.loop--
	g.vars = vars
	if g.r.IntN(3) == 0 {
		s += g.tag("else") + g.body(depth-1)
	}
	return s + g.tag("/loop") + g.pick("", "\n")
}

func (g *generator) switchNode(depth int) string {
	s := g.tag("switch " + g.expr(1))
	used := map[string]bool{}
	for range g.r.IntN(4) {
		v := g.pick(`"pro"`, `"free"`, "1", "2.5", "true", "null", "n", "n + 0", `"p" ~ "ro"`, `""`, "s", "3 - 1")
		if used[v] {
			continue
		}
		used[v] = true
		s += g.tag("case "+v) + g.body(depth-1)
	}
	if g.r.IntN(2) == 0 {
		s += g.tag("default") + g.body(depth-1)
	}
	return s + g.tag("/switch")
}

// messages is the body of a chat template.
func (g *generator) messages(depth int) string {
	var w strings.Builder
	for range 1 + g.r.IntN(3) {
		switch {
		case depth > 0 && g.r.IntN(3) == 0:
			w.WriteString(g.tag("loop people as p") + g.messages(depth-1) + g.tag("/loop"))
		case depth > 0 && g.r.IntN(3) == 0:
			w.WriteString(g.tag("when "+g.expr(1)) + g.messages(depth-1) + g.tag("else") + g.messages(0) + g.tag("/when"))
		default:
			role := g.pick("system", "user", "assistant", `"use" ~ "r"`, "plan")
			w.WriteString(g.tag("message "+role) + g.pick("", "\n") + g.body(2) + g.pick("", "\n") + g.tag("/message") + g.pick("", "\n"))
		}
	}
	return w.String()
}
