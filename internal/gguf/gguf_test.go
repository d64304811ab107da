package gguf

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pcc-lang/pcc/internal/conformance"
)

// writer builds files value by value, so that a test can write what a correct
// writer would not.
type writer struct {
	bytes.Buffer
	order binary.AppendByteOrder
}

func newFile(order binary.AppendByteOrder, version uint32, keys uint64) *writer {
	w := &writer{order: order}
	w.WriteString("GGUF")
	w.u32(version)
	w.u64(0)
	w.u64(keys)
	return w
}

func (w *writer) u32(v uint32)  { w.Write(w.order.AppendUint32(nil, v)) }
func (w *writer) u64(v uint64)  { w.Write(w.order.AppendUint64(nil, v)) }
func (w *writer) text(s string) { w.u64(uint64(len(s))); w.WriteString(s) }
func (w *writer) key(s string, kind uint32) *writer {
	w.text(s)
	w.u32(kind)
	return w
}
func (w *writer) texts(items ...string) {
	w.u32(typeString)
	w.u64(uint64(len(items)))
	for _, s := range items {
		w.text(s)
	}
}

func read(b []byte) (*Metadata, error) { return Read(bytes.NewReader(b), int64(len(b))) }

// good is a file with everything that is read, and with values of all other
// types before it.
func good(order binary.AppendByteOrder, version uint32) []byte {
	w := newFile(order, version, 10)
	w.key(keyBOS, typeUint32).u32(1)
	w.key("general.quantized", typeBool).WriteByte(1)
	w.key("a.float", typeFloat64).u64(math.Float64bits(1))
	w.key("a.nested", typeArray)
	w.u32(typeArray)
	w.u64(2)
	for range 2 {
		w.u32(typeUint32)
		w.u64(1)
		w.u32(7)
	}
	w.key(keyTokens, typeArray)
	w.texts("<unk>", "<s>", "\xff", "</s>")
	w.key(keyEOS, typeInt64).u64(3)
	w.key(keyTemplate, typeString).text("{{ messages }}")
	w.key(keyTemplates, typeArray)
	w.texts("default", "tool_use")
	w.key(keyTemplate+".tool_use", typeString).text("{{ tools }}")
	w.key(keyTemplate+".rag", typeString).text("")
	return w.Bytes()
}

func TestRead(t *testing.T) {
	bos, eos := "<s>", "</s>"
	for _, version := range []uint32{2, 3} {
		for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
			got, err := read(good(order, version))
			if err != nil {
				t.Fatal(err)
			}
			want := &Metadata{Version: int(version), Template: "{{ messages }}", HasTemplate: true,
				Named: []Named{{"tool_use", "{{ tools }}"}, {"rag", ""}}, BOS: &bos, EOS: &eos}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("version %d, %v (-want +got):\n%s", version, order, d)
			}
		}
	}
}

// TestTruncated cuts a good file at every byte: whatever is missing is an
// error at a place inside the file.
func TestTruncated(t *testing.T) {
	whole := good(binary.LittleEndian, 3)
	for n := range whole {
		_, err := read(whole[:n])
		var e *Error
		if !errors.As(err, &e) || e.Kind != Truncated || e.Offset > int64(n) {
			t.Errorf("the first %d of %d bytes: %v", n, len(whole), err)
		}
	}
	// The same where the size is a lie of the file system.
	if _, err := Read(bytes.NewReader(whole[:50]), int64(len(whole))); err == nil {
		t.Error("a file shorter than its size gives no error")
	}
}

// TestChangedBytes changes each byte of a good file: nothing panics, and no
// error comes without a place inside the file.
func TestChangedBytes(t *testing.T) {
	whole := good(binary.LittleEndian, 3)
	for i := range whole {
		for _, v := range []byte{0, 1, 0x7f, 0x80, 0xff} {
			b := bytes.Clone(whole)
			b[i] = v
			_, err := read(b)
			var e *Error
			if err != nil && (!errors.As(err, &e) || e.Offset < 0 || e.Offset > int64(len(b))) {
				t.Errorf("byte %d = %d: %v", i, v, err)
			}
		}
	}
}

func TestFaults(t *testing.T) {
	le := binary.LittleEndian
	one := func(write func(*writer)) []byte {
		w := newFile(le, 3, 1)
		write(w)
		return append(w.Bytes(), make([]byte, 64)...)
	}
	for _, c := range []struct {
		name string
		file []byte
		kind Kind
	}{
		{"magic", []byte("{\"model\": 1}"), Magic},
		{"version", append(newFile(le, 1, 0).Bytes(), 0), Version},
		{"version 0", append(newFile(le, 0, 0).Bytes(), 0), Version},
		{"keys without end", newFile(le, 3, math.MaxUint64).Bytes(), Truncated},
		{"type", one(func(w *writer) { w.key("a", 13) }), Type},
		{"item type", one(func(w *writer) { w.key("a", typeArray).u32(99) }), Type},
		{"array size overflows", one(func(w *writer) { w.key("a", typeArray); w.u32(typeUint64); w.u64(1 << 61) }), Truncated},
		{"string size overflows", one(func(w *writer) { w.key("a", typeString).u64(math.MaxUint64) }), Truncated},
		{"empty key", one(func(w *writer) { w.key("", typeUint8) }), Key},
		{"key not ASCII", one(func(w *writer) { w.key("é", typeUint8) }), Key},
		{"key with a line break", one(func(w *writer) { w.key("a\nb", typeUint8) }), Key},
		{"boolean", one(func(w *writer) { w.key("a", typeBool).WriteByte(2) }), Bool},
		{"template a number", one(func(w *writer) { w.key(keyTemplate, typeUint32).u32(1) }), WrongType},
		{"named template a number", one(func(w *writer) { w.key(keyTemplate+".x", typeUint32).u32(1) }), WrongType},
		{"list of names a text", one(func(w *writer) { w.key(keyTemplates, typeString).text("x") }), WrongType},
		{"vocabulary of numbers", one(func(w *writer) { w.key(keyTokens, typeArray).u32(typeUint8); w.u64(1) }), WrongType},
		{"id a text", one(func(w *writer) { w.key(keyBOS, typeString).text("1") }), WrongType},
		{"id a float", one(func(w *writer) { w.key(keyEOS, typeFloat32).u32(1) }), WrongType},
		{"template not UTF-8", one(func(w *writer) { w.key(keyTemplate, typeString).text("\xc0\xaf") }), UTF8},
		{"name of nothing", one(func(w *writer) { w.key(keyTemplates, typeArray); w.texts("tool_use") }), MissingTemplate},
		{"nesting", one(func(w *writer) {
			w.key("a", typeArray)
			for range maxNesting + 1 {
				w.u32(typeArray)
				w.u64(1)
			}
		}), Depth},
	} {
		_, err := read(c.file)
		var e *Error
		if !errors.As(err, &e) || e.Kind != c.kind || e.Message == "" {
			t.Errorf("%s: %v, want an error of kind %s", c.name, err, c.kind)
		}
	}
}

func TestTokenIDs(t *testing.T) {
	for _, c := range []struct {
		id   uint64
		want string
		kind Kind
	}{
		{0, "a", ""}, {2, "c", ""}, {math.MaxUint64, "none", ""}, {3, "", TokenID}, {math.MaxUint64 - 1, "", TokenID},
	} {
		w := newFile(binary.LittleEndian, 3, 2)
		w.key(keyBOS, typeInt64).u64(c.id)
		w.key(keyTokens, typeArray)
		w.texts("a", "b", "c")
		m, err := read(w.Bytes())
		var e *Error
		switch {
		case c.kind != "":
			if !errors.As(err, &e) || e.Kind != c.kind {
				t.Errorf("id %d: %v, want kind %s", int64(c.id), err, c.kind)
			}
		case err != nil:
			t.Errorf("id %d: %v", int64(c.id), err)
		case c.want == "none" && m.BOS != nil, c.want != "none" && (m.BOS == nil || *m.BOS != c.want):
			t.Errorf("id %d: %v, want %s", int64(c.id), m.BOS, c.want)
		}
	}
}

// TestMemory reads files whose counts promise far more than they hold, and one
// that holds many small values: none costs more than a few times its size.
func TestMemory(t *testing.T) {
	many := newFile(binary.LittleEndian, 3, 1)
	many.key(keyTokens, typeArray).u32(typeString)
	many.u64(500_000)
	many.Write(make([]byte, 8*500_000)) // empty texts
	long := newFile(binary.LittleEndian, 3, 1)
	long.key(keyTemplates, typeArray).u32(typeString)
	long.u64(1 << 60)
	long.Write(make([]byte, 1<<20))
	for name, file := range map[string][]byte{"many tokens": many.Bytes(), "names without end": long.Bytes()} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := read(file)
		runtime.ReadMemStats(&after)
		if cost := after.TotalAlloc - before.TotalAlloc; cost > uint64(len(file))+1<<20 {
			t.Errorf("%s: %d bytes for a file of %d (%v)", name, cost, len(file), err)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(good(binary.LittleEndian, 3))
	f.Add(good(binary.BigEndian, 2))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := read(b)
		var e *Error
		if (m == nil) == (err == nil) || err != nil && !errors.As(err, &e) {
			t.Fatalf("%v, %v", m, err)
		}
	})
}

// TestConformance reads the files of the conformance folder.
func TestConformance(t *testing.T) {
	dir := conformance.Folder(t)
	index, err := os.ReadFile(filepath.Join(dir, "gguf", "index.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	type result struct {
		Version   int               `json:"version"`
		Template  *string           `json:"template"`
		Templates map[string]string `json:"templates"`
		BOS       *string           `json:"bos_token"`
		EOS       *string           `json:"eos_token"`
	}
	passed, rows := 0, 0
	for line := range strings.Lines(string(index)) {
		var row struct {
			ID, File, Also string
			Expect         *result
			Error          *struct{ Kind string }
			Truncate       []int `json:"truncate_each"`
		}
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		rows++
		file, err := os.ReadFile(filepath.Join(dir, "gguf", row.File))
		if err != nil {
			t.Fatal(err)
		}
		ok := true
		if row.Truncate != nil {
			for n := row.Truncate[0]; n < row.Truncate[1]; n++ {
				if _, err := read(file[:n]); err == nil {
					t.Errorf("%s: the first %d bytes give no error", row.ID, n)
					ok = false
				}
			}
		} else if m, err := read(file); err != nil {
			if row.Error == nil && row.Also != "error" {
				t.Errorf("%s: %v", row.ID, err)
				ok = false
			}
		} else if row.Expect == nil || row.Error != nil && row.Also != "expect" {
			t.Errorf("%s: read, want an error (%s)", row.ID, row.Error.Kind)
			ok = false
		} else {
			got := &result{Version: m.Version, Templates: map[string]string{}, BOS: m.BOS, EOS: m.EOS}
			if m.HasTemplate {
				got.Template = &m.Template
			}
			for _, n := range m.Named {
				got.Templates[n.Name] = n.Template
			}
			if d := cmp.Diff(row.Expect, got); d != "" {
				t.Errorf("%s (-want +got):\n%s", row.ID, d)
				ok = false
			}
		}
		if ok {
			passed++
		}
	}
	t.Logf("conformance gguf: %d/%d passed", passed, rows)
}
