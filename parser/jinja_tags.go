package parser

import (
	"slices"
	"strings"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/lexer"
)

// jinjaTag describes a statement. Its reader is written by hand: line breaks in
// string literals depend on the template's options, which a production cannot
// know. The tests hold the readers against productions of the same heads.
type jinjaTag struct {
	name string
	// read reads what follows the tag's name and returns the node.
	read func(p *jinjaParser, x *exprParser, piece *lexer.JinjaPiece) ast.Node
	// end is the end tag of a block, parts are the tags that divide it.
	end   string
	parts []string
	// part reads a dividing tag, finish, where not nil, checks a whole block.
	part   func(p *jinjaParser, b *openBlock, x *exprParser, word string, piece *lexer.JinjaPiece)
	finish func(p *jinjaParser, n ast.Node)
	// check, where not nil, looks at a tag that stands at a place.
	check func(p *jinjaParser, tag source.Span)
	// loop says that break and continue may stand in the body; function that
	// the body is code of its own, to which outer loops do not reach.
	loop, function bool
	// allowed and option name the option that the tag needs.
	allowed func(*lexer.JinjaOptions) bool
	option  string
}

func (t *jinjaTag) block() bool { return t.end != "" }

// inline reports whether a node read by a block's tag is complete by itself:
// `set x = 1`.
func inline(n ast.Node) bool { _, ok := n.(*ast.Set); return ok }

// jinjaTags are the statements by name.
var jinjaTags = map[string]*jinjaTag{
	"if":         {name: "if", read: readIf, end: "endif", parts: []string{"elif", "else"}, part: partIf},
	"for":        {name: "for", read: readFor, end: "endfor", parts: []string{"else"}, part: partFor, finish: checkLoopNames, loop: true},
	"set":        {name: "set", read: readSet, end: "endset"},
	"with":       {name: "with", read: readWith, end: "endwith"},
	"macro":      {name: "macro", read: readMacro, end: "endmacro", function: true},
	"call":       {name: "call", read: readCall, end: "endcall", function: true},
	"filter":     {name: "filter", read: readFilter, end: "endfilter"},
	"block":      {name: "block", read: readBlock, end: "endblock", finish: checkRequired, function: true},
	"autoescape": {name: "autoescape", read: readAutoescape, end: "endautoescape"},
	"generation": {name: "generation", read: readGeneration, end: "endgeneration", function: true,
		allowed: func(o *lexer.JinjaOptions) bool { return o.Generation }, option: "generation"},
	"print":   {name: "print", read: readPrint},
	"extends": {name: "extends", read: readExtends},
	"include": {name: "include", read: readInclude},
	"import":  {name: "import", read: readImport},
	"from":    {name: "from", read: readFrom},
	"do": {name: "do", read: readDo,
		allowed: func(o *lexer.JinjaOptions) bool { return o.Do }, option: "do"},
	"break": {name: "break", read: readBreak, check: checkBreak("break"),
		allowed: func(o *lexer.JinjaOptions) bool { return o.LoopControls }, option: "loopcontrols"},
	"continue": {name: "continue", read: readContinue, check: checkBreak("continue"),
		allowed: func(o *lexer.JinjaOptions) bool { return o.LoopControls }, option: "loopcontrols"},
}

func tagNames() []string {
	var names []string
	for n, t := range jinjaTags {
		names = append(names, n)
		if t.end != "" {
			names = append(names, t.end)
		}
		names = append(names, t.parts...)
	}
	slices.Sort(names)
	return names
}

// wants fails with what the statement needs at this place.
func wants(x *exprParser, form, want string) {
	if x.err != nil {
		return
	}
	d := unexpectedDiag(x.file, x.tok, want)
	d.Code = "PCC160"
	if x.tok.Kind != lexer.Assign {
		d.Help = "write {% " + form + " %}"
	}
	x.fail(d)
}

// readIf: expression, without the conditional form at its top.
func readIf(p *jinjaParser, x *exprParser, piece *lexer.JinjaPiece) ast.Node {
	return p.when(piece.Span, x.tuple(true))
}

// when makes the node of an `if`.
func (p *jinjaParser) when(head source.Span, cond ast.Expr) *ast.When {
	t := made(p.alloc, whenSlab)
	t.Range, t.Branches = ast.At(head), list(p.alloc, branchSlab, 1)
	t.Branches[0] = ast.Branch{Head: head, Cond: cond}
	return t
}

// branch ends a branch of an `if` where the `elif` at head begins the next.
func (p *jinjaParser) branch(t *ast.When, head source.Span, cond ast.Expr) {
	fill(t, firstPart, p.take())
	t.Branches = append(t.Branches, ast.Branch{Head: head, Cond: cond})
}

func partIf(p *jinjaParser, b *openBlock, x *exprParser, word string, piece *lexer.JinjaPiece) {
	t := b.node.(*ast.When)
	if word == "elif" {
		cond := x.tuple(true)
		x.skip(lexer.Colon)
		p.finish(x, piece)
		p.branch(t, piece.Span, cond)
		return
	}
	if x.word("if") {
		wants(x, "elif condition", "the end of the tag")
	}
	x.skip(lexer.Colon)
	p.finish(x, piece)
	fill(t, firstPart, p.take())
	b.part = otherPart
	t.HasElse, t.ElseSpan = true, piece.Span
}

const forForm = "for item in items"

// readFor: target "in" tuple [ "if" expression ] [ "recursive" ].
func readFor(p *jinjaParser, x *exprParser, piece *lexer.JinjaPiece) ast.Node {
	t := p.loop(piece.Span)
	// Behind a comma `in` and `recursive` are names, as in Jinja, whose own rule
	// to the contrary never applies.
	t.Target = p.target(x, false)
	if !x.skipWord("in") {
		wants(x, forForm, "`in`")
		t.Iter = x.bad().Expr
		return t
	}
	t.Iter = x.tuple(true)
	if x.skipWord("if") {
		t.Filter = x.expr()
	}
	t.Recursive = x.skipWord("recursive")
	return t
}

// loop makes the node of a `for`, still without its head.
func (p *jinjaParser) loop(head source.Span) *ast.Loop {
	t := made(p.alloc, loopSlab)
	t.Range, t.Head, t.Mode = ast.At(head), head, ast.LoopJinja
	return t
}

func partFor(p *jinjaParser, b *openBlock, x *exprParser, _ string, piece *lexer.JinjaPiece) {
	t := b.node.(*ast.Loop)
	fill(t, firstPart, p.take())
	t.HasElse = true
	b.part = otherPart
	// The else branch is outside this loop, but inside the loop around it.
	b.inLoop = false
	if n := len(p.stack); n > 1 && !t.Recursive {
		b.inLoop = p.stack[n-2].inLoop
	}
	x.skip(lexer.Colon)
	p.finish(x, piece)
}

// loopNames refuses assignments to `loop` in a loop, as far as they stand in
// its own scope or one inside it.
func checkLoopNames(p *jinjaParser, n ast.Node) {
	if t := &n.(*ast.Loop).Target; targetNames(t, "loop") {
		p.fail("PCC162", t.Span(), "a loop's item cannot be called `loop`")
	}
}

func targetNames(t *ast.Target, name string) bool {
	return !t.List && t.Attr == "" && t.Name == name ||
		slices.ContainsFunc(t.Items, func(i ast.Target) bool { return targetNames(&i, name) })
}

// readSet: target "=" tuple, or target { "|" filter } for a block.
func readSet(p *jinjaParser, x *exprParser, piece *lexer.JinjaPiece) ast.Node {
	r := ast.At(piece.Span)
	target := p.target(x, true)
	if x.skip(lexer.Assign) {
		t := made(p.alloc, setSlab)
		t.Range, t.Target, t.Value = r, target, x.tuple(false)
		return t
	}
	if x.err != nil {
		return &ast.Set{Range: r, Target: target, Value: x.bad().Expr}
	}
	t := &ast.SetBlock{Range: r, Target: target}
	if x.skip(lexer.Pipe) {
		t.Filter = x.filterChain()
	}
	if x.tok.Kind != lexer.EOF && x.tok.Kind != lexer.Colon {
		wants(x, "set name = value", "`=` or the end of the tag")
		return &ast.Set{Range: r, Target: target, Value: x.bad().Expr}
	}
	return t
}

// target reads what is assigned to, by Jinja's rules: names, tuples, and
// attributes of a name where attrs allows them.
func (p *jinjaParser) target(x *exprParser, attrs bool) ast.Target {
	if x.tok.Kind != lexer.Name && x.tok.Kind != lexer.LParen && x.tok.Kind != lexer.EOF && x.err == nil {
		x.failAt("PCC153", x.tok.Span(), "cannot assign to %s", x.tok.String())
		return ast.Target{}
	}
	t := x.target()
	p.checkTarget(x, &t, attrs)
	return t
}

// checkTarget refuses what Jinja does not let be assigned to.
func (p *jinjaParser) checkTarget(x *exprParser, t *ast.Target, attrs bool) {
	if x.err != nil {
		return
	}
	checkTarget(x, t, attrs)
	// A tuple without parentheses may end in a comma before `in`, not before `=`.
	if x.tok.Kind == lexer.Assign && x.last > 0 && p.file.Text[x.last-1] == ',' && x.err == nil {
		x.unexpected("a name")
	}
}

func checkTarget(x *exprParser, t *ast.Target, attrs bool) {
	switch {
	case t.Attr != "" && !attrs:
		x.failAt("PCC153", t.Span(), "cannot assign to an attribute here").
			WithHelp("bind a name; attributes of a namespace are set with {%% set ns.name = value %%}")
	case t.List && x.file.Text[t.Start] == '[':
		x.failAt("PCC153", t.Span(), "cannot assign to a list").WithHelp("write the names without brackets")
	}
	for i := range t.Items {
		checkTarget(x, &t.Items[i], attrs)
	}
}

// readWith: [ target "=" expression { "," target "=" expression } ].
func readWith(p *jinjaParser, x *exprParser, piece *lexer.JinjaPiece) ast.Node {
	t := &ast.With{Range: ast.At(piece.Span)}
	for x.tok.Kind != lexer.EOF && x.tok.Kind != lexer.Colon && x.err == nil {
		if len(t.Targets) > 0 && !x.skip(lexer.Comma) {
			wants(x, "with name = value, other = value", "`,`")
			break
		}
		target := x.target()
		p.checkTarget(x, &target, false)
		if !x.skip(lexer.Assign) {
			wants(x, "with name = value", "`=`")
			break
		}
		t.Targets, t.Values = append(t.Targets, target), append(t.Values, x.expr())
	}
	return t
}

// readMacro: name signature.
func readMacro(p *jinjaParser, x *exprParser, piece *lexer.JinjaPiece) ast.Node {
	t := &ast.Macro{Range: ast.At(piece.Span)}
	t.Name, _ = p.newName(x)
	if x.tok.Kind != lexer.LParen {
		wants(x, "macro name(parameters)", "`(`")
		return t
	}
	t.Params = p.signature(x)
	return t
}

// newName reads a name that is bound: no constant.
func (p *jinjaParser) newName(x *exprParser) (string, source.Span) {
	if x.tok.Kind == lexer.Name {
		if _, ok := x.constant(x.tok.Text, ast.Range{}); ok {
			x.failAt("PCC153", x.tok.Span(), "cannot assign to `%s`", x.tok.Text)
		}
	}
	return x.name()
}

// signature: "(" [ name [ "=" expression ] { "," … } ] ")".
func (p *jinjaParser) signature(x *exprParser) (params []ast.Param) {
	x.expect(lexer.LParen)
	seen := map[string]bool{}
	for x.tok.Kind != lexer.RParen && x.err == nil {
		if len(params) > 0 && !x.skip(lexer.Comma) {
			wants(x, "macro name(a, b=1)", "`,` or `)`")
			break
		}
		var q ast.Param
		q.Name, q.Span = p.newName(x)
		switch {
		case x.err != nil:
			return params
		case seen[q.Name]:
			x.failAt("PCC154", q.Span, "the parameter `%s` stands twice", clip(q.Name)).WithHelp("give each parameter a name of its own")
		case x.skip(lexer.Assign):
			q.Default = x.expr()
		case len(params) > 0 && params[len(params)-1].Default != nil:
			x.failAt("PCC154", q.Span, "`%s` has no default, but a parameter before it has", clip(q.Name))
		}
		seen[q.Name] = true
		params = append(params, q)
	}
	x.expect(lexer.RParen)
	return params
}

// readCall: [ signature ] call.
func readCall(p *jinjaParser, x *exprParser, piece *lexer.JinjaPiece) ast.Node {
	t := &ast.CallBlock{Range: ast.At(piece.Span)}
	if x.tok.Kind == lexer.LParen {
		t.Params = p.signature(x)
	}
	start := x.tok.Start
	t.Call = x.expr()
	if _, ok := t.Call.(*ast.Call); !ok && x.err == nil {
		// Jinja gives the tag's own line; finish finds where the tag ends.
		x.failAt("PCC155", piece.Span, "expected a call").
			WithLabel(source.Span{Start: start, End: x.last}, "this is no call")
	}
	return t
}

func readFilter(p *jinjaParser, x *exprParser, piece *lexer.JinjaPiece) ast.Node {
	return &ast.FilterBlock{Range: ast.At(piece.Span), Filter: x.filterChain()}
}

// readBlock: name [ "scoped" ] [ "required" ].
func readBlock(p *jinjaParser, x *exprParser, piece *lexer.JinjaPiece) ast.Node {
	t := &ast.Block{Range: ast.At(piece.Span)}
	t.Name, _ = x.name()
	t.Scoped = x.skipWord("scoped")
	t.Required = x.skipWord("required")
	if x.tok.Kind == lexer.Minus {
		x.failAt("PCC160", x.tok.Span(), "a block's name holds no hyphen").WithHelp("use an underscore instead")
	}
	return t
}

// checkRequired checks that a required block is empty.
func checkRequired(p *jinjaParser, n ast.Node) {
	t := n.(*ast.Block)
	if !t.Required {
		return
	}
	for _, n := range t.Body {
		switch c := n.(type) {
		case *ast.Comment, *ast.Bad:
			continue
		case *ast.Text:
			if strings.TrimSpace(c.Value) == "" {
				continue
			}
		}
		// Jinja gives the line of the end tag.
		p.fail("PCC156", p.last, "the required block `%s` holds more than comments and white space", clip(t.Name)).
			WithLabel(n.Span(), "this is its content")
		return
	}
}

func readAutoescape(p *jinjaParser, x *exprParser, piece *lexer.JinjaPiece) ast.Node {
	return &ast.Autoescape{Range: ast.At(piece.Span), On: x.expr()}
}

func readGeneration(p *jinjaParser, x *exprParser, piece *lexer.JinjaPiece) ast.Node {
	return &ast.Generation{Range: ast.At(piece.Span)}
}

// readPrint: [ expression { "," expression } ]. It makes one output each.
func readPrint(p *jinjaParser, x *exprParser, piece *lexer.JinjaPiece) ast.Node {
	first := ast.Node(&ast.Comment{Range: ast.At(piece.Span)})
	for n := 0; x.tok.Kind != lexer.EOF && x.err == nil; n++ {
		if n > 0 && !x.skip(lexer.Comma) {
			wants(x, "print a, b", "`,`")
			break
		}
		e := x.expr()
		out := &ast.Output{Range: ast.At(e.Span()), Expr: e, Raw: p.file.Slice(e.Span())}
		if n == 0 {
			first = out
		} else {
			p.printed = append(p.printed, out)
		}
	}
	return first
}

func readExtends(p *jinjaParser, x *exprParser, piece *lexer.JinjaPiece) ast.Node {
	return &ast.Extends{Range: ast.At(piece.Span), Name: x.expr()}
}

// readInclude: expression [ "ignore" "missing" ] [ context ].
func readInclude(p *jinjaParser, x *exprParser, piece *lexer.JinjaPiece) ast.Node {
	t := &ast.Include{Range: ast.At(piece.Span), Name: x.expr()}
	if x.wordPair("ignore", "missing") {
		t.IgnoreMissing = true
	}
	with, given := x.context()
	t.WithoutContext = given && !with
	return t
}

// wordPair reads the two words if both come next.
func (x *exprParser) wordPair(first, second string) bool {
	if !x.word(first) {
		return false
	}
	if _, text := x.ahead(); text != second {
		return false
	}
	x.next()
	x.next()
	return true
}

// context reads `with context` or `without context`.
func (x *exprParser) context() (with, given bool) {
	if x.wordPair("with", "context") {
		return true, true
	}
	return false, x.wordPair("without", "context")
}

// readImport: expression "as" name [ context ].
func readImport(p *jinjaParser, x *exprParser, piece *lexer.JinjaPiece) ast.Node {
	t := &ast.Import{Range: ast.At(piece.Span), Name: x.expr()}
	if !x.skipWord("as") {
		wants(x, `import "file" as name`, "`as`")
		return t
	}
	t.Alias, _ = p.newName(x)
	t.WithContext, _ = x.context()
	return t
}

// readFrom: expression "import" name [ "as" name ] { "," … } [ context ].
func readFrom(p *jinjaParser, x *exprParser, piece *lexer.JinjaPiece) ast.Node {
	t := &ast.FromImport{Range: ast.At(piece.Span), Name: x.expr()}
	form := `from "file" import name, other as alias`
	if !x.skipWord("import") {
		wants(x, form, "`import`")
		return t
	}
	for x.err == nil {
		if len(t.Names) > 0 {
			if !x.skip(lexer.Comma) {
				wants(x, form, "`,`")
				break
			}
		}
		if x.tok.Kind != lexer.Name {
			wants(x, form, "a name")
			break
		}
		if with, given := x.context(); given {
			t.WithContext = with
			break
		}
		var a ast.Alias
		a.Name, a.Span = p.newName(x)
		if strings.HasPrefix(a.Name, "_") && x.err == nil {
			x.failAt("PCC157", a.Span, "`%s` is private to its template", clip(a.Name))
		}
		a.As = a.Name
		if x.skipWord("as") {
			a.As, _ = p.newName(x)
		}
		t.Names = append(t.Names, a)
		if with, given := x.context(); given {
			t.WithContext = with
			break
		}
		if x.tok.Kind != lexer.Comma {
			break
		}
	}
	return t
}

func readDo(p *jinjaParser, x *exprParser, piece *lexer.JinjaPiece) ast.Node {
	return &ast.Do{Range: ast.At(piece.Span), Expr: x.tuple(false)}
}

// readBreak and readContinue: nothing.
func readBreak(*jinjaParser, *exprParser, *lexer.JinjaPiece) ast.Node    { return new(ast.Break) }
func readContinue(*jinjaParser, *exprParser, *lexer.JinjaPiece) ast.Node { return new(ast.Continue) }

// checkBreak refuses a tag of that name outside a loop.
func checkBreak(word string) func(*jinjaParser, source.Span) {
	return func(p *jinjaParser, tag source.Span) {
		if n := len(p.stack); n == 0 || !p.stack[n-1].inLoop {
			p.report(diag.New("PCC159", p.file, tag, "`%s` outside a loop", word).WithKind("syntax"))
		}
	}
}
