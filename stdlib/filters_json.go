package stdlib

import (
	"github.com/pcc-lang/pcc/vm"
)

// jsonFilters are the JSON filters of all dialects; hfFilters replaces tojson
// where chat templates are rendered as by Hugging Face's libraries.
var (
	jsonFilters = []spec{
		{"json", "value, indent=null", "Writes a value as JSON, UTF-8 kept and nothing escaped for HTML; indent lays it out over lines.", jsonFilter, 0},
		{"tojson", "value, indent=null", "Writes a value as JSON that is safe inside HTML: < > & ' are written as \\u escapes.", tojsonFilter, 0},
	}
	// In Jinja an undefined value reaches the filter, which refuses it.
	jinjaJSONFilters = []spec{
		{"tojson", "value, indent=null", "Writes a value as JSON that is safe inside HTML: < > & ' are written as \\u escapes.", tojsonFilter, undefinedOK},
	}
	hfFilters = []spec{
		{"tojson", "x, ensure_ascii=false, indent=null, separators=null, sort_keys=false", "Writes a value as JSON like Python's json.dumps, UTF-8 kept, keys in their own order.", hfTojsonFilter, undefinedOK},
	}
)

// jsonIndent sets the layout that indent asks for: a number of spaces or the
// text of one level. What is null stays on one line.
func jsonIndent(env *vm.Env, v vm.Value, o *vm.JSONOptions) error {
	if v.IsNull() {
		return nil
	}
	if s, ok := v.Str(); ok {
		o.Indent, o.Multiline = s, true
		return nil
	}
	n, err := sizeArg(env, v, "indent")
	if err != nil {
		return err
	}
	if err := env.Charge(n); err != nil {
		return err
	}
	o.Multiline = true
	o.Indent, err = spaces(env, n)
	return err
}

func jsonText(env *vm.Env, v vm.Value, o vm.JSONOptions) (string, error) {
	out, err := env.JSON(nil, v, o)
	return string(out), err
}

func jsonFilter(env *vm.Env, args []vm.Value) (vm.Value, error) {
	o := vm.JSONOptions{Python: env.Dialect.PythonPrint()}
	if err := jsonIndent(env, args[1], &o); err != nil {
		return vm.Null, err
	}
	s, err := jsonText(env, args[0], o)
	return vm.String(s), err
}

func tojsonFilter(env *vm.Env, args []vm.Value) (vm.Value, error) {
	o := vm.JSONOptions{HTMLSafe: true}
	if env.Dialect.PythonPrint() {
		o.Python, o.SortKeys, o.EnsureASCII = true, true, true
	}
	if err := jsonIndent(env, args[1], &o); err != nil {
		return vm.Null, err
	}
	s, err := jsonText(env, args[0], o)
	return vm.Safe(s), err
}

func hfTojsonFilter(env *vm.Env, args []vm.Value) (vm.Value, error) {
	o := vm.JSONOptions{Python: true}
	var err error
	if o.EnsureASCII, err = env.Truth(args[1]); err != nil {
		return vm.Null, err
	}
	if o.SortKeys, err = env.Truth(args[4]); err != nil {
		return vm.Null, err
	}
	if err := jsonIndent(env, args[2], &o); err != nil {
		return vm.Null, err
	}
	if !args[3].IsNull() {
		seps, err := env.Items(args[3])
		if err != nil {
			return vm.Null, err
		}
		if len(seps) != 2 {
			return vm.Null, env.Errorf("value", "separators must be two texts: (item, key)")
		}
		if o.ItemSep, err = stringArg(env, seps[0], "separators"); err != nil {
			return vm.Null, err
		}
		if o.KeySep, err = stringArg(env, seps[1], "separators"); err != nil {
			return vm.Null, err
		}
	}
	s, err := jsonText(env, args[0], o)
	return vm.String(s), err
}
