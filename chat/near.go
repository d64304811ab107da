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
func (n *named) nearKeys(request *vm.Map, messages *vm.List) (l diag.List) {
	l = misspelt(l, request, -1, requestKeys, n.reads)
	for i := range messages.Items {
		if m, ok := messages.Items[i].Map(); ok && len(l) < maxNear {
			l = misspelt(l, m, i, messageKeys, nil)
		}
	}
	return l
}

// reads reports whether the template reads the variable name.
func (n *named) reads(name string) bool {
	p := n.probed
	p.listed.Do(func() {
		for _, v := range n.program.Variables() {
			p.read = append(p.read, v.Name)
		}
	})
	return slices.Contains(p.read, name)
}

// misspelt adds the warnings of the map m: of the request, or of message i where that
// is not negative. A key costs no more than the comparison with those that are known,
// unless it is none of them.
func misspelt(l diag.List, m *vm.Map, i int, known []string, read func(key string) bool) diag.List {
	const most = 100 // keys of a map that are looked at
	var absent []string
	for n := range min(m.Len(), most) {
		k, _ := m.At(n)
		key, ok := k.Str()
		if !ok || slices.Contains(known, key) || len(l) == maxNear || read != nil && read(key) {
			continue
		}
		if absent == nil {
			absent = slices.DeleteFunc(slices.Clone(known), func(k string) bool { _, ok := m.Get(k); return ok })
		}
		if near, ok := diag.Near(key, absent); ok {
			path := ""
			if i >= 0 {
				path = "messages[" + strconv.Itoa(i) + "]."
			}
			d := fault("PCC372", "the key `%s%s` of the request is like `%s`, which is not there", path, diag.ClipName(key), near).WithNames(key)
			d.Severity = diag.Warning
			d.Help = "write `" + near + "` if that is meant"
			l = append(l, d)
		}
	}
	return l
}
