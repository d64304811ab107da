package stdlib

import (
	"maps"
	"slices"
	"sync"

	"github.com/pcc-lang/pcc/vm"
)

// filterTables are the filters that all dialects have.
var filterTables = [][]spec{textFilters, htmlFilters, sequenceFilters, applyFilters, numberFilters, valueFilters, jsonFilters, promptFilters}

// The tables of the dialects, built when first asked for and never changed.
var (
	nativeFilterTable = sync.OnceValue(func() map[string]*vm.Builtin {
		return withJSON(withText(buildAll(filterTables...)), htmlJSON, true)
	})
	jinjaFilterTable = sync.OnceValue(func() map[string]*vm.Builtin {
		return withJSON(withText(buildJinja(append(slices.Clone(filterTables), jinjaJSONFilters)...)), htmlJSON, true)
	})
	hfFilterTable = sync.OnceValue(func() map[string]*vm.Builtin {
		return withJSON(withText(buildJinja(append(slices.Clone(filterTables), hfFilters)...)), hfJSON, false)
	})
	nativeTestTable = sync.OnceValue(func() map[string]*vm.Builtin { return buildAll(valueTests, nativeTests) })
	jinjaTestTable  = sync.OnceValue(func() map[string]*vm.Builtin { return buildAll(valueTests) })

	nativeGlobalTable = sync.OnceValue(func() map[string]vm.Value { return buildFunctions(commonFunctions) })
	jinjaGlobalTable  = sync.OnceValue(func() map[string]vm.Value { return buildFunctions(commonFunctions, jinjaFunctions) })
	hfGlobalTable     = sync.OnceValue(func() map[string]vm.Value {
		return buildFunctions(commonFunctions, jinjaFunctions, hfFunctions)
	})
	promptGlobalTable = sync.OnceValue(func() map[string]vm.Value {
		return buildFunctions(commonFunctions, jinjaFunctions, promptFunctions)
	})
	methodTable = sync.OnceValue(buildMethods)
)

// NativeFilters returns the filters of the native language; the map is the
// caller's own.
func NativeFilters() map[string]*vm.Builtin { return maps.Clone(nativeFilterTable()) }

// NativeTests returns the tests of the native language.
func NativeTests() map[string]*vm.Builtin { return maps.Clone(nativeTestTable()) }

// NativeGlobals returns the functions of the native language.
func NativeGlobals() map[string]vm.Value { return maps.Clone(nativeGlobalTable()) }

// JinjaFilters returns Jinja's filters, and those for prompts.
func JinjaFilters() map[string]*vm.Builtin { return maps.Clone(jinjaFilterTable()) }

// JinjaTests returns Jinja's tests.
func JinjaTests() map[string]*vm.Builtin { return maps.Clone(jinjaTestTable()) }

// JinjaGlobals returns Jinja's functions.
func JinjaGlobals() map[string]vm.Value { return maps.Clone(jinjaGlobalTable()) }

// HFFilters returns the filters of Hugging Face's chat templates: Jinja's, with
// a tojson of their own.
func HFFilters() map[string]*vm.Builtin { return maps.Clone(hfFilterTable()) }

// HFGlobals returns the functions of Hugging Face's chat templates: Jinja's,
// raise_exception and strftime_now, which reads the clock of the Env.
func HFGlobals() map[string]vm.Value { return maps.Clone(hfGlobalTable()) }

// Methods returns the methods of values by kind.
func Methods() map[vm.Kind]map[string]*vm.Builtin {
	out := make(map[vm.Kind]map[string]*vm.Builtin)
	for kind, m := range methodTable() {
		out[kind] = maps.Clone(m)
	}
	return out
}

var (
	nativeDialect = sync.OnceValue(func() *vm.Dialect {
		return &vm.Dialect{
			Name: "native", Style: vm.StyleNative, Sandbox: vm.SandboxImmutable, Newline: "\n",
			Filters: nativeFilterTable(), Tests: nativeTestTable(), Globals: nativeGlobalTable(),
		}
	})
	jinjaDialect = sync.OnceValue(func() *vm.Dialect {
		return &vm.Dialect{
			Name: "jinja", Python: true, Style: vm.StylePython, Newline: "\n",
			Filters: jinjaFilterTable(), Tests: jinjaTestTable(), Globals: jinjaGlobalTable(), Methods: methodTable(),
		}
	})
	hfDialect = sync.OnceValue(func() *vm.Dialect {
		d := *jinjaDialect()
		d.Name, d.Sandbox = "hf", vm.SandboxImmutable
		d.Filters, d.Globals = hfFilterTable(), hfGlobalTable()
		return &d
	})
	pdxDialect = sync.OnceValue(func() *vm.Dialect {
		d := *jinjaDialect()
		d.Name, d.Style = "pdx", vm.StylePDX
		return &d
	})
	promptDialect = sync.OnceValue(func() *vm.Dialect {
		d := *jinjaDialect()
		d.Name, d.Undefined, d.Sandbox = "prompt-templates", vm.UndefinedStrict, vm.SandboxOn
		d.Globals = promptGlobalTable()
		return &d
	})
	relaxedPromptDialect = sync.OnceValue(func() *vm.Dialect {
		d := *promptDialect()
		d.Name, d.Globals = "prompt-templates-relaxed", jinjaGlobalTable()
		return &d
	})
	strictPromptDialect = sync.OnceValue(func() *vm.Dialect {
		d := *promptDialect()
		d.Name = "prompt-templates-strict"
		d.Filters = subset(jinjaFilterTable(), "lower", "upper", "title")
		d.Tests = subset(jinjaTestTable(), "defined", "undefined", "none")
		d.Globals = map[string]vm.Value{}
		return &d
	})
)

func subset(table map[string]*vm.Builtin, names ...string) map[string]*vm.Builtin {
	out := make(map[string]*vm.Builtin, len(names))
	for _, n := range names {
		out[n] = table[n]
	}
	return out
}

// Native returns the dialect of the native language. Dialects are shared and
// must not be changed; copy one, and its maps, to build another.
func Native() *vm.Dialect { return nativeDialect() }

// Jinja returns the dialect of Jinja 3.1 with its defaults: no sandbox, no
// automatic escaping, lenient undefined values.
func Jinja() *vm.Dialect { return jinjaDialect() }

// HF returns the dialect of Hugging Face's chat templates: Jinja in the
// immutable sandbox.
func HF() *vm.Dialect { return hfDialect() }

// PDX returns the dialect of PDX agents: Jinja that prints maps as JSON.
func PDX() *vm.Dialect { return pdxDialect() }

// PromptTemplates returns the dialect of prompt_templates files for a security
// level: "strict" has three filters, three tests and no functions, and is to be
// rendered with automatic escaping; "standard" and "relaxed" have all, and
// "standard" the function len besides.
// Undefined values are errors, and the sandbox is on, at every level.
func PromptTemplates(level string) *vm.Dialect {
	switch level {
	case "strict":
		return strictPromptDialect()
	case "relaxed":
		return relaxedPromptDialect()
	}
	return promptDialect()
}
