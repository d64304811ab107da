package parser

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/lexer"
)

// push opens a block whose tag ends at end.
func (p *parser) push(kind blockKind, piece *lexer.Piece, end int, n ast.Node) {
	if len(p.frames) >= p.depth {
		p.limit(p.span(piece.Start, end), "blocks are nested more than %d deep", p.depth)
		return
	}
	p.before(piece)
	p.add(n)
	p.line.tag()
	if n := len(p.frames); n < cap(p.frames) {
		p.frames = p.frames[:n+1] // pop left it zero
	} else {
		p.frames = append(p.frames, frame{})
	}
	f := p.top()
	f.kind, f.hard, f.head, f.node = kind, piece.Hard, p.span(piece.Start, end), n
	f.base, f.groups = p.enter(), len(p.groups)
	p.scan.Watch = false
	p.accept(end)
}

// seal puts the current body where it belongs and begins a new one.
func (p *parser) seal(f *frame) {
	p.dropGroups(f.groups)
	body := p.take()
	switch _, isSwitch := f.node.(*ast.Switch); {
	case f.part == brokenPart:
	case isSwitch && f.part == firstPart:
		if !f.faulty {
			p.beforeCases(body)
		}
	default:
		fill(f.node, f.part, body)
	}
}

// pop closes the innermost block, at offset end.
func (p *parser) pop(end source.Pos) {
	f := &p.frames[len(p.frames)-1]
	p.seal(f)
	p.leave(f.base, f.node, end)
	f.reset() // the arena keeps the memory
	p.frames = p.frames[:len(p.frames)-1]
	p.scan.Watch = p.group() != nil
}

// top returns the innermost open block; there is one.
func (p *parser) top() *frame { return &p.frames[len(p.frames)-1] }

func (p *parser) openWhen(piece *lexer.Piece, at int) bool {
	cond, end, ok := exprTag(p, piece, at, at+len("when"), "when", whenProduction)
	if !ok {
		return false
	}
	n := p.alloc.whens.One()
	n.Range, n.Branches = rangeOf(piece.Start, end), p.alloc.branches.List(1)
	n.Branches[0].Head, n.Branches[0].Cond = p.span(piece.Start, end), cond
	p.push(whenBlock, piece, end, n)
	return true
}

// badExpr stands for an expression that could not be read.
func (p *parser) badExpr(at int) ast.Expr { return &ast.BadExpr{Range: rangeOf(at, at)} }

func (p *parser) openLoop(piece *lexer.Piece, at int) bool {
	head, end, ok := p.directLoop(piece, at+len("loop"))
	if !ok {
		var v *loopTag
		if v, end, ok = block(p, piece, at, "loop", loopProduction); !ok {
			return false
		}
		head = loopHead{Iter: p.badExpr(at)}
		if v != nil {
			head = *v.Head
		}
	}
	n := head.loop(p.alloc.loops.One())
	n.Range, n.Head = rangeOf(piece.Start, end), p.span(piece.Start, end)
	if d := badTarget(p.file, n.Target); d != nil {
		p.report(d)
	}
	p.push(loopBlock, piece, end, n)
	return true
}

// loop fills the node of a loop's head in.
func (h *loopHead) loop(n *ast.Loop) *ast.Loop {
	n.Iter = h.Iter
	switch {
	case h.As == nil:
		n.Mode = ast.LoopBare
		n.Target = ast.Target{Name: "item"}
	case h.As.Second == nil:
		n.Mode = ast.LoopItems
		n.Target = h.As.First.target()
	default:
		n.Mode = ast.LoopEntries
		first, second := h.As.First.target(), h.As.Second.target()
		n.Target = ast.Target{
			Range: ast.Range{Start: first.Start, End: second.End},
			Items: []ast.Target{first, second}, List: true,
		}
	}
	return n
}

// badTarget reports names of a loop that could not be read inside it: `loop`,
// which is the loop itself, and one name for two things.
func badTarget(f *source.File, t ast.Target) *diag.Diagnostic {
	if t.Name == "loop" {
		return diag.New("PCC162", f, t.Span(), "a loop's item cannot be called `loop`")
	}
	for i, item := range t.Items {
		if d := badTarget(f, item); d != nil {
			return d
		}
		if first := t.Items[0]; i > 0 && item.Name == first.Name {
			return diag.New("PCC121", f, item.Span(), "`%s` is given twice", clip(item.Name)).
				WithLabel(first.Span(), "first given here").WithNames(item.Name).
				WithHelp("name the key and the value differently")
		}
	}
	return nil
}

func (n nameToken) target() ast.Target {
	return ast.Target{Range: ast.At(n.span()), Name: NormalizeName(n.Text)}
}

func (p *parser) openSwitch(piece *lexer.Piece, at int) bool {
	subject, end, ok := exprTag(p, piece, at, at+len("switch"), "switch", switchProduction)
	if !ok {
		return false
	}
	n := &ast.Switch{Range: rangeOf(piece.Start, end), Subject: subject}
	p.push(switchBlock, piece, end, n)
	return true
}

func (p *parser) openMessage(piece *lexer.Piece, at int) bool {
	n := new(ast.Message)
	role, end, ok := p.directRole(piece, at+len("message"))
	if !ok {
		var v *messageTag
		if v, end, ok = block(p, piece, at, "message", messageProduction); !ok {
			return false
		}
		role = p.badExpr(at)
		if v != nil {
			role, n.Attrs = v.Role, arguments(v.Attrs)
			p.repeated(v.Attrs)
		}
	}
	if name, ok := role.(*ast.Name); ok && ast.IsRole(name.Name) {
		role = &ast.Literal{Range: name.Range, Kind: ast.StringLit, Str: name.Name}
	}
	n.Range, n.Role = rangeOf(piece.Start, end), role
	p.outermost(piece, end, "a message inside a message")
	p.hasMessage = true
	p.push(messageBlock, piece, end, n)
	return true
}

// outermost reports the tag piece that ends at end if it stands in a message.
func (p *parser) outermost(piece *lexer.Piece, end int, what string) {
	for i := range p.frames {
		if p.frames[i].kind == messageBlock {
			p.report(diag.New("PCC113", p.file, p.span(piece.Start, end), "%s", what).
				WithLabel(p.frames[i].head, "the outer message opens here"))
			return
		}
	}
}

// messages reads {messages list}.
func (p *parser) messages(piece *lexer.Piece, at int) bool {
	list, end, ok := exprTag(p, piece, at, at+len("messages"), "messages", messagesProduction)
	if !ok {
		return false
	}
	p.outermost(piece, end, "`messages` inside a message")
	p.hasMessage = true
	p.before(piece)
	p.add(&ast.Messages{Range: rangeOf(piece.Start, end), List: list})
	p.line.tag()
	p.accept(end)
	return true
}

func arguments(attrs []attribute) []ast.Arg {
	var args []ast.Arg
	for _, a := range attrs {
		args = append(args, ast.Arg{Name: NormalizeName(a.Name.Text), NameSpan: a.Name.span(), Value: a.Value})
	}
	return args
}

// repeated reports names that are given twice.
func (p *parser) repeated(attrs []attribute) {
	if len(attrs) < 2 {
		return
	}
	seen := map[string]source.Span{}
	for _, a := range attrs {
		name := NormalizeName(a.Name.Text)
		if first, ok := seen[name]; ok {
			p.report(diag.New("PCC121", p.file, a.Name.span(), "`%s` is given twice", clip(name)).
				WithLabel(first, "first given here").WithNames(name))
		} else {
			seen[name] = a.Name.span()
		}
	}
}

func (p *parser) include(piece *lexer.Piece, at int) bool {
	v, end, ok := block(p, piece, at, "include", includeProduction)
	if !ok {
		return false
	}
	p.before(piece)
	if v == nil {
		p.add(&ast.Bad{Range: rangeOf(piece.Start, end)})
	} else {
		n := &ast.Include{Range: rangeOf(piece.Start, end), Name: v.Name}
		if v.With != nil {
			n.With = arguments(v.With.Attrs)
			p.repeated(v.With.Attrs)
		}
		p.add(n)
		if p.line.clean {
			p.line.includes = append(p.line.includes, n)
		}
	}
	p.line.tag()
	p.accept(end)
	return true
}

// elseTag reads {else}; the closing delimiter follows.
func (p *parser) elseTag(piece *lexer.Piece, at int) bool {
	f := p.top()
	end := p.gap(at+len("else"), piece.Hard) + len(p.closer(piece.Hard))
	span := p.span(piece.Start, end)
	p.before(piece)
	p.line.tag()
	p.seal(f)
	f.part = otherPart
	if !p.onlyElse(f, span) {
		f.part = brokenPart
	}
	switch n := f.node.(type) {
	case *ast.When:
		if f.part == otherPart {
			n.HasElse, n.ElseSpan = true, span
		}
	case *ast.Loop:
		n.HasElse = true
	}
	p.accept(end)
	return true
}

// onlyElse reports an `else` that comes after the `else` of the block f.
func (p *parser) onlyElse(f *frame, span source.Span) bool {
	if f.other != (source.Span{}) {
		p.report(diag.New("PCC107", p.file, span, "an `else` after the `else` of this block").
			WithLabel(f.other, "the block's `else` is here"))
		return false
	}
	if f.part == otherPart {
		f.other = span
	}
	return true
}

// elseWhen reads {else when …} and reports other tags that begin with `else`.
func (p *parser) elseWhen(piece *lexer.Piece, at int) bool {
	f := p.top()
	cond, end, ok := p.elseCond(piece, at, f.kind)
	if !ok {
		return false
	}
	span := p.span(piece.Start, end)
	p.before(piece)
	p.line.tag()
	p.seal(f)
	n, isWhen := f.node.(*ast.When)
	switch {
	case !isWhen:
		f.part = brokenPart
	case !p.onlyElse(f, span):
		f.part = brokenPart
	default:
		f.part = firstPart
		n.Branches = append(n.Branches, ast.Branch{Head: span, Cond: cond})
	}
	p.accept(end)
	return true
}

// elseCond reads the condition of {else when …}.
func (p *parser) elseCond(piece *lexer.Piece, at int, kind blockKind) (cond ast.Expr, end int, ok bool) {
	next := p.gap(at+len("else"), piece.Hard)
	word := p.src[next:lexer.WordEnd(p.src[:p.scan.End], next)]
	var d *diag.Diagnostic
	switch {
	case kind == loopBlock:
		d = diag.New("PCC103", p.file, p.span(piece.Start, piece.Inside+len("else")), "a loop's `else` has no condition")
		d.Help = "write " + p.spell("else", piece.Hard)
	case word == "if":
		d = diag.New("PCC111", p.file, p.span(next, next+len(word)), "`else if` of another language")
		d.Help = "write " + p.spell("else when condition", piece.Hard)
		d.Fix = &diag.Fix{Span: d.Span, Replacement: "when"}
	case word == "when":
		return exprTag(p, piece, at, next+len(word), "else", elseWhenProduction)
	}
	if d != nil {
		end, ok = p.malformed(piece, d, true)
	} else {
		_, end, ok = block(p, piece, at, "else", elseWhenProduction) // tells what is wrong
	}
	return p.badExpr(at), end, ok
}

// spell writes a tag with the delimiters of the syntax.
func (p *parser) spell(inside string, hard bool) string {
	if hard {
		return p.syn.Open + p.syn.Open + inside + p.syn.Close + p.syn.Close
	}
	return p.syn.Open + inside + p.syn.Close
}

func (p *parser) caseTag(piece *lexer.Piece, at int) bool {
	f := p.top()
	v, end, ok := block(p, piece, at, "case", caseProduction)
	if !ok {
		return false
	}
	var values []ast.Expr
	if v != nil {
		values = v.Values
	}
	p.before(piece)
	p.line.tag()
	p.seal(f)
	f.part = casePart
	c := ast.Case{Head: p.span(piece.Start, end), Values: values}
	for _, e := range values {
		p.duplicate(f, e)
		p.sideBySide(e)
	}
	n := f.node.(*ast.Switch)
	n.Cases = append(n.Cases, c)
	p.accept(end)
	return true
}

// duplicate reports a constant case that the switch has already.
func (p *parser) duplicate(f *frame, e ast.Expr) {
	key, ok := constantKey(e)
	if !ok {
		return
	}
	if first, ok := f.constants[key]; ok {
		p.report(diag.New("PCC108", p.file, e.Span(), "this case stands in the switch already").
			WithLabel(first, "first here"))
		return
	}
	if f.constants == nil {
		f.constants = map[string]source.Span{}
	}
	f.constants[key] = e.Span()
}

// sideBySide warns of a case of several texts without a comma, which are one.
func (p *parser) sideBySide(e ast.Expr) {
	lit, ok := e.(*ast.Literal)
	if !ok || lit.Kind != ast.StringLit {
		return
	}
	x := lexer.Expr{Src: p.src, Pos: int(lit.Start), End: int(lit.End)}
	first := x.Next()
	if first.Kind != lexer.String || first.End == lit.End {
		return
	}
	p.report(diag.New("PCC128", p.file, lit.Span(), "texts side by side are one text: this case is %s", diag.Shorten(strconv.Quote(lit.Str), 40)).
		WithHelp("write a comma between them for two cases, or one text"))
}

// constantKey returns a key that is equal for equal constants: numbers compare
// by value, texts by text.
func constantKey(e ast.Expr) (string, bool) {
	if u, ok := e.(*ast.Unary); ok && u.Op != ast.Not {
		key, ok := constantKey(u.X)
		if num, isNum := strings.CutPrefix(key, "n"); ok && isNum {
			if u.Op == ast.Pos || num == "0" {
				return key, true
			}
			if rest, neg := strings.CutPrefix(num, "-"); neg {
				return "n" + rest, true
			}
			return "n-" + num, true
		}
		return "", false
	}
	l, ok := e.(*ast.Literal)
	if !ok {
		return "", false
	}
	switch l.Kind {
	case ast.NullLit:
		return "null", true
	case ast.BoolLit:
		return "b" + strconv.FormatBool(l.Bool), true
	case ast.IntLit:
		return "n" + l.Int.String(), true
	case ast.FloatLit:
		if f := new(big.Float); l.Float-l.Float == 0 && f.SetFloat64(l.Float).IsInt() {
			i, _ := f.Int(nil)
			return "n" + i.String(), true
		}
		return "n" + strconv.FormatFloat(l.Float, 'g', -1, 64), true
	}
	return "s" + l.Str, true
}

func (p *parser) defaultTag(piece *lexer.Piece, at int) bool {
	f := p.top()
	word := at + len("default")
	gap := p.gap(word, piece.Hard)
	end := gap + len(p.closer(piece.Hard))
	if !strings.HasPrefix(p.src[gap:p.scan.End], p.closer(piece.Hard)) {
		d := diag.New("PCC103", p.file, p.span(piece.Start, word), "`default` stands alone in its tag").
			WithHelp("%s", p.usage("default", piece.Hard))
		var ok bool
		if end, ok = p.malformed(piece, d, true); !ok {
			return false
		}
	}
	span := p.span(piece.Start, end)
	p.before(piece)
	p.line.tag()
	p.seal(f)
	f.part = otherPart
	if f.other != (source.Span{}) {
		f.part = brokenPart
		p.report(diag.New("PCC108", p.file, span, "the switch has a `default` already").
			WithLabel(f.other, "first here").WithHelp("delete one of the two: it runs where no case is equal"))
	} else {
		f.other = span
	}
	f.node.(*ast.Switch).HasDefault = true
	p.accept(end)
	return true
}

// elseOfSwitch reports {else} in a switch, where `default` is meant: as a
// placeholder it would leave its text to the case before it.
func (p *parser) elseOfSwitch(piece *lexer.Piece, at int) bool {
	f := p.top()
	end := p.gap(at+len("else"), piece.Hard) + len(p.closer(piece.Hard))
	span := p.span(piece.Start, end)
	p.before(piece)
	p.line.tag()
	p.seal(f)
	p.report(diag.New("PCC111", p.file, span, "a switch has no `else`").
		WithHelp("write %s", p.spell("default", piece.Hard)))
	f.part, f.other = otherPart, span
	f.node.(*ast.Switch).HasDefault = true
	p.accept(end)
	return true
}

// beforeCases reports what stands between a switch and its first case.
func (p *parser) beforeCases(body []ast.Node) {
	for _, n := range body {
		at := n.Span()
		switch n := n.(type) {
		case *ast.Comment, *ast.Bad:
			continue
		case *ast.Text:
			i := blankPrefix(n.Value)
			if i == len(n.Value) {
				continue
			}
			at.Start += source.Pos(i)
			at.End = at.Start + 1
		}
		d := diag.New("PCC109", p.file, at, "only blanks may stand between `switch` and its first `case`")
		if rest := p.src[at.Start:]; strings.HasPrefix(strings.TrimLeft(rest, p.syn.Open+" "), "case ") {
			d.WithHelp("%s", p.usage("case", false))
		}
		p.report(d)
		return
	}
}

// blankPrefix returns the length of the white space that s begins with.
func blankPrefix(s string) int {
	return len(s) - len(strings.TrimLeft(s, " \t\r\n"))
}
