package compiler

import (
	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/vm"
)

// binding is what a name stands for inside a scope.
type binding struct {
	slot int      // local slot
	path vm.Paths // for variable reports: what the name holds, such as "tools[]"
	read bool     // some tag reads the name
}

// named is a name with its binding.
type named struct {
	name string
	binding
}

// scope is one level of local names. A bare loop's scope has a slot that holds
// the item whose fields are visible by name.
type scope struct {
	// names are in order of declaration. Where there are many, index finds them.
	names []named
	index map[string]int
	// loop is the number of the loop state whose `loop` is visible, -1 for none.
	loop int
	bare int // slot of a bare loop's item, -1 for none
	// bares, where above 0, is the index plus 1 in Image.SlotLists of the items
	// of this bare loop and all around it.
	bares int32
	path  vm.Paths
	// marks what to give back when the scope ends.
	slots, loops int
}

// scopes is the stack of scopes of one function, with the allocation of its
// slots and loop states: a slot is free again when its scope ends.
type scopes struct {
	stack              []scope
	slots, loops       int
	maxSlots, maxLoops int
	deepest            int // the greatest length of stack
}

func (s *scopes) push() *scope {
	stack, top := extended(s.stack)
	s.stack, s.deepest = stack, max(s.deepest, len(stack))
	if len(top.names) > 0 { // of a scope that ended: its memory serves again
		top.names = top.names[:0]
	}
	if top.index != nil {
		top.index = nil
	}
	if top.path != "" {
		top.path = ""
	}
	top.loop, top.bare, top.bares, top.slots, top.loops = -1, -1, 0, s.slots, s.loops
	return top
}

func (s *scopes) pop() {
	top := &s.stack[len(s.stack)-1]
	s.slots, s.loops = top.slots, top.loops
	s.stack = s.stack[:len(s.stack)-1]
}

// reset ends all scopes and keeps their memory for others, unless it is so much
// that clearing it would be felt by each later template.
func (s *scopes) reset() {
	const most = 256
	stack := s.stack[:s.deepest]
	for i := range stack {
		names := stack[i].names[:cap(stack[i].names)]
		if len(names) > most {
			names = nil
		}
		if len(names) > 0 {
			clear(names)
		}
		stack[i] = scope{names: names[:0]}
	}
	*s = scopes{stack: stack[:0]}
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
	if at := top.find(name); at != nil {
		*at = b
		return
	}
	const few = 8
	top.names = append(top.names, named{name, b})
	switch n := len(top.names); {
	case top.index != nil:
		top.index[name] = n - 1
	case n > few:
		top.index = make(map[string]int, 2*n)
		for i := range top.names {
			top.index[top.names[i].name] = i
		}
	}
}

// find returns the binding of name in this scope, or nil. It is valid until the
// next declaration.
func (sc *scope) find(name string) *binding {
	if sc.index != nil {
		if i, ok := sc.index[name]; ok {
			return &sc.names[i].binding
		}
		return nil
	}
	for i := range sc.names {
		if sc.names[i].name == name {
			return &sc.names[i].binding
		}
	}
	return nil
}

// resolution is what a name means at a place: a local binding or `loop`, at
// whatever level; else the items of bare loops are asked, innermost first, and
// then the data.
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
		if r.local = sc.find(name); r.local != nil {
			r.local.read = true
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

// pathOf finds the root name of a path such as a.b["c"] and counts its keys; ok
// is false where the expression is no such path.
func pathOf(e ast.Expr) (root *ast.Name, keys int, ok bool) {
	for {
		if n, is := e.(*ast.Name); is {
			return n, keys, true
		}
		x, _, _, is := stringKey(e)
		if !is {
			return nil, 0, false
		}
		keys++
		e = x
	}
}

// samePath reports whether two expressions are paths of the same keys, written
// alike: in Python d.items and d["items"] are not the same.
func samePath(a, b ast.Expr) bool {
	for {
		x, ok := a.(*ast.Name)
		y, also := b.(*ast.Name)
		if ok || also {
			return ok && also && x.Name == y.Name
		}
		ax, akey, aitem, ok := stringKey(a)
		bx, bkey, bitem, also := stringKey(b)
		if !ok || !also || akey != bkey || aitem != bitem {
			return false
		}
		a, b = ax, bx
	}
}

// splitPath is a path with its parts.
type splitPath struct {
	e     ast.Expr
	root  *ast.Name
	keys  []string
	items []bool
	// dotted is the keys with dots between them, once asked for.
	dotted string
}

// noItems are the items of paths without subscripts.
var noItems [16]bool

// keySlab hands out the key lists of paths.
type keySlab struct {
	keys []string
}

// list returns an empty list for n keys. size is a guess how many are needed
// at least.
func (s *keySlab) list(n, size int) []string {
	if cap(s.keys)-len(s.keys) < n {
		if s.keys != nil {
			size /= 2
		}
		s.keys = make([]string, 0, max(n, min(size, 256)))
	}
	at := len(s.keys)
	s.keys = s.keys[:at+n]
	return s.keys[at : at+n : at+n]
}

// chain splits a.b["c"] into its root name and keys, the first of which is that
// name; items tells which were written as subscripts. ok is false where the
// expression is not such a path.
func (l *lowerer) chain(e ast.Expr) (root *ast.Name, keys []string, items []bool, ok bool) {
	if p := &l.lastPath; p.e == e && e != nil {
		return p.root, p.keys, p.items, true
	}
	at := e
	root, n, ok := pathOf(e)
	if !ok {
		return nil, nil, nil, false
	}
	keys = l.keySlab.list(n+1, l.pathKeys)
	keys[0] = root.Name
	if n < len(noItems) {
		items = noItems[: n+1 : n+1]
	} else {
		items = make([]bool, n+1)
	}
	shared := true
	for i := n; i > 0; i-- {
		x, key, item, _ := stringKey(e)
		keys[i] = key
		if item && shared {
			items, shared = append([]bool(nil), items...), false
		}
		if item {
			items[i] = true
		}
		e = x
	}
	p := &l.lastPath
	p.e, p.root, p.keys, p.items = at, root, keys, items
	if p.dotted != "" {
		p.dotted = ""
	}
	return root, keys, items, true
}
