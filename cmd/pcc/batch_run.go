package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/vm"
)

const (
	// chunkBytes is how much of the rows a worker takes at a time: enough that
	// handing it over costs nothing, little enough that memory stays flat.
	chunkBytes = 256 << 10
	// maxRowBytes is the longest line of the rows.
	maxRowBytes = 64 << 20
	// maxShown is the number of failed rows whose findings are shown.
	maxShown = 20
)

// batchRun is one batch: a reader cuts the rows into chunks, workers render
// them, and the writer puts the results out in order. A bounded queue of chunks
// keeps the reader from running ahead.
type batchRun struct {
	app      *app
	flags    *batchFlags
	program  *vm.Program
	shared   *vm.Map
	out      *batchOutput
	name     string // of the file of rows
	progress *progress

	spare   chan []byte // outputs that are written, for reuse
	stopped bool        // a row failed and the batch ended there
	failed  int64
	kept    map[keptPlace]*keptCount
	order   []keptPlace
	told    rowFindings
}

// keptCount is a placeholder that rows kept.
type keptCount struct {
	vm.Kept
	rows  int64
	first int64 // number of the first row
}

// chunk is a run of whole lines on its way.
type chunk struct {
	lines string
	first int64 // number of the first line
	ready chan struct{}

	out    []byte
	rows   int64
	last   int64 // number of the last row that was rendered
	errs   []rowError
	kept   []keptRow
	told   rowFindings
	failed bool // with --on-error stop: out ends before the row that failed
}

type rowError struct {
	row int64
	err error
}

// keptRow is a placeholder that a row kept.
type keptRow struct {
	vm.Kept
	row int64
}

func (b *batchRun) run(rows io.Reader) error {
	workers := b.flags.workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	jobs := make(chan *chunk)
	ordered := make(chan *chunk, 2*workers)
	quit := make(chan struct{}) // closed when the writer wants no more
	b.spare = make(chan []byte, 2*workers)

	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			d := vm.NewDecoder(b.flags.dataFlags.decodeOptions(nil))
			for c := range jobs {
				select {
				case c.out = <-b.spare:
				default:
				}
				b.render(c, d)
				close(c.ready)
			}
		})
	}
	var readErr error
	wg.Go(func() {
		defer close(ordered)
		defer close(jobs)
		readErr = b.read(rows, func(c *chunk) bool {
			select {
			case <-quit:
				return false
			case <-b.app.ctx.Done():
				return false
			case ordered <- c:
			}
			select {
			case jobs <- c:
				return true
			case <-quit:
				close(c.ready)
				return false
			}
		})
	})
	err := b.write(ordered)
	close(quit)
	for range ordered { // let the reader go
	}
	wg.Wait()
	switch {
	case b.app.ctx.Err() != nil:
		return errInterrupted
	case err != nil:
		return err
	}
	return readErr
}

// read cuts rows into chunks of whole lines; yield reports whether to go on.
func (b *batchRun) read(rows io.Reader, yield func(*chunk) bool) error {
	buf := make([]byte, 0, chunkBytes)
	line := int64(1)
	for {
		var err error
		for len(buf) < cap(buf) && err == nil {
			var n int
			n, err = rows.Read(buf[len(buf):cap(buf)])
			buf = buf[:len(buf)+n]
		}
		if err != nil && err != io.EOF {
			return err
		}
		end := bytes.LastIndexByte(buf, '\n') + 1
		if err == io.EOF {
			end = len(buf)
		}
		if end == 0 && len(buf) > maxRowBytes {
			return fmt.Errorf("row %d is longer than %s bytes", line, writeAmount(maxRowBytes))
		}
		if end > 0 {
			// The rows' strings are parts of this copy.
			c := &chunk{lines: string(buf[:end]), first: line, ready: make(chan struct{})}
			line += int64(strings.Count(c.lines, "\n"))
			if !yield(c) {
				return nil
			}
		}
		if err == io.EOF {
			if end > 0 && buf[end-1] != '\n' {
				line++
			}
			if line <= b.out.after {
				return fmt.Errorf("%s holds row %d, and there are only %d: it is of other rows; delete it, or name another -o", b.out.file.Name(), b.out.after, line-1)
			}
			return nil
		}
		switch rest := buf[end:]; {
		case 2*len(rest) > cap(buf): // a long row
			buf = append(make([]byte, 0, 2*cap(buf)), rest...)
		case cap(buf) > chunkBytes && 2*len(rest) <= chunkBytes: // after a long row
			buf = append(make([]byte, 0, chunkBytes), rest...)
		default:
			buf = buf[:copy(buf, rest)]
		}
	}
}

// write puts the chunks' results out in order.
func (b *batchRun) write(ordered <-chan *chunk) error {
	for c := range ordered {
		select {
		case <-c.ready:
		case <-b.app.ctx.Done():
			return errInterrupted
		}
		if len(c.out) > 0 {
			if _, err := b.out.w.Write(c.out); err != nil {
				return err
			}
		}
		if c.rows > 0 {
			b.out.last = c.last
		}
		b.reuse(c)
		b.collect(c)
		if c.failed {
			b.stopped = true
			return nil
		}
		b.progress.add(c.rows, int64(len(c.lines)))
	}
	return nil
}

// maxSpare is the longest output in bytes whose memory is used again.
const maxSpare = 4 * chunkBytes

// reuse keeps the memory of a chunk's output for another one.
func (b *batchRun) reuse(c *chunk) {
	if cap(c.out) > 0 && cap(c.out) <= maxSpare {
		select {
		case b.spare <- c.out[:0]:
		default:
		}
	}
	c.out = nil
}

// collect takes a chunk's findings.
func (b *batchRun) collect(c *chunk) {
	for _, e := range c.errs {
		b.failed++
		if b.failed > maxShown {
			continue
		}
		if err := b.app.report(e.err); err != nil {
			b.app.found = append(b.app.found, &diag.Diagnostic{Message: err.Error()})
		}
		b.app.found = append(b.app.found, &diag.Diagnostic{Severity: diag.Note, Message: fmt.Sprintf("this happened in row %d", e.row)})
	}
	for _, k := range c.kept {
		at := keptPlace{k.File, k.Position.Offset}
		if b.kept == nil {
			b.kept = map[keptPlace]*keptCount{}
		}
		if b.kept[at] == nil {
			b.kept[at] = &keptCount{Kept: k.Kept, first: k.row}
			b.order = append(b.order, at)
		}
		b.kept[at].rows++
	}
	b.told.merge(&c.told)
}

// report adds what is to be said about the batch as a whole.
func (b *batchRun) report() {
	for _, at := range b.order {
		k := b.kept[at]
		// What render does not tell is none here either.
		for _, d := range b.program.Findings(&vm.Report{Kept: []vm.Kept{k.Kept}}) {
			b.app.found = append(b.app.found, rowFinding{d, k.rows, k.first}.inRows())
		}
	}
	b.app.found = append(b.app.found, b.told.findings()...)
	b.app.reportDefined(b.flags.sets, b.program, nil)
	if b.failed > maxShown {
		b.app.found = append(b.app.found, &diag.Diagnostic{Message: plural(int(b.failed-maxShown), "more row") + " failed"})
	}
	if b.stopped && b.out.final != "" {
		b.app.found = append(b.app.found, &diag.Diagnostic{Severity: diag.Note, Message: "the rows before it are in " + b.out.file.Name(),
			Help: "mend the row and go on with --resume"})
	}
}

// tellInterrupted says how far an interrupted batch came, and how to go on.
func (b *batchRun) tellInterrupted() {
	var l lines
	switch {
	case b.out.last == 0:
		l.printf("pcc: stopped before the first row was written\n")
	default:
		l.printf("pcc: stopped after row %d\n", b.out.last)
	}
	if b.out.final != "" {
		l.printf("Go on with --resume; the rows before it are in %s.\n", b.out.file.Name())
	}
	_ = b.app.tell(l.b.Bytes(), false)
}

// render renders the rows of a chunk.
func (b *batchRun) render(c *chunk, d *vm.Decoder) {
	row := c.first - 1
	for line := range strings.Lines(c.lines) {
		row++
		line = strings.TrimSpace(line)
		if len(line) == 0 || row <= b.out.after || !b.flags.shard.holds(row) {
			continue
		}
		if b.app.ctx.Err() != nil {
			return
		}
		c.rows++
		c.last = row
		start := len(c.out)
		err := b.renderRow(c, d, row, line)
		if err == nil {
			continue
		}
		c.out = c.out[:start]
		c.errs = append(c.errs, rowError{row, err})
		switch b.flags.onError {
		case "stop":
			c.failed = true
			return
		case "emit":
			c.out = appendRowError(c.out, row, err)
		}
	}
}

func (b *batchRun) renderRow(c *chunk, d *vm.Decoder, row int64, line string) error {
	v, err := d.Decode(line)
	if err != nil {
		return dataError(b.name, line, int(row), err)
	}
	m, ok := v.Map()
	if !ok {
		err := notAMap(fmt.Sprintf("%s:%d", b.name, row))
		if v.IsSequence() {
			err.(*diag.Diagnostic).Help = `each line is one object, {"name": "value"}; of a list write each item on a line of its own (jq -c '.[]')`
		}
		return err
	}
	ctx, cancel := b.app.deadline(&b.flags.templateFlags)
	defer cancel()
	r, err := b.program.Report(ctx, vm.MapOf(shareInto(b.shared, m)), append(guardOption(b.flags.guard), b.flags.renderOption()...)...)
	if err != nil {
		return err
	}
	if len(r.Kept) > 0 {
		c.kept = appendKept(c.kept, r.Kept, row)
	}
	for _, s := range r.Dropped {
		c.told.add(s.Finding(), row)
	}
	for _, d := range r.Warnings {
		c.told.add(d, row)
	}
	result, err := b.flags.result(b.program, r, func(d *diag.Diagnostic) { c.told.add(d, row) })
	if err != nil {
		return err
	}
	key := "messages"
	switch result.Kind() {
	case vm.KindString:
		key = "text"
	case vm.KindMap:
		key = "request"
	}
	c.out = append(c.out, `{"row": `...)
	c.out = strconv.AppendInt(c.out, row, 10)
	c.out = append(append(append(c.out, `, "`...), key...), `": `...)
	c.out = vm.AppendJSON(c.out, result, vm.JSONOptions{})
	c.out = append(c.out, '}', '\n')
	return nil
}

// appendKept adds each place of one row once.
func appendKept(all []keptRow, kept []vm.Kept, row int64) []keptRow {
	for i, k := range kept {
		same := func(o vm.Kept) bool { return o.File == k.File && o.Position.Offset == k.Position.Offset }
		if !slices.ContainsFunc(kept[:i], same) {
			all = append(all, keptRow{k, row})
		}
	}
	return all
}

func appendRowError(dst []byte, row int64, err error) []byte {
	e := vm.NewMap(3)
	var l diag.List
	var d *diag.Diagnostic
	if errors.As(err, &l) && len(l) > 0 {
		d = l[0]
	} else {
		errors.As(err, &d)
	}
	if d != nil {
		e.Set("code", vm.String(string(d.Code)))
		message := d.Message
		if f, at, ok := d.Position(); ok && f.Private {
			message += fmt.Sprintf(" (column %d)", at.Column)
		}
		e.Set("message", vm.String(message))
		names := make([]vm.Value, len(d.Names))
		for i, n := range d.Names {
			names[i] = vm.String(n)
		}
		e.Set("names", vm.ListOf(names))
	} else {
		e.Set("message", vm.String(err.Error()))
	}
	out := vm.NewMap(2)
	out.Set("row", vm.Int(row))
	out.Set("error", vm.MapOf(e))
	return append(vm.AppendJSON(dst, vm.MapOf(out), vm.JSONOptions{}), '\n')
}

// progress shows on a terminal how far a batch is.
type progress struct {
	w           io.Writer // nil where nobody looks
	begin, last time.Time
	rows, bytes int64
}

func (a *app) newProgress() *progress {
	if !a.isTerminal(a.stderr) {
		return &progress{}
	}
	return &progress{w: a.stderr, begin: time.Now()}
}

func (p *progress) add(rows, bytes int64) {
	p.rows, p.bytes = p.rows+rows, p.bytes+bytes
	if p.w == nil || time.Since(p.last) < 200*time.Millisecond {
		return
	}
	p.last = time.Now()
	seconds := time.Since(p.begin).Seconds()
	fmt.Fprintf(p.w, "\r%d rows, %.1f MB, %.1f MB/s \x1b[K", p.rows, float64(p.bytes)/1e6, float64(p.bytes)/1e6/max(seconds, 0.001))
}

// done clears the line.
func (p *progress) done() {
	if p.w != nil && !p.last.IsZero() {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}
