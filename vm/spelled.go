package vm

// spelled is a number or boolean of a YAML document whose spelling says more
// than its type: 1.10, 01234, yes. It counts as its value everywhere, and
// prints as it is written.
type spelled struct {
	value Value
	text  string
}

// Spelled makes a value that counts as v and prints as text.
func Spelled(v Value, text string) Value { return Value{ref: &spelled{canonical(v), text}} }
