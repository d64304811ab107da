// Package vm holds values, programs and the machine that executes their bytecode.
//
// What enters: Programs made by package compiler, and data. What leaves: text
// or chat messages. The package knows nothing of source syntaxes: it reads
// spans only to say where a failure happened. Whoever compiles templates imports
// package compiler, which has aliases of what this package returns.
//
// # The files, in reading order
//
// Values. value.go has Value, a small struct that refers to data where it lies, and
// the kinds; map.go the ordered Map, hash.go its keys. lookup_plan.go makes one plan for
// each Go type of the data: lookup_struct.go has what it says of a struct's fields,
// lookup_map.go of a map; lookup_field.go reads both in memory. lookup_host.go reads what
// only reflection tells (canonical), spelled.go numbers that print as they were written, raw.go reads JSON that stands inside data.
// decode.go and decode_scan.go read JSON text.
//
// What is done with values. dialect.go names the rules in which the native language
// and Jinja differ; env.go has the Env that every operation is given, with its
// dialect, its clock and its budgets (limits.go, sizes.go, bulk.go). lookup.go,
// lookup_attr.go and lookup_slice.go resolve names, keys and slices; arith*.go,
// compare*.go, iterate*.go and search.go hold the operators; print*.go, json.go and
// escape.go make text of values; call.go, call_bind.go and builtin.go call functions;
// errors.go has their errors.
//
// Programs. image.go has what a program consists of, program.go what users see of it,
// verify.go and disasm.go lend it to package internal/code, id.go makes its fingerprint. bind.go checks a
// program against a Go type.
//
// Rendering. render.go begins and ends each render; machine.go is the main loop and
// registers.go what it reads and writes; dispatch.go executes the rarer
// instructions, loop.go loops, switch.go switches, eval.go evaluates paths and prints
// placeholders, print_sum.go sums that are written part by part, output.go grows the
// buffer and copy_short.go copies into it; grow.go joins texts and lists that grow in
// loops. Ways that do the work of several instructions at once: linear.go and text_run.go (programs without branches), emit_run.go (runs of
// placeholders), shape.go and shape_run.go (structs whose fields were found before).
// message*.go, document.go and request.go execute what chats and documents need, jinja_*.go what
// Jinja needs: jinja_code.go macros and closures, jinja_context.go templates that
// include others, jinja_loop.go the loop object, jinja_copy_on_write.go and
// jinja_caller_owned.go what templates may change.
//
// What a render tells. fault.go makes diagnostics of errors, near.go finds what a
// missing name may be meant for among what fieldnames.go lists, findings.go collects warnings, nearparts.go and unread.go those of lists that are nearly parts and of keys that nothing reads. segments*.go trace
// where each byte of the output comes from, guard_output.go neutralises control
// tokens by that; nested.go holds renders that are made inside others.
package vm
