package compiler

import (
	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/internal/code"
	"github.com/pcc-lang/pcc/vm"
)

// This file lowers structured data of documents whose texts are templates: the
// content and the keys of messages, and what a document says of the request.

// structureRule tells what a text that is a placeholder and nothing else stands
// for.
type structureRule uint8

const (
	structureText  structureRule = iota // its text, as any other
	structureParts                      // its value, where that is a list of parts
	structurePart                       // that of a key of a part: its value, but for a text
	structureValue                      // its value, if it has one
)

// messageContent lowers structured content of a message. Lists and maps are
// made anew in each render, so that results never share memory.
func (l *lowerer) messageContent(n *ast.Message) {
	if n.NoContent {
		l.code.emit(code.Instr{Op: code.OpConst, A: l.constIndex(vm.Null)})
		l.code.emit(code.Instr{Op: code.OpMessageKey, N: uint16(code.KeyAbsent), Key: "content"})
		return
	}
	rule := structureText
	if n.Parts {
		rule = structureParts
	}
	l.inMessage(n.Content, rule)
	l.code.emit(code.Instr{Op: code.OpMessageKey, N: uint16(code.KeyContent)})
}

// inMessage pushes a value of the open message.
func (l *lowerer) inMessage(s *ast.Structure, rule structureRule) {
	outer := l.message
	l.message = true
	l.structure(s, rule)
	l.message = outer
}

// structure pushes a value whose templates are rendered. Structures are nested
// no deeper than documents may be.
func (l *lowerer) structure(s *ast.Structure, rule structureRule) {
	l.code.at(l.site, s.Span())
	switch s.Kind {
	case ast.STemplate:
		l.templateValue(s, rule)
	case ast.SList:
		kind := code.MakeList
		if rule == structureParts {
			kind = code.MakeParts
		}
		for i := range s.Items {
			l.structure(&s.Items[i], rule.inside(&s.Items[i], ""))
		}
		l.code.emit(code.Instr{Op: code.OpMake, B: int32(kind), N: l.count(len(s.Items))})
	case ast.SMap:
		for i := range s.Map {
			e := &s.Map[i]
			l.code.emit(code.Instr{Op: code.OpConst, A: l.constIndex(vm.String(e.Key))})
			l.structure(&e.Value, rule.inside(&e.Value, e.Key))
		}
		l.code.emit(code.Instr{Op: code.OpMake, B: int32(code.MakeMap), N: l.count(2 * len(s.Map))})
	default:
		l.code.emit(code.Instr{Op: code.OpConst, A: l.constIndex(ValueOf(s))})
	}
}

// inside is the rule for s, an item of a list, or the value of a key of a map, for
// which the rule is r. Among the parts of content a text of its own may stand for
// several, and in a part what is no text for a value.
func (r structureRule) inside(s *ast.Structure, key string) structureRule {
	switch {
	case r == structureParts && s.Kind == ast.SMap:
		return structurePart
	case r == structureParts && s.Kind == ast.STemplate, r == structureValue:
		return r
	case r == structurePart && s.Kind == ast.STemplate && (key == "image" || key == "audio" || key == "file" || key == "cache"):
		return structureValue
	}
	return structureText
}

// lonePlaceholder returns the placeholder that is all of a text, or nil.
func lonePlaceholder(body []ast.Node) *ast.Output {
	if len(body) != 1 {
		return nil
	}
	switch n := body[0].(type) {
	case *ast.Embedded:
		return lonePlaceholder(n.Body)
	case *ast.Output:
		return n
	}
	return nil
}

// templateValue pushes the text of a template, or the value of the placeholder
// that it is where the rule says so. The placeholder is read for that twice, so
// that one without such a value becomes what it is in any text.
func (l *lowerer) templateValue(s *ast.Structure, rule structureRule) {
	out := lonePlaceholder(s.Body)
	if rule == structureText || out == nil {
		l.code.emit(code.Instr{Op: code.OpCapture})
		l.body(s.Body)
		l.code.emit(code.Instr{Op: code.OpEndCapture})
		return
	}
	lower := func() { l.loneValue(out, rule) }
	if e, ok := s.Body[0].(*ast.Embedded); ok {
		l.inText(e, lower)
		return
	}
	l.scopes.push()
	lower()
	l.scopes.pop()
}

func (l *lowerer) loneValue(out *ast.Output, rule structureRule) {
	test := isParts
	if rule == structureValue {
		test = isGiven
	}
	text, end := l.code.label(), l.code.label()
	slot := l.scopes.newSlot()
	if !out.Soft || !l.undeclaredSoft(out) {
		outer := l.silent
		l.silent = true
		l.maybe(func() { l.expr(out.Expr) })
		l.silent = outer
		l.code.at(l.site, out.Span())
		l.code.emit(code.Instr{Op: code.OpStore, A: int32(slot)})
		l.code.emit(code.Instr{Op: code.OpSlot, A: int32(slot)})
		l.code.emit(code.Instr{Op: code.OpTest, A: l.builtinIndex(test), B: -1, N: 1})
		l.code.jumpIf(false, text)
		l.code.emit(code.Instr{Op: code.OpSlot, A: int32(slot)})
		l.code.jump(code.OpJump, end)
	}
	l.code.place(text)
	l.code.emit(code.Instr{Op: code.OpCapture})
	l.lonePart = rule != structureValue // a list of what is nearly parts is told
	l.body([]ast.Node{out})
	l.lonePart = false
	l.code.emit(code.Instr{Op: code.OpEndCapture})
	l.code.place(end)
}

// isParts and isGiven are tests that no template names.
var (
	isParts = &vm.Builtin{Name: "parts", Params: []vm.ParamSpec{{Name: "value"}}, TakesUndefined: true,
		Doc: "Is a list of parts of a message.",
		Fn: func(e *vm.Env, args []vm.Value) (vm.Value, error) {
			is, err := e.IsParts(args[0])
			return vm.Bool(is), err
		}}
	isGiven = &vm.Builtin{Name: "given", Params: []vm.ParamSpec{{Name: "value"}}, TakesUndefined: true,
		Doc: "Is a value, and not a missing one.",
		Fn: func(_ *vm.Env, args []vm.Value) (vm.Value, error) {
			return vm.Bool(!args[0].IsUndefined()), nil
		}}
)

// request lowers what a document says of the request: values without templates
// are constants of the program, the others are set by a function of their own,
// which runs where a render is asked for the request.
func (l *lowerer) request(n *ast.Request) {
	var rendered []*ast.Entry
	l.img.Request = vm.NewMap(len(n.Keys))
	for i := range n.Keys {
		e := &n.Keys[i].Entry
		l.img.RequestKeys = append(l.img.RequestKeys, e.Key)
		l.img.RequestSpans = append(l.img.RequestSpans, e.KeySpan)
		if !n.Keys[i].Fixed {
			rendered = append(rendered, e)
		} else {
			l.img.Request.Set(e.Key, l.cfg.shared.valueOf(&e.Value))
		}
	}
	if rendered == nil {
		return
	}
	callers, places, outer := l.code, l.scopes, l.message
	l.code, l.scopes = l.newCode(callers.now, 0), scopes{}
	l.scopes.push()
	l.message = true // placeholders may stand here
	for _, e := range rendered {
		l.structure(&e.Value, structureValue)
		l.code.at(l.site, e.Value.Span())
		l.code.emit(code.Instr{Op: code.OpMessageKey, N: uint16(code.KeyRequest), Key: e.Key})
	}
	l.message = outer
	l.code.emit(code.Instr{Op: code.OpReturn})
	if !l.cfg.off[PassFuse] {
		l.code.fuse(l.img)
	}
	if !l.cfg.off[PassItems] {
		l.code.placeItems(l.img, &l.scopes)
	}
	var f vm.Function
	l.code.assemble(&f, "request", &l.scopes, l.img)
	l.code, l.scopes = callers, places
	l.img.Functions = append(l.img.Functions, f)
	l.img.RequestCode = int32(len(l.img.Functions)) // the template itself will come first
}
