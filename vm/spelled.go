package vm

// spelled is a number or boolean of a YAML document whose spelling says more
// than its type: 1.10, yes. It counts as its value everywhere, and prints as it
// is written; inside lists, maps and JSON only numbers do.
type spelled struct {
	value Value
	text  string
	// host says that text is what a method of the host gives the value: it is
	// its text everywhere, see hostText.
	host bool
}

// Spelled makes a value that counts as v and prints as text.
func Spelled(v Value, text string) Value {
	return Value{ref: &spelled{value: canonical(v), text: text}}
}

// spelledNumber is the spelling of a number, for printing inside a container.
func spelledNumber(v Value) (string, bool) {
	s, ok := v.ref.(*spelled)
	if !ok || s.value.Kind() == KindBool {
		return "", false
	}
	return s.text, isNumberText(s.text)
}
