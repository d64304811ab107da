package vm

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// decodeUnits are data whose values take much memory for their bytes, with how
// often they are repeated at the least size.
var decodeUnits = []struct{ name, open, unit, close string }{
	{"empty maps", "[", "{}", "]"},
	{"empty lists", "[", "[]", "]"},
	{"numbers", "[", "1", "]"},
	{"floats", "[", "1.0", "]"},
	{"nulls", "[", "null", "]"},
	{"texts", "[", `""`, "]"},
	{"long texts", "[", `"` + strings.Repeat("long text ", 100) + `"`, "]"},
	{"escaped texts", "[", `"\n"`, "]"},
	{"long escaped texts", "[", `"` + strings.Repeat(`\u0041`, 500) + `"`, "]"},
	{"small maps", "[", `{"a":1}`, "]"},
	{"small lists", "[", `[1]`, "]"},
	{"nested lists", "[", `[[[[[]]]]]`, "]"},
	{"nested maps", "[", `{"a":{"a":{"a":{}}}}`, "]"},
	{"keys", "{", `"%d":0`, "}"},
	{"escaped keys", "{", `"\u0041%d":0`, "}"},
	{"lists in a map", "{", `"%d":[]`, "}"},
	{"large integers", "[", strings.Repeat("9", 100), "]"},
	{"maps of twenty keys", "[", `{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1,"j":1,"k":1,"l":1,"m":1,"n":1,"o":1,"p":1,"q":1,"r":1,"s":1,"t":1}`, "]"},
}

func decodeText(n int, open, unit, end string) string {
	var b strings.Builder
	b.WriteString(open)
	for i := 0; b.Len() < n; i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		if strings.Contains(unit, "%d") {
			fmt.Fprintf(&b, unit, i)
		} else {
			b.WriteString(unit)
		}
	}
	b.WriteString(end)
	return b.String()
}

// TestDecodeMemory holds both decoders to their limit of memory, whatever the data
// consists of: what they allocate is at most five times what they charge for,
// what is let go of included, and some for each byte of the input.
func TestDecodeMemory(t *testing.T) {
	const size, limit = 256 << 10, 1 << 20
	spent := func(f func() error) (bytes int, err error) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err = f()
		runtime.ReadMemStats(&after)
		return int(after.TotalAlloc - before.TotalAlloc), err
	}
	refused := 0
	for _, u := range decodeUnits {
		text := decodeText(size, u.open, u.unit, u.close)
		for how, decode := range map[string]func(o DecodeOptions) error{
			"the scanner":       func(o DecodeOptions) error { _, ok := NewDecoder(o).scan(text); return scanned(ok) },
			"token by token":    func(o DecodeOptions) error { _, err := decodeJSON([]byte(text), o.orDefault()); return err },
			"the whole decoder": func(o DecodeOptions) error { _, err := DecodeJSON([]byte(text), o); return err },
		} {
			bytes, err := spent(func() error { return decode(DecodeOptions{MaxMemory: limit}) })
			if most := 2*5*limit + 16*len(text); bytes > most {
				t.Errorf("%s, %s: %d bytes are allocated, %d at most", u.name, how, bytes, most)
			}
			if err != nil {
				refused++
			}
			room := 8 * len(text)
			if raceEnabled { // pools then drop what they hold
				room *= 2
			}
			left := 1 << 30
			bytes, err = spent(func() error { return decode(DecodeOptions{MaxMemory: 1 << 30, Memory: &left}) })
			if err != nil {
				if u.name != "large integers" || how != "the scanner" { // which it leaves to the other
					t.Errorf("%s, %s: %v", u.name, how, err)
				}
				continue
			}
			if charged := 1<<30 - left; bytes > 3*charged+room || charged > 3*bytes+4096 {
				t.Errorf("%s, %s: %d bytes are charged for %d that are allocated", u.name, how, charged, bytes)
			}
		}
		var e *Error
		if _, err := DecodeJSON([]byte(text), DecodeOptions{MaxMemory: 2000}); u.name != "long texts" &&
			(!errors.As(err, &e) || e.Code != "PCC912" || e.At.Line != 1 || e.At.Offset == 0 || e.Help == "") {
			t.Errorf("%s: %v is no error of a limit with its place", u.name, err)
		}
	}
	if refused < len(decodeUnits) {
		t.Errorf("%d of the data reach the limit, so that the test shows nothing", refused)
	}
}

func scanned(ok bool) error {
	if ok {
		return nil
	}
	return errors.New("not read")
}

// TestDecodeMemoryOfRows: values that are kept together share what there is, and
// a decoder that is used again has all of it for each value.
func TestDecodeMemoryOfRows(t *testing.T) {
	left := 4000
	n := 0
	for ; n < 1000; n++ {
		if _, err := DecodeJSON([]byte(`{"a": [1, 2, {}]}`), DecodeOptions{Memory: &left}); err != nil {
			break
		}
	}
	if n < 4 || n > 20 {
		t.Errorf("4,000 bytes are enough for %d rows", n)
	}
	d := NewDecoder(DecodeOptions{MaxMemory: 4000})
	for range 1000 {
		if _, err := d.Decode(`{"a": [1, 2, {}]}`); err != nil {
			t.Fatal(err)
		}
	}
}
