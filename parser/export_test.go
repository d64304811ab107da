package parser

import "github.com/pcc-lang/pcc/ast"

// Dump prints a body without positions.
func Dump(body []ast.Node) string { return dumpBody(body) }

// Produced makes Parse tell the word of each head that a production reads.
func Produced(o Options, told func(word string)) Options {
	o.produced = told
	return o
}

// KnownFilters is the tests' set of filters.
func KnownFilters(name string) bool { return knownFilters(name) }
