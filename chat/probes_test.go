package chat

import (
	"context"
	"testing"
)

// looks counts how often a context is looked at, and ends after some.
type looks struct {
	context.Context
	n, end int
}

func (l *looks) Err() error {
	if l.n++; l.end > 0 && l.n > l.end {
		return context.Canceled
	}
	return nil
}

const endless = "{% for m in messages %}{{ m.content }}{% endfor %}{% for i in range(99999) %}{% for j in range(20) %}{% endfor %}{% endfor %}"

// TestProbesAreBounded: what all probes of a template do together is bounded, a
// context ends them, and what was found then is not kept.
func TestProbesAreBounded(t *testing.T) {
	tpl, err := New(endless, Config{})
	if err != nil {
		t.Fatal(err)
	}
	n := &tpl.named[0]
	ended := &looks{Context: context.Background(), end: 10}
	n.capabilities(ended)
	if ended.n > 1_000 || n.probed.caps != nil {
		t.Errorf("an ended context was looked at %d times; kept: %v", ended.n, n.probed.caps)
	}
	ctx := &looks{Context: context.Background()}
	n.capabilities(ctx)
	if ctx.n > probeLooks+1 || n.probed.caps == nil {
		t.Errorf("%d looks at the context; kept: %v", ctx.n, n.probed.caps)
	}
	large, err := New("{{ 'a' * 60000000 }}{% for m in messages %}{{ m.content }}{% endfor %}", Config{})
	if err != nil {
		t.Fatal(err)
	}
	if c := large.Capabilities(); c.Content != "" && c.Needs != "nothing helps" {
		t.Errorf("probes of 60 MB each: %+v", c)
	}
}
