// Package code is the bytecode: opcodes, instructions, their operands, the
// verifier and the disassembler. It is no one's API but of the compiler, which
// makes code, and the machine in package vm, which executes it. Values, builtins
// and whatever else operands refer to stay in vm: a Pool tells how many there
// are.
//
// Read table.go first: it is the one description of every opcode, from which the
// verifier, the height of the stack, the disassembler and the reference come.
package code
