package chat

import (
	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/vm"
)

// The kinds of errors that errors.Is finds in what this package returns. Other
// causes, such as context.Canceled and fs.ErrNotExist, are found as they are.
var (
	// ErrTemplate: the model's files, its template or an option is wrong; no request
	// can mend it.
	ErrTemplate = diag.ErrTemplate
	// ErrMissing: the request lacks what the template needs.
	ErrMissing = diag.ErrMissing
	// ErrData: the request is malformed, or the template refuses it.
	ErrData = diag.ErrData
	// ErrLimit: a limit of size, depth, steps or memory was reached.
	ErrLimit = diag.ErrLimit
)

// What the functions of this package take and return.
type (
	// Program is a compiled template. Its methods are those of vm.Program: `go doc
	// vm.Program`.
	Program = vm.Program
	// Map is a map that keeps the order of its keys.
	Map = vm.Map
	// Value is a value of a template.
	Value = vm.Value
	// Limits bound what a template and a request can make a render do.
	Limits = vm.Limits
	// RenderOption changes one render.
	RenderOption = vm.RenderOption
	// Error is one finding, with its code, place and help.
	Error = diag.Diagnostic
	// Errors are findings, as one error.
	Errors = diag.List
)
