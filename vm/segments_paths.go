package vm

import (
	"strconv"
	"strings"
	"unsafe"

	"github.com/pcc-lang/pcc/ast/diag"
)

// This file holds where texts of the data stand. A render that is to tell works on
// a copy of the data whose texts lie in the recorder's arena, each with its number:
// the address of a text, or of a part of one, tells its path whatever way the
// template took to it, and texts that are equal stay apart.

// dataTexts are the places of the data, as a tree: that of a list or map stands
// before those in it. Place 0 is the data itself.
type dataTexts struct {
	places []dataPlace
	paths  map[textSource]string // of those that were asked for
}

// dataPlace is a value's place in the list or map at parent: its key, or where that
// is empty and index is not negative its index.
type dataPlace struct {
	key           string
	parent, index int32
}

const (
	placeSize = int(unsafe.Sizeof(dataPlace{}))
	// pathRoom is what a path takes besides its text where it is kept.
	pathRoom = 96
)

// add notes a place and returns its number.
func (t *dataTexts) add(e *Env, p dataPlace) (int32, error) {
	if len(t.places) == cap(t.places) {
		size := max(2*cap(t.places), 64)
		if err := e.Hold(size * placeSize); err != nil {
			return 0, err
		}
		t.places = append(make([]dataPlace, 0, size), t.places...)
	}
	if len(t.places) == 0 {
		t.places = append(t.places, dataPlace{parent: -1, index: -1})
	}
	t.places = append(t.places, p)
	return int32(len(t.places) - 1), nil
}

// path is the path of a source, "" where it is no text of the data.
func (t *dataTexts) path(e *Env, s textSource) (string, error) {
	if s < firstText {
		return "", nil
	}
	if p, ok := t.paths[s]; ok {
		return p, nil
	}
	var parts []string // the last first
	size := 0
	for at := int32(s - firstText); at > 0; at = t.places[at].parent {
		p := t.places[at]
		part := ""
		switch {
		case p.index >= 0:
			part = "[" + strconv.Itoa(int(p.index)) + "]"
		case !isPath(p.key) || strings.Contains(p.key, "."):
			part = `["` + diag.ClipName(p.key) + `"]`
		case p.parent == 0:
			part = diag.ClipName(p.key)
		default:
			part = "." + diag.ClipName(p.key)
		}
		parts, size = append(parts, part), size+len(part)
	}
	if err := e.Hold(2*size + pathRoom); err != nil {
		return "", err
	}
	b := make([]byte, 0, size)
	for i := len(parts) - 1; i >= 0; i-- {
		b = append(b, parts[i]...)
	}
	if t.paths == nil {
		t.paths = map[textSource]string{}
	}
	path := unsafe.String(unsafe.SliceData(b), len(b))
	t.paths[s] = path
	return path, nil
}

// entry copies the value of a map's key.
func (c *copier) entry(v Value, key string, depth int) (Value, error) {
	return c.inside(v, dataPlace{key: key, index: -1}, depth)
}

// item copies an item of a list.
func (c *copier) item(v Value, i, depth int) (Value, error) {
	return c.inside(v, dataPlace{index: int32(i)}, depth)
}

func (c *copier) inside(v Value, p dataPlace, depth int) (own Value, err error) {
	if c.recorder == nil {
		return c.copy(v, depth+1)
	}
	switch v.ref.(type) {
	case nil, intMark, boolMark, floatMark:
		return v, nil // has no place of its own
	}
	outer := c.at
	p.parent = outer
	if c.at, err = c.recorder.texts.add(c.env, p); err != nil {
		return v, err
	}
	own, err = c.copy(v, depth+1)
	c.at = outer
	return own, err
}

// text copies a text of the data.
func (c *copier) text(v Value, s string) (Value, error) {
	if s == "" || c.at > lastSource-int32(firstText) {
		return v, nil
	}
	kept, err := c.recorder.keep(c.env, s, runs{runTo(len(s), firstText+textSource(c.at))})
	if err != nil {
		return v, err
	}
	return sameKind(v, kept), nil
}
