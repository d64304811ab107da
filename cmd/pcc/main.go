// Command pcc compiles and renders prompt templates.
//
// What enters: arguments, standard input, template, document and data files,
// `PCC_*` variables and a pcc.yaml. What leaves: the result alone on standard
// output, diagnostics on standard error, and an exit code: 0 where all is well,
// 1 for findings in templates or data, 2 for wrong usage or failed I/O, 130
// after an interrupt.
//
// Each command has a file of its own, named after it.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// Exit codes.
const (
	exitOK        = 0
	exitFindings  = 1
	exitUsage     = 2
	exitInterrupt = 130
)

// grace is how long an interrupted command may take to stop by itself.
const grace = 200 * time.Millisecond

func main() { os.Exit(Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// Main runs the command line args (without the program's name) and returns the
// exit code. It listens for interrupts, so only one call at a time makes sense.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ignoreClosedPipe()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()

	a := newApp(ctx, stdin, stdout, stderr)
	done := make(chan int, 1)
	go func() { done <- a.run(args) }()
	select {
	case code := <-done:
		return code
	case <-ctx.Done():
	}
	// Most work looks at the context; a read from a terminal does not.
	select {
	case code := <-done:
		if code == exitOK {
			return exitOK // it was finished before the interrupt arrived
		}
	case <-time.After(grace):
	}
	a.discardTemp()
	return exitInterrupt
}
