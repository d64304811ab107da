package vm

import "github.com/pcc-lang/pcc/internal/code"

// templateContext is what a template's names are looked up in where several
// templates work together: the variables that it set at its top level, then
// those of the template that includes it, then the data.
type templateContext struct {
	img   *Image
	vars  *Map // set by the template, or handed to it
	outer *templateContext
	// isolated says that neither outer contexts nor the data are visible.
	isolated bool
	exports  map[string]bool // names that an import may read
	blocks   map[string][]blockCode
	parent   *Image // named by extends
	name     string // of the template that began
	chain    int    // how many parents came before
}

// blockCode is one definition of a block; a list of them goes from the child's
// to the outermost parent's.
type blockCode struct {
	img *Image
	def *code.Block
}

func newContext(img *Image, outer *templateContext, isolated bool) *templateContext {
	c := &templateContext{img: img, vars: NewMap(0), outer: outer, isolated: isolated, name: img.Name}
	c.addBlocks(img)
	return c
}

// contextSize is what a context of img takes of the memory budget, besides its
// variables.
func contextSize(img *Image) int { return 256 + mapSize + 128*len(img.Blocks) }

// addBlocks puts the blocks of img behind those that are there.
func (c *templateContext) addBlocks(img *Image) {
	if c.blocks == nil {
		c.blocks = make(map[string][]blockCode, len(img.Blocks))
	}
	for i := range img.Blocks {
		b := &img.Blocks[i]
		c.blocks[b.Name] = append(c.blocks[b.Name], blockCode{img, b})
	}
}

// resolve looks a name up.
func (m *machine) resolve(name string) Value {
	for c := m.ctx; ; c = c.outer {
		if c == nil {
			if v, ok := m.global(name); ok {
				return v
			}
			break
		}
		if v, ok := c.vars.Get(name); ok {
			return v
		}
		if c.isolated {
			if v, ok := m.env.Dialect.Globals[name]; ok {
				return m.ownGlobal(name, v)
			}
			break
		}
	}
	return m.env.undefinedOf(&Undefined{Name: name})
}

// context returns the running template's context, made at first use.
func (m *machine) context() *templateContext {
	if m.ctx == nil {
		m.env.Owe(contextSize(m.img))
		m.ctx = newContext(m.img, nil, false)
	}
	return m.ctx
}

// derive makes a context for a template or block that sees local variables.
func (m *machine) derive(img *Image, names []string, values []Value) *templateContext {
	outer := m.context()
	m.env.Owe(contextSize(img) + entryRoom*len(names))
	c := newContext(img, outer, false)
	for i, n := range names {
		if !values[i].isUnset() {
			c.vars.Set(n, values[i])
		}
	}
	return c
}

// snapshot copies the variables of a context and of those around it, for code
// that may run after they have changed.
func (m *machine) snapshot(c *templateContext) (*templateContext, error) {
	var first *templateContext
	for to := &first; c != nil; c, to = c.outer, &(*to).outer {
		if err := m.env.Charge(256 + mapSize + entryRoom*c.vars.Len()); err != nil {
			return nil, err
		}
		own := *c
		own.vars = c.vars.Clone()
		*to = &own
	}
	return first, nil
}

func (m *machine) export(name string, v Value) error {
	c := m.context()
	if _, err := m.env.Put(c.vars, String(name), v); err != nil {
		return err
	}
	if name != "" && name[0] != '_' && !c.exports[name] {
		if c.exports == nil {
			c.exports = map[string]bool{}
		}
		c.exports[name] = true
		return m.env.Hold(entrySize)
	}
	return nil
}

// payCompile pays for a template that is compiled: for the memory that it takes,
// and for the time.
func (e *Env) payCompile(bytes int64) error {
	if bytes > e.memory {
		return e.end(errMemory)
	}
	return e.Charge(int(bytes))
}

// load finds the template that name stands for: a name, or a list of names of
// which the first that is there counts. It returns nil where there is none and
// missing ones are ignored.
func (m *machine) load(name Value, flags int32) (*Image, error) {
	if m.img.Load == nil {
		return nil, &Error{Kind: "type", Code: "PCC326", Msg: "there is no folder to take other templates from",
			Help: "compile with WithFS, or from a file"}
	}
	var names []Value
	switch k := name.Kind(); {
	case flags&code.FlagOne != 0 && (k == KindList || k == KindMap):
		return nil, &Error{Kind: "type", Msg: "unhashable type: '" + m.env.TypeName(name) + "'",
			Help: "name one template; only include takes a list of names"}
	case flags&code.FlagOne != 0 && k != KindString && k != KindUndefined:
		// no template has such a name
	case k == KindString:
		names = []Value{name}
	case k == KindUndefined:
		return nil, m.env.undefinedError(name)
	case k == KindList || k == KindTuple || k == KindIterator || k == KindObject:
		var err error
		if names, err = m.env.Items(name); err != nil {
			return nil, err
		}
	default:
		if t, err := m.env.Truth(name); err != nil || t {
			return nil, m.env.Errorf("type", "the name of a template is a string, not a %s", m.env.TypeName(name))
		}
	}
	for _, n := range names {
		s, ok := n.Str()
		if !ok {
			continue
		}
		if err := m.env.Step(64 + len(s)/64); err != nil {
			return nil, err
		}
		img, err := m.img.Load(s, m.env.payCompile)
		if err != nil {
			return nil, err
		}
		if img == nil {
			continue
		}
		if !img.verified {
			return nil, &Error{Kind: "runtime", Msg: "the template `" + s + "` was not made by New"}
		}
		return img, nil
	}
	if flags&code.FlagIgnoreMissing != 0 {
		return nil, nil
	}
	return nil, &Error{Kind: "notfound", Msg: "there is no such template",
		Help: "names are relative to the folder of templates; `ignore missing` leaves out what is not there"}
}

// include enters another template, whose output is written here.
func (m *machine) include(r *registers, ins *code.Instr) error {
	n := len(r.st) - int(ins.N) - 1
	locals, name := r.st[n:n+int(ins.N)], r.st[n+int(ins.N)]
	r.st = r.st[:n]
	img, err := m.load(name, ins.A)
	if err != nil || img == nil {
		return err
	}
	var ctx *templateContext
	if ins.A&code.FlagIsolated != 0 {
		m.env.Owe(contextSize(img))
		ctx = newContext(img, nil, true)
	} else {
		ctx = m.derive(img, m.names(ins.B), locals)
	}
	if err := m.enter(r, &img.Functions[0], activation{img: img, ctx: ctx}, returnWrite, true, "include"); err != nil {
		return err
	}
	m.env.Autoescape = img.Autoescape
	return nil
}

// importTemplate enters another template for its exports.
func (m *machine) importTemplate(r *registers, ins *code.Instr) error {
	n := len(r.st) - int(ins.N) - 1
	locals, name := r.st[n:n+int(ins.N)], r.st[n+int(ins.N)]
	r.st = r.st[:n]
	img, err := m.load(name, code.FlagOne)
	if err != nil {
		return err
	}
	var ctx *templateContext
	if ins.A&code.FlagIsolated != 0 {
		m.env.Owe(contextSize(img))
		ctx = newContext(img, nil, true)
	} else if ctx, err = m.snapshot(m.derive(img, m.names(ins.B), locals)); err != nil {
		return err
	}
	if err := m.enter(r, &img.Functions[0], activation{img: img, ctx: ctx}, returnModule, true, "import"); err != nil {
		return err
	}
	m.env.Autoescape = img.Autoescape
	return nil
}

// extends names the parent template.
func (m *machine) extends(name Value) error {
	ctx := m.context()
	if ctx.parent != nil {
		return m.env.Errorf("runtime", "extended multiple times")
	}
	img, err := m.load(name, code.FlagOne)
	if err != nil {
		return err
	}
	ctx.parent = img
	ctx.addBlocks(img)
	return nil
}

// finish goes on with the parent template in place of the finished one.
func (m *machine) finishTemplate(r *registers) error {
	ctx := m.ctx
	if ctx == nil || ctx.parent == nil {
		return nil
	}
	if ctx.chain++; ctx.chain > m.env.limits.IncludeDepth {
		return &Error{Kind: "limit", Code: "PCC909", Msg: "templates extend one another deeper than the limit allows"}
	}
	img := ctx.parent
	ctx.parent, ctx.img = nil, img
	fn := &img.Functions[0]
	if err := m.env.Charge((fn.Slots+fn.MaxStack+fn.Loops*4)*valueSize + 256); err != nil {
		return err
	}
	m.activation = activation{img: img, ctx: ctx}
	if fn.Cells > 0 {
		m.cells = make([]*cell, fn.Cells)
	}
	m.env.Autoescape = img.Autoescape
	r.fn, r.code, r.pc = fn, fn.Code, 0
	r.slots, r.loops, r.st = make([]Value, fn.Slots), make([]loopState, fn.Loops), make([]Value, 0, fn.MaxStack)
	return nil
}

// block enters the innermost definition of a block.
func (m *machine) block(r *registers, ins *code.Instr) error {
	ctx := m.context()
	n := len(r.st) - int(ins.N)
	locals := r.st[n:]
	r.st = r.st[:n]
	list := ctx.blocks[ins.Key]
	if len(list) == 0 || ins.A&code.FlagRequired != 0 && len(list) <= 1 {
		return m.env.Errorf("runtime", "Required block '%s' not found", ins.Key)
	}
	if ins.A&code.FlagScoped != 0 {
		inner := m.derive(ctx.img, m.names(ins.B), locals)
		inner.blocks, inner.name = ctx.blocks, ctx.name
		ctx = inner
	}
	return m.enterBlock(r, ctx, list[0], returnWrite)
}

func (m *machine) enterBlock(r *registers, ctx *templateContext, b blockCode, kind returnKind) error {
	a := activation{img: b.img, ctx: ctx}
	return m.enter(r, &b.img.Functions[b.def.Func], a, kind, false, "block `"+b.def.Name+"`")
}

// super is the parent of the running definition of a block.
func (m *machine) super(name string, running *Function) Value {
	list := m.context().blocks[name]
	for i := range list {
		if &list[i].img.Functions[list[i].def.Func] == running {
			return m.env.parentBlock(m.ctx, name, i+1)
		}
	}
	return m.env.parentBlock(m.ctx, name, len(list))
}

func (e *Env) parentBlock(ctx *templateContext, name string, i int) Value {
	if i >= len(ctx.blocks[name]) {
		return e.undefinedOf(&Undefined{Name: "super", Message: "there is no parent block called " + quotePython(name) + "."})
	}
	return e.objectOf(&blockReference{ctx: ctx, name: name, at: i})
}

// blockReference is a block as a value: super, or self.name.
type blockReference struct {
	ctx  *templateContext
	name string
	at   int
}

func (b *blockReference) enter(m *machine, r *registers, kind returnKind) error {
	return m.enterBlock(r, b.ctx, b.ctx.blocks[b.name][b.at], kind)
}

// TypeName implements Object.
func (*blockReference) TypeName(*Env) string { return "BlockReference" }

// Call implements Caller; see closure.Call.
func (b *blockReference) Call(e *Env, _ []Value, _ []string) (Value, error) {
	return Null, e.Errorf("runtime", "a block can only be called by a template")
}

// Attr gives the block's own parent.
func (b *blockReference) Attr(e *Env, name string) (Value, bool) {
	if name == "super" {
		return e.parentBlock(b.ctx, b.name, b.at+1), true
	}
	return Null, false
}

// Print implements Printer.
func (b *blockReference) Print(_ *Env, dst []byte, _ bool) ([]byte, error) {
	return append(append(append(dst, "<BlockReference "...), quotePython(b.name)...), '>'), nil
}

// templateReference is `self`: the blocks of the template by name.
type templateReference struct{ ctx *templateContext }

// TypeName implements Object.
func (*templateReference) TypeName(*Env) string { return "TemplateReference" }

// Attr gives a block.
func (t *templateReference) Attr(e *Env, name string) (Value, bool) {
	if len(t.ctx.blocks[name]) == 0 {
		return Null, false
	}
	return e.objectOf(&blockReference{ctx: t.ctx, name: name}), true
}

// Print implements Printer.
func (t *templateReference) Print(_ *Env, dst []byte, _ bool) ([]byte, error) {
	name := "None"
	if t.ctx.name != "" {
		name = quotePython(t.ctx.name)
	}
	return append(append(append(dst, "<TemplateReference "...), name...), '>'), nil
}

// templateModule is what an import gives: a template's exports.
type templateModule struct {
	ctx  *templateContext
	name string
	body Value
}

// TypeName implements Object.
func (*templateModule) TypeName(*Env) string { return "TemplateModule" }

// Attr gives an export.
func (t *templateModule) Attr(_ *Env, name string) (Value, bool) {
	if t.ctx.exports[name] {
		return t.ctx.vars.Get(name)
	}
	return Null, false
}

// Print implements Printer: a module prints as what its template wrote.
func (t *templateModule) Print(_ *Env, dst []byte, repr bool) ([]byte, error) {
	if repr {
		return append(append(append(dst, "<TemplateModule "...), quotePython(t.name)...), '>'), nil
	}
	s, _ := t.body.Str()
	return append(dst, s...), nil
}

// importName reads one export.
func (m *machine) importName(module Value, name string) Value {
	t, ok := module.ref.(*templateModule)
	if ok {
		if v, found := t.Attr(&m.env, name); found {
			return v
		}
	}
	return m.env.undefinedOf(&Undefined{Name: name, Message: "the template does not export the requested name " + quotePython(name)})
}
