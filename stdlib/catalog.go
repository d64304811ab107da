package stdlib

import (
	"slices"
	"strings"

	"github.com/pcc-lang/pcc/vm"
)

// Entry describes one builtin for the documentation.
type Entry struct {
	Kind      string // "filter", "test", "function" or "method"
	On        string // of methods: the kind of value, as Python names it
	Name      string
	Signature string
	Doc       string
	// Native tells whether the native language has it, Jinja whether Jinja has.
	Native, Jinja bool
}

// methodOwners are Python's names of the kinds that have methods.
var methodOwners = map[vm.Kind]string{
	vm.KindString: "str", vm.KindList: "list", vm.KindTuple: "tuple", vm.KindMap: "dict",
	vm.KindInt: "int", vm.KindFloat: "float", vm.KindBytes: "bytes", vm.KindTime: "datetime",
}

// Table lists all builtins, sorted by kind, owner and name.
func Table() []Entry {
	var out []Entry
	add := func(kind, on string, native, jinja map[string]*vm.Builtin) {
		seen := map[string]bool{}
		for _, m := range []map[string]*vm.Builtin{native, jinja} {
			for name, b := range m {
				if seen[name] {
					continue
				}
				seen[name] = true
				_, inNative := native[name]
				_, inJinja := jinja[name]
				out = append(out, Entry{kind, on, name, b.Signature(), b.Doc, inNative, inJinja})
			}
		}
	}
	add("filter", "", nativeFilterTable(), jinjaFilterTable())
	add("test", "", nativeTestTable(), jinjaTestTable())
	add("function", "", functionsOf(nativeGlobalTable()), functionsOf(hfGlobalTable()))
	for kind, m := range methodTable() {
		add("method", methodOwners[kind], nil, m)
	}
	slices.SortFunc(out, func(a, b Entry) int {
		return strings.Compare(a.Kind+"\x00"+a.On+"\x00"+a.Name, b.Kind+"\x00"+b.On+"\x00"+b.Name)
	})
	return out
}

func functionsOf(globals map[string]vm.Value) map[string]*vm.Builtin {
	out := make(map[string]*vm.Builtin)
	for name, v := range globals {
		if o, ok := v.Object(); ok {
			if f, ok := o.(*function); ok {
				out[name] = f.builtin
			}
		}
	}
	return out
}
