package vm

import (
	"regexp"
	"unsafe"

	"github.com/pcc-lang/pcc/internal/code"
)

// loopKind tells which of a loopState's fields hold the items.
type loopKind uint8

const (
	loopVals  loopKind = iota // vals
	loopAnys                  // anys
	loopTyped                 // typed, first
	loopGoMap                 // gm, keys
	loopMap                   // om
	loopPairs                 // vals, each key before its value
)

// loopState is one running loop over a sequence whose length is known. A loop
// that begins or ends writes only what it uses: what an earlier loop left is
// wiped when the render ends.
type loopState struct {
	anys  []any // items of Go data; empty in loops of other kinds
	i, n  int
	kind  loopKind
	other bool // fields besides anys have been set since the last clear
	// Items that are structs: the type word of a pointer to one, and their size.
	record unsafe.Pointer
	size   uintptr
	typed  *slicePlan     // items of Go slices of other types, from first on
	first  unsafe.Pointer // see slicePlan
	vals   []Value        // items of anything else
	keys   []string       // sorted keys of gm
	gm     map[string]any // entries of a Go map
	om     *Map           // entries of an ordered map
	ctx    *LoopContext   // made when Jinja uses `loop` as a value
}

// clear forgets the data of a finished render. It writes few pointers: while the
// garbage collector marks, each costs as much as a look-up in a map.
func (ls *loopState) clear() {
	if ls.other {
		*ls = loopState{}
	} else if ls.anys != nil {
		ls.anys = nil
	}
	ls.n = 0
}

// startLoop readies ls for the items of v.
func (m *machine) startLoop(ls *loopState, v Value, mode code.LoopMode) error {
	ls.kind, ls.i, ls.n, ls.other = loopVals, 0, 0, true
	if ls.anys != nil {
		ls.anys = nil
	}
	if ls.ctx != nil {
		ls.ctx = nil
	}
	m.asNull(v)
	if v = m.env.resolved(v); m.env.stopped {
		return m.env.ended
	}
	switch mode {
	case code.ModePython:
		return m.startPython(ls, v)
	case code.ModeEntries:
		return m.startEntries(ls, v)
	}
	if ls.startList(v) {
		return nil
	}
	switch v.Kind() {
	case KindNull, KindUndefined:
		return nil
	case KindMap, KindHost:
		if v.Kind() == KindMap || isRecord(v) {
			return &Error{Kind: "type", Code: "PCC310", Msg: "a map has entries, not items",
				Help: "write `as key, value` to loop over a map"}
		}
	case KindList, KindTuple, KindIterator, KindObject:
		items, err := m.env.Items(v)
		ls.vals, ls.n = items, len(items)
		return err
	}
	return &Error{Kind: "type", Code: "PCC310", Msg: "cannot loop over " + v.Kind().Noun(),
		Help: "loop over a list, or `as key, value` over a map"}
}

// loopHead finds the variable in the text of a loop: "loop user.tags as t".
var loopHead = regexp.MustCompile(`^(?:loop\s+)?([\pL_][\pL\d_.]*)(?:\s|$)`)

// nameLoop adds to an error of a loop's start the name of what it walks. An entry of a
// prompt tree has no other form of loop to advise.
func nameLoop(err error, text string, isEntry bool) error {
	e, ok := err.(*Error)
	if !ok || e.Code != "PCC310" {
		return err
	}
	if m := loopHead.FindStringSubmatch(text); m != nil {
		named := *e
		named.Names = []string{m[1]}
		named.Msg += ", as `" + m[1] + "` is"
		if isEntry {
			named.Help = "give a list: the entries of the loop are rendered once for each of its items"
		}
		return &named
	}
	return err
}

// startAnys begins a loop over decoded data, the commonest.
func (ls *loopState) startAnys(items []any) {
	ls.kind, ls.anys, ls.i, ls.n = loopAnys, items, 0, len(items)
	if ls.ctx != nil {
		ls.ctx = nil
	}
}

// startTyped begins a loop over the slice whose header is at p. The loop keeps
// the items as they are at this moment, as Go's range does.
func (ls *loopState) startTyped(plan *slicePlan, p unsafe.Pointer) {
	ls.kind, ls.i, ls.other = loopTyped, 0, true
	ls.first, ls.n = headerOf(p)
	if ls.typed != plan {
		ls.typed, ls.record, ls.size = plan, nil, plan.size
		if plan.item.kind == loadAddress {
			ls.record = plan.item.word
		}
	}
	if ls.anys != nil {
		ls.anys = nil
	}
	if ls.ctx != nil {
		ls.ctx = nil
	}
}

func (m *machine) startPython(ls *loopState, v Value) error {
	if ls.startList(v) {
		return nil
	}
	items, err := m.env.Items(v)
	ls.vals, ls.n = items, len(items)
	return err
}

// startList starts a loop over a list whose items can be read where they lie:
// decoded data, a template's own list, or a Go slice of a type of its own. ok
// is false for everything else.
func (ls *loopState) startList(v Value) (ok bool) {
	switch x := v.ref.(type) {
	case []any:
		ls.startAnys(x)
		return true
	case *List:
		if x != nil {
			ls.vals, ls.n = x.Items, len(x.Items)
		}
		return true
	}
	plan, header, ok := itemsOf(v.ref)
	if ok {
		ls.startTyped(plan, header)
	}
	return ok
}

func (m *machine) startEntries(ls *loopState, v Value) error {
	switch x := v.ref.(type) {
	case map[string]any:
		if err := m.env.Charge(len(x) * 16); err != nil {
			return err
		}
		keys, err := sortedKeys(&m.env, x)
		ls.kind, ls.gm, ls.keys, ls.n = loopGoMap, x, keys, len(x)
		return err
	case *Map:
		ls.kind, ls.om, ls.n = loopMap, x, x.Len()
		return nil
	}
	if pairs, ok, err := m.env.plainEntries(v); ok {
		ls.kind, ls.vals, ls.n = loopPairs, entryValues(pairs), len(pairs)
		return err
	}
	switch v.Kind() {
	case KindNull, KindUndefined:
		return nil
	case KindMap, KindHost:
		if v.Kind() == KindMap || isRecord(v) {
			om, err := m.env.entries(v)
			if err != nil {
				return err
			}
			ls.kind, ls.om, ls.n = loopMap, om, om.Len()
			return nil
		}
	case KindList, KindTuple:
		return &Error{Kind: "type", Code: "PCC310", Msg: "a list has items, not entries",
			Help: "write `as name` to loop over a list; loop.index0 counts the iterations"}
	}
	return &Error{Kind: "type", Code: "PCC310", Msg: "cannot loop over the entries of " + v.Kind().Noun(),
		Help: "loop over a map"}
}

// bind puts the current item into its slots.
func (ls *loopState) bind(slots []Value, ins *code.Instr) {
	if code.LoopMode(ins.N) == code.ModeEntries {
		if ls.kind == loopMap {
			slots[ins.B], slots[ins.B+1] = ls.om.At(ls.i)
			return
		}
		if ls.kind == loopPairs {
			slots[ins.B], slots[ins.B+1] = ls.vals[2*ls.i], ls.vals[2*ls.i+1]
			return
		}
		k := ls.keys[ls.i]
		slots[ins.B], slots[ins.B+1] = String(k), Value{ref: ls.gm[k]}
		return
	}
	slots[ins.B] = ls.at(ls.i)
}

// at returns item i of a loop over items.
//
//go:noinline
func (ls *loopState) at(i int) Value {
	switch ls.kind {
	case loopAnys:
		return Of(ls.anys[i])
	case loopTyped:
		if i >= ls.n { // only code that no compiler made asks for it
			return Null
		}
		return ls.typed.itemAt(ls.first, i)
	}
	return ls.vals[i]
}

// has reports whether the loop has an item at i.
func (ls *loopState) has(i int) bool {
	switch ls.kind {
	case loopAnys:
		return i < len(ls.anys)
	case loopTyped:
		return i < ls.n
	}
	return i < len(ls.vals)
}

// field returns a field of `loop`.
func (ls *loopState) field(f code.LoopField) Value {
	switch f {
	case code.LoopIndex:
		return Int(int64(ls.i + 1))
	case code.LoopIndex0:
		return Int(int64(ls.i))
	case code.LoopFirst:
		return Bool(ls.i == 0)
	case code.LoopLast:
		return Bool(ls.i == ls.n-1)
	case code.LoopLength:
		return Int(int64(ls.n))
	case code.LoopRevindex:
		return Int(int64(ls.n - ls.i))
	case code.LoopRevindex0:
		return Int(int64(ls.n - ls.i - 1))
	}
	return Null
}

// loopObject is the `loop` variable used as a value: a snapshot of the turn in
// which it was read.
type loopObject struct {
	index, length int
}

// TypeName is the name that Python gives the type.
func (*loopObject) TypeName(*Env) string { return "loop" }

// Attr gives the fields.
func (o *loopObject) Attr(_ *Env, name string) (Value, bool) {
	ls := loopState{i: o.index, n: o.length}
	for f, n := range code.LoopFieldNames {
		if n == name {
			return ls.field(code.LoopField(f)), true
		}
	}
	return Null, false
}

func (ls *loopState) object() *loopObject {
	return &loopObject{index: ls.i, length: ls.n}
}
