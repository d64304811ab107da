//go:build unix && !linux

package growth

import (
	"syscall"
	"time"
)

// processorTime is the time that all threads of the process have worked.
func processorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
