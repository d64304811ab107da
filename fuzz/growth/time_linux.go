package growth

import (
	"syscall"
	"time"
)

// processorTime is the time that the calling thread has worked: neither other
// tests nor the threads of the collector count.
func processorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_THREAD, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
