package stdlib

import (
	"math"
	"math/bits"
	"strconv"

	"github.com/pcc-lang/pcc/internal/size"
	"github.com/pcc-lang/pcc/vm"
)

// maxSandboxRange is MAX_RANGE of Jinja's sandbox.
const maxSandboxRange = 100_000

// rangeObject is Python's range: start, start+step, … before stop. Its items
// are computed, so that its size costs nothing.
type rangeObject struct {
	start, stop, step int64
	n                 uint64 // number of items
}

// newRange checks that step is not 0 and counts the items without overflow.
func newRange(start, stop, step int64) *rangeObject {
	r := &rangeObject{start: start, stop: stop, step: step}
	switch {
	case step > 0 && start < stop:
		r.n = (uint64(stop)-uint64(start)-1)/uint64(step) + 1
	case step < 0 && start > stop:
		// -(step+1)+1 as unsigned, so that the smallest step does not overflow.
		r.n = (uint64(start)-uint64(stop)-1)/(uint64(-(step+1))+1) + 1
	}
	return r
}

func (r *rangeObject) at(i uint64) int64 {
	_, lo := bits.Mul64(i, uint64(r.step)) // wraps around as two's complement does
	return int64(uint64(r.start) + lo)
}

func (*rangeObject) TypeName(*vm.Env) string { return "range" }

// Len implements vm.Lener.
func (r *rangeObject) Len() int {
	if r.n > math.MaxInt {
		return math.MaxInt
	}
	return int(r.n)
}

// Iterate implements vm.Iterable.
func (r *rangeObject) Iterate() *vm.Iterator {
	var i uint64
	return &vm.Iterator{Name: "range_iterator", Next: func() (vm.Value, bool, error) {
		if i >= r.n {
			return vm.Null, false, nil
		}
		i++
		return vm.Int(r.at(i - 1)), true, nil
	}}
}

// Index implements vm.Indexer.
func (r *rangeObject) Index(env *vm.Env, key vm.Value) (vm.Value, bool, error) {
	if _, isText := key.Str(); isText {
		return vm.Null, false, nil
	}
	k, err := intArg(env, key, "index")
	if err != nil {
		return vm.Null, false, nil
	}
	i := uint64(k)
	if k < 0 {
		if uint64(-(k+1))+1 > r.n {
			return vm.Null, false, nil
		}
		i = r.n - (uint64(-(k + 1)) + 1)
	}
	if i >= r.n {
		return vm.Null, false, nil
	}
	return vm.Int(r.at(i)), true, nil
}

// Slice implements vm.Slicer: a slice of a range is a range.
func (r *rangeObject) Slice(env *vm.Env, lo, hi, step vm.Value) (vm.Value, error) {
	from, end, count, by, err := env.SliceBounds(r.Len(), lo, hi, step)
	if err != nil {
		return vm.Null, err
	}
	newStep := r.step * int64(by)
	// A step beyond the length takes one item, and is written all the same.
	if s, ok := step.Int64(); ok {
		if hi, low := bits.Mul64(abs64(r.step), abs64(s)); hi == 0 && low < 1<<63 {
			newStep = r.step * s
		}
	}
	env.Owe(size.Object)
	return vm.ObjectOf(&rangeObject{start: r.start + int64(from)*r.step, stop: r.start + int64(end)*r.step,
		step: newStep, n: uint64(max(count, 0))}), nil
}

// position finds the item that equals x; ok is false where there is none.
func (r *rangeObject) position(env *vm.Env, x vm.Value) (i uint64, ok bool) {
	v, isInt := x.Int64()
	if !isInt {
		if b, isBool := x.AsBool(); isBool && env.Dialect.BoolsAreNumbers() {
			v = int64(boolInt(b))
		} else if f, isFloat := x.Float64(); isFloat && f == math.Trunc(f) && math.Abs(f) < 1<<62 {
			v = int64(f)
		} else {
			return 0, false
		}
	}
	lo, hi := r.start, r.stop
	if r.step < 0 {
		if v > lo || v <= hi {
			return 0, false
		}
		gap, unit := uint64(lo)-uint64(v), uint64(-(r.step+1))+1
		return gap / unit, gap%unit == 0
	}
	if v < lo || v >= hi {
		return 0, false
	}
	gap := uint64(v) - uint64(lo)
	return gap / uint64(r.step), gap%uint64(r.step) == 0
}

// Contains implements vm.Container.
func (r *rangeObject) Contains(env *vm.Env, x vm.Value) (bool, error) {
	_, ok := r.position(env, x)
	return ok, nil
}

// Equal implements vm.Equaler: ranges are equal that give the same items.
func (r *rangeObject) Equal(_ *vm.Env, other vm.Value) (equal, known bool) {
	o, _ := other.Object()
	x, ok := o.(*rangeObject)
	if !ok {
		return false, false
	}
	return r.n == x.n && (r.n == 0 || r.start == x.start && (r.n == 1 || r.step == x.step)), true
}

// Attr implements vm.Attributer.
func (r *rangeObject) Attr(env *vm.Env, name string) (vm.Value, bool) {
	switch name {
	case "start":
		return vm.Int(r.start), true
	case "stop":
		return vm.Int(r.stop), true
	case "step":
		return vm.Int(r.step), true
	case "count":
		return method(env, "count", "value", func(env *vm.Env, args []vm.Value) (vm.Value, error) {
			_, ok := r.position(env, args[0])
			return vm.Int(int64(boolInt(ok))), nil
		}), true
	case "index":
		return method(env, "index", "value", func(env *vm.Env, args []vm.Value) (vm.Value, error) {
			i, ok := r.position(env, args[0])
			if !ok {
				return vm.Null, env.Errorf("value", "the value is not in range")
			}
			return vm.Int(int64(i)), nil
		}), true
	}
	return vm.Null, false
}

// Print implements vm.Printer.
func (r *rangeObject) Print(_ *vm.Env, dst []byte, _ bool) ([]byte, error) {
	dst = append(dst, "range("...)
	dst = strconv.AppendInt(dst, r.start, 10)
	dst = append(dst, ", "...)
	dst = strconv.AppendInt(dst, r.stop, 10)
	if r.step != 1 {
		dst = append(dst, ", "...)
		dst = strconv.AppendInt(dst, r.step, 10)
	}
	return append(dst, ')'), nil
}

// rangeFunction is range(stop), range(start, stop) and range(start, stop,
// step). The native language gives a list.
func rangeFunction(env *vm.Env, args []vm.Value) (vm.Value, error) {
	given, _ := unpackRest(args[0], vm.Null)
	switch n := len(given); {
	case n == 0:
		return vm.Null, env.Errorf("type", "range expected at least 1 argument, got 0")
	case n > 3:
		return vm.Null, env.Errorf("type", "range expected at most 3 arguments, got %d", n)
	}
	bounds := [3]int64{0, 0, 1}
	for i, v := range given {
		n, err := intArg(env, v, "each argument of range")
		if err != nil {
			return vm.Null, err
		}
		bounds[i] = int64(n)
	}
	if len(given) == 1 {
		bounds[0], bounds[1] = 0, bounds[0]
	}
	if bounds[2] == 0 {
		return vm.Null, &vm.Error{Kind: "value", Msg: "range() arg 3 must not be zero", Help: "give a step other than 0"}
	}
	r := newRange(bounds[0], bounds[1], bounds[2])
	if env.Dialect.Sandbox != vm.SandboxNone && r.n > maxSandboxRange {
		return vm.Null, &vm.Error{
			Kind: "overflow",
			Msg:  "Range too big. The sandbox blocks ranges larger than MAX_RANGE (100000).",
			Help: "loop over fewer items",
		}
	}
	if env.Dialect.LazyResults() {
		return vm.ObjectOf(r), env.Hold(size.Object)
	}
	if err := chargeItems(env, r.Len()); err != nil {
		return vm.Null, err
	}
	items := make([]vm.Value, r.n)
	var pace vm.Pace
	for i := range items {
		if pace.Stopped(env, size.Value) {
			break
		}
		items[i] = vm.Int(r.at(uint64(i)))
	}
	return listOf(env, items), nil
}

// abs64 is the distance of n from zero; that of the smallest integer fits.
func abs64(n int64) uint64 {
	if n < 0 {
		return -uint64(n)
	}
	return uint64(n)
}
