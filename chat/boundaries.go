package chat

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pcc-lang/pcc/vm"
)

// applied is what a result was made of.
type applied struct {
	template *Template
	named    *named
	vars     *vm.Map
	messages *vm.List
	opts     []vm.RenderOption
	whole    string // the prompt before continue_final_message cut it
	ends     []int  // see ends; nil where they are not known
}

// maxTried is the number of messages up to which each boundary is tried.
const maxTried = 24

// Boundaries tells for each message of the request how much of Prompt is settled
// once that message is: Boundaries[i] is the length of the beginning of Prompt that
// is the same in the prompt of every conversation that begins with messages 0 to i,
// whatever message comes next. A server may keep what it has computed for it. It is
// -1 where two such conversations have prompts that differ before the end of the
// last piece that comes from message i: the template looks ahead.
//
// Whether a template looks ahead is tried: the messages up to i are rendered again,
// alone and with continuations of every role that the template takes. In requests
// of more than 24 messages this is done for the last two and for some before, at
// distances that double. Where the template does not look ahead there, the others'
// boundaries are the ends of their last pieces, shorter at most by what the template
// writes behind them; else the last 24 are tried, and the others' are those of the
// tried ones before them, or 0. The renders are as many as some hundred of the
// request at most.
//
// The request must not be changed before. The error is that of ctx.
func (r *Result) Boundaries(ctx context.Context) ([]int, error) {
	a := r.applied
	n := len(a.messages.Items)
	if a.ends == nil {
		report, err := a.named.program.Report(ctx, vm.MapOf(a.vars), append(slices.Clone(a.opts), vm.WithSegments())...)
		if err != nil {
			return nil, err
		}
		segments := make([]Segment, 0, len(report.Segments))
		at := 0
		for _, s := range report.Segments {
			segments = append(segments, Segment{Start: at, End: at + len(s.Text), Path: s.Path})
			at += len(s.Text)
		}
		a.ends = ends(segments, n)
	}
	b := &boundaries{applied: a, ctx: ctx, known: make([]int, n), tried: make([]bool, n)}
	if err := b.find(); err != nil {
		return nil, err
	}
	same := len(r.Prompt)
	for i, at := range slices.Backward(b.known) {
		// What follows message i+1 follows message i too.
		same = min(same, at)
		for same > 0 && same < len(r.Prompt) && !utf8.RuneStart(r.Prompt[same]) {
			same--
		}
		b.known[i] = same
		if b.tried[i] && same < min(a.ends[i], len(r.Prompt)) {
			b.known[i] = -1
		}
	}
	return b.known, nil
}

// ends are the ends of the last pieces that come from each message, -1 where
// there is none.
func ends(segments []Segment, n int) []int {
	ends := make([]int, n)
	for i := range ends {
		ends[i] = -1
	}
	for i := range segments {
		if m, ok := messageOf(segments[i].Path); ok && m < n {
			ends[m] = segments[i].End
		}
	}
	return ends
}

// messageOf is the number of the message that a path leads into.
func messageOf(path string) (int, bool) {
	rest, ok := strings.CutPrefix(path, "messages[")
	number, _, closed := strings.Cut(rest, "]")
	if !ok || !closed {
		return 0, false
	}
	n, err := strconv.Atoi(number)
	return n, err == nil
}

type boundaries struct {
	*applied
	ctx   context.Context
	known []int // what is the same in all prompts that were tried
	tried []bool
	// more are the continuations.
	more [][]vm.Value
}

func (b *boundaries) find() error {
	n := len(b.known)
	b.continuations()
	if n <= maxTried {
		return b.tryFrom(0)
	}
	ahead := false
	for back := 1; !ahead && back <= n; back *= 2 {
		i := n - back
		if err := b.try(i); err != nil {
			return err
		}
		ahead = b.known[i] < b.ends[i]
	}
	if err := b.try(0); err != nil {
		return err
	}
	ahead = ahead || b.known[0] < b.ends[0] || !slices.IsSorted(b.ends)
	if ahead {
		if err := b.tryFrom(n - maxTried); err != nil {
			return err
		}
	}
	least := 0
	for i := range b.known {
		switch {
		case b.tried[i]:
		case ahead:
			b.known[i] = least
		default:
			b.known[i] = max(b.ends[i], least)
		}
		least = max(least, b.known[i])
	}
	return nil
}

func (b *boundaries) tryFrom(i int) error {
	for ; i < len(b.known); i++ {
		if err := b.try(i); err != nil {
			return err
		}
	}
	return nil
}

// try renders the messages up to i with each continuation.
func (b *boundaries) try(i int) error {
	if b.tried[i] {
		return nil
	}
	b.tried[i] = true
	same, rendered := len(b.whole), false
	for _, more := range b.more {
		if err := b.ctx.Err(); err != nil {
			return err
		}
		vars := b.vars.Clone()
		vars.Set("add_generation_prompt", vm.Bool(false))
		vars.Set("messages", vm.ListOf(append(slices.Clone(b.messages.Items[:i+1]), more...)))
		out, err := b.named.program.RenderContext(b.ctx, vm.MapOf(vars), b.opts...)
		if err != nil {
			continue // the template refuses this continuation
		}
		rendered = true
		same = common(out, b.whole[:same])
	}
	if err := b.ctx.Err(); err != nil {
		return err
	}
	if !rendered {
		same = max(b.ends[i], 0)
	}
	b.known[i] = same
	return nil
}

// common is the length of the longest beginning of b that a begins with too.
func common(a, b string) int {
	n := min(len(a), len(b))
	if a[:n] == b[:n] {
		return n
	}
	return commonFrom(a, b, n)
}

func commonFrom(a, b string, n int) int {
	lo, hi := 0, n // a[:lo] and b[:lo] are equal, a[:hi] and b[:hi] are not
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; a[lo:mid] == b[lo:mid] {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// continuations makes those that are tried, with content in the form that the
// template reads.
func (b *boundaries) continuations() {
	p := &prober{parts: b.named.capabilities(b.ctx).Content == "list"}
	user, answer := p.user(userWord), p.assistant(assistantWord)
	call := p.message("assistant", "", pair{"tool_calls", list(object(pair{"id", text(callID)}, pair{"type", text("function")},
		pair{"function", object(pair{"name", text(toolName)}, pair{"arguments", vm.MapOf(vm.NewMap(0))})}))})
	result := p.message("tool", resultWord, pair{"name", text(toolName)}, pair{"tool_call_id", text(callID)})
	thought := p.message("assistant", assistantWord, pair{"reasoning_content", text(reasonWord)})
	b.more = [][]vm.Value{nil, {user}, {answer}, {result}, {user, answer}, {answer, user}, {thought, user}, {user, thought},
		{call, result, answer}, {result, answer, user}, {p.system(systemWord)}, {p.user("")}, {p.assistant("")}}
}
