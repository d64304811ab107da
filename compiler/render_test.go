package compiler_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/vm"
)

// TestExamples renders the prompts of testdata/examples.
func TestExamples(t *testing.T) {
	dirs, err := filepath.Glob("../testdata/examples/*")
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	tested := 0
	for _, dir := range dirs {
		data, err := os.ReadFile(filepath.Join(dir, "data.json"))
		if err != nil {
			continue // the command line's tests read the ones with YAML data
		}
		tested++
		t.Run(filepath.Base(dir), func(t *testing.T) {
			p, err := compiler.CompileFile(filepath.Join(dir, "prompt.md"))
			if err != nil {
				t.Fatal(err)
			}
			if l := p.Warnings(); len(l) > 0 {
				t.Errorf("warnings: %v", l)
			}
			if p.IsChat() {
				exampleMessages(t, p, dir, decode(t, string(data)))
				return
			}
			want, err := os.ReadFile(filepath.Join(dir, "want.txt"))
			if err != nil {
				t.Fatal(err)
			}
			got, err := p.Render(decode(t, string(data)))
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
	if tested < 3 {
		t.Errorf("only %d examples were tested", tested)
	}
}

func exampleMessages(t *testing.T, p *vm.Program, dir string, data vm.Value) {
	b, err := os.ReadFile(filepath.Join(dir, "want.messages"))
	if err != nil {
		t.Fatal(err)
	}
	type message struct{ Role, Content string }
	var want, got []message
	if err := json.Unmarshal(b, &want); err != nil {
		t.Fatal(err)
	}
	ms, err := p.Messages(data)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range ms {
		got = append(got, message{m.Role, m.Content})
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// typical uses what prompts use: names, paths, conditions, a switch, nested
// loops with their fields, numbers.
const typical = `You are {agent.name}, {{agent.role}}. Today is {today}.
{when agent.strict and not debug}
Be strict.
{/when}
{switch plan}
{case "free"}
Be brief.
{case "pro", "team"}
Be thorough.
{/switch}
{loop tools as tool}
{loop.index}. {tool.name}: {tool.description}{when not loop.last};{/when}
{loop tool.params as p}
   - {p.name} ({p.type}{when p.required}, required{/when}) {p.max}
{/loop}
{/loop}
{loop turns as turn}
{when turn.role == "user"}
U: {turn.text}
{else when turn.role == "assistant"}
A: {turn.text}
{/when}
{/loop}
{loop rows}
{name}={value} {today}
{/loop}
Score {score} of {total}, {flag}.
`

func typicalData(name string) map[string]any {
	param := map[string]any{"name": "q", "type": "string", "required": true, "max": 10}
	return map[string]any{
		"agent": map[string]any{"name": name, "role": "a guide", "strict": true}, "today": "2026-03-09", "debug": false, "plan": "team",
		"tools": []any{
			map[string]any{"name": "find", "description": "finds", "params": []any{param, map[string]any{"name": "n", "type": "integer", "required": false, "max": 2.5}}},
			map[string]any{"name": "stop", "description": "stops", "params": []any{}},
		},
		"turns": []any{map[string]any{"role": "user", "text": "Hi"}, map[string]any{"role": "assistant", "text": "Hello"}, map[string]any{"role": "tool", "text": "x"}},
		"rows":  []any{map[string]any{"name": "a", "value": 1}, map[string]any{"name": "b", "value": "two"}},
		"score": 3, "total": 4.5, "flag": true,
	}
}

const typicalWant = `You are NAME, a guide. Today is 2026-03-09.
Be strict.
Be thorough.
1. find: finds;
   - q (string, required) 10
   - n (integer) 2.5
2. stop: stops
U: Hi
A: Hello
a=1 2026-03-09
b=two 2026-03-09
Score 3 of 4.5, true.
`

// TestTypicalAllocations pins what rendering a typical prompt allocates: the
// string, and nothing into a buffer that is large enough.
func TestTypicalAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	p := compile(t, typical)
	for _, name := range []string{"Scout", strings.Repeat("long name ", 5000)} {
		data := typicalData(name)
		got, err := p.Render(data)
		if want := strings.Replace(typicalWant, "NAME", name, 1); err != nil || got != want {
			t.Fatalf("%v (-want +got):\n%s", err, cmp.Diff(want, got))
		}
		if n := testing.AllocsPerRun(200, func() {
			if _, err := p.Render(data); err != nil {
				t.Fatal(err)
			}
		}); n != 1 {
			t.Errorf("Render of a name of %d bytes: %v allocations, want 1", len(name), n)
		}
		buf := make([]byte, 0, 1<<20)
		if n := testing.AllocsPerRun(200, func() {
			if _, err := p.AppendTo(buf, data); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("AppendTo with a name of %d bytes: %v allocations, want 0", len(name), n)
		}
	}
}

// TestConcurrentUse renders one program with data of each goroutine's own, and
// compiles beside it; run it with -race.
func TestConcurrentUse(t *testing.T) {
	p := compile(t, typical)
	chat := compile(t, "{message user name=agent.name}\n{agent.name}\n{/message}\n{loop turns as t}{message assistant}{t.text}{/message}{/loop}")
	renders := 200
	if raceEnabled {
		renders = 50
	}
	var group sync.WaitGroup
	for g := range 64 {
		group.Go(func() {
			name := strings.Repeat(string(rune('a'+g%26)), 1+g*40)
			data := typicalData(name)
			want := strings.Replace(typicalWant, "NAME", name, 1)
			var buf []byte
			for range renders {
				if got, err := p.Render(data); got != want || err != nil {
					t.Errorf("goroutine %d: %v", g, err)
					return
				}
				buf, _ = p.AppendTo(buf[:0], data)
				if string(buf) != want {
					t.Errorf("goroutine %d: AppendTo differs", g)
					return
				}
				ms, err := chat.Messages(data)
				if err != nil || len(ms) != 4 || ms[0].Content != name || ms[0].Name != name || ms[3].Content != "x" {
					t.Errorf("goroutine %d: %d messages, %d bytes of content, %v", g, len(ms), len(ms[0].Content), err)
					return
				}
			}
			if _, err := compiler.Compile(typical, compiler.WithSyntax("brace")); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
}

// TestMessagesShareNothing checks that messages stay what they are when the
// data, or another render, changes.
func TestMessagesShareNothing(t *testing.T) {
	p := compile(t, "{message user}{a}{loop xs as x}{x}{/loop}{/message}")
	xs := []any{"1", "2"}
	first, err := p.Messages(map[string]any{"a": "one", "xs": xs})
	if err != nil {
		t.Fatal(err)
	}
	xs[0] = "changed"
	for range 10 {
		if _, err := p.Messages(map[string]any{"a": strings.Repeat("other", 1000), "xs": xs}); err != nil {
			t.Fatal(err)
		}
	}
	if first[0].Content != "one12" {
		t.Errorf("the content became %.40q", first[0].Content)
	}
}

// TestDataShapes renders the same with every form that data may have.
func TestDataShapes(t *testing.T) {
	type item struct {
		X int `json:"x"`
	}
	type data struct {
		Name  string         `json:"name"`
		Items []item         `json:"items"`
		Map   map[string]int `json:"map"`
		Ptr   *item          `json:"ptr"`
	}
	s := data{"Ann", []item{{1}, {2}}, map[string]int{"b": 2, "a": 1}, &item{3}}
	p := compile(t, "---\nvars: {extra: default}\n---\n{name} {extra} {{ vars.name }} {{ vars.extra }} {ptr.x} "+
		"{loop items as i}{i.x}{/loop}{loop items}{x}{/loop} {loop map as k, v}{k}{v}{/loop} {{ vars[\"items\"]|length }} {items}")
	const want = `Ann default Ann default 3 1212 a1b2 2 [{"x": 1}, {"x": 2}]`
	ordered := decode(t, `{"name": "Ann", "items": [{"x": 1}, {"x": 2}], "map": {"a": 1, "b": 2}, "ptr": {"x": 3}}`)
	native, _ := goData(ordered)
	m, _ := ordered.Map()
	for name, d := range map[string]any{"struct": s, "pointer": &s, "value": ordered, "ordered map": m, "Go map": native,
		"typed map": map[string]any{"name": s.Name, "items": s.Items, "map": s.Map, "ptr": s.Ptr}} {
		if got, err := p.Render(d); err != nil || got != want {
			t.Errorf("%s: %q, %v, want %q", name, got, err, want)
		}
	}
}
