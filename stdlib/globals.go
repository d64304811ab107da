package stdlib

import (
	"strings"

	"github.com/pcc-lang/pcc/internal/size"
	"github.com/pcc-lang/pcc/vm"
)

// functionSpec is a function that templates call by name.
type functionSpec struct {
	spec
	typeName, shown string
}

var (
	// commonFunctions are there in every dialect.
	commonFunctions = []functionSpec{
		{spec{"cycler", "*items", "Makes an object whose next() gives one item after the other, over and over.", cyclerFunction, impure}, "type", "<class 'jinja2.utils.Cycler'>"},
		{spec{"dict", "*args, **kwargs", "Makes a map of a map or pairs, and of named values.", dictFunction, 0}, "type", "<class 'dict'>"},
		{spec{"joiner", "sep=', '", "Makes a function that gives nothing when first called, then the separator.", joinerFunction, impure}, "type", "<class 'jinja2.utils.Joiner'>"},
		{spec{"lipsum", "n=5, html=true, min=20, max=100", "Writes paragraphs of filler text; the same ones each time unless the host gives a source of random numbers.", lipsumFunction, impure}, "function", "<function generate_lorem_ipsum>"},
		{spec{"range", "*args", "Counts: range(stop), range(start, stop) or range(start, stop, step).", rangeFunction, positional}, "type", "<class 'range'>"},
	}
	// jinjaFunctions are those of Jinja only.
	jinjaFunctions = []functionSpec{
		{spec{"namespace", "*args, **kwargs", "Makes an object whose attributes `set ns.name = value` changes, also from inside loops.", namespaceFunction, impure}, "type", "<class 'jinja2.utils.Namespace'>"},
	}
	// hfFunctions are those of Hugging Face's chat templates.
	hfFunctions = []functionSpec{
		{spec{"raise_exception", "message", "Ends the render with an error. Chat templates have it: profile hf.", raiseFunction, impure}, "function", "<function raise_exception>"},
		{spec{"strftime_now", "format", "Writes the current date and time, from the clock that the host gave. Chat templates have it: profile hf.", strftimeNow, impure}, "function", "<function strftime_now>"},
	}
	// promptFunctions are those that prompt_templates files add.
	promptFunctions = []functionSpec{
		{spec{"len", "obj", "Counts items, entries or characters.", lengthFilter, positional}, "builtin_function_or_method", "<built-in function len>"},
	}
)

// buildFunctions makes the values of several tables.
func buildFunctions(tables ...[]functionSpec) map[string]vm.Value {
	out := make(map[string]vm.Value)
	for _, t := range tables {
		for _, f := range t {
			b := buildAll([]spec{f.spec})[f.name]
			out[f.name] = vm.ObjectOf(&function{builtin: b, typeName: f.typeName, shown: f.shown})
		}
	}
	return out
}

// dictOf is Python's dict(mapping or pairs, **kwargs) as a new map.
func dictOf(env *vm.Env, args, kwargs vm.Value, name string) (*vm.Map, error) {
	given, named := unpackRest(args, kwargs)
	if len(given) > 1 {
		return nil, env.Errorf("type", "%s expected at most 1 argument, got %d", name, len(given))
	}
	env.Owe(size.Map)
	m := vm.NewMap(named.Len())
	if len(given) == 1 {
		if err := updateMap(env, m, given[0]); err != nil {
			return nil, err
		}
	}
	if named != nil {
		return m, updateMap(env, m, vm.MapOf(named))
	}
	return m, nil
}

// updateMap puts the entries of a map, or of a sequence of pairs, into m.
func updateMap(env *vm.Env, m *vm.Map, v vm.Value) error {
	if err := refuseUndefined(env, v); err != nil && !isEmptyUndefined(env, v) {
		return err
	}
	pairs, err := pairsOf(env, v)
	if err != nil {
		return err
	}
	for _, p := range pairs {
		if err := env.Step(1); err != nil {
			return err
		}
		if err := put(env, m, p[0], p[1]); err != nil {
			return err
		}
	}
	return nil
}

// isEmptyUndefined tells undefined values that iterate as nothing.
func isEmptyUndefined(env *vm.Env, v vm.Value) bool {
	return v.IsUndefined() && env.Dialect.UndefinedObjects() && env.Dialect.Undefined != vm.UndefinedStrict
}

func dictFunction(env *vm.Env, args []vm.Value) (vm.Value, error) {
	m, err := dictOf(env, args[0], args[1], "dict")
	if err != nil {
		return vm.Null, err
	}
	return vm.MapOf(m), nil
}

func namespaceFunction(env *vm.Env, args []vm.Value) (vm.Value, error) {
	m, err := dictOf(env, args[0], args[1], "dict")
	if err != nil {
		return vm.Null, err
	}
	return vm.ObjectOf(&namespace{attrs: m}), env.Hold(size.Object)
}

func cyclerFunction(env *vm.Env, args []vm.Value) (vm.Value, error) {
	items, _ := unpackRest(args[0], vm.Null)
	if len(items) == 0 {
		return vm.Null, env.Errorf("runtime", "at least one item has to be provided")
	}
	return vm.ObjectOf(&cycler{items: items}), env.Hold(size.Object)
}

func joinerFunction(env *vm.Env, args []vm.Value) (vm.Value, error) {
	return vm.ObjectOf(&joiner{sep: args[0]}), env.Hold(size.Object)
}

// raiseFunction ends the render. The message is the template's own word, so it
// may be shown whatever it was made of.
func raiseFunction(env *vm.Env, args []vm.Value) (vm.Value, error) {
	msg, err := textOf(env, args[0])
	if err != nil {
		return vm.Null, err
	}
	const most = 2000
	if len(msg) > most {
		msg, _ = cutRunes(msg, most/4)
		msg += "…"
	}
	return vm.Null, &vm.Error{Kind: "runtime", Msg: msg, Help: "the template itself raised this error"}
}

func strftimeNow(env *vm.Env, args []vm.Value) (vm.Value, error) {
	format, err := stringArg(env, args[0], "format")
	if err != nil {
		return vm.Null, err
	}
	if env.Now == nil {
		return vm.Null, &vm.Error{
			Kind: "runtime",
			Msg:  "strftime_now needs a clock, and the render was given none",
			Help: "give a time: --now 2026-03-09T14:05:07Z on the command line, in Go compiler.WithClock",
		}
	}
	s, err := formatTime(env, env.Now(), format, true)
	return vm.String(s), err
}

// loremWords are the words of Jinja's filler text.
const loremWords = `a ac accumsan ad adipiscing aenean aliquam aliquet amet ante aptent arcu at
auctor augue bibendum blandit class commodo condimentum congue consectetuer consequat conubia
convallis cras cubilia cum curabitur curae cursus dapibus diam dictum dictumst dignissim dis dolor
donec dui duis egestas eget eleifend elementum elit enim erat eros est et etiam eu euismod facilisi
facilisis fames faucibus felis fermentum feugiat fringilla fusce gravida habitant habitasse hac
hendrerit hymenaeos iaculis id imperdiet in inceptos integer interdum ipsum justo lacinia lacus
laoreet lectus leo libero ligula litora lobortis lorem luctus maecenas magna magnis malesuada massa
mattis mauris metus mi molestie mollis montes morbi mus nam nascetur natoque nec neque netus nibh
nisi nisl non nonummy nostra nulla nullam nunc odio orci ornare parturient pede pellentesque
penatibus per pharetra phasellus placerat platea porta porttitor posuere potenti praesent pretium
primis proin pulvinar purus quam quis quisque rhoncus ridiculus risus rutrum sagittis sapien
scelerisque sed sem semper senectus sit sociis sociosqu sodales sollicitudin suscipit suspendisse
taciti tellus tempor tempus tincidunt torquent tortor tristique turpis ullamcorper ultrices
ultricies urna ut varius vehicula vel velit venenatis vestibulum vitae vivamus viverra volutpat
vulputate`

// choices gives numbers below n: the host's random ones, or a fixed sequence.
func choices(env *vm.Env) func(n int) int {
	if env.Random != nil {
		return env.Random
	}
	state := uint32(1)
	return func(n int) int {
		state = state*1664525 + 1013904223 // Numerical Recipes' generator
		return int(state>>8) % n
	}
}

func lipsumFunction(env *vm.Env, args []vm.Value) (vm.Value, error) {
	n, err := sizeArg(env, args[0], "n")
	if err != nil {
		return vm.Null, err
	}
	asHTML, err := env.Truth(args[1])
	if err != nil {
		return vm.Null, err
	}
	least, err := intArg(env, args[2], "min")
	if err != nil {
		return vm.Null, err
	}
	most, err := intArg(env, args[3], "max")
	if err != nil {
		return vm.Null, err
	}
	if most <= least && n > 0 {
		return vm.Null, env.Errorf("value", "empty range for the number of words")
	}
	pick := choices(env)
	words := strings.Fields(loremWords)
	var paragraphs []string
	for range n {
		count := max(least+pick(most-least), 0)
		if err := chargeProduct(env, count, 14); err != nil {
			return vm.Null, err
		}
		p := loremParagraph(env, words, count, pick)
		if asHTML {
			p = "<p>" + p + "</p>"
		}
		paragraphs = append(paragraphs, p)
	}
	if asHTML {
		out, err := joinTexts(env, paragraphs, "\n")
		return vm.Safe(out), err
	}
	out, err := joinTexts(env, paragraphs, "\n\n")
	return vm.String(out), err
}

// loremParagraph makes sentences of 10 to 20 words with a comma now and then.
func loremParagraph(env *vm.Env, words []string, count int, pick func(int) int) string {
	var b strings.Builder
	last, lastComma, lastStop := -1, 0, 0
	begin := true
	var pace vm.Pace
	for i := range count {
		if pace.Stopped(env, 32) {
			break
		}
		w := pick(len(words))
		if w == last {
			w = (w + 1) % len(words)
		}
		last = w
		if i > 0 {
			b.WriteByte(' ')
		}
		if begin {
			b.WriteString(capitalizeText(env, words[w]))
			begin = false
		} else {
			b.WriteString(words[w])
		}
		if i-(3+pick(5)) > lastComma {
			lastComma, lastStop = i, lastStop+2
			b.WriteByte(',')
		}
		if i-(10+pick(10)) > lastStop {
			lastComma, lastStop = i, i
			b.WriteByte('.')
			begin = true
		}
	}
	s := strings.TrimSuffix(b.String(), ",")
	if !strings.HasSuffix(s, ".") {
		s += "."
	}
	return s
}
