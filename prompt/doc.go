// Package prompt loads prompt documents: YAML and JSON files, agent folders and
// template files, in the forms of five systems, which are told apart by their
// keys. It compiles each prompt once and renders it any number of times.
//
//	prompts, err := prompt.LoadFile("support.yaml") // or Load for an fs.FS, LoadDir for a tree
//	p, err := prompts.Find("")                      // the only prompt of the document
//	messages, err := p.Messages(map[string]any{"question": "Why?"})
//
// What enters: files, or values from which NewText, NewChat, NewDictionary and
// NewPair make documents. What leaves: a Set of programs by name, which also
// saves its document, runs the tests in it and tells what it holds. Errors are
// lists of diagnostics with file, line, column and what to do.
//
// Sets and programs are immutable and safe for concurrent use. Options are those
// of package compiler, under the same names; types that come back are aliased
// here, so that this package is the only import of a program that renders
// documents.
//
// The files, in reading order: load.go and loadtree.go (from files to a Set),
// set.go (what a Set holds), new.go (documents made in Go), pair.go (Phronomy's
// pairs), doctest.go (tests in documents), schema.go (JSON Schema), checkrequest.go (the schemas in
// documents), request.go (whole requests), format.go (messages for providers), options.go, choices.go, render_options.go and aliases.go.
package prompt
