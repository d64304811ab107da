package prompt_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pcc-lang/pcc/prompt"
	"github.com/pcc-lang/pcc/vm"
)

// runAgent runs a row of pdx.jsonl.
func runAgent(_ *testing.T, r *seedRow) seedResult {
	in := r.in
	if kind := str(in, "kind"); kind != "agent" {
		return noCounterpart("prompts made by Python objects: " + kind)
	}
	if has(in, "strict") {
		return noCounterpart("strict trees cannot be reached from an agent")
	}
	files := fstest.MapFS{}
	if m, ok := field(in, "files").Map(); ok {
		for i := range m.Len() {
			name, text := m.At(i)
			path, _ := name.Str()
			data, _ := text.Str()
			files[path] = &fstest.MapFile{Data: []byte(data)}
		}
	}
	if _, ok := files["templates/.keep"]; !ok && len(files) == 1 {
		files["templates/.keep"] = &fstest.MapFile{}
	}
	s, err := prompt.Load(files, ".")
	if err != nil {
		return loadError(err)
	}
	p, err := s.Find("")
	if err != nil {
		return loadError(err)
	}
	if runs, ok := field(in, "runs").List(); ok {
		var all []any
		for _, req := range runs.Items {
			got := session(p, req)
			if got.err != nil {
				return got
			}
			one, _ := got.value.(map[string]any)
			if text, ok := one["text"]; ok {
				all = append(all, text)
				continue
			}
			all = append(all, one["messages"])
		}
		return value(map[string]any{"runs": all})
	}
	return session(p, field(in, "request"))
}

// session renders a tree as PDX tells it. The texts of a completion prompt are
// joined by a blank here, and told apart there.
func session(p *vm.Program, request vm.Value) seedResult {
	if !p.IsChat() {
		s, err := p.Render(request)
		if err != nil {
			return fails(err)
		}
		return value(map[string]any{"session_type": "text", "text": s})
	}
	ms, err := p.Messages(request)
	if err != nil {
		return fails(err)
	}
	list := []any{}
	for _, m := range ms {
		list = append(list, map[string]any{"role": m.Role, "content": m.Content})
	}
	typ := any("chat")
	if len(list) == 0 {
		typ = nil
	}
	return value(map[string]any{"session_type": typ, "messages": list})
}

// agentExpect is what a row of pdx.jsonl expects, in the same terms.
func agentExpect(expect vm.Value) any {
	out, ok := plainJSON(expect).(map[string]any)
	if !ok {
		return plainJSON(expect)
	}
	delete(out, "provider_prompts")
	if out["session_type"] == "text" {
		out["text"] = joinedTexts(out["messages"])
		delete(out, "messages")
	}
	return out
}

// joinedTexts are the texts of a completion prompt's messages.
func joinedTexts(messages any) string {
	list, _ := messages.([]any)
	texts := make([]string, len(list))
	for i, m := range list {
		one, _ := m.(map[string]any)
		texts[i], _ = one["content"].(string)
	}
	return strings.Join(texts, " ")
}
