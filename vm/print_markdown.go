package vm

import "github.com/pcc-lang/pcc/internal/numfmt"

// markdown writes lists and maps as Markdown bullets, two spaces a level:
// `key: value` lines for maps, `- item` for lists. The first line of a
// container inside a list stands beside its bullet, so that lists of maps lay
// out evenly. Scalars print as in Python; empty containers as nothing.
func (w *writer) markdown(v Value) error {
	type level struct {
		printFrame
		depth int  // of indentation
		glued bool // the first item follows a bullet on its line
	}
	f, ok, err := w.frame(v, 0)
	if err != nil {
		return err
	}
	if !ok {
		return w.python(v)
	}
	stack := append(make([]level, 0, 4), level{printFrame: f, glued: true})
	first := true
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if top.i == top.n {
			stack = stack[:len(stack)-1]
			continue
		}
		if err := w.room(2*top.depth + 4); err != nil {
			return err
		}
		if !top.glued {
			if !first {
				w.dst = append(w.dst, '\n')
			}
			w.dst = numfmt.Insert(w.dst, len(w.dst), ' ', 2*top.depth)
		}
		first, top.glued = false, false
		item := w.e.OwnText(top.next())
		if top.isMap {
			if err := w.markdownText(item); err != nil {
				return err
			}
			w.dst = append(w.dst, ':')
			item = w.e.OwnText(top.next())
		} else {
			w.dst = append(w.dst, '-')
		}
		f, ok, err := w.frame(w.e.canonical(item), len(stack))
		switch {
		case err != nil:
			return err
		case !ok:
			w.dst = append(w.dst, ' ')
			if err := w.markdownText(item); err != nil {
				return err
			}
		case f.n == 0:
			// A key or a bullet without a value.
		case top.isMap:
			stack = append(stack, level{printFrame: f, depth: top.depth + 1})
		default:
			w.dst = append(w.dst, ' ')
			stack = append(stack, level{printFrame: f, depth: top.depth + 1, glued: true})
		}
	}
	return nil
}

// bold writes a list as lines `- item`, a map as lines `**key**: value`, where a
// list or map that is a value has its items on lines of their own.
func (w *writer) bold(v Value) error {
	outer, ok, err := w.frame(v, 0)
	if err != nil {
		return err
	}
	if !ok {
		return w.python(v)
	}
	lines := 0
	line := func(mark string) error {
		if lines++; lines > 1 {
			mark = "\n" + mark
		}
		if err := w.room(len(mark)); err != nil {
			return err
		}
		w.dst = append(w.dst, mark...)
		return nil
	}
	// part writes a text and what follows it.
	part := func(x Value, behind string) error {
		if err := w.markdownText(x); err != nil {
			return err
		}
		if err := w.room(len(behind)); err != nil {
			return err
		}
		w.dst = append(w.dst, behind...)
		return nil
	}
	// bullets writes the items of a list, the entries of a map.
	bullets := func(f *printFrame) error {
		for f.i < f.n {
			if err := line("- "); err != nil {
				return err
			}
			if f.isMap {
				if err := part(f.next(), ": "); err != nil {
					return err
				}
			}
			if err := part(f.next(), ""); err != nil {
				return err
			}
		}
		return nil
	}
	if !outer.isMap {
		return bullets(&outer)
	}
	for outer.i < outer.n {
		if err := line("**"); err != nil {
			return err
		}
		if err := part(outer.next(), "**:"); err != nil {
			return err
		}
		value := w.e.OwnText(outer.next())
		inner, ok, err := w.frame(w.e.canonical(value), 1)
		switch {
		case err != nil:
		case ok:
			err = bullets(&inner)
		default:
			w.dst = append(w.dst, ' ')
			err = part(value, "")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// markdownText writes a scalar.
func (w *writer) markdownText(v Value) error {
	if s, ok := v.Str(); ok {
		if err := w.room(len(s)); err != nil {
			return err
		}
		w.dst = append(w.dst, s...)
		return nil
	}
	if v.IsUndefined() {
		return nil
	}
	var err error
	if _, isSeq := seqLen(w.e.canonical(v)); !isSeq {
		if err = w.settle(); err != nil {
			return err
		}
		w.dst, err = w.e.AppendStr(w.dst, v, StylePython)
		w.paid = len(w.dst)
	} else {
		err = w.python(v) // a tuple that is a key
	}
	return err
}
