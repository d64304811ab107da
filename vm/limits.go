package vm

// Limits bound what a template and its data can make the machine do. All are
// on by default; zero means "the default", never "no limit".
type Limits struct {
	// SourceBytes is the longest template source in bytes.
	SourceBytes int64
	// Depth is the deepest nesting of blocks and of brackets in a template.
	Depth int
	// ValueDepth is the deepest nesting of values that are printed, compared
	// or turned to JSON.
	ValueDepth int
	// MacroDepth is the deepest nesting of macro calls and recursive loops,
	// IncludeDepth that of includes.
	MacroDepth, IncludeDepth int
	// Steps is the fuel of one render: instructions, loop turns, and one for
	// each 64 bytes that bulk work touches.
	Steps int64
	// Memory is the number of bytes that one render may allocate.
	Memory int64
	// OutputBytes is the longest output.
	OutputBytes int64
	// LoopTurns is the number of turns of all loops of one render.
	LoopTurns int64
	// NumberDigits is the longest integer in decimal digits.
	NumberDigits int
}

// MaxNumberDigits is the longest decimal integer that is read from data.
const MaxNumberDigits = 4300

// DefaultLimits are the limits in force where the caller gives none.
func DefaultLimits() Limits {
	return Limits{
		SourceBytes:  10 << 20,
		Depth:        200,
		ValueDepth:   64,
		MacroDepth:   64,
		IncludeDepth: 16,
		Steps:        10_000_000,
		Memory:       64 << 20,
		OutputBytes:  16 << 20,
		LoopTurns:    10_000_000,
		NumberDigits: MaxNumberDigits,
	}
}

// OrDefault returns l with defaults in place of zeros.
func (l Limits) OrDefault() Limits { return l.over(DefaultLimits()) }

// over returns l with d's values in place of zeros.
func (l Limits) over(d Limits) Limits {
	for _, f := range []struct{ p, d *int64 }{
		{&l.SourceBytes, &d.SourceBytes}, {&l.Steps, &d.Steps}, {&l.Memory, &d.Memory},
		{&l.OutputBytes, &d.OutputBytes}, {&l.LoopTurns, &d.LoopTurns},
	} {
		if *f.p == 0 {
			*f.p = *f.d
		}
	}
	for _, f := range []struct{ p, d *int }{
		{&l.Depth, &d.Depth}, {&l.ValueDepth, &d.ValueDepth}, {&l.MacroDepth, &d.MacroDepth},
		{&l.IncludeDepth, &d.IncludeDepth}, {&l.NumberDigits, &d.NumberDigits},
	} {
		if *f.p == 0 {
			*f.p = *f.d
		}
	}
	return l
}
