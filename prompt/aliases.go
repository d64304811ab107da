package prompt

import (
	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/vm"
)

// The kinds of errors that errors.Is finds in what this package and renders
// return. Other causes, such as context.Canceled, fs.ErrNotExist and the errors of
// the host's functions, are found as they are.
var (
	// ErrTemplate: the template, the document or an option is wrong; no data can
	// mend it.
	ErrTemplate = diag.ErrTemplate
	// ErrMissing: the data lack a value that the template needs.
	ErrMissing = diag.ErrMissing
	// ErrData: the data are not what the template takes: of another type, out of
	// range, refused by the template, or no JSON.
	ErrData = diag.ErrData
	// ErrLimit: a limit of size, depth, steps or memory was reached.
	ErrLimit = diag.ErrLimit
)

// What the functions of this package take and return.
type (
	// Program is a compiled prompt. Its methods, such as Messages, Render and
	// Variables, are those of vm.Program: `go doc vm.Program`.
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
