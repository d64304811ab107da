package vm

import "reflect"

// This file finds the lists and maps that stay the caller's: copies are made of
// decoded data only, and what stands in a Go struct, or in a slice or a map of a
// type of its own, is the caller's for good.

// CallerOwned reports whether the list or map v is the caller's own and no copy, so
// that it must not be changed. Nothing is looked for until a method that changes
// values is called. The error is that of a limit.
func (e *Env) CallerOwned(v Value) (bool, error) {
	for len(e.unsearched) > 0 {
		last := len(e.unsearched) - 1
		x := e.unsearched[last]
		e.unsearched = e.unsearched[:last]
		f := finder{env: e, seen: map[typedPointer]bool{}}
		f.value(x)
		if err := f.run(); err != nil {
			return true, err
		}
	}
	return e.callerOwned[v.ref], nil
}

// finder walks Go values by reflection, with a stack of its own.
type finder struct {
	env   *Env
	seen  map[typedPointer]bool
	stack []reflect.Value
	// containers are the maps and slices that were walked.
	containers map[seenContainer]bool
}

// typedPointer is a pointer with its type: a struct and its first field have one
// address.
type typedPointer struct {
	typ reflect.Type
	at  uintptr
}

func (f *finder) value(v Value) {
	if isScalarRef(v.ref) {
		return
	}
	r := reflect.ValueOf(v.ref)
	if r.Kind() == reflect.Struct && !isDirect(r.Type()) { // where its fields are read, see structAt
		r = reflect.NewAt(r.Type(), ifaceOf(&v.ref).data).Elem()
	}
	f.stack = append(f.stack, r)
}

func (f *finder) run() error {
	for len(f.stack) > 0 {
		if err := f.env.Step(1); err != nil {
			return err
		}
		if err := f.env.StopError(); err != nil {
			return err
		}
		last := len(f.stack) - 1
		r := f.stack[last]
		f.stack = f.stack[:last]
		f.visit(r)
	}
	return f.env.StopError()
}

// visit pushes what is in r and can be reached by templates.
func (f *finder) visit(r reflect.Value) {
	switch r.Kind() {
	case reflect.Interface:
		f.stack = append(f.stack, r.Elem())
	case reflect.Pointer:
		at := typedPointer{r.Type(), r.Pointer()}
		if r.IsNil() || f.seen[at] {
			return
		}
		f.seen[at] = true
		f.pointer(r)
	case reflect.Struct:
		switch r.Type() {
		case valueType:
			if r.CanInterface() {
				f.value(r.Interface().(Value))
			}
			return
		case listType, ownMapType:
			if r.CanAddr() {
				f.stack = append(f.stack, r.Addr())
			}
			return
		}
		for i := range r.NumField() {
			if sf := r.Type().Field(i); (sf.IsExported() || sf.Anonymous) && mayHoldContainers(sf.Type) {
				f.stack = append(f.stack, r.Field(i))
			}
		}
	case reflect.Slice, reflect.Array:
		if mayHoldContainers(r.Type().Elem()) && !f.known(r) && f.push(r.Len()) {
			for i := range r.Len() {
				f.stack = append(f.stack, r.Index(i))
			}
		}
	case reflect.Map:
		if mayHoldContainers(r.Type().Elem()) && !f.known(r) && f.push(r.Len()) {
			for it := r.MapRange(); it.Next(); {
				f.stack = append(f.stack, it.Value())
			}
		}
	}
}

// known reports whether the map or slice r was walked before, and notes it.
func (f *finder) known(r reflect.Value) bool {
	if r.Kind() == reflect.Array || r.Len() == 0 {
		return false
	}
	at := seenContainer{typedPointer{r.Type(), r.Pointer()}, r.Len()}
	if f.containers[at] {
		return true
	}
	if f.containers == nil {
		f.containers = map[seenContainer]bool{}
	}
	f.env.Owe(2 * finderSize)
	f.containers[at] = true
	return false
}

// push pays for n values on the stack; where the budget does not allow them the
// walk ends with its error.
func (f *finder) push(n int) bool { return f.env.Charge(n*finderSize) == nil }

// finderSize is what a value on the stack takes while that grows.
const finderSize = 48

// seenContainer is a map or a slice: slices of one array may be of several
// lengths.
type seenContainer struct {
	typedPointer
	n int
}

func (f *finder) pointer(r reflect.Value) {
	if !r.CanInterface() {
		f.stack = append(f.stack, r.Elem())
		return
	}
	switch x := r.Interface().(type) {
	case *List:
		f.note(x)
		for _, item := range x.Items {
			f.value(item)
		}
	case *Map:
		f.note(x)
		for _, v := range x.vals {
			f.value(v)
		}
	case *Tuple:
		for _, item := range x.Items {
			f.value(item)
		}
	case Object: // what it gives is its own affair
	default:
		f.stack = append(f.stack, r.Elem())
	}
}

func (f *finder) note(x any) {
	if f.env.callerOwned == nil {
		f.env.callerOwned = map[any]bool{}
	}
	f.env.callerOwned[x] = true
}

var (
	listType   = reflect.TypeFor[List]()
	ownMapType = reflect.TypeFor[Map]()
)

// mayHoldContainers reports whether there may be a list or a map in a t.
func mayHoldContainers(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Interface, reflect.Pointer, reflect.Struct, reflect.Slice, reflect.Array, reflect.Map:
		return true
	}
	return false
}

// isScalarRef reports whether a value of ours that refers to x holds no others.
func isScalarRef(x any) bool {
	switch x.(type) {
	case nil, boolMark, intMark, floatMark, strPtr, safePtr, string, bool, int, int64, float64, []byte, []string:
		return true
	}
	return false
}
