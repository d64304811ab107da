package stdlib

import (
	"strconv"
	"strings"

	"github.com/pcc-lang/pcc/vm"
)

// outline writes values as nested bullets.
type outline struct {
	env *vm.Env
	out strings.Builder
	// marker gives the text before item i of the outermost list.
	marker func(i int) string
}

func (o *outline) write(s string) error {
	if err := o.env.Charge(len(s)); err != nil {
		return err
	}
	o.out.WriteString(s)
	return nil
}

func markdownFilter(env *vm.Env, args []vm.Value) (vm.Value, error) {
	v := env.OwnText(args[0])
	if !isMapping(v) && !isList(v) {
		s, err := textOf(env, v)
		return vm.String(s), err
	}
	return outlineOf(env, v, func(int) string { return "- " })
}

func bulletsFilter(env *vm.Env, args []vm.Value) (vm.Value, error) {
	marker, err := stringArg(env, args[1], "marker")
	if err != nil {
		return vm.Null, err
	}
	if err := env.Charge(len(marker) + 1); err != nil {
		return vm.Null, err
	}
	marker += " "
	return outlineOf(env, args[0], func(int) string { return marker })
}

func numberedFilter(env *vm.Env, args []vm.Value) (vm.Value, error) {
	start, err := intArg(env, args[1], "start")
	if err != nil {
		return vm.Null, err
	}
	return outlineOf(env, args[0], func(i int) string { return strconv.Itoa(start+i) + ". " })
}

func outlineOf(env *vm.Env, v vm.Value, marker func(int) string) (vm.Value, error) {
	o := &outline{env: env, marker: marker}
	v = env.OwnText(v)
	if s, ok := v.Str(); ok {
		return o.lines(s)
	}
	if v.IsMissing() {
		if env.Dialect.UndefinedObjects() {
			return vm.String(""), refuseUndefined(env, v)
		}
		return vm.String(""), nil
	}
	if err := o.items(v, "", atTop, 0); err != nil {
		return vm.Null, err
	}
	return vm.String(o.out.String()), nil
}

// lineWork is what a line costs beside its text, in bytes of work: it is found,
// trimmed and compared, which takes as long where it is blank.
const lineWork = 128

// lines makes an item of each line of text that is not blank.
func (o *outline) lines(s string) (vm.Value, error) {
	if err := o.env.Step(1 + len(s)/64); err != nil {
		return vm.Null, err
	}
	i := 0
	var pace vm.Pace
	for line := range strings.Lines(s) {
		if pace.Stopped(o.env, len(line)+lineWork) {
			break
		}
		line = trimSpace(o.env, line, true, true)
		if line == "" {
			continue
		}
		before := o.marker(i)
		if i > 0 {
			before = "\n" + before
		}
		if err := o.write(before); err != nil {
			return vm.Null, err
		}
		if err := o.write(line); err != nil {
			return vm.Null, err
		}
		i++
	}
	return vm.String(o.out.String()), nil
}

// isList reports whether v is laid out as a list: lists, tuples, ranges, views,
// lazy sequences.
func isList(v vm.Value) bool {
	if v.IsSequence() || v.Kind() == vm.KindIterator {
		return true
	}
	obj, ok := v.Object()
	if !ok {
		return false
	}
	_, ok = obj.(vm.Iterable)
	return ok
}

// place is where an outline begins.
type place uint8

const (
	atTop       place = iota // at the very beginning, with the caller's markers
	belowKey                 // on the lines after "key:"
	afterBullet              // beside the bullet of the item that it is
)

// items writes the items or entries of v, each on a line of its own that
// begins with indent. The depth is bounded by Limits.ValueDepth.
func (o *outline) items(v vm.Value, indent string, at place, depth int) error {
	if depth > o.env.Limits().ValueDepth {
		return tooDeep()
	}
	marker := func(int) string { return "- " }
	if at == atTop {
		marker = o.marker
	}
	if isMapping(v) {
		pairs, err := entries(o.env, v)
		if err != nil {
			return err
		}
		for i, p := range pairs {
			m := marker(i)
			if i > 0 || at == belowKey {
				m = "\n" + indent + m
			}
			if err := o.write(m); err != nil {
				return err
			}
			if err := o.entry(p, indent+o.blanksFor(marker(i)), depth); err != nil {
				return err
			}
		}
		return nil
	}
	items, err := collect(o.env, v)
	if err != nil {
		return err
	}
	for i, it := range items {
		m := marker(i)
		if i > 0 || at == belowKey {
			m = "\n" + indent + m
		}
		if err := o.write(m); err != nil {
			return err
		}
		if err := o.item(it, indent+o.blanksFor(marker(i)), depth); err != nil {
			return err
		}
	}
	return nil
}

// blanksFor is as wide as a marker, for which the same has been paid.
func (o *outline) blanksFor(marker string) string {
	return strings.Repeat(" ", o.env.RuneCount(marker))
}

// entry writes "key: value"; a list or map stands below its key.
func (o *outline) entry(p [2]vm.Value, indent string, depth int) error {
	key, err := textOf(o.env, p[0])
	if err != nil {
		return err
	}
	if err := o.write(key); err != nil {
		return err
	}
	if err := o.write(":"); err != nil {
		return err
	}
	v := o.env.OwnText(p[1])
	if isMapping(v) || isList(v) {
		return o.items(v, indent, belowKey, depth+1)
	}
	s, err := textOf(o.env, v)
	if err != nil || s == "" {
		return err
	}
	if s, err = o.indentRest(s, indent); err != nil {
		return err
	}
	if err := o.write(" "); err != nil {
		return err
	}
	return o.write(s)
}

// item writes what stands after a bullet: text, the entries of a map one below
// the other, or the first item of a list.
func (o *outline) item(v vm.Value, indent string, depth int) error {
	v = o.env.OwnText(v)
	switch {
	case isMapping(v):
		if depth > o.env.Limits().ValueDepth {
			return tooDeep()
		}
		pairs, err := entries(o.env, v)
		if err != nil {
			return err
		}
		for i, p := range pairs {
			if i > 0 {
				if err := o.write("\n" + indent); err != nil {
					return err
				}
			}
			if err := o.entry(p, indent+"  ", depth+1); err != nil {
				return err
			}
		}
		return nil
	case isList(v):
		return o.items(v, indent, afterBullet, depth+1)
	}
	s, err := textOf(o.env, v)
	if err != nil {
		return err
	}
	if s, err = o.indentRest(s, indent); err != nil {
		return err
	}
	return o.write(s)
}

// indentRest indents all lines of s but the first; blank lines stay empty.
func (o *outline) indentRest(s, indent string) (string, error) {
	if err := o.env.Step(len(s) / 64); err != nil {
		return "", err
	}
	breaks := countText(o.env, s, "\n")
	if breaks == 0 {
		return s, nil
	}
	if err := chargeProduct(o.env, breaks, len(indent)); err != nil {
		return "", err
	}
	if err := o.env.Charge(len(s)); err != nil {
		return "", err
	}
	var b strings.Builder
	var pace vm.Pace
	for line := range strings.Lines(s) {
		if pace.Stopped(o.env, len(line)+8) {
			break
		}
		if b.Len() > 0 && strings.Trim(line, "\r\n") != "" {
			b.WriteString(indent)
		}
		b.WriteString(line)
	}
	return b.String(), nil
}
