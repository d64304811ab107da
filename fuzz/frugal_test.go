package fuzz

import (
	"runtime/metrics"
	"testing"
)

// allocated is the number of bytes that the process has allocated so far.
func allocated() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// frugal fails the test where work allocates more than most bytes in all. That is
// counted, not timed, so that it does not matter how busy the machine is; work
// that runs on for long allocates too.
func frugal(t testing.TB, what string, most int, work func()) {
	t.Helper()
	before := allocated()
	work()
	if bytes := allocated() - before; bytes > uint64(most) {
		t.Errorf("%s allocates %d bytes, want at most %d", what, bytes, most)
	}
}

// mostRendered is what a render within the limits small may allocate in all: a
// step pays for 64 bytes, and what grows is copied.
var mostRendered = 128 * int(small.Steps)
