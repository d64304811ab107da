package chat

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/pcc-lang/pcc/internal/conformance"
	"github.com/pcc-lang/pcc/vm"
)

// at finds the value at a path as segments have them.
func at(t *testing.T, v vm.Value, path string) vm.Value {
	t.Helper()
	for rest := path; rest != ""; {
		var key string
		switch {
		case strings.HasPrefix(rest, `["`):
			key, rest, _ = strings.Cut(rest[2:], `"]`)
		case rest[0] == '[':
			key, rest, _ = strings.Cut(rest[1:], "]")
			n := 0
			if _, err := fmt.Sscan(key, &n); err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			list, ok := v.List()
			if !ok || n >= len(list.Items) {
				t.Fatalf("%s leads nowhere", path)
			}
			v = list.Items[n]
			continue
		default:
			rest = strings.TrimPrefix(rest, ".")
			end := strings.IndexAny(rest, ".[")
			if end < 0 {
				end = len(rest)
			}
			key, rest = rest[:end], rest[end:]
		}
		x, ok := vm.Lookup(v, key)
		if !ok {
			t.Fatalf("%s leads nowhere", path)
		}
		v = x
	}
	return v
}

// checkSegments holds the pieces of a result to what their documentation says.
func checkSegments(t *testing.T, name string, res *Result) {
	t.Helper()
	end := 0
	var b strings.Builder
	for i, s := range res.Segments {
		b.WriteString(s.Text)
		if s.Start != end || s.End <= s.Start || res.Prompt[s.Start:s.End] != s.Text {
			t.Errorf("%s: piece %d is at [%d, %d) behind %d", name, i, s.Start, s.End, end)
		}
		end = s.End
		switch {
		case !s.FromData && (s.Path != "" || s.Derived || s.Control), s.FromData && s.Derived != (s.Path == ""):
			t.Errorf("%s: piece %d is %+v", name, i, s)
		case s.Path != "":
			if text, ok := at(t, vm.MapOf(res.applied.vars), s.Path).Str(); !ok || !strings.Contains(text, s.Text) {
				t.Errorf("%s: %q does not stand at %s, %q", name, s.Text, s.Path, text)
			}
		}
		if i > 0 && !s.FromData && !res.Segments[i-1].FromData {
			t.Errorf("%s: pieces %d and %d are both the template's", name, i-1, i)
		}
	}
	if b.String() != res.Prompt {
		t.Errorf("%s: the pieces are %q, the prompt %q", name, b.String(), res.Prompt)
	}
}

// spoofs are texts of users that a tokenizer would take for control tokens.
var spoofs = []string{"<|im_start|>", "<|im_end|>", "</s>", "[INST]", "<start_of_turn>"}

// checkSpoofs holds that each control token in the user's text is data, marked,
// and a piece of its own.
func checkSpoofs(t *testing.T, name string, res *Result) {
	t.Helper()
	whole := "q7" + strings.Join(spoofs, "-") + "7q"
	for from := 0; ; {
		i := strings.Index(res.Prompt[from:], whole)
		if i < 0 {
			return
		}
		from += i
		for _, token := range spoofs {
			at := from + strings.Index(whole, token)
			ok := false
			for _, s := range res.Segments {
				if s.Start < at+len(token) && s.End > at {
					ok = s.FromData && s.Control && (s.Text == token || s.Derived)
				}
			}
			if !ok {
				t.Errorf("%s: %s in the user's text at %d is not marked", name, token, at)
			}
		}
		from += len(whole)
	}
}

// longer are continuations that boundaries are held against; Boundaries tries
// others.
func longer(content func(string) vm.Value) [][]vm.Value {
	m := func(role, s string) vm.Value { return object(pair{"role", text(role)}, pair{"content", content(s)}) }
	return [][]vm.Value{
		{m("user", "what?")}, {m("assistant", "Well.")}, {m("user", "a"), m("assistant", "b"), m("user", "c")},
		{m("assistant", "b"), m("user", "c"), m("assistant", "d"), m("user", "e")},
		{m("assistant", "<think>t</think>b"), m("user", "c")}, {m("user", "c"), m("assistant", "<think>t</think>b")},
		{m("tool", `{"x": 1}`), m("assistant", "d")}, {m("tool", "r"), m("tool", "s")}, {m("user", ""), m("assistant", "")},
	}
}

// checkBoundaries holds that what a boundary says is the same in longer
// conversations, and that -1 has two that differ. It returns how many are known.
func checkBoundaries(t *testing.T, name string, res *Result) (known int) {
	t.Helper()
	bounds, err := res.Boundaries(context.Background())
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	a := res.applied
	if len(bounds) != len(a.messages.Items) {
		t.Fatalf("%s: %d boundaries of %d messages", name, len(bounds), len(a.messages.Items))
	}
	content := func(s string) vm.Value {
		if a.named.capabilities(context.Background()).Content == "list" {
			return list(textPart(s))
		}
		return text(s)
	}
	for i, b := range bounds {
		prompts := []string{res.Prompt}
		for _, more := range append(longer(content), nil) {
			for _, generate := range []bool{false, true} {
				vars := a.vars.Clone()
				vars.Set("messages", vm.ListOf(append(append([]vm.Value(nil), a.messages.Items[:i+1]...), more...)))
				vars.Set("add_generation_prompt", vm.Bool(generate))
				if out, err := a.named.program.RenderContext(context.Background(), vm.MapOf(vars), a.opts...); err == nil {
					prompts = append(prompts, out)
				}
			}
		}
		same := len(res.Prompt)
		for _, p := range prompts {
			same = min(same, common(p, res.Prompt))
			if b > 0 && !strings.HasPrefix(p, res.Prompt[:b]) {
				t.Errorf("%s: the boundary of message %d is %d, and a longer conversation differs at %d: %q, %q", name, i, b, common(p, res.Prompt), p, res.Prompt)
				break
			}
		}
		if b >= 0 {
			known++
			continue
		}
		bb := &boundaries{applied: a, ctx: context.Background(), known: make([]int, len(bounds)), tried: make([]bool, len(bounds))}
		bb.continuations()
		for j := i; j < len(bounds); j++ {
			if err := bb.try(j); err != nil {
				t.Fatal(err)
			}
			same = min(same, bb.known[j])
		}
		if same >= a.ends[i] {
			t.Errorf("%s: message %d has no boundary, and nothing differs before %d, its end being %d", name, i, same, a.ends[i])
		}
	}
	return known
}

// TestSegmentsConformance renders the rows with segments and boundaries, and once
// more with control tokens in what the users say.
func TestSegmentsConformance(t *testing.T) {
	rows, pieces, derived, known, all, seen := 0, 0, 0, 0, 0, 0
	eachChatRow(t, func(row *conformance.JinjaRow) {
		if seen++; slowBuild && seen%16 != 0 {
			return // the tries of boundaries are thousands of renders
		}
		tmpl, err := New(row.Template, Config{Name: row.ID}, WithClock(conformance.Clock))
		if row.Expect == nil {
			return
		}
		if err != nil {
			t.Fatalf("%s: %v", row.ID, err)
		}
		rows++
		res, err := tmpl.Apply(context.Background(), row.Context, WithSegments())
		if err != nil {
			t.Errorf("%s: %v", row.ID, err)
			return
		}
		if res.Prompt != *row.Expect {
			t.Errorf("%s: with segments %q, want %q", row.ID, res.Prompt, *row.Expect)
		}
		checkSegments(t, row.ID, res)
		for _, s := range res.Segments {
			pieces++
			if s.Derived {
				derived++
			}
		}
		known += checkBoundaries(t, row.ID, res)
		all += len(res.applied.messages.Items)

		v, err := vm.DecodeJSON(row.Context, vm.DecodeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		request, _ := v.Map()
		messages, _ := vm.Lookup(v, "messages")
		l, _ := messages.List()
		for _, m := range l.Items {
			if role, _ := vm.Lookup(m, "role"); role.Kind() == vm.KindString {
				if s, _ := role.Str(); s == "user" {
					if c, _ := vm.Lookup(m, "content"); c.Kind() == vm.KindString {
						mm, _ := m.Map()
						mm.Set("content", text("q7"+strings.Join(spoofs, "-")+"7q"))
					}
				}
			}
		}
		if res, err = tmpl.ApplyMap(context.Background(), request, WithSegments()); err != nil {
			return // it looks into texts
		}
		checkSegments(t, row.ID, res)
		checkSpoofs(t, row.ID, res)
	})
	t.Logf("conformance segments: %d rows, %d pieces, %d of them derived; %d of %d boundaries are known", rows, pieces, derived, known, all)
}
