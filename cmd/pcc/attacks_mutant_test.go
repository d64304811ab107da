package main

import (
	"os"
	"slices"
	"strings"

	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/internal/code"
	"github.com/pcc-lang/pcc/vm"
)

// mutant breaks a program's code as the row says and runs what is not refused.
func (c *attackCase) mutant() verdict {
	src := "{% macro m(n) %}{{ m(n) }}{% endmacro %}{% for x in xs %}{% set y %}{{ x }}{% endset %}{{ y }}{{ loop.index }}{% endfor %}{{ m(1) if deep }}{{ 'c' ~ a }}"
	p, err := compiler.Compile(src, compiler.WithSyntax("jinja"))
	must(c, err)
	name := strings.TrimPrefix(c.row.Fixture, "mutate:")
	img := *p.Image()
	img.Functions = slices.Clone(img.Functions)
	for i := range img.Functions {
		img.Functions[i].Code = slices.Clone(img.Functions[i].Code)
	}
	body := img.Functions[0].Code
	find := func(op code.Op) *code.Instr {
		for i := range body {
			if body[i].Op == op {
				return &body[i]
			}
		}
		c.t.Fatalf("the program has no %v", op)
		return nil
	}
	data := map[string]any{"xs": []any{1, 2}, "a": "a"}
	switch name {
	case "jump past end":
		find(code.OpLoop).Target = int32(len(body))
	case "jump to negative":
		find(code.OpNext).Target = -1
	case "jump into the middle of an instruction":
		// Instructions have one size; the nearest is a jump to another height.
		find(code.OpLoop).Target = int32(len(body)) - 2
		body[len(body)-3] = code.Instr{Op: code.OpConst}
		body[len(body)-2] = code.Instr{Op: code.OpPop}
	case "stack overflow: 2^31 PUSH in a loop":
		img.Functions[0].Code = []code.Instr{{Op: code.OpObject}, {Op: code.OpJump, Target: 0}}
	case "constant index out of range":
		body[0] = code.Instr{Op: code.OpConst, A: int32(len(img.Consts))}
	case "local slot out of range":
		body[0] = code.Instr{Op: code.OpSlot, A: int32(img.Functions[0].Slots)}
	case "unknown opcode":
		body[0].Op = 60_000
	case "string constant with invalid UTF-8":
		// Text need not be UTF-8 to be safe: it is written as it is.
		c.row.Or = "render"
		img.Functions[0].Code = append([]code.Instr{{Op: code.OpText, Text: "\xff"}}, code.Instr{Op: code.OpReturn})
		img.Functions[0].Spans = nil
	case "include table with '../x' or absolute path":
		p, err = compiler.Compile("{% include '../x' %}{% include '/etc/passwd' %}", compiler.WithSyntax("jinja"), compiler.WithFS(os.DirFS(c.dir)))
		must(c, err)
		img = *p.Image()
	case "embedded source path with ANSI escapes or newline":
		p, err = compiler.Compile("{{ 1 // 0 }}", compiler.WithSyntax("jinja"), compiler.WithName("a\x1b[31m\nb"))
		must(c, err)
		img = *p.Image()
	case "loop opcode without matching begin/end":
		// NEXT of a loop that never began has no further item: that is safe.
		c.row.Or = "render"
		*find(code.OpLoop) = code.Instr{Op: code.OpPop}
	case "call to a macro index that recurses":
		data["deep"] = true
	case "program compiled with a host function that this host lacks":
		img.Builtins = []*vm.Builtin{nil}
		body[0] = code.Instr{Op: code.OpObject}
		body[1] = code.Instr{Op: code.OpFilter, A: 0, B: -1, N: 1}
		body[2] = code.Instr{Op: code.OpPop}
	case "same bytes loaded twice give equal programs":
		again, err := compiler.Compile(src, compiler.WithSyntax("jinja"))
		if err != nil || again.Disassemble() != p.Disassemble() {
			c.fault("the programs differ: %v", err)
		}
	case "nested capture 10M deep in code":
		img.Functions[0].Code = []code.Instr{{Op: code.OpCapture}, {Op: code.OpJump, Target: 0}}
		img.Functions[0].Spans = nil
	case "limits section raising the host's limits":
		// A render may lower the limits of its program, and the host alone
		// may raise them, with the option for it.
		img.Functions[0].Code = []code.Instr{{Op: code.OpJump, Target: 0}}
		img.Functions[0].Spans = nil
	default:
		c.t.Fatalf("there is no fixture %q", name)
	}
	c.measure(func() {
		var q *vm.Program
		if q, c.err = vm.New(&img); c.err == nil {
			_, c.err = q.Render(data)
		}
	})
	v := verdict{Outcome: outcomeOf(c.err), Or: c.row.Or, Faults: c.faults, MS: c.spent.Milliseconds()}
	if c.err != nil {
		v.Detail = c.diagnostics()
		if strings.ContainsAny(v.Detail, "\x1b") {
			v.Faults = append(v.Faults, "the diagnostic holds an escape sequence")
		}
	}
	return v
}
