package vm

import (
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/pcc-lang/pcc/internal/code"
)

// A shape is code bound to a type of the data: what reads a path through
// structs became an instruction with the place of the field in memory. Each of
// them looks at the type of the value that it finds, and takes the general way
// where that is another: a shape speeds code up and changes nothing else.
type shape struct {
	word unsafe.Pointer // type word of the data
	fn   *Function      // nil until the type is met again
}

// maxShapes is the number of types that a program binds itself to. Data of
// further types renders all the same.
const maxShapes = 4

// shapes are those that a program has met. The list is replaced, never changed.
type shapes struct {
	known atomic.Pointer[[]shape]
	mu    sync.Mutex // held to replace it
}

// function returns the code for data of the type word, or general where there
// is none. The second render of a type binds code to it: many programs render
// once.
func (s *shapes) function(img *Image, data any) *Function {
	general := &img.Functions[0]
	word := ifaceOf(&data).typ
	if known := s.known.Load(); known != nil {
		for i := range *known {
			if (*known)[i].word != word {
				continue
			}
			if fn := (*known)[i].fn; fn != nil {
				return fn
			}
			return s.add(img, shape{word, boundTo(img, data)})
		}
		if len(*known) >= maxShapes {
			return general
		}
	}
	if _, _, ok := structAt(data); ok {
		s.add(img, shape{word: word})
	}
	return general
}

// lookup returns the code that is bound to the type of data, nil where there is
// none.
func (s *shapes) lookup(data any) *Function {
	known := s.known.Load()
	if known == nil {
		return nil
	}
	word := ifaceOf(&data).typ
	for i := range *known {
		if (*known)[i].word == word {
			return (*known)[i].fn
		}
	}
	return nil
}

// boundTo binds img's code to the type of data; the general code where that
// gains nothing.
func boundTo(img *Image, data any) *Function {
	if fn := bind(img, reflect.TypeOf(data)); fn != nil {
		return fn
	}
	return &img.Functions[0]
}

// add makes a shape known and returns its code.
func (s *shapes) add(img *Image, x shape) *Function {
	s.mu.Lock()
	defer s.mu.Unlock()
	var known []shape
	if p := s.known.Load(); p != nil {
		known = slices.Clone(*p)
	}
	i := slices.IndexFunc(known, func(k shape) bool { return k.word == x.word })
	switch {
	case i < 0 && len(known) < maxShapes:
		known = append(known, x)
	case i >= 0 && known[i].fn == nil:
		known[i] = x
	}
	s.known.Store(&known)
	if x.fn == nil {
		return &img.Functions[0]
	}
	return x.fn
}

// binder rewrites the template's own function for data of one type. It walks
// the code once, in order, and follows what types the slots hold. That is a
// guess where code jumps about, which costs only speed: see shape.
type binder struct {
	img   *Image
	fn    *Function
	slots []reflect.Type // of structs, or pointers to them; nil is unknown
	items []reflect.Type // the same of the items of loops that are in no slot
	top   reflect.Type   // what the last instruction pushed; nil is unknown
	root  int32          // the slot that holds the data
}

// bind returns a copy of the template's function bound to data of type t, a
// struct or a pointer to one; nil where nothing in it could be bound.
func bind(img *Image, t reflect.Type) *Function {
	general := &img.Functions[0]
	for i := range general.Code {
		switch general.Code[i].Op {
		case code.OpScope: // names are then looked up elsewhere
			return nil
		}
	}
	fn := *general
	fn.Code = slices.Clone(general.Code)
	fn.Slots++
	b := &binder{img: img, fn: &fn, slots: make([]reflect.Type, fn.Slots), items: make([]reflect.Type, fn.Loops), root: int32(general.Slots)}
	b.slots[b.root] = t
	for pc := range fn.Code {
		b.instruction(pc)
	}
	if len(fn.fields) == 0 {
		return nil
	}
	if verifyFunction(img, &fn) != nil {
		return nil
	}
	fn.findRuns()
	return &fn
}

// instruction binds one instruction, if it can be.
func (b *binder) instruction(pc int) {
	ins := &b.fn.Code[pc]
	pushed := b.top
	b.top = nil
	switch ins.Op {
	case code.OpEmitRoot:
		b.field(ins, code.OpEmitField, b.root, &b.img.Outs[ins.B].Path)
	case code.OpEmitSlotKey:
		b.field(ins, code.OpEmitField, ins.A, &b.img.Outs[ins.B].Path)
	case code.OpRoot:
		b.push(pc, b.root, &b.img.Paths[ins.A])
	case code.OpSlotKey:
		b.push(pc, ins.A, &b.img.Paths[ins.B])
	case code.OpJumpRootFalse:
		b.field(ins, code.OpJumpFieldFalse, b.root, &b.img.Paths[ins.A])
	case code.OpJumpSlotKeyFalse:
		b.field(ins, code.OpJumpFieldFalse, ins.A, &b.img.Paths[ins.B])
	case code.OpSwitchSlotKey:
		b.field(ins, code.OpSwitchField, ins.A, &b.img.Paths[ins.B])
	case code.OpSlot:
		b.top = b.local(ins.A)
	case code.OpStore:
		b.slots[ins.A] = record(pushed)
	case code.OpLoop:
		var item reflect.Type
		if code.LoopMode(ins.N) == code.ModeEntries {
			b.slots[ins.B+1] = nil
		} else if pushed != nil && pushed.Kind() == reflect.Slice {
			item = record(pushed.Elem())
		}
		if ins.B < 0 {
			b.items[ins.A] = item
		} else {
			b.slots[ins.B] = item
		}
	}
}

// record returns t, as a pointer where it is a struct, if it reads as a map;
// else nil. Structs that are read from a field or a slice come as pointers.
func record(t reflect.Type) reflect.Type {
	switch {
	case t == nil:
		return nil
	case t.Kind() == reflect.Struct:
		t = reflect.PointerTo(t)
	case t.Kind() != reflect.Pointer:
		return nil
	}
	if !isPlain(t.Elem()) {
		return nil
	}
	return t
}

// local returns what is known of the type of local a, see machine.local.
func (b *binder) local(a int32) reflect.Type {
	if a >= 0 {
		return b.slots[a]
	}
	return b.items[^a]
}

// field turns ins into op, which reads path p from a local; false where nothing
// is known of the slot or of the path.
func (b *binder) field(ins *code.Instr, op code.Op, slot int32, p *Path) bool {
	_, ok := b.bound(ins, op, slot, p)
	return ok
}

func (b *binder) bound(ins *code.Instr, op code.Op, slot int32, p *Path) (reflect.Type, bool) {
	const most = 1 << 16
	a, t, ok := b.plan(b.local(slot), p, slot == b.root)
	if !ok || len(b.fn.fields) == most {
		return nil, false
	}
	ins.Op, ins.A, ins.N, ins.Key = op, slot, uint16(len(b.fn.fields)), strings.Join(p.Keys, ".")
	b.fn.fields = append(b.fn.fields, a)
	return t, true
}

// push binds a read that pushes. A loop over items takes the address of a slice:
// the slice itself would have to be copied to the heap. A loop over entries
// takes none: it refuses a list.
func (b *binder) push(pc int, slot int32, p *Path) {
	t, ok := b.bound(&b.fn.Code[pc], code.OpField, slot, p)
	if !ok {
		return
	}
	a := &b.fn.fields[len(b.fn.fields)-1]
	if a.taken < len(p.Keys) {
		return
	}
	b.top = t
	if pc+1 == len(b.fn.Code) || t.Kind() != reflect.Slice {
		return
	}
	if next := &b.fn.Code[pc+1]; next.Op == code.OpLoop && code.LoopMode(next.N) != code.ModeEntries {
		if a.items = newSlicePlan(typeWord(reflect.PointerTo(t)), reflect.PointerTo(t)); a.items != nil {
			a.list = a.items.word
		}
	}
}

// plan finds where in memory a path leads from a value of type from, which is a
// struct or a pointer to one; t is the type of what it leads to. Keys behind
// the first that is no field of a struct are left to be looked up.
func (b *binder) plan(from reflect.Type, p *Path, root bool) (a access, t reflect.Type, ok bool) {
	if from == nil {
		return a, nil, false
	}
	a = access{word: typeWord(from), path: p, root: root}
	t = from
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	env := Env{Dialect: b.img.Dialect}
	for i, key := range p.Keys {
		st := t
		if i > 0 && t.Kind() == reflect.Pointer {
			st = t.Elem()
		}
		if !isPlain(st) || isObject(st) {
			break
		}
		// In Jinja a method of maps goes before a key of its name. Variables are
		// no attributes.
		if b.img.Dialect.AttributesFirst() && !p.Item[i] && !(root && i == 0) && env.isMapAttribute(key) {
			break
		}
		plan := planOf(st)
		f, known := plan.byName[key]
		if !known {
			break
		}
		if st != t {
			a.hops, a.offset = append(a.hops, a.offset), 0
		}
		t = a.step(st, plan.fields[f].index)
		a.taken = i + 1
	}
	a.load = loadOf(t)
	if len(a.hops) == 0 && a.taken == len(p.Keys) {
		a.plain = a.load.kind
	}
	return a, t, a.taken > 0
}

// step goes on from a struct of type t to one of its fields, through embedded
// structs, and returns the field's type.
func (a *access) step(t reflect.Type, index []int) reflect.Type {
	for _, x := range index {
		if t.Kind() == reflect.Pointer {
			a.hops, a.offset = append(a.hops, a.offset), 0
			t = t.Elem()
		}
		f := t.Field(x)
		a.offset += f.Offset
		t = f.Type
	}
	return t
}

func isObject(t reflect.Type) bool {
	return t.Implements(objectType) || reflect.PointerTo(t).Implements(objectType)
}

// field reads what an access leads to from the value v of its slot.
func (m *machine) field(a *access, v Value) (Value, error) {
	x, ok := a.read(*ifaceOf(&v.ref))
	switch {
	case ok && a.taken == len(a.path.Keys):
		return x, nil
	case ok:
		return m.follow(x, a.path, a.taken)
	case a.root:
		return m.rootPath(a.path)
	}
	return m.path(v, a.path)
}
