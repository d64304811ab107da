//go:build !js

package main

import (
	"os/signal"
	"syscall"
)

// ignoreClosedPipe makes a closed pipe an error of Write, which is dealt with
// quietly, instead of a signal that kills the process.
func ignoreClosedPipe() { signal.Ignore(syscall.SIGPIPE) }
