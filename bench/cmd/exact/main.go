// Command exact compares PCC with the Jinja engines that Go programs use for the
// chat templates of models: how many of the recorded runs of Python's Jinja2 each
// gives byte for byte, and how long it takes from the bytes of a request to the
// prompt, and to compile a template.
//
// The runs are read from the conformance folder, which PCC_CONFORMANCE names. The
// command fails where PCC misses one of them.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/pcc-lang/pcc/bench/measure"
)

func main() {
	var o measure.Options
	folder := flag.String("conformance", os.Getenv("PCC_CONFORMANCE"), "`folder` of the recorded runs")
	sample := flag.Int("sample", 1, "take every `n`th template only")
	speed := flag.Bool("speed", true, "measure the time too; some minutes for all templates")
	failures := flag.Bool("failures", false, "list the rows that an engine misses, with what it gave")
	flag.IntVar(&o.Rounds, "rounds", 3, "batches of each engine and template; the `number` should be odd")
	flag.DurationVar(&o.Batch, "batch", 2*time.Millisecond, "CPU `time` of one batch")
	flag.Parse()
	if flag.NArg() > 0 || o.Rounds < 1 || *sample < 1 {
		flag.Usage()
		os.Exit(2)
	}
	runtime.GOMAXPROCS(1)
	if err := run(os.Stdout, *folder, *sample, *speed, *failures, o); err != nil {
		fmt.Fprintln(os.Stderr, "exact:", err)
		os.Exit(1)
	}
}

func run(out io.Writer, folder string, sample int, speed, failures bool, o measure.Options) error {
	if folder == "" {
		return errors.New("there is no folder of recorded runs: set PCC_CONFORMANCE or give -conformance")
	}
	models, err := readFile(filepath.Join(folder, "jinja", "chat.jsonl.gz"), sample)
	if err != nil {
		return err
	}
	c := newComparison(models, engines())
	if failures {
		c.log = os.Stderr
	}
	c.check()
	fmt.Fprintln(out, c.exactness())
	if missed := c.total().rows - c.scores[0].rows; missed > 0 {
		return fmt.Errorf("%s misses %d rows; -failures lists them", c.engines[0].name, missed)
	}
	if !speed {
		return nil
	}
	t, err := c.speed(o)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, t)
	return nil
}
