// Package compiler turns template text into programs.
//
//	p, err := compiler.Compile("Hello {name}")
//	text, err := p.Render(map[string]any{"name": "Ada"})
//
// What enters: source text or files, and options. What leaves: a *Program, or a list
// of diagnostics that says all that is wrong. Programs are immutable and safe for
// concurrent use: compile once, at start-up. Compile takes text, CompileFile one file
// with its includes, CompileFS the templates of an fs.FS; Check lists all findings,
// warnings as well. Documents of prompts are package prompt's, models' chat templates
// package chat's.
//
// A program renders to a text, a writer, a buffer or messages, each in a short form
// and in one with a context and options: RenderContext, RenderToContext,
// AppendToContext, MessagesContext, SegmentsContext, Report. errors.Is tells the kind
// of an error: ErrTemplate, ErrMissing, ErrData, ErrLimit. The types that come back
// are aliases of package vm's.
//
// # The files, in reading order
//
// What users call: options.go, choices.go, jinja_options.go and render_options.go;
// compile.go, templates.go, text.go, jinja_meta.go (Undeclared), rootfs*.go (DirFS);
// aliases.go. compile_document.go and document.go are the way in for package prompt.
//
// Before lowering: the parser makes a tree (package parser), include.go loads the
// files that it names, jinja_load.go those of Jinja, recover.go goes on behind errors
// of syntax. frontmatter.go reads declarations.
//
// Lowering, from the tree to instructions: language.go says in what the native
// language and Jinja differ. lower.go (blocks), lower_include.go, lower_expr.go
// (expressions), head.go, inplace.go, roles.go, path.go; lower_document.go,
// lower_structure.go and document_jinja.go for documents. scope.go gives names of
// native templates their slots. Jinja's names follow Python's rules: jinja_facts.go, jinja_flow.go,
// jinja_undeclared.go and jinja_scope.go find them, jinja_lower.go, jinja_expr.go,
// jinja_loop.go and jinja_template.go lower what is Jinja's own, jinja_print.go prints
// that are written part by part.
//
// Checks on the way: check.go, check_contract.go, check_loop.go, near.go, message_keys.go, mixed.go, warn.go, effects.go.
// variables.go and jinja_variables.go list what a program reads.
//
// Better code: fold.go (constants), code.go (the builder of instructions), fuse.go
// (superinstructions); site.go notes where code comes from.
package compiler
