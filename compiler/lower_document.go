package compiler

import (
	"slices"
	"strings"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/internal/code"
	"github.com/pcc-lang/pcc/vm"
)

// This file lowers what only documents have: texts of other files, structured
// content, sections, and prompt trees.

// documentState is what the lowerer knows of the document around a node.
type documentState struct {
	rules ast.Rules
	// lonePart says that the placeholder being lowered is all of a message's
	// text, and may be a list of parts; silent that reads are not noted.
	lonePart, silent bool
	// textPlace is where the first text of the document's entry stands.
	textPlace source.Span
	// given are names that stand for other keys of the document, and for no data.
	given []string
	// prefix is the path of the map that a template of a prompt tree reads,
	// such as "vip.note.", for variable reports.
	prefix string
	// level is the path of the current level of a prompt tree, levels are those
	// that are open.
	level  string
	levels []treeLevel
	// keys collects, for each open level, the keys that are read from it.
	keys []*[]string
	// own says that the template reads the level's own map.
	own bool
	// guarded collects names that are read where a missing value is provided
	// for, plain those that are read elsewhere too.
	guard int
	plain map[string]bool
	// defined counts, for each name, the conditions around that say that it is
	// defined.
	defined map[string]int
	// cells is the number of cells of a Jinja template, or the greatest number that
	// one of a document's Jinja texts needs; parts are the texts that work together with other templates.
	cells int
	parts []*vm.Image
	// started is the slot that tells whether a text of the tree was written.
	started int32
	// blanks are those at the head of the last line that was looked at.
	blanks struct {
		file       *source.File
		start, end source.Pos
	}
}

// documentNode lowers the nodes of documents; false means that n is none.
func (l *lowerer) documentNode(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.Embedded:
		l.embedded(n)
	case *ast.Sections:
		l.sections(n)
	case *ast.Scoped:
		l.scopedNode(n)
	case *ast.Request:
		l.request(n)
	default:
		return false
	}
	return true
}

// embedded lowers a text of its own file. Names that it sets end with it.
func (l *lowerer) embedded(n *ast.Embedded) { l.inText(n, func() { l.body(n.Body) }) }

// inText calls lower by the rules of the text n.
func (l *lowerer) inText(n *ast.Embedded, lower func()) {
	file, site, angle, dialect := l.file, l.site, l.angle, l.dialect
	l.img.Sites = append(l.img.Sites, l.cfg.site(n.File, n.Syntax, -1, n.Span()))
	l.file, l.site, l.angle = n.File, int32(len(l.img.Sites)-1), isAngle(n.Syntax)
	if python := n.Syntax == "jinja"; python == dialect.NativeTags() {
		l.dialect = l.cfg.nativeDialect()
		if python {
			l.dialect = l.cfg.jinjaDialect()
		}
		l.changeDialect()
		defer func() {
			l.dialect = dialect
			l.changeDialect()
		}()
	}
	l.scopes.push()
	if n.Syntax == "jinja" {
		l.jinjaText(n, lower)
	} else {
		l.nearTags(n.Near)
		lower()
	}
	l.scopes.pop()
	l.file, l.site, l.angle = file, site, angle
}

// changeDialect makes the machine go on by the rules of the current dialect.
func (l *lowerer) changeDialect() {
	at := slices.Index(l.img.Dialects, l.dialect)
	if at < 0 {
		at = len(l.img.Dialects)
		l.img.Dialects = append(l.img.Dialects, l.dialect)
	}
	l.code.emit(code.Instr{Op: code.OpDialect, A: int32(at)})
}

// messageKeys lowers the further keys of a message.
func (l *lowerer) messageKeys(n *ast.Message) {
	rule := code.KeyNotNull
	if n.NullKeys {
		rule = code.KeyAlways
	}
	for i := range n.Keys {
		l.inMessage(&n.Keys[i].Value, structureText)
		l.code.emit(code.Instr{Op: code.OpMessageKey, N: uint16(rule), Key: n.Keys[i].Key})
	}
}

// endMessage ends a message by its policy for blank texts.
func (l *lowerer) endMessage(blank ast.Blank) {
	l.code.emit(code.Instr{Op: code.OpEndMessage, N: uint16(blank)})
}

// sections lowers a list of sections: each writes the separator before itself
// if one came before it.
func (l *lowerer) sections(n *ast.Sections) {
	l.scopes.push()
	started := l.scopes.newSlot()
	l.code.emit(code.Instr{Op: code.OpConst, A: l.constIndex(vm.Null)})
	l.code.emit(code.Instr{Op: code.OpStore, A: int32(started)})
	for _, s := range n.Items {
		l.code.at(l.site, s.Span())
		next := l.code.label()
		before, text := started, -1
		separator := n.Separator
		if l.mayBeBlank(s.Body) {
			// Whether it comes at all is known when it has been rendered.
			before, text, separator = l.scopes.newSlot(), l.scopes.newSlot(), ""
		}
		rule := vm.SectionRule{Name: s.Name, Prompt: strings.ToLower(n.Name), Paths: l.sectionPaths(s.Body)}
		l.section(rule, before, separator, next)
		if text >= 0 {
			l.code.emit(code.Instr{Op: code.OpCapture})
		}
		// A missing variable drops the section, and a prompt that has no other one
		// is then blank, which is an error.
		needed := len(n.Items) == 1 && (strings.EqualFold(n.Name, "user") || !l.cfg.blankSystem)
		if !needed {
			l.usage.optional++
		}
		l.body(s.Body)
		if !needed {
			l.usage.optional--
		}
		if text >= 0 {
			l.code.at(l.site, s.Span())
			l.code.emit(code.Instr{Op: code.OpEndCapture})
			l.code.emit(code.Instr{Op: code.OpStore, A: int32(text)})
			l.section(vm.SectionRule{Text: int32(text), HasText: true}, started, n.Separator, next)
			l.code.emit(code.Instr{Op: code.OpSlot, A: int32(text)})
			outs, o := extended(l.img.Outs)
			l.img.Outs = outs
			o.Span, o.Site, o.Style = s.Span(), l.site, l.dialect.Style
			l.code.emit(code.Instr{Op: code.OpEmit, B: int32(len(outs) - 1)})
		}
		l.code.place(next)
	}
	l.scopes.pop()
}

// section emits the test of a section: it goes to next where the section is left
// out, else writes the separator if slot started is set, and sets it.
func (l *lowerer) section(rule vm.SectionRule, started int, separator string, next label) {
	l.img.Sections = append(l.img.Sections, rule)
	l.code.jumpWith(code.Instr{Op: code.OpSection, A: int32(len(l.img.Sections) - 1), B: int32(started), Text: separator}, next)
}

// mayBeBlank reports whether a section may render to nothing although all its
// variables are there: it holds blocks, and no text beside them.
func (l *lowerer) mayBeBlank(body []ast.Node) bool {
	blocks := false
	for _, n := range body {
		switch n := n.(type) {
		case *ast.Embedded:
			if !l.mayBeBlank(n.Body) {
				return false
			}
			blocks = true
		case *ast.Text:
			if strings.TrimSpace(n.Value) != "" {
				return false
			}
		case *ast.Output:
			if _, _, _, needed := l.chain(n.Expr); needed {
				return false
			}
		default:
			blocks = true
		}
	}
	return blocks
}

// sectionPaths are the variables that a section needs: those of its
// placeholders outside blocks.
func (l *lowerer) sectionPaths(body []ast.Node) []vm.Path {
	var paths []vm.Path
	seen := map[string]bool{}
	for _, n := range body {
		switch n := n.(type) {
		case *ast.Embedded:
			file := l.file
			l.file = n.File
			paths = append(paths, l.sectionPaths(n.Body)...)
			l.file = file
		case *ast.Output:
			_, keys, items, ok := l.chain(n.Expr)
			if !ok {
				continue
			}
			p := vm.Path{Keys: keys, Item: items, Undef: &vm.Undefined{Name: l.dotted(n.Expr, keys), Pos: uint32(n.Start), Site: l.site}}
			if !seen[p.Undef.Name] {
				seen[p.Undef.Name] = true
				paths = append(paths, p)
			}
		}
	}
	return paths
}

// agentForgeOut gives a placeholder AgentForge's ways: Markdown (or Python's
// repr in old versions), null keeps the placeholder, and the white space that
// leads its line is repeated on the further lines of a value.
func (l *lowerer) agentForgeOut(o *vm.Out, n *ast.Output) {
	o.Policy = code.Keep
	o.Style, o.KeepNull = vm.StyleMarkdown, true
	switch v, _ := agentForgeRules(l.cfg.version); {
	case v.Python:
		o.Style, o.KeepNull = vm.StylePython, false
		return
	case v.Bold:
		o.Style = vm.StyleBold
		return
	}
	o.Indent = l.leadingBlanks(n.Start)
}

// leadingBlanks is the white space that the line of position p begins with, as
// far as p. It is looked for once a line.
func (l *lowerer) leadingBlanks(p source.Pos) string {
	text, b := l.file.Text, &l.blanks
	start := l.file.LineStart(l.file.LineOf(p))
	if b.file != l.file || b.start != start {
		b.file, b.start = l.file, start
		rest := text[start:]
		b.end = start + source.Pos(len(rest)-len(strings.TrimLeft(rest, " \t")))
	}
	return text[start:min(b.end, p)]
}

// scopedNode lowers a template of a prompt tree: its names are looked up in
// the maps at its key.
func (l *lowerer) scopedNode(n *ast.Scoped) {
	defaults := vm.Null
	if n.Defaults != nil {
		defaults = vm.MapOf(mapOf(n.Defaults))
	}
	scope, prefix := code.Instr{Op: code.OpScope, Key: n.Key, A: l.levelSlots(), B: l.constIndex(defaults)}, l.level+n.Key+"."
	if n.Own {
		scope.N, prefix = 1, l.level
	} else {
		l.templateKeyUsed(n.Key)
	}
	l.code.at(l.site, n.Span())
	if n.Separator != "" {
		l.separator(n.Separator)
	}
	l.loopNames()
	l.code.emit(scope)
	outerPrefix, outerOwn := l.prefix, l.own
	l.prefix, l.own = prefix, n.Own
	l.body(n.Body)
	l.prefix, l.own = outerPrefix, outerOwn
	l.code.at(l.site, n.Span())
	l.code.emit(code.Instr{Op: code.OpEndScope})
}

// treeLevel is a level of a prompt tree: the slot that holds the map that its
// entries read, and the state of the loop whose item that is, -1 for none.
type treeLevel struct {
	slot, loop int32
}

// levelSlots is the list of the slots of the open levels, the outermost first.
func (l *lowerer) levelSlots() int32 {
	slots := make([]int32, len(l.levels))
	for i, lv := range l.levels {
		slots[i] = lv.slot
	}
	l.img.SlotLists = append(l.img.SlotLists, slots)
	return int32(len(l.img.SlotLists) - 1)
}

// loopNames pushes a map of what a template in a loop reads as `item` and
// `loop`, those of the innermost loop; null outside of loops.
func (l *lowerer) loopNames() {
	for i := len(l.levels) - 1; i >= 0; i-- {
		lv := l.levels[i]
		if lv.loop < 0 {
			continue
		}
		l.code.emit(code.Instr{Op: code.OpConst, A: l.constIndex(vm.String("item"))})
		l.code.emit(code.Instr{Op: code.OpSlot, A: lv.slot})
		l.code.emit(code.Instr{Op: code.OpConst, A: l.constIndex(vm.String("loop"))})
		l.code.emit(code.Instr{Op: code.OpObject, A: lv.loop, N: uint16(code.ObjectLoop)})
		l.code.emit(code.Instr{Op: code.OpMake, B: int32(code.MakeMap), N: 4})
		return
	}
	l.code.emit(code.Instr{Op: code.OpConst, A: l.constIndex(vm.Null)})
}

// separator writes sep if a text of the tree came before: a section without
// variables does just that.
func (l *lowerer) separator(sep string) {
	here := l.code.label()
	l.section(vm.SectionRule{}, int(l.started), sep, here)
	l.code.place(here)
}

// templateKeyUsed notes a key that a template reads: from the current level,
// and from all outer ones, to which it falls back.
func (l *lowerer) templateKeyUsed(key string) {
	for _, k := range l.keys {
		*k = append(*k, key)
	}
}

// levelBody lowers the entries of a level, with the note of unknown keys
// before them. path is what the level is called in variable reports.
func (l *lowerer) levelBody(path string, level treeLevel, nodes []ast.Node) {
	var keys []string
	outer := l.level
	l.keys, l.level, l.levels = append(l.keys, &keys), path, append(l.levels, level)
	l.img.Names = append(l.img.Names, nil)
	at := len(l.img.Names) - 1
	l.code.emit(code.Instr{Op: code.OpNoteUnknown, A: level.slot, B: int32(at)})
	if path != "" {
		l.cover(nodes)
	}
	l.body(nodes)
	l.img.Names[at] = keys
	l.keys, l.level, l.levels = l.keys[:len(l.keys)-1], outer, l.levels[:len(l.levels)-1]
}

// tree lowers a whole prompt tree: the data is the outermost level.
func (l *lowerer) tree(nodes []ast.Node) {
	l.usage.optional++ // a prompt tree needs no value
	l.started = int32(l.scopes.newSlot())
	l.code.emit(code.Instr{Op: code.OpConst, A: l.constIndex(vm.Null)})
	l.code.emit(code.Instr{Op: code.OpStore, A: l.started})
	l.code.emit(code.Instr{Op: code.OpObject, N: uint16(code.ObjectVars)})
	l.levelBody("", l.storeLevel(), nodes)
	l.usage.optional--
}

// storeLevel puts the value on the stack into a slot of its own, as a level.
func (l *lowerer) storeLevel() treeLevel {
	slot := int32(l.scopes.newSlot())
	l.code.emit(code.Instr{Op: code.OpStore, A: slot})
	return treeLevel{slot, -1}
}

// levelKey pushes the value of a key of the current level, null where it has
// none.
func (l *lowerer) levelKey(e ast.Expr) string {
	key := e.(*ast.Name).Name
	l.code.at(l.site, e.Span())
	found := l.code.label()
	l.img.SlotLists = append(l.img.SlotLists, []int32{l.levels[len(l.levels)-1].slot})
	l.code.jumpWith(code.Instr{Op: code.OpBare, B: int32(len(l.img.SlotLists) - 1), Key: key}, found)
	l.code.emit(code.Instr{Op: code.OpConst, A: l.constIndex(vm.Null)})
	l.code.place(found)
	return key
}

// useLevelKey reports the key as a variable.
func (l *lowerer) useLevelKey(key string, span source.Span, typ string) {
	keys := l.keys[len(l.keys)-1]
	*keys = append(*keys, key)
	outer, own := l.prefix, l.own
	l.prefix, l.own = l.level, false
	l.use(key, "", span, typ)
	l.prefix, l.own = outer, own
}

// levelWhen runs its body if the key's value is there and true; the value is
// the body's level.
func (l *lowerer) levelWhen(n *ast.When) {
	b := n.Branches[0]
	end := l.code.label()
	key := l.levelKey(b.Cond)
	l.useLevelKey(key, b.Cond.Span(), "")
	l.code.jumpIf(false, end)
	l.levelKey(b.Cond)
	l.scopes.push()
	l.levelBody(l.level+key+".", l.storeLevel(), b.Body)
	l.scopes.pop()
	l.code.place(end)
}

// levelLoop runs its body for each item of the key's list; the item is the
// body's level.
func (l *lowerer) levelLoop(n *ast.Loop) {
	top, end := l.code.label(), l.code.label()
	key := l.levelKey(n.Iter)
	l.useLevelKey(key, n.Iter.Span(), "list")
	l.scopes.push()
	state, slot := int32(l.scopes.newLoop()), int32(l.scopes.newSlot())
	l.code.jumpWith(code.Instr{Op: code.OpLoop, A: state, B: slot, N: uint16(code.ModeItems), Text: "loop " + key}, end)
	l.code.place(top)
	l.levelBody(l.level+key+"[].", treeLevel{slot, state}, n.Body)
	l.code.at(l.site, n.Iter.Span())
	l.code.jumpWith(code.Instr{Op: code.OpNext, A: state, B: slot, N: uint16(code.ModeItems)}, top)
	l.code.emit(code.Instr{Op: code.OpEndLoop, A: state})
	l.code.place(end)
	l.scopes.pop()
}

// levelSwitch runs the case of each entry of the key's map, in the data's
// order; the entry's value is the body's level.
func (l *lowerer) levelSwitch(n *ast.Switch) {
	top, end := l.code.label(), l.code.label()
	key := l.levelKey(n.Subject)
	l.useLevelKey(key, n.Subject.Span(), "")
	l.code.emit(code.Instr{Op: code.OpCases, Key: key})
	l.scopes.push()
	state, name, data := int32(l.scopes.newLoop()), int32(l.scopes.newSlot()), int32(l.scopes.newSlot())
	l.code.jumpWith(code.Instr{Op: code.OpLoop, A: state, B: name, N: uint16(code.ModeEntries), Text: "switch " + key}, end)
	l.code.place(top)
	l.code.emit(code.Instr{Op: code.OpSlot, A: name})

	bodies, fallback, done := make([]label, len(n.Cases)), l.code.label(), l.code.label()
	table := vm.Switch{Default: int32(fallback)}
	for i := range n.Cases {
		bodies[i] = l.code.label()
	}
	for _, typed := range []bool{false, true} { // a case of the very name goes first
		for i, c := range n.Cases {
			for j, v := range c.Values {
				if text := literalText(v.(*ast.Literal)); typed == (j > 0) {
					table.Values = append(table.Values, vm.String(text))
					table.Targets = append(table.Targets, int32(bodies[i]))
				}
			}
		}
	}
	l.code.switchOn(l.table(table))
	path, level := l.level+key+".", treeLevel{data, -1}
	for i, c := range n.Cases {
		l.code.place(bodies[i])
		l.code.at(l.site, c.Head)
		l.levelBody(path+literalText(c.Values[0].(*ast.Literal))+".", level, c.Body)
		l.code.jump(code.OpJump, done)
	}
	l.code.place(fallback)
	if n.HasDefault {
		l.levelBody(path+"default.", level, n.Default)
	} else {
		l.unknownCase(n, name)
	}
	l.code.place(done)
	l.code.at(l.site, n.Subject.Span())
	l.code.jumpWith(code.Instr{Op: code.OpNext, A: state, B: name, N: uint16(code.ModeEntries)}, top)
	l.code.emit(code.Instr{Op: code.OpEndLoop, A: state})
	l.code.place(end)
	l.scopes.pop()
}

// unknownCase notes a case that the switch does not have; its name is in slot.
func (l *lowerer) unknownCase(n *ast.Switch, slot int32) {
	var names []string
	for _, c := range n.Cases {
		for _, v := range c.Values {
			names = append(names, literalText(v.(*ast.Literal)))
		}
	}
	l.img.Names = append(l.img.Names, names)
	l.code.emit(code.Instr{Op: code.OpNoteUnknown, A: slot, B: int32(len(l.img.Names) - 1), N: 1})
}
