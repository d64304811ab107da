package vm

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"maps"
	"math"
	"slices"

	"github.com/pcc-lang/pcc/internal/code"
)

// ID is a fingerprint of what the program renders: 64 hexadecimal digits. It is the
// same on every machine and in every process, and changes with any text, condition,
// variable, default, role, tool or parameter, and with those of the templates that
// it names; not with comments, the names and folders of its files, where they stand
// in them, or what Meta holds. Functions of the host count by their names. Other
// versions of the compiler may give the same source another ID.
func (p *Program) ID() string {
	h := hasher{Hash: sha256.New(), seen: map[string]bool{}}
	h.text("pcc program 1")
	h.image(p.img)
	return hex.EncodeToString(h.Sum(nil))
}

// hasher writes what makes a program into a hash. Each text has its length before
// it, each list its number of items, so that no two programs write the same.
type hasher struct {
	hash.Hash
	buf  [8]byte
	seen map[string]bool // templates that it went into
}

func (h *hasher) number(n int64) {
	binary.LittleEndian.PutUint64(h.buf[:], uint64(n))
	h.Write(h.buf[:])
}

func (h *hasher) text(s string) {
	h.number(int64(len(s)))
	h.Write([]byte(s))
}

func (h *hasher) flags(flags ...bool) {
	for _, f := range flags {
		if f {
			h.number(1)
		} else {
			h.number(0)
		}
	}
}

func (h *hasher) texts(list []string) {
	h.number(int64(len(list)))
	for _, s := range list {
		h.text(s)
	}
}

func (h *hasher) numbers(list []int32) {
	h.number(int64(len(list)))
	for _, n := range list {
		h.number(int64(n))
	}
}

// value writes a constant. Constants are no deeper than the sources are nested.
func (h *hasher) value(v Value) {
	h.number(int64(v.Kind()))
	switch v.Kind() {
	case KindFloat:
		f, _ := v.Float64()
		h.number(int64(math.Float64bits(f)))
	case KindMap:
		m, ok := v.Map()
		if !ok {
			return
		}
		h.number(int64(m.Len()))
		for i := range m.Len() {
			k, x := m.At(i)
			h.value(k)
			h.value(x)
		}
		return
	case KindList, KindTuple:
		n, _ := seqLen(v)
		h.number(int64(n))
		for i := range n {
			h.value(seqAt(v, i))
		}
		return
	case KindString:
		s, _ := v.Str()
		h.flags(v.IsSafe())
		h.text(s)
		return
	}
	h.text(string(AppendJSON(nil, v, JSONOptions{})))
}

func (h *hasher) values(list []Value) {
	h.number(int64(len(list)))
	for _, v := range list {
		h.value(v)
	}
}

func (h *hasher) maybeMap(m *Map) {
	if h.flags(m != nil); m != nil {
		h.value(MapOf(m))
	}
}

func (h *hasher) dialect(d *Dialect) {
	h.text(d.Name)
	h.number(int64(d.Style))
	h.number(int64(d.Undefined))
	h.number(int64(d.Sandbox))
	h.flags(d.Python)
	h.text(d.Newline)
}

func (h *hasher) path(p *Path) {
	h.texts(p.Keys)
	h.flags(p.Item...)
}

func (h *hasher) image(img *Image) {
	h.dialect(img.Dialect)
	h.number(int64(len(img.Dialects)))
	for _, d := range img.Dialects {
		h.dialect(d)
	}
	h.number(int64(len(img.Functions)))
	for i := range img.Functions {
		h.function(&img.Functions[i])
	}
	h.values(img.Consts)
	h.number(int64(len(img.Paths)))
	for i := range img.Paths {
		h.path(&img.Paths[i])
	}
	h.number(int64(len(img.Outs)))
	for i := range img.Outs {
		o := &img.Outs[i]
		if o.Policy == code.Keep { // else it is not printed
			h.text(o.Raw)
		}
		h.path(&o.Path)
		h.number(int64(o.Policy))
		h.number(int64(o.Style))
		h.flags(o.KeepNull, o.Parts)
		h.text(o.Indent)
	}
	h.number(int64(len(img.Names)))
	for _, names := range img.Names {
		h.texts(names)
	}
	h.number(int64(len(img.SlotLists)))
	for _, slots := range img.SlotLists {
		h.numbers(slots)
	}
	h.number(int64(len(img.Builtins)))
	for _, b := range img.Builtins {
		h.text(b.Name)
	}
	h.number(int64(len(img.Switches)))
	for i := range img.Switches {
		s := &img.Switches[i]
		h.values(s.Values)
		h.numbers(s.Targets)
		h.number(int64(s.Default))
	}
	for _, name := range slices.Sorted(maps.Keys(img.Spelled)) {
		h.text(name)
		h.text(img.Spelled[name])
	}
	h.flags(img.Chat, img.Autoescape, img.Mutates, img.FlatNames, img.EmptyIsMissing, img.Tree, img.Host, img.Strict)
	h.jinja(img)
	h.document(img)
	h.templates(img)
}

func (h *hasher) function(f *Function) {
	h.text(f.Name)
	h.number(int64(len(f.Code)))
	for i := range f.Code {
		ins := &f.Code[i]
		h.text(ins.Op.String())
		h.number(int64(ins.N))
		h.numbers([]int32{ins.A, ins.B, ins.Target})
		if ins.Op != code.OpLoop { // where that is for traces
			h.text(ins.Text)
		}
		h.text(ins.Key)
	}
}

func (h *hasher) jinja(img *Image) {
	h.number(int64(len(img.Macros)))
	for i := range img.Macros {
		m := &img.Macros[i]
		h.text(m.Name)
		h.texts(m.Params)
		h.numbers([]int32{m.Func, m.Caller, m.Varargs, m.Kwargs})
		h.numbers(m.Captures)
		h.flags(m.ExplicitCaller, m.Recursive)
	}
	h.number(int64(len(img.Blocks)))
	for i := range img.Blocks {
		b := &img.Blocks[i]
		h.text(b.Name)
		h.number(int64(b.Func))
		h.flags(b.Required)
	}
}

func (h *hasher) document(img *Image) {
	h.number(int64(len(img.Sections)))
	for i := range img.Sections {
		s := &img.Sections[i]
		h.text(s.Name)
		h.text(s.Prompt)
		h.number(int64(len(s.Paths)))
		for j := range s.Paths {
			h.path(&s.Paths[j])
		}
		h.number(int64(s.Text))
		h.flags(s.HasText)
	}
	if x := img.Exact; x != nil {
		h.texts(x.Required)
		h.texts(x.Optional)
		h.flags(x.Brace)
	}
	h.maybeMap(img.Defaults)
	h.flags(img.Contract != nil)
	h.number(int64(len(img.Contract)))
	for i := range img.Contract {
		d := &img.Contract[i]
		h.text(d.Name)
		h.text(d.Type)
		h.flags(d.Required)
		h.values(d.Enum)
	}
	h.texts(img.RequestKeys)
	h.maybeMap(img.Request)
	h.number(int64(img.RequestCode))
}

// templates writes the templates that code takes in by a name that is fixed.
func (h *hasher) templates(img *Image) {
	if img.Load == nil {
		return
	}
	for i := range img.Functions {
		ins := img.Functions[i].Code
		for pc := range ins {
			switch ins[pc].Op {
			case code.OpInclude, code.OpImport, code.OpExtends:
			default:
				continue
			}
			// The name, or a list of names, is what was pushed last.
			for at := pc - 1; at >= 0 && (ins[at].Op == code.OpConst || ins[at].Op == code.OpMake); at-- {
				if ins[at].Op == code.OpMake {
					continue
				}
				for _, name := range templateNames(img.Consts[ins[at].A]) {
					h.template(img, name)
				}
			}
		}
	}
}

// templateNames are the names that a constant gives: a text, or a list of them.
func templateNames(v Value) []string {
	if s, ok := v.Str(); ok {
		return []string{s}
	}
	var names []string
	if n, ok := seqLen(v); ok {
		for i := range n {
			if s, ok := seqAt(v, i).Str(); ok {
				names = append(names, s)
			}
		}
	}
	return names
}

// mostTemplates bounds the templates that a program takes in.
const mostTemplates = 1000

func (h *hasher) template(img *Image, name string) {
	key := img.Name + "\x00" + name // other folders may have another one of that name
	if h.seen[key] || len(h.seen) >= mostTemplates {
		return
	}
	h.seen[key] = true
	sub, err := img.Load(name, func(int64) error { return nil })
	if err != nil || sub == nil {
		h.text("not there")
		return
	}
	h.text("template")
	h.image(sub)
}
