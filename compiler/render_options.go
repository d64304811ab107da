package compiler

import (
	"time"

	"github.com/pcc-lang/pcc/vm"
)

// WithClock gives one render the clock that time functions read. Without it they
// fail: a prompt must not depend on when it is rendered unless it is told so.
func WithClock(now func() time.Time) RenderOption { return vm.WithClock(now) }

// WithRandom gives one render the source of random choices: a number in [0, n).
func WithRandom(n func(int) int) RenderOption { return vm.WithRandom(n) }

// WithGuard neutralises the control tokens of a model family in what one render
// makes of its data: "all", or a name that vm/guard lists, such as "chatml". See
// vm.WithGuard.
func WithGuard(family string) RenderOption { return vm.WithGuard(family) }

// WithSegments makes Report tell which parts of the output come from data.
func WithSegments() RenderOption { return vm.WithSegments() }

// WithRenderLimits replaces the limits that the program was compiled with for one
// render; zeros keep the program's own.
func WithRenderLimits(l Limits) RenderOption { return vm.WithLimits(l) }
