// Package size holds the sizes of values in bytes, as the memory budget of a
// render counts them: package vm charges for them, and so do the builtins of
// package stdlib that make values.
package size

// What a value takes where it lies: in a list, in a slot.
const Value = 24

// What a value that refers to something takes besides the items, entries and
// texts that it holds.
const (
	List      = 32
	Tuple     = 48
	Map       = 112
	Undefined = 80
	// Object is that of an object made of a few words: a bound method, a
	// reference to a block.
	Object = 64
	// Iterator is that of a lazy sequence with the functions that it is made of
	// and what they hold, and Method that of a builtin which is made for one
	// value.
	Iterator = 512
	Method   = 512
)
