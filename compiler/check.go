package compiler

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/lexer"
	"github.com/pcc-lang/pcc/vm"
)

// This file holds the static checks: names that do not exist, arguments that
// do not fit, declarations that are not kept.

func (l *lowerer) report(code diag.Code, span source.Span, format string, args ...any) *diag.Diagnostic {
	d := diag.New(code, l.file, span, format, args...)
	l.add(d)
	return d
}

// maxErrors and maxWarnings bound the findings of one compilation.
const (
	maxErrors   = 20
	maxWarnings = 100
)

// add adds a finding; after too many it is left out.
func (l *lowerer) add(d *diag.Diagnostic) {
	if l.broken && followUps(d) {
		return
	}
	if l.site > 0 && d.Trace == nil {
		d.Trace = l.includedFrom()
	}
	if d.Severity != diag.Error {
		if l.warnings++; l.warnings <= maxWarnings {
			l.errs = append(l.errs, d)
		}
		return
	}
	switch l.errors++; {
	case l.errors <= maxErrors:
		l.errs = append(l.errs, d)
	case l.errors == maxErrors+1:
		l.errs = append(l.errs, diag.New("PCC903", d.File, d.Span, "too many errors, the rest is left out"))
	}
}

// counts are guesses how long tables get, from a look at the whole tree.
type counts struct {
	// tags is the number of tags, placeholders and branches; outputs that of
	// placeholders, pathOutputs that of those of a path alone; reads that of expressions
	// that are a path as a rule.
	tags, outputs, pathOutputs, reads int
	pathKeys                          int  // of the paths among these expressions
	includes                          bool // tags may name other files
	choices                           bool // there is a switch, or a condition that may be constant
}

// countNodes counts the nodes of t; f, where not nil, notes what they hold.
func countNodes(t *ast.Template, f *jinjaFacts) (c counts) {
	ast.Walk(t.Body, func(n ast.Node) bool {
		if _, ok := n.(*ast.Text); ok {
			return true
		}
		if f != nil {
			f.node(n)
		}
		switch n := n.(type) {
		case *ast.Output:
			c.outputs++
			if isPath(n.Expr) {
				c.pathOutputs++
			}
			c.reads++
			c.pathKeys += keysIn(n.Expr)
		case *ast.Switch:
			c.tags += len(n.Cases)
			c.reads++
			c.choices = true
		case *ast.When:
			c.tags += len(n.Branches)
			c.reads += len(n.Branches)
			c.pathKeys += keysIn(n.Branches[0].Cond)
			for i := range n.Branches {
				c.choices = c.choices || foldable(n.Branches[i].Cond, 0)
			}
		case *ast.Loop:
			c.reads++
			c.pathKeys += keysIn(n.Iter)
		case *ast.Set:
			c.reads++
			c.pathKeys += keysIn(n.Value)
		case *ast.Include, *ast.Embedded:
			c.includes = true
		}
		c.tags++
		return true
	})
	return c
}

// keysIn counts the keys of the path that e is or is made of, its variable among
// them; it is a guess where e is more.
func keysIn(e ast.Expr) int {
	for n := 1; ; {
		switch x := e.(type) {
		case *ast.Attr:
			n, e = n+1, x.X
		case *ast.Filter:
			e = x.X
		case *ast.Compare:
			e = x.X
		case *ast.Unary:
			e = x.X
		default:
			return n
		}
	}
}

// check looks at the whole tree before it is lowered: constant cases that
// repeat, and branches that can never run.
func (l *lowerer) check(t *ast.Template) {
	if !l.choices {
		return
	}
	ast.Walk(t.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Switch:
			l.checkCases(n)
		case *ast.When:
			l.checkBranches(n)
		}
		return true
	})
}

// checkCases reports a constant that two cases list.
func (l *lowerer) checkCases(n *ast.Switch) {
	type key struct {
		text string
		kind ast.LiteralKind
	}
	seen := map[key]source.Span{}
	for _, c := range n.Cases {
		for _, e := range c.Values {
			lit, ok := e.(*ast.Literal)
			if !ok {
				continue
			}
			k := key{literalText(lit), lit.Kind}
			if at, dup := seen[k]; dup {
				l.report("PCC206", e.Span(), "this case is listed twice; the second never runs").WithLabel(at, "first listed here")
				continue
			}
			seen[k] = e.Span()
		}
	}
}

func literalText(lit *ast.Literal) string {
	switch lit.Kind {
	case ast.StringLit:
		return lit.Str
	case ast.IntLit:
		return lit.Int.String()
	case ast.FloatLit:
		return fmt.Sprint(lit.Float)
	case ast.BoolLit:
		return fmt.Sprint(lit.Bool)
	}
	return ""
}

// checkBranches warns of conditions that are constant.
func (l *lowerer) checkBranches(n *ast.When) {
	for i, b := range n.Branches {
		v, ok := l.constant(b.Cond)
		if !ok {
			continue
		}
		truth, err := vm.NewEnv(l.dialect, l.cfg.limits).Truth(v)
		if err != nil {
			continue
		}
		switch {
		case !truth:
			l.report("PCC207", b.Cond.Span(), "this condition is never true: its branch is never reached")
		case i < len(n.Branches)-1 || n.HasElse:
			l.report("PCC207", b.Cond.Span(), "this condition is always true: the branches behind it are never reached")
		case v.Kind() == vm.KindString && l.nativeTruth(): // true and 1 are switched on by hand
			d := l.report("PCC207", b.Cond.Span(), "this condition is a text, and always true")
			if s, _ := v.Str(); strings.IndexFunc(s, lexer.IsNameStart) == 0 && !strings.ContainsFunc(s, func(r rune) bool { return !lexer.IsNamePart(r) }) {
				d.Help = "write a variable without quotes: " + diag.ClipName(s)
			}
		}
	}
}

// variable checks a name that is read from the data against the contract.
func (l *lowerer) variable(e *ast.Name) { l.inContract(e.Name, e.Span()) }

func (l *lowerer) inContract(name string, at source.Span) {
	if l.contract == nil {
		return
	}
	l.markUsed(name)
	if l.contract[name] {
		return
	}
	if _, ok := l.dialect.Globals[name]; ok && l.dialect.FunctionsAreVariables() {
		return
	}
	if d := l.undeclared[name]; d != nil { // once a name, with some of its further places
		const most = 3
		if len(d.Labels) < most && (d.File != l.file || d.Span != at) {
			d.Labels = append(d.Labels, diag.Label{File: l.file, Span: at, Message: "and here"})
		}
		return
	}
	d := l.report("PCC202", at, "`%s` is not among the declared variables", name).WithNames(name)
	if l.undeclared == nil {
		l.undeclared = map[string]*diag.Diagnostic{}
	}
	l.undeclared[name] = d
	declaration := fmt.Sprintf("declare it under `variables:`, as `%s: {type: %s, required: false}`", name, cmp.Or(l.usage.lastHint, "string"))
	if near, ok := l.nearest.Find(name, l.declaredNames); ok {
		d.Help = fmt.Sprintf("did you mean `%s`? Else %s", near, declaration)
	} else {
		d.Help = declaration
	}
}

// markUsed notes that a name of the contract is read.
func (l *lowerer) markUsed(name string) {
	if l.used == nil {
		l.used = map[string]bool{}
	}
	l.used[name] = true
}

// softText warns of a soft placeholder that a contract makes text although a
// declared name is near.
func (l *lowerer) softText(n *ast.Output, name string) {
	if near, ok := l.nearest.Find(name, l.declaredNames); ok {
		l.report("PCC205", n.Span(), "`%s` is not declared, so this is text", n.Raw).WithNames(name).
			WithHelp("did you mean `%s`?", near)
	}
}

// unused warns of declared variables that nothing reads.
func (l *lowerer) unused(m *ast.Meta) {
	if m == nil {
		return
	}
	if slices.Contains(m.Given, "examples") && !m.SharedGiven && !l.used["examples"] && !l.usesVars {
		i := slices.IndexFunc(m.Vars.Map, func(e ast.Entry) bool { return e.Key == "examples" })
		l.add(diag.New("PCC204", m.File, m.Vars.Map[i].KeySpan, "no text reads the `examples` of this document").WithNames("examples").
			WithHelp("write them where they belong, as in `loop: examples as e`, or remove the key"))
	}
	if !m.Contract {
		return
	}
	for _, v := range m.Variables {
		if !l.used[v.Name] && !l.usesVars {
			l.add(diag.New("PCC204", m.File, v.Span, "`%s` is declared but never used", v.Name).WithNames(v.Name))
		}
	}
	for _, d := range l.elements {
		if !l.used[d.Names[0]] && !l.usesVars {
			l.add(d)
		}
	}
}

// declaredNames lists the names of the contract, in order.
func (l *lowerer) declaredNames() []string {
	if l.declaredList == nil {
		l.declaredList = slices.Sorted(maps.Keys(l.contract))
	}
	return l.declaredList
}

// unknownFilter reports a filter that does not exist.
func (l *lowerer) unknownFilter(e *ast.Filter) {
	l.unknown("filter", "PCC201", e.Name, e.NameSpan, l.cfg.filters, l.dialect.Filters)
}

// unknownTest reports a test that does not exist.
func (l *lowerer) unknownTest(e *ast.Test) {
	l.unknown("test", "PCC208", e.Name, e.NameSpan, l.cfg.tests, l.dialect.Tests)
}

// filtersElsewhere are the filters that other languages have as functions.
var filtersElsewhere = map[string]string{"len": "length", "size": "length", "str": "string", "sorted": "sort",
	"reversed": "reverse", "uppercase": "upper", "lowercase": "lower", "tolower": "lower", "toupper": "upper"}

// unknownFunction reports a name that is called and is neither bound inside the
// template, nor declared, nor a function. JSON and YAML hold none; an object
// that a program puts into the data is called through `vars`.
func (l *lowerer) unknownFunction(e *ast.Name) bool {
	name := e.Name
	if r := l.scopes.resolve(name); r.local != nil || r.loop >= 0 || name == "vars" || l.contract[name] {
		return false
	}
	d := l.report("PCC238", e.Span(), "there is no function `%s`", name).WithNames(name)
	filter := name
	if l.cfg.filter(l.dialect, name) == nil {
		filter = filtersElsewhere[name]
	}
	known := func() []string { return slices.Sorted(maps.Keys(l.dialect.Globals)) }
	if near, ok := l.nearest.Find(name, known); filter != "" {
		d.Help = fmt.Sprintf("`%s` is a filter: write value|%[1]s", filter)
	} else if ok {
		d.Help = fmt.Sprintf("did you mean `%s`?", near)
	}
	return true
}

func (l *lowerer) unknown(what string, code diag.Code, name string, span source.Span, sets ...map[string]*vm.Builtin) {
	d := l.report(code, span, "there is no %s `%s`", what, name).WithNames(name).WithKind("syntax")
	if l.errors > maxErrors {
		return // left out anyway
	}
	known := func() (names []string) {
		for _, s := range sets {
			names = slices.AppendSeq(names, maps.Keys(s))
		}
		slices.Sort(names)
		return names
	}
	near, ok := l.nearest.Find(name, known)
	if other := filtersElsewhere[name]; !ok && what == "filter" && slices.ContainsFunc(sets, func(s map[string]*vm.Builtin) bool { return s[other] != nil }) {
		near, ok = other, true
	}
	if ok {
		d.Help = fmt.Sprintf("did you mean `%s`?", near)
	}
}

// checkArgs holds the arguments of a builtin against its signature. skip is
// the number of leading parameters that are given already (the subject).
func (l *lowerer) checkArgs(b *vm.Builtin, skip int, args []ast.Arg, at source.Span) {
	if !l.dialect.NativeTags() {
		return // a fault there is Python's to report, and only if it is reached
	}
	given := make([]bool, len(b.Params))
	positional, variadic, keywords := 0, false, false
	for _, p := range b.Params {
		switch p.Kind {
		case vm.Variadic:
			variadic = true
		case vm.Keywords:
			keywords = true
		default:
			positional++
		}
	}
	n := skip
	for i := range min(skip, len(given)) {
		given[i] = true
	}
	for _, a := range args {
		switch {
		case a.Star > 0:
			return
		case a.Name == "":
			if n >= positional && !variadic {
				l.report("PCC203", a.Value.Span(), "`%s` takes at most %d arguments here", b.Name, positional-skip).
					WithHelp("its signature is %s", b.Signature())
				return
			}
			if n < len(given) {
				given[n] = true
			}
			n++
		default:
			i := slices.IndexFunc(b.Params, func(p vm.ParamSpec) bool {
				return p.Name == a.Name && (p.Kind == vm.Required || p.Kind == vm.Optional)
			})
			if i < 0 && keywords {
				continue
			}
			if i < 0 || given[i] {
				l.report("PCC203", a.NameSpan, "`%s` takes no argument `%s` here", b.Name, a.Name).
					WithHelp("its signature is %s", b.Signature())
				return
			}
			given[i] = true
		}
	}
	for i, p := range b.Params {
		if p.Kind == vm.Required && !given[i] {
			l.report("PCC203", at, "`%s` lacks its argument `%s`", b.Name, p.Name).WithHelp("its signature is %s", b.Signature())
			return
		}
	}
}
