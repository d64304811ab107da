// Package compiler turns template text into programs.
//
// What enters: source text or files, and options. What leaves: a *vm.Program,
// or a diag.List that says all that is wrong.
//
// The passes, each in a file of its own: parsing (package parser), includes
// (include.go), checks (check.go), lowering to instructions (lower*.go, with
// scopes in scope.go and constant folding in fold.go) and fusing of
// instructions (fuse.go).
package compiler
