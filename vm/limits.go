package vm

import (
	"cmp"
)

// Limits bound what a template and its data can make the compiler and the
// machine do. All are on by default (DefaultLimits); zero means "the default",
// never "no limit". Beyond one, compiling or rendering ends with a diagnostic of
// the code named here, and gives no output. compiler.WithLimits sets those of a
// program, WithLimits those of one render; what is spent while compiling
// (SourceBytes, Depth, CompileMemory) is not asked for again by a render, except for templates
// that it loads. On the command line each has the flag named here.
//
// What these do not bound: time, for which the context is (--timeout); data
// while it is decoded, see DecodeOptions; documents, whose values, depth and
// aliases are fixed, since no prompt comes near (parser/document); and parts
// of one expression, tags and instructions of one template, which are fixed so
// that their numbers fit the bytecode.
type Limits struct {
	// SourceBytes is the longest source in bytes, that of a template with the
	// texts that it includes in place, and that of a prompt document where it is
	// not the default (documents have 1 MiB). The templates that a Jinja program
	// loads while it renders have as much together. PCC902, documents PCC920;
	// --max-source, 10 MiB.
	SourceBytes int64
	// Depth is the deepest nesting of blocks, of brackets in a tag, and of
	// literal groups in a template. PCC901; --max-depth, 200.
	Depth int
	// CompileMemory is the memory that compiling one template may take with the
	// texts that it includes in place, in bytes, an estimate by its tokens, tags
	// and instructions. The templates that a Jinja program loads while it renders
	// may keep as much together. PCC918; --max-compile-memory, 256 MiB.
	CompileMemory int64
	// ValueDepth is the deepest nesting of lists and maps that are printed,
	// compared, copied or turned to JSON. PCC906; --max-value-depth, 64.
	ValueDepth int
	// MacroDepth is the deepest nesting of calls of macros and blocks, of
	// recursive loops, and of renders that functions of the host make with the
	// context given to them. PCC913; --max-calls, 64.
	MacroDepth int
	// IncludeDepth is the deepest nesting of includes and imports, and the
	// longest chain of parents. PCC909; --max-includes, 16.
	IncludeDepth int
	// Steps is the fuel of one render: one for each instruction and each turn of
	// a loop, empty ones too, and one for each 64 bytes that bulk work touches.
	// PCC904; --max-steps, 10,000,000.
	Steps int64
	// Memory is the number of bytes that one render may allocate, what it has
	// let go of included; it is asked before the memory is. A template that is
	// compiled for the render counts 64 bytes for each of its source. PCC905;
	// --max-memory, 64 MiB.
	Memory int64
	// OutputBytes is the longest output in bytes, of all messages together.
	// PCC907; --max-output, 16 MiB.
	OutputBytes int64
	// Iterations is the number of iterations of all loops of one render. PCC908;
	// --max-iterations, 10,000,000.
	Iterations int64
	// NumberDigits is the longest integer in decimal digits that arithmetic
	// makes, or that is read from text or printed. PCC911; --max-digits, 4,300.
	NumberDigits int
}

// maxNumberDigits is the longest decimal integer that is read from data.
const maxNumberDigits = 4300

// DefaultLimits are the limits in force where the caller gives none.
func DefaultLimits() Limits {
	return Limits{
		SourceBytes:   10 << 20,
		Depth:         200,
		CompileMemory: 256 << 20,
		ValueDepth:    64,
		MacroDepth:    64,
		IncludeDepth:  16,
		Steps:         10_000_000,
		Memory:        64 << 20,
		OutputBytes:   16 << 20,
		Iterations:    10_000_000,
		NumberDigits:  maxNumberDigits,
	}
}

// OrDefault returns l with defaults in place of zeros.
func (l Limits) OrDefault() Limits { return l.over(DefaultLimits()) }

// over returns l with d's values in place of zeros.
func (l Limits) over(d Limits) Limits {
	return Limits{
		SourceBytes:   cmp.Or(l.SourceBytes, d.SourceBytes),
		Depth:         cmp.Or(l.Depth, d.Depth),
		CompileMemory: cmp.Or(l.CompileMemory, d.CompileMemory),
		ValueDepth:    cmp.Or(l.ValueDepth, d.ValueDepth),
		MacroDepth:    cmp.Or(l.MacroDepth, d.MacroDepth),
		IncludeDepth:  cmp.Or(l.IncludeDepth, d.IncludeDepth),
		Steps:         cmp.Or(l.Steps, d.Steps),
		Memory:        cmp.Or(l.Memory, d.Memory),
		OutputBytes:   cmp.Or(l.OutputBytes, d.OutputBytes),
		Iterations:    cmp.Or(l.Iterations, d.Iterations),
		NumberDigits:  cmp.Or(l.NumberDigits, d.NumberDigits),
	}
}
