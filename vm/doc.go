// Package vm holds values, the bytecode and the machine that renders it.
//
// What enters: Programs made by package compiler, and data. What leaves: text
// or chat messages. The package knows nothing of source syntaxes: it reads
// spans only to say where a failure happened.
package vm
