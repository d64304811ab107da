//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
	"time"
)

// processorTime is the time that this process has used so far.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// limitProcessor has the system end this process, and those that it starts,
// after so much processor time.
func limitProcessor(most time.Duration) {
	seconds := uint64(most/time.Second) + 1
	_ = syscall.Setrlimit(syscall.RLIMIT_CPU, &syscall.Rlimit{Cur: seconds, Max: seconds})
}

// limitMemory bounds what this process, and those that it starts, can reserve.
func limitMemory(most uint64) {
	_ = syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: most, Max: most})
}

// peakMemory is the most memory that a finished process held at a time, in MiB.
func peakMemory(p *os.ProcessState) int64 {
	u, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	return mebibytes(u)
}

// ownPeakMemory is the same for this process so far.
func ownPeakMemory() int64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return mebibytes(&u)
}

func mebibytes(u *syscall.Rusage) int64 {
	if runtime.GOOS == "darwin" { // there in bytes
		return int64(u.Maxrss) >> 20
	}
	return int64(u.Maxrss) >> 10
}

func makeFIFO(path string) error { return syscall.Mkfifo(path, 0o600) }

// giveAway makes another user the owner of path.
func giveAway(path string) error { return os.Chown(path, 54321, 54321) }

// emptyMemory is n bytes that take no memory until they are written.
func emptyMemory(n int) []byte {
	b, err := syscall.Mmap(-1, 0, n, syscall.PROT_READ, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return make([]byte, n)
	}
	return b
}
