package stdlib

import (
	"github.com/pcc-lang/pcc/internal/code"
	"github.com/pcc-lang/pcc/internal/size"
	"github.com/pcc-lang/pcc/vm"
)

// function makes a builtin a value that templates call.
type function struct {
	builtin *vm.Builtin
	// typeName is the Python type: "function", "type" for what is a class
	// there, "builtin_function_or_method"; shown is how it prints.
	typeName, shown string
}

// FunctionOf is a function of the host program, as Adapt makes it, as a value that
// templates call.
func FunctionOf(b *vm.Builtin) vm.Value {
	return vm.ObjectOf(&function{builtin: b, typeName: "function", shown: "<function " + b.Name + ">"})
}

func (f *function) TypeName(*vm.Env) string { return f.typeName }

// NativeName implements vm.Named.
func (*function) NativeName() string { return "function" }

// Builtin gives the signature, for static checks and documentation.
func (f *function) Builtin() *vm.Builtin { return f.builtin }

// Call implements vm.Caller.
func (f *function) Call(env *vm.Env, args []vm.Value, names []string) (vm.Value, error) {
	return env.CallBuiltin(f.builtin, args, names)
}

// Print implements vm.Printer.
func (f *function) Print(env *vm.Env, dst []byte, _ bool) ([]byte, error) {
	return appendShown(env, dst, f, f.shown, "call it: write parentheses behind its name")
}

// appendShown prints an object as Python shows it. Natively an object without a
// text of its own is nothing that a prompt should hold.
func appendShown(env *vm.Env, dst []byte, o vm.Object, shown, help string) ([]byte, error) {
	if env.Dialect.PythonPrint() {
		return append(dst, shown...), nil
	}
	return dst, &vm.Error{Kind: "type", Msg: "a value of type " + env.TypeName(vm.ObjectOf(o)) + " has no text form",
		Help: help}
}

// method makes a function of an object, for Attr.
func method(env *vm.Env, name, sig string, fn vm.Func) vm.Value {
	env.Owe(size.Method)
	b, err := spec{name: name, sig: sig, fn: fn, flags: impure}.build()
	if err != nil {
		return vm.Null
	}
	return vm.ObjectOf(&function{builtin: b, typeName: "builtin_function_or_method", shown: "<built-in method " + name + ">"})
}

// viewKind tells the three views of a map apart.
type viewKind uint8

const (
	viewKeys viewKind = iota
	viewValues
	viewItems
)

// view is what the methods keys, values and items of a map give: it follows
// later changes of the map.
type view struct {
	env  *vm.Env
	of   vm.Value
	kind viewKind
}

func (w *view) TypeName(*vm.Env) string {
	return [...]string{"dict_keys", "dict_values", "dict_items"}[w.kind]
}

// Len implements vm.Lener.
func (w *view) Len() int {
	n, err := w.env.Len(w.of)
	if err != nil {
		return 0
	}
	return n
}

// Iterate implements vm.Iterable.
func (w *view) Iterate() *vm.Iterator {
	names := [...]string{"dict_keyiterator", "dict_valueiterator", "dict_itemiterator"}
	var en vm.Entries
	started, i := false, 0
	return &vm.Iterator{Name: names[w.kind], Next: func() (vm.Value, bool, error) {
		if !started {
			var err error
			if en, err = w.env.Entries(w.of); err != nil {
				return vm.Null, false, err
			}
			started = true
		}
		if i >= en.Len() {
			return vm.Null, false, nil
		}
		v := w.entry(en.At(i))
		i++
		return v, true, w.env.Step(1)
	}}
}

func (w *view) entry(key, value vm.Value) vm.Value {
	switch w.kind {
	case viewKeys:
		return key
	case viewValues:
		return value
	}
	return pairTuple(w.env, [2]vm.Value{key, value})
}

// Contains implements vm.Container.
func (w *view) Contains(env *vm.Env, x vm.Value) (bool, error) {
	if w.kind == viewKeys {
		return env.Compare(code.CmpIn, x, w.of)
	}
	items, err := w.items(env)
	if err != nil {
		return false, err
	}
	return env.Compare(code.CmpIn, x, vm.ListOf(items))
}

func (w *view) items(env *vm.Env) ([]vm.Value, error) {
	en, err := env.Entries(w.of)
	if err != nil {
		return nil, err
	}
	if err := chargeItems(env, en.Len()); err != nil {
		return nil, err
	}
	items := make([]vm.Value, en.Len())
	for i := range items {
		items[i] = w.entry(en.At(i))
	}
	return items, nil
}

// Print implements vm.Printer.
func (w *view) Print(env *vm.Env, dst []byte, _ bool) ([]byte, error) {
	items, err := w.items(env)
	if err != nil {
		return dst, err
	}
	dst = append(dst, w.TypeName(env)...)
	return appendWrapped(env, dst, "(", vm.ListOf(items), ")")
}

// appendWrapped prints v between two texts, as objects do that hold values.
func appendWrapped(env *vm.Env, dst []byte, before string, v vm.Value, after string) ([]byte, error) {
	if err := env.Enter(); err != nil {
		return dst, err
	}
	defer env.Leave()
	dst = append(dst, before...)
	dst, err := env.AppendStr(dst, v, env.Dialect.Style)
	return append(dst, after...), err
}

// Equal implements vm.Equaler: views of keys and items compare as sets.
func (w *view) Equal(env *vm.Env, other vm.Value) (equal, known bool) {
	o, ok := other.Object()
	if !ok {
		return false, false
	}
	x, ok := o.(*view)
	if !ok || w.kind == viewValues || x.kind != w.kind {
		return false, false
	}
	if w.Len() != x.Len() || env.Enter() != nil {
		return false, true
	}
	defer env.Leave()
	items, err := w.items(env)
	if err != nil {
		return false, true
	}
	for _, it := range items {
		if in, err := x.Contains(env, it); err != nil || !in {
			return false, true
		}
	}
	return true, true
}

// namespace is Jinja's namespace(): a bag of attributes that templates set.
type namespace struct{ attrs *vm.Map }

func (*namespace) TypeName(*vm.Env) string { return "Namespace" }

// Attr implements vm.Attributer.
func (n *namespace) Attr(_ *vm.Env, name string) (vm.Value, bool) { return n.attrs.Get(name) }

// SetAttr implements vm.AttrSetter.
func (n *namespace) SetAttr(name string, v vm.Value) { n.attrs.Set(name, v) }

// Print implements vm.Printer.
func (n *namespace) Print(env *vm.Env, dst []byte, _ bool) ([]byte, error) {
	return appendWrapped(env, dst, "<Namespace ", vm.MapOf(n.attrs), ">")
}

// cycler is Jinja's cycler().
type cycler struct {
	items []vm.Value
	pos   int
}

func (*cycler) TypeName(*vm.Env) string { return "Cycler" }

// NativeName implements vm.Named.
func (*cycler) NativeName() string { return "cycler" }

// Attr implements vm.Attributer.
func (c *cycler) Attr(env *vm.Env, name string) (vm.Value, bool) {
	switch name {
	case "current":
		return c.items[c.pos], true
	case "pos":
		return vm.Int(int64(c.pos)), true
	case "items":
		env.Owe(size.Tuple)
		return vm.TupleOf(c.items), true
	case "next":
		return method(env, "next", "", func(*vm.Env, []vm.Value) (vm.Value, error) {
			v := c.items[c.pos]
			c.pos = (c.pos + 1) % len(c.items)
			return v, nil
		}), true
	case "reset":
		return method(env, "reset", "", func(*vm.Env, []vm.Value) (vm.Value, error) {
			c.pos = 0
			return vm.Null, nil
		}), true
	}
	return vm.Null, false
}

// Print implements vm.Printer.
func (c *cycler) Print(env *vm.Env, dst []byte, _ bool) ([]byte, error) {
	return appendShown(env, dst, c, "<jinja2.utils.Cycler object>", "print what its next() gives")
}

// joiner is Jinja's joiner(): nothing when first called, then its separator.
type joiner struct {
	sep  vm.Value
	used bool
}

func (*joiner) TypeName(*vm.Env) string { return "Joiner" }

// NativeName implements vm.Named.
func (*joiner) NativeName() string { return "joiner" }

// Call implements vm.Caller.
func (j *joiner) Call(env *vm.Env, args []vm.Value, _ []string) (vm.Value, error) {
	if len(args) > 0 {
		if !env.Dialect.PythonErrors() {
			return vm.Null, env.Errorf("type", "a joiner takes no arguments")
		}
		return vm.Null, env.Errorf("type", "Joiner.__call__() takes 1 positional argument but %d were given", len(args)+1)
	}
	if !j.used {
		j.used = true
		return vm.String(""), nil
	}
	return j.sep, nil
}

// Attr implements vm.Attributer.
func (j *joiner) Attr(_ *vm.Env, name string) (vm.Value, bool) {
	switch name {
	case "sep":
		return j.sep, true
	case "used":
		return vm.Bool(j.used), true
	}
	return vm.Null, false
}

// Print implements vm.Printer.
func (j *joiner) Print(env *vm.Env, dst []byte, _ bool) ([]byte, error) {
	return appendShown(env, dst, j, "<jinja2.utils.Joiner object>", "call it: write parentheses behind its name")
}
