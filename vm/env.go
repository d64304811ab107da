package vm

import (
	"context"
	"fmt"
	"time"

	"github.com/pcc-lang/pcc/vm/guard"
)

// Style is a way to print values.
type Style uint8

// Styles.
const (
	// StyleNative: JSON for lists and maps, true/false, null as nothing.
	StyleNative Style = iota
	// StylePython: str() and repr() as in Python.
	StylePython
	// StyleMarkdown: lists and maps as Markdown bullets, scalars as Python
	// does (AgentForge).
	StyleMarkdown
	// StylePDX: Python, but maps as JSON in UTF-8.
	StylePDX
	// StyleBold: as StyleMarkdown, with maps' keys in bold and one level of
	// bullets under them; what is nested deeper prints as in Python (AgentForge's
	// commit f5760dd).
	StyleBold
)

// UndefinedKind is one of Jinja's four classes of undefined values.
type UndefinedKind uint8

// Undefined kinds.
const (
	UndefinedDefault UndefinedKind = iota
	UndefinedChainable
	UndefinedStrict
	UndefinedDebug
)

// Sandbox is the level of protection of attribute access.
type Sandbox uint8

// Sandbox levels.
const (
	// SandboxNone allows all public attributes; private Go state is out of
	// reach all the same.
	SandboxNone Sandbox = iota
	// SandboxOn refuses attributes that begin with an underscore and limits
	// range().
	SandboxOn
	// SandboxImmutable also refuses methods that change lists and maps.
	SandboxImmutable
)

// Dialect holds the rules that differ between the native language and Jinja
// while a program runs. It is immutable once a program uses it.
type Dialect struct {
	Name string
	// Python selects Python's rules; the methods of Dialect name each.
	Python    bool
	Style     Style
	Undefined UndefinedKind
	Sandbox   Sandbox
	// Filters, Tests and Globals by name. Methods by the kind of the receiver.
	Filters map[string]*Builtin
	Tests   map[string]*Builtin
	Globals map[string]Value
	Methods map[Kind]map[string]*Builtin
	// Policies such as the newline sequence that some filters read.
	Newline string
}

// Env is what operations and builtins see of the running machine: the
// dialect's rules, the budgets, the clock. It is valid during one render only.
type Env struct {
	Dialect    *Dialect
	Ctx        context.Context
	Autoescape bool
	// Now is the injected clock; nil where none was given.
	Now func() time.Time
	// Random is the injected source for random(); nil where none was given.
	Random func(n int) int
	// Host allows Go methods (Stringer, TextMarshaler, error) to be called
	// when a value is printed.
	Host bool

	limits Limits
	// Recorded renders (segments.go): whether the origin of text is noted, with
	// what, and which control tokens are neutralised.
	request  bool // WithRequest
	record   bool
	paths    bool // WithSegments: texts of the data are noted with their paths
	recorder *recorder
	guard    *guard.Family
	refused  error // an option that cannot be obeyed

	// outer is the call of a host's function that this render is made in;
	// given is what the budgets were at its start (nested.go).
	outer                   *nestedContext
	givenSteps, givenMemory int64

	stopped  bool            // a budget or the context has ended, see Stopped
	ended    error           // which, see end
	unlooked int             // bytes of work since the last look at the context, see spend
	onWork   func(bytes int) // of tests, see OnWork

	nesting int   // of calls from builtins back into the machine
	steps   int64 // left
	memory  int64 // bytes left to allocate

	// args is the stack of the arguments of the builtins that run, laid out as
	// their parameters ask for.
	args []Value

	// unsearched are values of the caller's data that were not copied and may hold
	// lists and maps of ours, callerOwned those that were found there, see CallerOwned.
	unsearched  []Value
	callerOwned map[any]bool

	// rawCache is the JSON that was decoded of the host's raw JSON, see decodeRaw.
	rawCache rawCache

	// unprinted notes types whose own text is not asked for, where a report is made.
	unprinted *unprintedTypes

	// lacks is told of items that lack a key which a filter reads, where a report is
	// made of a native template, see LackKey.
	lacks func(item Value, key string)

	// growing are texts and lists that may grow (grow.go); mutates says that code may
	// change lists.
	growing *growing
	mutates bool

	// mapMethods are the methods of maps of the dialect methodsOf: looked up
	// on each x.name in Jinja.
	mapMethods map[string]*Builtin
	methodsOf  *Dialect
}

// NewEnv returns an Env with full budgets, for tests and for folding constants.
func NewEnv(d *Dialect, l Limits) *Env {
	return &Env{Dialect: d, Ctx: context.Background(), limits: l, steps: l.Steps, memory: l.Memory}
}

// Limits returns the limits in force.
func (e *Env) Limits() Limits { return e.limits }

// LackKey tells the report of the render that an item which a filter looks at has no
// such key. It is worth a warning where the item has another one like it.
func (e *Env) LackKey(item Value, key string) {
	if e.lacks != nil {
		e.lacks(item, key)
	}
}

// Charge takes n bytes from the memory budget, and 1 step for each 64 bytes,
// before they are allocated. It fails with a limit error.
func (e *Env) Charge(n int) error {
	if n < 0 || int64(n) > e.memory {
		return e.end(errMemory)
	}
	e.memory -= int64(n)
	return e.Step(1 + n/64)
}

// Step takes n steps of fuel and looks at the context from time to time.
func (e *Env) Step(n int) error {
	before := e.steps
	e.steps -= int64(n)
	if e.steps < 0 {
		return e.end(errSteps)
	}
	if before>>10 != e.steps>>10 {
		return e.poll()
	}
	return nil
}

// maxNesting is the deepest nesting that Enter allows: of lazy sequences over
// lazy sequences, of objects that print or compare what they hold.
const maxNesting = 200

// Enter counts one level of a call that a builtin or object makes back into
// the operations of the machine, where templates or data decide how often that
// nests. It fails at the limit; a call that did not fail is undone with Leave.
func (e *Env) Enter() error {
	if e.nesting >= maxNesting {
		return &Error{Kind: "limit", Code: "PCC906", Msg: "values are nested too deeply"}
	}
	e.nesting++
	return nil
}

// Leave undoes Enter.
func (e *Env) Leave() { e.nesting-- }

func (e *Env) poll() error {
	if e.Ctx == nil {
		return nil
	}
	if err := e.Ctx.Err(); err != nil {
		return e.end(&Error{Kind: "cancelled", Code: "PCC910", Msg: "the render was cancelled: " + err.Error(), Cause: err})
	}
	return nil
}

// end notes that a budget or the context has ended. The call of the builtin that
// asked fails with the first such error, and so does the render, even where
// whoever asked drops it.
func (e *Env) end(err error) error {
	if !e.stopped {
		e.stopped, e.ended = true, err
	}
	return err
}

// Errorf makes an Error of a kind ("type", "value", "undefined", "security",
// "runtime", "zerodivision", "overflow", "limit"). The text must not contain
// values from the data: names, types and positions only.
func (e *Env) Errorf(kind, format string, args ...any) error {
	return &Error{Kind: kind, Msg: fmt.Sprintf(format, args...)}
}
