package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

const (
	// busyFactor is what a row's ceilings are multiplied with: processor time
	// and memory grow on a machine that others use.
	busyFactor = 2
	// ceilingFactor is how much of a row's own ceilings a child may take before
	// it ends itself.
	ceilingFactor = 3
	// defaultSeconds and defaultMB bound the rows that name no ceilings.
	defaultSeconds = 30
	defaultMB      = 2048
	// addressSpace is what a pcc that a row starts may reserve, so that one
	// that reads a file without end dies before the machine does.
	addressSpace = 6 << 30
	// hangs is when a child that uses no processor time is given up.
	hangs = 5 * time.Minute
)

// ceilings are the processor time and the memory in MiB at which a child ends
// itself.
func (r *attack) ceilings() (cpu time.Duration, mb int64) {
	cpu, mb = defaultSeconds*time.Second, defaultMB
	if r.MaxMS > 0 {
		cpu = time.Duration(max(ceilingFactor*r.MaxMS, 1000)) * time.Millisecond
	}
	if r.MaxRSS > 0 {
		mb = ceilingFactor * r.MaxRSS
	}
	return cpu, mb
}

// runAttack starts a child for the row.
func runAttack(t *testing.T, exe, made string, row attack) verdict {
	b, err := json.Marshal(map[string]any{"row": row.ID, "made": made})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), hangs)
	defer cancel()
	cmd := exec.CommandContext(ctx, exe, "-test.run=^TestAttackChild$", "-test.v")
	cmd.Env = append(os.Environ(), attackRow+"="+string(b), "NO_COLOR=1")
	cmd.Dir = t.TempDir()
	out, err := cmd.CombinedOutput()
	var v verdict
	_, after, found := bytes.Cut(out, []byte("VERDICT "))
	if found {
		line, _, _ := bytes.Cut(after, []byte("\n"))
		if jsonErr := json.Unmarshal(line, &v); jsonErr != nil {
			t.Fatal(jsonErr)
		}
	}
	if !found || err != nil {
		tail := out[max(0, len(out)-3000):]
		return verdict{Outcome: "crash", Faults: []string{fmt.Sprintf("the process ended badly: %v (%v)", err, ctx.Err())}, Detail: string(tail)}
	}
	if raceEnabled { // the detector's own overhead would be measured
		return v
	}
	if mb := peakMemory(cmd.ProcessState); row.MaxRSS > 0 && mb > busyFactor*row.MaxRSS {
		v.Faults = append(v.Faults, fmt.Sprintf("took %d MB of %d", mb, row.MaxRSS))
	}
	if row.MaxMS > 0 && v.MS > busyFactor*row.MaxMS {
		v.Faults = append(v.Faults, fmt.Sprintf("took %d ms of %d", v.MS, row.MaxMS))
	}
	return v
}

// TestAttackChild is the child of TestAttacks.
func TestAttackChild(t *testing.T) {
	var job struct{ Row, Made string }
	if err := json.Unmarshal([]byte(os.Getenv(attackRow)), &job); err != nil {
		t.Skip("runs as a child of TestAttacks only")
	}
	debug.SetMaxStack(64 << 20) // recursion that input controls dies early
	var row attack
	for _, r := range readAttacks(t, filepath.Join(os.Getenv("PCC_CONFORMANCE"), "attacks", "attacks.jsonl")) {
		if r.ID == job.Row {
			row = r
		}
	}
	runtime.GC()
	c := &attackCase{t: t, row: row, dir: t.TempDir(), at: filepath.Join(job.Made, row.ID)}
	v := c.run()
	sayVerdict(t, v)
}

func sayVerdict(t *testing.T, v verdict) {
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("VERDICT %s\n", b)
}

// bounded ends this process once it has taken ceilingFactor times what the row
// allows from here on, so that a row that fails costs no more than that.
func (c *attackCase) bounded() {
	cpu, mb := c.row.ceilings()
	begin := processorTime()
	limitProcessor(begin + cpu + cpu/2)
	stop := make(chan struct{})
	c.t.Cleanup(func() { close(stop) })
	end := func(format string, args ...any) {
		sayVerdict(c.t, verdict{Outcome: "stopped", Faults: []string{fmt.Sprintf(format, args...)}})
		os.Exit(0)
	}
	go func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(20 * time.Millisecond):
			}
			switch used, held := processorTime()-begin, ownPeakMemory(); {
			case used > cpu:
				end("stopped at %d ms of processor time, %d are allowed", used.Milliseconds(), c.row.MaxMS)
			case held > mb && !raceEnabled:
				end("stopped at %d MB, %d are allowed", held, c.row.MaxRSS)
			}
		}
	}()
}
