package prompt

import (
	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/vm"
)

// What the functions of this package take and return.
type (
	// Program is a compiled prompt.
	Program = vm.Program
	// Message is one message of a rendered chat.
	Message = vm.Message
	// Report tells what happened in a render besides its text.
	Report = vm.Report
	// Map is a map that keeps the order of its keys.
	Map = vm.Map
	// Value is a value of a template.
	Value = vm.Value
	// Limits bound what a template and its data can make a render do.
	Limits = vm.Limits
	// RenderOption changes one render.
	RenderOption = vm.RenderOption
	// JinjaOptions are the options of a Jinja environment.
	JinjaOptions = compiler.JinjaOptions
	// Error is one finding, with its code, place and help.
	Error = diag.Diagnostic
	// Errors are the findings of a compilation or a render, as one error.
	Errors = diag.List
)
