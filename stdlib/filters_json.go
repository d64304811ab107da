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

// jsonOptions reads the arguments of a filter that writes JSON.
type jsonOptions func(env *vm.Env, args []vm.Value) (vm.JSONOptions, error)

// withJSON gives the filters json and tojson the way straight to the output;
// options are those of tojson.
func withJSON(filters map[string]*vm.Builtin, options jsonOptions, safe bool) map[string]*vm.Builtin {
	write := func(options jsonOptions) func(*vm.Env, []byte, []vm.Value) ([]byte, error) {
		return func(env *vm.Env, dst []byte, args []vm.Value) ([]byte, error) {
			o, err := options(env, args)
			if err != nil {
				return dst, err
			}
			return env.JSON(dst, args[0], o)
		}
	}
	filters["json"].Write, filters["tojson"].Write, filters["tojson"].Safe = write(plainJSON), write(options), safe
	return filters
}

func jsonFilter(env *vm.Env, args []vm.Value) (vm.Value, error) {
	o, err := plainJSON(env, args)
	if err != nil {
		return vm.Null, err
	}
	s, err := jsonText(env, args[0], o)
	return vm.String(s), err
}

func plainJSON(env *vm.Env, args []vm.Value) (o vm.JSONOptions, err error) {
	o.Python = env.Dialect.PythonPrint()
	err = jsonIndent(env, args[1], &o)
	return o, err
}

func tojsonFilter(env *vm.Env, args []vm.Value) (vm.Value, error) {
	o, err := htmlJSON(env, args)
	if err != nil {
		return vm.Null, err
	}
	s, err := jsonText(env, args[0], o)
	return vm.Safe(s), err
}

func htmlJSON(env *vm.Env, args []vm.Value) (o vm.JSONOptions, err error) {
	o.HTMLSafe = true
	if env.Dialect.PythonPrint() {
		o.Python, o.SortKeys, o.EnsureASCII = true, true, true
	}
	err = jsonIndent(env, args[1], &o)
	return o, err
}

func hfTojsonFilter(env *vm.Env, args []vm.Value) (vm.Value, error) {
	o, err := hfJSON(env, args)
	if err != nil {
		return vm.Null, err
	}
	s, err := jsonText(env, args[0], o)
	return vm.String(s), err
}

func hfJSON(env *vm.Env, args []vm.Value) (o vm.JSONOptions, err error) {
	o.Python = true
	if o.EnsureASCII, err = env.Truth(args[1]); err != nil {
		return o, err
	}
	if o.SortKeys, err = env.Truth(args[4]); err != nil {
		return o, err
	}
	if err := jsonIndent(env, args[2], &o); err != nil {
		return o, err
	}
	if args[3].IsNull() {
		return o, nil
	}
	seps, err := env.Items(args[3])
	if err != nil {
		return o, err
	}
	if len(seps) != 2 {
		return o, env.Errorf("value", "separators must be two texts: (item, key)")
	}
	if o.ItemSep, err = stringArg(env, seps[0], "separators"); err != nil {
		return o, err
	}
	o.KeySep, err = stringArg(env, seps[1], "separators")
	return o, err
}
