package chat

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/vm"
)

// requestKeys are the keys of a request that have a meaning whatever the template
// reads.
var requestKeys = []string{"messages", "tools", "documents", "add_generation_prompt", "continue_final_message", "chat_template_kwargs"}

// maxNear bounds the warnings of one request, which may have any number of
// messages.
const maxNear = 20

// roles are those that models know; gpt-oss and Llama 3 have the last two. What a
// template writes for another one is its own affair.
var roles = append(ast.Roles(), "function", "model", "ipython")

// suspect warns of what a request most likely does not mean: of keys that are like one
// that the request or message does not have and that the template's variables, in the
// case of the request, do not name; of roles that are like one that models know; of
// tools and documents that the template does not read; of no messages at all.
// Templates take any of it, so that a misspelt word is dropped in silence.
func (n *named) suspect(request *vm.Map, messages *vm.List) (l diag.List) {
	l = misspelt(l, request, -1, requestKeys, n.reads)
	for i := range messages.Items {
		m, ok := messages.Items[i].Map()
		if !ok || len(l) >= maxNear {
			continue
		}
		l = misspelt(l, m, i, vm.MessageKeys(""), nil)
		v, _ := m.Get("role")
		role, ok := v.Str()
		if !ok || slices.Contains(roles, role) {
			continue
		}
		// The role itself is data, so that only the other one is named.
		if near, ok := diag.Near(role, roles); ok && !strings.Contains(n.program.Image().Sites[0].File.Text, role) {
			d := warning("PCC372", "the role of messages[%d] is like `%s`", i, near)
			d.Help = "write `" + near + "` if that is meant"
			l = append(l, d)
		}
	}
	for _, key := range []string{"tools", "documents"} {
		v, _ := request.Get(key)
		if list, ok := v.List(); ok && len(list.Items) > 0 && !n.reads(key) {
			d := warning("PCC373", "the template does not read `%s`, which the request gives", key).WithNames(key)
			d.Help = "leave them out, write them into a message, or take a template that reads them"
			l = append(l, d)
		}
	}
	if len(messages.Items) == 0 {
		d := warning("PCC374", "the request has no messages")
		d.Help = `write {"messages": [{"role": "user", "content": "Hi"}]}`
		l = append(l, d)
	}
	return l
}

// warning is fault for what the render goes on after.
func warning(code diag.Code, format string, args ...any) *diag.Diagnostic {
	d := fault(code, format, args...)
	d.Severity = diag.Warning
	return d
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
			d := warning("PCC372", "the key `%s%s` of the request is like `%s`, which is not there", path, diag.ClipName(key), near).WithNames(key)
			d.Help = "write `" + near + "` if that is meant"
			l = append(l, d)
		}
	}
	return l
}
