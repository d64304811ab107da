//go:build !unix

package growth

import "time"

var start = time.Now()

// processorTime is the time of the clock, where the system tells no other in a
// way that package syscall knows.
func processorTime() time.Duration { return time.Since(start) }
