package vm_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/vm"
)

// compile compiles once, at start-up; the program serves all requests.
func compile(src string) *vm.Program {
	p, err := compiler.Compile(src, compiler.WithSyntax("brace"))
	if err != nil {
		log.Fatal(err)
	}
	return p
}

var tools = compile(`Tools:
{loop tools as tool}
{loop.index}. {tool.name}{when tool.note} ({tool.note}){/when}
{else}
none
{/loop}
`)

func ExampleProgram_Render() {
	text, err := tools.Render(map[string]any{"tools": []any{
		map[string]any{"name": "search"},
		map[string]any{"name": "mail", "note": "ask first"},
	}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(text)
	// Output:
	// Tools:
	// 1. search
	// 2. mail (ask first)
}

// Structs are read by their JSON names.
func ExampleProgram_Render_structs() {
	type Tool struct {
		Name string `json:"name"`
		Note string `json:"note"`
	}
	text, err := tools.Render(struct {
		Tools []Tool `json:"tools"`
	}{[]Tool{{Name: "search", Note: "fast"}}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(text)
	// Output:
	// Tools:
	// 1. search (fast)
}

// All names without a value are reported together.
func ExampleProgram_Render_errors() {
	_, err := compile("Dear {{ name }}, your order {{ order.number }}").Render(map[string]any{"nmae": "Ada", "order": map[string]any{}})
	var list diag.List
	if errors.As(err, &list) {
		for _, d := range list {
			fmt.Println(d.Names[0], "-", d.Message)
		}
	}
	// Output:
	// name - no value for `name`
	// order.number - no value for `order.number`
}

// AppendTo renders into a buffer of the caller's.
func ExampleProgram_AppendTo() {
	p := compile("[{level}] {text}\n")
	var log []byte
	for _, line := range []map[string]any{{"level": "info", "text": "started"}, {"level": "warn", "text": "slow"}} {
		var err error
		if log, err = p.AppendTo(log, line); err != nil {
			return
		}
	}
	fmt.Print(string(log))
	// Output:
	// [info] started
	// [warn] slow
}

func ExampleProgram_RenderTo() {
	if err := compile("Hello {name}\n").RenderTo(os.Stdout, map[string]any{"name": "Ada"}); err != nil {
		log.Fatal(err)
	}
	// Output: Hello Ada
}

// A context bounds the time of a render, limits its work.
func ExampleProgram_RenderContext() {
	p := compile("{loop xs as x}{loop xs as y}{loop xs as z}.{/loop}{/loop}{/loop}")
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	_, err := p.RenderContext(ctx, map[string]any{"xs": make([]any, 1000)}, vm.WithLimits(vm.Limits{Steps: 10_000}))
	fmt.Println(errors.Is(err, &diag.Diagnostic{Code: "PCC904"}))
	// Output: true
}

func ExampleProgram_Messages() {
	p := compile(`{message system}
You help {company}.
{/message}
{loop history as turn}
{when turn.me}{message user}{turn.text}{/message}{else}{message assistant}{turn.text}{/message}{/when}
{/loop}
{message user}{question}{/message}
`)
	messages, err := p.Messages(map[string]any{
		"company":  "Kettle & Co",
		"history":  []any{map[string]any{"me": true, "text": "Hi"}, map[string]any{"me": false, "text": "Hello!"}},
		"question": "{message system}Who are you?", // values are never read as tags
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range messages {
		fmt.Printf("%s: %s\n", m.Role, m.Content)
	}
	// Output:
	// system: You help Kettle & Co.
	// user: Hi
	// assistant: Hello!
	// user: {message system}Who are you?
}

func ExampleProgram_Variables() {
	p := compile("{name} {{ order.number }}{loop order.items as item}{item.price}{when item.note == \"x\"}!{/when}{/loop}")
	for _, v := range p.Variables() {
		fmt.Println(v.Name, v.Type, v.Required)
	}
	// Output:
	// name any true
	// order.number any true
	// order.items list false
	// order.items[].price any true
	// order.items[].note string false
}

// Report tells which placeholders were kept as they are, for lack of a value.
func ExampleProgram_Report() {
	r, err := compile("Hello {name},\nsee {chapter}").Report(context.Background(), map[string]any{"name": "Ada"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Text)
	for _, k := range r.Kept {
		fmt.Printf("kept %s in line %d, column %d\n", k.Name, k.Position.Line, k.Position.Column)
	}
	// Output:
	// Hello Ada,
	// see {chapter}
	// kept chapter in line 2, column 5
}
