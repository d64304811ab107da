//go:build !unix

package main

import (
	"errors"
	"os"
	"time"
)

func processorTime() time.Duration { return 0 }

func limitProcessor(time.Duration) {}

func limitMemory(uint64) {}

func peakMemory(*os.ProcessState) int64 { return 0 }

func ownPeakMemory() int64 { return 0 }

func makeFIFO(string) error { return errors.ErrUnsupported }

func giveAway(string) error { return errors.ErrUnsupported }

func emptyMemory(n int) []byte { return make([]byte, n) }
