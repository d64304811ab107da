// Package vm holds values, programs and the machine that executes their bytecode.
//
// What enters: Programs made by package compiler, and data. What leaves: text
// or chat messages. The package knows nothing of source syntaxes: it reads
// spans only to say where a failure happened.
package vm
