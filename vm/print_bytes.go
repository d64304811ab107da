package vm

// PythonBytes makes a value of Python's type bytes, as str.encode gives it: in
// Jinja it prints as b'…', while byte slices of the data print as text. In
// all else the two are the same.
func PythonBytes(b []byte) Value { return Value{ref: encodedBytes(b)} }

// encodedBytes is a byte slice that a template made.
type encodedBytes []byte

// appendPythonBytes writes Python's repr of bytes.
func (e *Env) appendPythonBytes(dst, b []byte) ([]byte, error) {
	quote := byte('\'')
	for _, c := range b {
		if c == '"' {
			quote = '\''
			break
		}
		if c == '\'' {
			quote = '"'
		}
	}
	dst = append(dst, 'b', quote)
	for i, c := range b {
		if i%bulkStep == bulkStep-1 {
			if err := e.poll(); err != nil {
				return dst, err
			}
		}
		switch {
		case c == quote || c == '\\':
			dst = append(dst, '\\', c)
		case c == '\n':
			dst = append(dst, '\\', 'n')
		case c == '\r':
			dst = append(dst, '\\', 'r')
		case c == '\t':
			dst = append(dst, '\\', 't')
		case c < ' ' || c >= 0x7f:
			dst = appendPythonEscape(dst, rune(c))
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, quote), nil
}
