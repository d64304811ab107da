package stdlib

import (
	"errors"
	"iter"
	"sort"
	"strings"

	"github.com/pcc-lang/pcc/vm"
)

// pprintWidth is the width that Python's pprint fills.
const pprintWidth = 80

// pprintFilter is pprint.pformat in Jinja, laid-out JSON in the native
// language.
func pprintFilter(env *vm.Env, args []vm.Value) (vm.Value, error) {
	if !env.Dialect.PythonPrint() {
		s, err := jsonText(env, args[0], vm.JSONOptions{Indent: "  "})
		return vm.String(s), err
	}
	v, err := sortedCopy(env, args[0], 0)
	if err != nil {
		return vm.Null, err
	}
	p := printer{env: env}
	if err := p.format(v, 0, 0, 0); err != nil {
		return vm.Null, err
	}
	return vm.String(p.out.String()), nil
}

func tooDeep() error {
	return &vm.Error{Kind: "limit", Code: "PCC906", Msg: "a value is nested too deeply, or contains itself", Help: "flatten the data, or raise the limit of the value depth"}
}

// sortedCopy copies a value with all maps sorted by key. Its depth is bounded
// by Limits.ValueDepth, as is that of all recursion here.
func sortedCopy(env *vm.Env, v vm.Value, depth int) (vm.Value, error) {
	if depth > env.Limits().ValueDepth {
		return vm.Null, tooDeep()
	}
	v = env.OwnText(v)
	switch {
	case isMapping(v):
		pairs, err := entries(env, v)
		if err != nil {
			return vm.Null, err
		}
		if err := sortPairs(env, pairs); err != nil {
			return vm.Null, err
		}
		m := vm.NewMap(len(pairs))
		for _, p := range pairs {
			if err := env.Step(1); err != nil {
				return vm.Null, err
			}
			if p[1], err = sortedCopy(env, p[1], depth+1); err != nil {
				return vm.Null, err
			}
			m.Put(p[0], p[1])
		}
		return vm.MapOf(m), nil
	case v.IsSequence():
		items, err := env.Items(v)
		if err != nil {
			return vm.Null, err
		}
		for i := range items {
			if err := env.Step(1); err != nil {
				return vm.Null, err
			}
			if items[i], err = sortedCopy(env, items[i], depth+1); err != nil {
				return vm.Null, err
			}
		}
		if v.Kind() == vm.KindTuple {
			return vm.TupleOf(items), nil
		}
		return vm.ListOf(items), nil
	}
	return v, nil
}

// sortPairs sorts by key; keys that do not compare are ordered by type.
func sortPairs(env *vm.Env, pairs [][2]vm.Value) (failed error) {
	sort.SliceStable(pairs, func(i, j int) bool {
		if failed == nil {
			failed = env.Step(1)
		}
		if failed != nil {
			return false
		}
		less, err := env.Less(pairs[i][0], pairs[j][0])
		if err != nil {
			var e *vm.Error
			if !errors.As(err, &e) || e.Kind != "type" {
				failed = err
			}
			return env.TypeName(pairs[i][0]) < env.TypeName(pairs[j][0])
		}
		return less
	})
	return failed
}

// printer lays out a value as pprint.PrettyPrinter does with its defaults.
type printer struct {
	env *vm.Env
	out strings.Builder
}

func (p *printer) repr(v vm.Value) (string, error) { return p.env.Repr(v) }

func (p *printer) write(s string) error {
	if err := p.env.Charge(len(s)); err != nil {
		return err
	}
	p.out.WriteString(s)
	return nil
}

// format writes v at column indent, leaving allowance columns free after it.
func (p *printer) format(v vm.Value, indent, allowance, level int) error {
	rep, err := p.repr(v)
	if err != nil {
		return err
	}
	if runeCount(rep) <= pprintWidth-indent-allowance {
		return p.write(rep)
	}
	if level > p.env.Limits().ValueDepth {
		return tooDeep()
	}
	switch {
	case v.Kind() == vm.KindMap:
		return p.formatMap(v, indent, allowance+1, level+1)
	case v.IsSequence():
		return p.formatItems(v, indent, allowance, level+1)
	case v.Kind() == vm.KindString && !v.IsSafe():
		return p.formatText(v, indent, allowance, level+1)
	}
	return p.write(rep)
}

func (p *printer) formatMap(v vm.Value, indent, allowance, level int) error {
	pairs, err := entries(p.env, v)
	if err != nil {
		return err
	}
	if err := p.write("{"); err != nil {
		return err
	}
	indent++
	for i, pair := range pairs {
		rep, err := p.repr(pair[0])
		if err != nil {
			return err
		}
		if i > 0 {
			rep = ",\n" + strings.Repeat(" ", indent) + rep
		}
		if err := p.write(rep + ": "); err != nil {
			return err
		}
		after := 1
		if i == len(pairs)-1 {
			after = allowance
		}
		column := indent + runeCount(rep) + 2
		if i > 0 {
			column -= indent + 2
		}
		if err := p.format(pair[1], column, after, level); err != nil {
			return err
		}
	}
	return p.write("}")
}

func (p *printer) formatItems(v vm.Value, indent, allowance, level int) error {
	items, err := p.env.Items(v)
	if err != nil {
		return err
	}
	open, end := "[", "]"
	if v.Kind() == vm.KindTuple {
		open, end = "(", ")"
		if len(items) == 1 {
			end = ",)"
		}
	}
	if err := p.write(open); err != nil {
		return err
	}
	allowance += len(end)
	indent++
	for i, it := range items {
		if i > 0 {
			if err := p.write(",\n" + strings.Repeat(" ", indent)); err != nil {
				return err
			}
		}
		after := 1
		if i == len(items)-1 {
			after = allowance
		}
		if err := p.format(it, indent, after, level); err != nil {
			return err
		}
	}
	return p.write(end)
}

// formatText breaks long text at line ends and blanks.
func (p *printer) formatText(v vm.Value, indent, allowance, level int) error {
	s, _ := v.Str()
	if level == 1 {
		indent++
		allowance++
	}
	out := textChunks{p: p, between: "\n" + strings.Repeat(" ", indent), brackets: level == 1}
	width := pprintWidth - indent
	done := 0
	for line := range eachLine(p.env, s, true) {
		rep, err := p.repr(vm.String(line))
		if err != nil {
			return err
		}
		room := width
		if done += len(line); done == len(s) {
			room -= allowance
		}
		if runeCount(rep) <= room {
			err = out.add(rep)
		} else {
			err = p.breakLine(line, width, room, out.add)
		}
		if err != nil {
			return err
		}
	}
	return out.close()
}

// textChunks writes the pieces of a text, one a line; in brackets where there are
// several, as far as brackets are asked for.
type textChunks struct {
	p        *printer
	between  string
	brackets bool
	first    string
	n        int
}

func (c *textChunks) add(rep string) error {
	c.n++
	switch c.n {
	case 1:
		c.first = rep
		return nil
	case 2:
		open := ""
		if c.brackets {
			open = "("
		}
		if err := c.p.write(open + c.first); err != nil {
			return err
		}
	}
	return c.p.write(c.between + rep)
}

func (c *textChunks) close() error {
	switch {
	case c.n == 1:
		return c.p.write(c.first)
	case c.n > 1 && c.brackets:
		return c.p.write(")")
	}
	return nil
}

// breakLine breaks a line into pieces of at most width columns; the last piece
// may have lastWidth.
func (p *printer) breakLine(line string, width, lastWidth int, put func(rep string) error) error {
	current := ""
	for part := range wordsWithBlanks(p.env, line) {
		if line = line[len(part):]; line == "" {
			width = lastWidth
		}
		rep, err := p.repr(vm.String(current + part))
		if err != nil {
			return err
		}
		if runeCount(rep) <= width || current == "" {
			current += part
			continue
		}
		if rep, err = p.repr(vm.String(current)); err != nil {
			return err
		}
		if err := put(rep); err != nil {
			return err
		}
		current = part
	}
	if current == "" {
		return nil
	}
	rep, err := p.repr(vm.String(current))
	if err != nil {
		return err
	}
	return put(rep)
}

// wordsWithBlanks cuts text into words, each with the blanks after it.
func wordsWithBlanks(env *vm.Env, s string) iter.Seq[string] {
	return func(yield func(string) bool) {
		var pace vm.Pace
		for s != "" {
			n := indexRune(env, s, isSpace)
			if n >= 0 {
				n = len(s) - len(trimLeft(env, s[n:], isSpace))
			} else {
				n = len(s)
			}
			if pace.Stopped(env, n+8) || !yield(s[:n]) {
				return
			}
			s = s[n:]
		}
	}
}
