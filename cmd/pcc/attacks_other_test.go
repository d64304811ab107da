//go:build !unix

package main

import (
	"errors"
	"os"
	"time"
)

func processorTime() time.Duration { return 0 }

func peakMemory(*os.ProcessState) int64 { return 0 }

func makeFIFO(string) error { return errors.ErrUnsupported }

func emptyMemory(n int) []byte { return make([]byte, n) }
