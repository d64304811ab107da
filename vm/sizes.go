package vm

import "github.com/pcc-lang/pcc/internal/size"

// Sizes in bytes, as the memory budget counts them.
const (
	listSize      = size.List
	tupleSize     = size.Tuple
	mapSize       = size.Map
	undefinedSize = size.Undefined
	objectSize    = size.Object
	valueSize     = size.Value
	entrySize     = 2 * valueSize
	// entryRoom is what an entry of a map takes that grows: key and value, a
	// place in the index, and the room that growing leaves.
	entryRoom = 160
	// bigSize is that of an integer beyond int64 besides its bits.
	bigSize = 48
)

// mapRoom is what a map of n entries takes, with its place among those that are
// copied.
func mapRoom(n int) int {
	if n <= mapScan {
		return mapSize + 48 + entrySize*n
	}
	return mapSize + 48 + entryRoom*n
}

// Hold takes n bytes from the memory budget and no steps: for what is small, and
// made by work that has been paid for.
func (e *Env) Hold(n int) error {
	if n < 0 || int64(n) > e.memory {
		return e.end(errMemory)
	}
	e.memory -= int64(n)
	return nil
}

// Owe is Hold where no error can be returned. Where the budget is overdrawn the
// next thing that is charged for fails, and without that none can be kept: only
// what grows keeps more than one value.
func (e *Env) Owe(n int) {
	if e != nil {
		e.memory -= int64(n)
	}
}

// GiveBack returns n bytes to the memory budget that were taken for a text which
// turned out shorter.
func (e *Env) GiveBack(n int) { e.memory += int64(n) }

// undefinedOf is UndefinedOf, with its memory.
func (e *Env) undefinedOf(u *Undefined) Value {
	e.Owe(undefinedSize + len(u.Message))
	return UndefinedOf(u)
}

// objectOf is ObjectOf for an object made anew, with its memory.
func (e *Env) objectOf(o Object) Value {
	e.Owe(objectSize)
	return ObjectOf(o)
}

var errMemory = &Error{Kind: "limit", Code: "PCC905", Msg: "the render needs more memory than its limit allows"}
