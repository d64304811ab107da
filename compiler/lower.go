package compiler

import (
	"slices"
	"strings"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/internal/code"
	"github.com/pcc-lang/pcc/vm"
)

// lowerer makes instructions of a tree.
type lowerer struct {
	cfg      *config
	dialect  *vm.Dialect
	img      *vm.Image
	scopes   scopes
	code     *codeBuilder
	includes map[*ast.Include]*included
	contract map[string]bool // declared names; nil is none
	// typed are the declarations that bound what a variable equals.
	typed map[string]vm.Declared
	// declaredList are those in order, made when it is asked for.
	declaredList []string
	nearest      diag.Nearest
	policy       *code.Policy // for all placeholders; nil is each one's own
	chat         bool
	message      bool     // inside a message
	soft         bool     // inside a soft placeholder
	head         bool     // inside the head of a block
	compared     ast.Expr // what the head of a block is compared with, while it is lowered
	roles        roles
	usage        usage
	used         map[string]bool // contract names that are read
	elements     diag.List       // warnings of elements of XML with a contract name, if nothing reads it
	usesVars     bool            // the root map is read as a whole
	nearSeen     map[*source.File]bool
	undeclared   map[string]*diag.Diagnostic // those names, as reported
	errs         diag.List
	errors       int // added to errs, or left out
	warnings     int
	broken       bool // parts of the tree could not be read: what follows from that is not told
	documentState
	lang  language
	jinja *jinjaLowerer // state of lowering a Jinja template

	site    int32 // of the file being lowered
	file    *source.File
	angle   bool
	consts  map[vm.Value]int32
	lister  *variableLister // the program's
	strings map[string]int32

	// bytes is the length of the source with all that it includes. room is the
	// number of instructions that may still be made, of most; short says that the
	// memory is what bounds it, and over that it was too little.
	bytes int64
	room  int
	most  int
	short bool
	over  bool

	counts
	loader  includer
	keySlab keySlab
	// lastPath is the path that was split last: it is asked for several times.
	lastPath splitPath
	undefs   []vm.Undefined // not yet handed out
	// described is the number of them that were made.
	described int
}

// body lowers a list of nodes.
func (l *lowerer) body(nodes []ast.Node) {
	for _, n := range nodes {
		l.node(n)
	}
}

func (l *lowerer) node(n ast.Node) {
	span := n.Span()
	if l.room < 0 && !l.fits(span) {
		return
	}
	l.code.at(l.site, span)
	l.lang.node(n)
}

func (l nativeLanguage) node(n ast.Node) {
	switch n := n.(type) {
	case *ast.Text:
		l.text(n)
	case *ast.Output:
		l.output(n)
	case *ast.When:
		l.when(n)
	case *ast.Loop:
		l.loop(n)
	case *ast.Switch:
		l.switchNode(n)
	case *ast.Message:
		l.messageNode(n)
	case *ast.Messages:
		l.messages(n)
	case *ast.Include:
		l.include(n)
	case *ast.Comment, *ast.Bad:
	default:
		if !l.documentNode(n) {
			l.add(diag.New("PCC199", l.file, n.Span(), "this construct is not part of the language here"))
		}
	}
}

// text writes literal text. In a chat template blanks between messages vanish,
// and anything else there is an error.
func (l *lowerer) text(n *ast.Text) {
	if l.chat && !l.message {
		if strings.TrimSpace(n.Value) != "" {
			l.add(diag.New("PCC230", l.file, n.Span(), "text outside the messages of a chat template"))
		}
		return
	}
	if n.Value != "" {
		l.code.emit(code.Instr{Op: code.OpText, Text: n.Value})
	}
}

// output lowers a placeholder.
func (l *lowerer) output(n *ast.Output) {
	if l.chat && !l.message {
		l.add(diag.New("PCC230", l.file, n.Span(), "a placeholder outside the messages of a chat template"))
		return
	}
	if n.Soft && l.undeclaredSoft(n) {
		l.code.emit(code.Instr{Op: code.OpText, Text: n.Raw})
		return
	}
	if v, ok := l.constant(n.Expr); ok {
		env := vm.NewEnv(l.dialect, l.cfg.limits)
		if s, err := env.Str(v); err == nil {
			if s != "" {
				l.code.emit(code.Instr{Op: code.OpText, Text: s})
			}
			return
		}
	}
	before := len(l.code.ins)
	l.soft = n.Soft
	l.expr(n.Expr)
	l.soft = false
	l.code.at(l.site, n.Span())
	l.emit(before, l.out(n))
}

// emit writes the value of an expression whose code begins at before. Most are
// one read: that fuses at once, which spares its entry among the paths.
func (l *lowerer) emit(before int, out int32) {
	write := code.Instr{Op: code.OpEmit, B: out}
	last := len(l.code.ins) - 1
	if before == last && !l.cfg.off[PassFuse] {
		read := &l.code.ins[last]
		path := int32(-1)
		switch read.Op {
		case code.OpRoot:
			path = read.A
		case code.OpSlotKey:
			path = read.B
		}
		if join(read, &write, l.img) {
			l.code.places[last] = l.code.now
			if n := len(l.img.Paths) - 1; int(path) == n && n >= 0 {
				l.img.Paths = l.img.Paths[:n]
			}
			return
		}
	}
	l.code.emit(write)
}

// out adds the placeholder's entry.
func (l *lowerer) out(n *ast.Output) int32 {
	outs, o := extended(l.img.Outs)
	l.img.Outs = outs
	o.Raw, o.Name, o.Span, o.Site = n.Raw, strings.TrimSpace(l.file.Slice(n.Expr.Span())), n.Span(), l.site
	o.Policy, o.Style, o.Parts = l.policyOf(n), l.dialect.Style, l.lonePart
	l.documentOut(o, n)
	return int32(len(outs) - 1)
}

// extended returns s with one more value, and the address of that: it is zero, or
// what s held there before it was cut. Moving a value into a slice as a whole
// costs more than its stores while the collector marks.
func extended[T any](s []T) ([]T, *T) {
	n := len(s)
	if n < cap(s) {
		s = s[:n+1]
	} else {
		var zero T
		s = append(slices.Grow(s, n/2+1), zero)
	}
	return s, &s[n]
}

// policyOf is what the placeholder does without a value: the option's or the
// front matter's policy, else by its own kind. An `error` policy leaves soft
// angle tags alone unless a contract declares their name: most are markup.
func (l *lowerer) policyOf(n *ast.Output) code.Policy {
	if l.dialect.UndefinedObjects() {
		if l.policy != nil {
			return *l.policy
		}
		return code.Empty
	}
	if l.policy != nil {
		if *l.policy == code.Fail && n.Soft && l.angle && !l.declared(n.Expr) {
			return code.Keep
		}
		return *l.policy
	}
	if n.Soft || l.angle {
		return code.Keep
	}
	return code.Fail
}

// declared reports whether the contract declares the variable that e reads.
func (l *lowerer) declared(e ast.Expr) bool {
	name := rootName(e)
	return name != "" && l.contract[name]
}

// undeclaredSoft reports whether a soft placeholder reads a name that the
// contract does not declare: it is text then.
func (l *lowerer) undeclaredSoft(n *ast.Output) bool {
	if l.contract == nil {
		return false
	}
	name := rootName(n.Expr)
	if name == "" || l.contract[name] {
		return false
	}
	r := l.scopes.resolve(name)
	if r.local != nil || r.loop >= 0 || len(r.bares) > 0 {
		return false
	}
	l.softText(n, name)
	return true
}

// rootName is the variable that a path or filtered path starts from; that of
// vars["a b"] is `a b`.
func rootName(e ast.Expr) string {
	key := ""
	for {
		switch x := e.(type) {
		case *ast.Name:
			if x.Name == "vars" && key != "" {
				return key
			}
			return x.Name
		case *ast.Attr, *ast.Index:
			inner, k, _, ok := stringKey(x)
			if i, is := x.(*ast.Index); is && !ok {
				inner = i.X
			}
			e, key = inner, k
		case *ast.Filter:
			e = x.X
		default:
			return ""
		}
	}
}

func (l *lowerer) when(n *ast.When) {
	if n.Level {
		l.levelWhen(n)
		return
	}
	end := l.code.label()
	rest := n.Branches
	for len(rest) > 0 {
		if run := l.equalityRun(rest); run > 1 && !l.cfg.off[PassSwitch] {
			l.switchRun(rest[:run], end)
			rest = rest[run:]
			continue
		}
		b := &rest[0]
		rest = rest[1:]
		next := l.code.label()
		l.code.at(l.site, b.Head)
		l.usage.optional++
		l.checkTruth(b.Cond)
		l.inHead(func() { l.condition(b.Cond, next) })
		l.usage.optional--
		l.under(b.Cond, func() { l.branch(b.Body) })
		if len(rest) > 0 || n.HasElse {
			l.code.jump(code.OpJump, end)
		}
		l.code.place(next)
	}
	l.branch(n.Else)
	l.code.place(end)
}

// condition jumps to otherwise if e is false.
func (l *lowerer) condition(e ast.Expr, otherwise label) {
	switch e := e.(type) {
	case *ast.Unary:
		if e.Op == ast.Not {
			l.expr(e.X)
			l.code.jumpIf(true, otherwise)
			return
		}
	case *ast.Binary:
		if e.Op == ast.And {
			l.condition(e.X, otherwise)
			l.condition(e.Y, otherwise)
			return
		}
	}
	l.expr(e)
	l.code.jumpIf(false, otherwise)
}

// equalityRun counts how many of the first branches compare one path with a
// constant string each.
func (l *lowerer) equalityRun(branches []ast.Branch) int {
	if l.dialect.UndefinedObjects() && l.dialect.Undefined == vm.UndefinedStrict {
		return 0 // comparing a missing value must fail there
	}
	var first ast.Expr
	for i := range branches {
		path, _, ok := equality(branches[i].Cond)
		if !ok || i > 0 && !samePath(path, first) {
			return i
		}
		first = path
	}
	return len(branches)
}

// equality reads `path == "constant"`.
func equality(e ast.Expr) (path ast.Expr, c *ast.Literal, ok bool) {
	cmp, is := e.(*ast.Compare)
	if !is || len(cmp.Rest) != 1 || cmp.Rest[0].Op != ast.Eq {
		return nil, nil, false
	}
	c, is = cmp.Rest[0].Y.(*ast.Literal)
	if !is || c.Kind != ast.StringLit {
		return nil, nil, false
	}
	if _, _, is := pathOf(cmp.X); !is {
		return nil, nil, false
	}
	return cmp.X, c, true
}

// switchRun lowers branches that compare one path with constants to a switch.
// It ends behind the last body, where the branches that follow go on.
func (l *lowerer) switchRun(branches []ast.Branch, end label) {
	table := vm.Switch{Values: make([]vm.Value, 0, len(branches)), Targets: make([]int32, 0, len(branches))}
	next := l.code.label()
	bodies := make([]label, len(branches))
	for i, b := range branches {
		_, c, _ := equality(b.Cond)
		l.checkCompared(b.Cond.(*ast.Compare))
		bodies[i] = l.code.label()
		table.Values = append(table.Values, vm.String(c.Str))
		table.Targets = append(table.Targets, int32(bodies[i]))
	}
	table.Default = int32(next)
	l.code.at(l.site, branches[0].Head)
	l.usage.hint = "string"
	l.inHead(func() { l.maybe(func() { l.expr(branches[0].Cond.(*ast.Compare).X) }) })
	l.code.switchOn(l.table(table))
	for i, b := range branches {
		l.code.place(bodies[i])
		l.branch(b.Body)
		l.code.jump(code.OpJump, end)
	}
	l.code.place(next)
}

func (l *lowerer) table(t vm.Switch) int32 {
	l.img.Switches = append(l.img.Switches, t)
	return int32(len(l.img.Switches) - 1)
}

// switchNode lowers a switch tag. If all cases are constant they go into one
// table; one that is computed makes all of them be compared in turn.
func (l *lowerer) switchNode(n *ast.Switch) {
	if n.Level {
		l.levelSwitch(n)
		return
	}
	end := l.code.label()
	bodies := make([]label, len(n.Cases))
	for i := range n.Cases {
		bodies[i] = l.code.label()
	}
	fallback := l.code.label()
	allConst := true
	table := vm.Switch{Default: int32(fallback)}
	for i, c := range n.Cases {
		l.checkCaseValues(n.Subject, c.Values)
		for _, e := range c.Values {
			v, ok := l.constant(e)
			if !ok {
				allConst = false
				break
			}
			table.Values = append(table.Values, v)
			table.Targets = append(table.Targets, int32(bodies[i]))
		}
	}
	l.code.at(l.site, n.Subject.Span())
	if allConst {
		if len(table.Values) > 0 && table.Values[0].Kind() == vm.KindString {
			l.usage.hint = "string"
		}
		l.inHead(func() { l.maybe(func() { l.expr(n.Subject) }) })
		l.code.switchOn(l.table(table))
	} else {
		l.scopes.push()
		slot := l.scopes.newSlot()
		l.inHead(func() { l.maybe(func() { l.expr(n.Subject) }) })
		l.code.emit(code.Instr{Op: code.OpStore, A: int32(slot)})
		for i, c := range n.Cases {
			for _, e := range c.Values {
				l.code.at(l.site, e.Span())
				l.code.emit(code.Instr{Op: code.OpSlot, A: int32(slot)})
				l.compared = e
				l.inHead(func() { l.expr(e) })
				l.compared = nil
				l.code.emit(code.Instr{Op: code.OpCompare, N: uint16(code.CmpEq)})
				l.code.jumpIf(true, bodies[i])
			}
		}
		l.code.jump(code.OpJump, fallback)
		l.scopes.pop()
	}
	for i, c := range n.Cases {
		l.code.place(bodies[i])
		l.branch(c.Body)
		l.code.jump(code.OpJump, end)
	}
	l.code.place(fallback)
	l.branch(n.Default)
	l.code.place(end)
}

// loop lowers a native loop.
func (l *lowerer) loop(n *ast.Loop) {
	if n.Level {
		l.levelLoop(n)
		return
	}
	l.checkIter(n)
	otherwise, top, end := l.code.label(), l.code.label(), l.code.label()
	item := l.pathText(n.Iter, "[]")
	l.usage.hint = "list"
	if n.Mode == ast.LoopEntries {
		l.usage.hint = "map"
	}
	l.inHead(func() { l.maybe(func() { l.expr(n.Iter) }) })
	l.code.at(l.site, n.Head)

	sc := l.scopes.push()
	state := l.scopes.newLoop()
	slot := l.scopes.newSlot()
	mode := code.ModeItems
	sc.loop = state
	sc.path = item
	switch n.Mode {
	case ast.LoopEntries:
		mode = code.ModeEntries
		value := l.scopes.newSlot()
		if len(n.Target.Items) == 2 {
			l.scopes.declare(n.Target.Items[0].Name, binding{slot: slot})
			l.scopes.declare(n.Target.Items[1].Name, binding{slot: value, path: item})
		}
	case ast.LoopBare:
		sc.bare = slot
		l.scopes.declare("item", binding{slot: slot, path: item})
	default:
		l.scopes.declare(n.Target.Name, binding{slot: slot, path: item})
	}
	l.code.jumpWith(code.Instr{Op: code.OpLoop, A: int32(state), B: int32(slot), N: uint16(mode),
		Text: tagText(l.file.Slice(n.Head))}, otherwise)
	l.code.place(top)
	// An iteration needs what it reads; that there is one at all is no need of
	// every render, but the data of a loop's body is counted as if.
	l.cover(n.Body)
	l.body(n.Body)
	l.code.at(l.site, n.Head)
	l.code.jumpWith(code.Instr{Op: code.OpNext, A: int32(state), B: int32(slot), N: uint16(mode)}, top)
	l.code.emit(code.Instr{Op: code.OpEndLoop, A: int32(state)})
	if len(n.Else) > 0 {
		l.code.jump(code.OpJump, end)
	}
	l.scopes.pop()
	l.code.place(otherwise)
	l.branch(n.Else)
	l.code.place(end)
}

// tagText is a tag's text without its delimiters, for traces.
func tagText(s string) string {
	for len(s) > 0 && delimiter[s[0]] {
		s = s[1:]
	}
	for len(s) > 0 && delimiter[s[len(s)-1]] {
		s = s[:len(s)-1]
	}
	return strings.TrimSpace(s)
}

// delimiter holds the bytes that tags begin and end with, and blanks.
var delimiter = [1 << 8]bool{'{': true, '}': true, '<': true, '>': true, '%': true, '-': true, '+': true,
	' ': true, '\t': true, '\r': true, '\n': true}

func (l *lowerer) messageNode(n *ast.Message) {
	if l.message {
		l.add(diag.New("PCC231", l.file, n.Span(), "a message inside a message"))
		return
	}
	l.role(n.Role)
	l.checkMessageKeys(n)
	for _, a := range n.Attrs {
		l.expr(a.Value)
		l.code.emit(code.Instr{Op: code.OpMessageKey, N: keyRule(a.Name), Key: a.Name})
	}
	l.messageKeys(n)
	l.message, l.lonePart = true, n.Parts && lonePlaceholder(n.Body) != nil
	l.body(n.Body)
	l.message, l.lonePart = false, false
	if n.Content != nil || n.NoContent {
		l.messageContent(n)
	}
	l.code.at(l.site, n.Span())
	l.endMessage(n.Blank)
}

// keyRule is how a key of a message tag is set: a null leaves out all but
// content.
func keyRule(key string) uint16 {
	if key == "content" {
		return uint16(code.KeyAlways)
	}
	return uint16(code.KeyNotNull)
}

// messages lowers the tag that inserts a list of messages. A missing list has
// none.
func (l *lowerer) messages(n *ast.Messages) {
	if l.message {
		l.add(diag.New("PCC231", l.file, n.Span(), "`messages` inside a message"))
		return
	}
	l.usage.hint = "list"
	l.inHead(func() { l.maybe(func() { l.expr(n.List) }) })
	l.code.at(l.site, n.List.Span())
	const longest = 80 // of an expression in a message
	text := strings.TrimSpace(l.file.Slice(n.List.Span()))
	if len(text) > longest {
		text = "messages"
	}
	l.code.emit(code.Instr{Op: code.OpMessages, B: l.insertedRoles(), Key: text})
}

func isAngle(syntax string) bool { return strings.Contains(syntax, "angle") }
