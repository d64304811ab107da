//go:build unix

package main

import (
	"io"
	"os"
	"syscall"
	"testing"
)

func TestInterrupt(t *testing.T) {
	// Standard input that never ends: only the interrupt can stop the command.
	r, w := io.Pipe()
	defer w.Close()
	code := make(chan int, 1)
	started := make(chan struct{})
	go func() {
		code <- Main([]string{"render", "-"}, signalReader{r, started}, io.Discard, io.Discard)
	}()
	<-started
	if err := syscall.Kill(os.Getpid(), syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if got := <-code; got != exitInterrupt {
		t.Errorf("exit code %d after an interrupt, want %d", got, exitInterrupt)
	}
}

// signalReader tells when somebody begins to read.
type signalReader struct {
	io.Reader
	started chan struct{}
}

func (s signalReader) Read(p []byte) (int, error) {
	close(s.started)
	return s.Reader.Read(p)
}
