package chat

import (
	"slices"
	"strconv"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/vm"
)

// The keys of a request and of its messages that have a meaning whatever the
// template reads.
var (
	requestKeys = []string{"messages", "tools", "documents", "add_generation_prompt", "continue_final_message", "chat_template_kwargs"}
	messageKeys = []string{"role", "content", "name", "tool_calls", "tool_call_id", "reasoning_content"}
)

// maxNear bounds the warnings of one request, which may have any number of
// messages.
const maxNear = 20

// nearKeys warns of keys that are like one that the request or message does not
// have and that the template's variables, in the case of the request, do not name:
// templates take any key, so that a misspelt one is dropped in silence.
func nearKeys(request *vm.Map, messages *vm.List, variables []vm.Variable) (l diag.List) {
	read := map[string]bool{}
	for i := range variables {
		read[variables[i].Name] = true
	}
	l = misspelt(l, request, "", requestKeys, read)
	for i := range messages.Items {
		if m, ok := messages.Items[i].Map(); ok && len(l) < maxNear {
			l = misspelt(l, m, "messages["+strconv.Itoa(i)+"].", messageKeys, nil)
		}
	}
	return l
}

// misspelt adds the warnings of the map m at path.
func misspelt(l diag.List, m *vm.Map, path string, known []string, read map[string]bool) diag.List {
	const most = 100 // keys of a map that are looked at
	var absent []string
	for _, k := range known {
		if _, ok := m.Get(k); !ok {
			absent = append(absent, k)
		}
	}
	for i := range min(m.Len(), most) {
		k, _ := m.At(i)
		key, ok := k.Str()
		if !ok || read[key] || len(l) == maxNear || slices.Contains(known, key) {
			continue
		}
		if near, ok := diag.Near(key, absent); ok {
			d := fault("PCC372", "the key `%s%s` of the request is like `%s`, which is not there", path, diag.ClipName(key), near).WithNames(key)
			d.Severity = diag.Warning
			d.Help = "write `" + near + "` if that is meant"
			l = append(l, d)
		}
	}
	return l
}
