package parser

import "github.com/pcc-lang/pcc/ast"

// Dump prints a body without positions.
func Dump(body []ast.Node) string { return dumpBody(body) }

// Slow makes Parse read every tag with its production.
func Slow(o Options) Options {
	o.slow = true
	return o
}

// KnownFilters is the tests' set of filters.
func KnownFilters(name string) bool { return knownFilters(name) }
