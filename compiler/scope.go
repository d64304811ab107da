package compiler

import "github.com/pcc-lang/pcc/ast"

// binding is what a name stands for inside a scope.
type binding struct {
	slot int    // local slot
	path string // for variable reports: what the name holds, such as "tools[]"
}

// scope is one level of local names. A bare loop's scope has a slot that holds
// the item whose fields are visible by name.
type scope struct {
	names map[string]binding
	// loop is the number of the loop state whose `loop` is visible, -1 for none.
	loop int
	bare int // slot of a bare loop's item, -1 for none
	path string
	// marks what to give back when the scope ends.
	slots, loops int
}

// scopes is the stack of scopes of one function, with the allocation of its
// slots and loop states: a slot is free again when its scope ends.
type scopes struct {
	stack              []scope
	slots, loops       int
	maxSlots, maxLoops int
}

func (s *scopes) push() *scope {
	s.stack = append(s.stack, scope{loop: -1, bare: -1, slots: s.slots, loops: s.loops})
	return &s.stack[len(s.stack)-1]
}

func (s *scopes) pop() {
	top := s.stack[len(s.stack)-1]
	s.slots, s.loops = top.slots, top.loops
	s.stack = s.stack[:len(s.stack)-1]
}

func (s *scopes) newSlot() int {
	n := s.slots
	s.slots++
	s.maxSlots = max(s.maxSlots, s.slots)
	return n
}

func (s *scopes) newLoop() int {
	n := s.loops
	s.loops++
	s.maxLoops = max(s.maxLoops, s.loops)
	return n
}

// declare binds name in the innermost scope.
func (s *scopes) declare(name string, b binding) {
	top := &s.stack[len(s.stack)-1]
	if top.names == nil {
		top.names = map[string]binding{}
	}
	top.names[name] = b
}

// resolution is what a name means at a place: bare items to ask first,
// innermost first, then a local binding, or else the data.
type resolution struct {
	bares []*scope
	local *binding
	// loop is the loop state whose fields the name `loop` reads, -1 if the name
	// is not that; depth counts the enclosing loops for loop.parent.
	loop int
}

// resolve looks a name up, innermost scope first.
func (s *scopes) resolve(name string) resolution {
	r := resolution{loop: -1}
	for i := len(s.stack) - 1; i >= 0; i-- {
		sc := &s.stack[i]
		if b, ok := sc.names[name]; ok {
			r.local = &b
			return r
		}
		if name == "loop" && sc.loop >= 0 {
			r.loop = sc.loop
			r.bares = nil
			return r
		}
		if sc.bare >= 0 {
			r.bares = append(r.bares, sc)
		}
	}
	return r
}

// parentLoop is the loop state around loop state n, -1 where there is none.
func (s *scopes) parentLoop(n int) int {
	found := false
	for i := len(s.stack) - 1; i >= 0; i-- {
		if s.stack[i].loop < 0 {
			continue
		}
		if found {
			return s.stack[i].loop
		}
		found = s.stack[i].loop == n
	}
	return -1
}

// stringKey returns the key that an attribute or a constant string subscript
// reads.
func stringKey(e ast.Expr) (x ast.Expr, key string, item, ok bool) {
	switch e := e.(type) {
	case *ast.Attr:
		return e.X, e.Name, false, true
	case *ast.Index:
		if l, is := e.I.(*ast.Literal); is && l.Kind == ast.StringLit {
			return e.X, l.Str, true, true
		}
	}
	return nil, "", false, false
}

// chain splits a.b["c"] into its root name and keys; ok is false where the
// expression is not such a path.
func chain(e ast.Expr) (root *ast.Name, keys []string, items []bool, ok bool) {
	for {
		if n, is := e.(*ast.Name); is {
			root = n
			break
		}
		x, key, item, is := stringKey(e)
		if !is {
			return nil, nil, nil, false
		}
		keys, items = append(keys, key), append(items, item)
		e = x
	}
	for i, j := 0, len(keys)-1; i < j; i, j = i+1, j-1 {
		keys[i], keys[j] = keys[j], keys[i]
		items[i], items[j] = items[j], items[i]
	}
	return root, keys, items, true
}
