package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
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
	// partBytes is how much output a chunk gathers before it waits for its turn:
	// rows may be short, and what they render to long.
	partBytes = 1 << 20
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

	spare   chan []byte   // outputs that are written, for reuse
	quit    chan struct{} // closed when the writer wants no more
	perRow  atomic.Int64  // bytes that a row rendered to, lately
	stopped bool          // a row failed and the batch ended there
	failed  int64
	kept    keptRows
	told    rowFindings
	rows    bool // there was a row, of this shard or another
}

// chunk is a run of whole lines on its way.
type chunk struct {
	lines string
	first int64 // number of the first line
	ready chan struct{}

	parts  chan part // what is rendered before all is, where it is much
	part             // the rest
	rows   int64
	bytes  int64 // of all its output
	errs   []rowError
	others int64 // rows that failed behind those of errs
	kept   keptRows
	told   rowFindings
	failed bool // with --on-error stop: out ends before the row that failed
}

// part is the output of some rows.
type part struct {
	out  []byte
	last int64 // number of the last row that was rendered
}

type rowError struct {
	row int64
	err error
}

func (b *batchRun) run(rows io.Reader) error {
	workers := b.flags.workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	jobs := make(chan *chunk)
	ordered := make(chan *chunk, 2*workers)
	b.quit = make(chan struct{})
	b.spare = make(chan []byte, 2*workers)

	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			d := vm.NewDecoder(b.flags.dataFlags.decodeOptions(nil))
			for c := range jobs {
				c.out = b.unused()
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
			c.ready, c.parts = make(chan struct{}), make(chan part)
			select {
			case <-b.quit:
				return false
			case <-b.app.ctx.Done():
				return false
			case ordered <- c:
			}
			select {
			case jobs <- c:
				return true
			case <-b.quit:
				close(c.ready)
				return false
			}
		})
	})
	err := b.write(ordered)
	close(b.quit)
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
			for lines := string(buf[:end]); lines != ""; {
				c := &chunk{lines: b.some(lines), first: line}
				b.rows = b.rows || strings.TrimSpace(c.lines) != ""
				lines = lines[len(c.lines):]
				line += int64(strings.Count(c.lines, "\n"))
				if !yield(c) {
					return nil
				}
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

// some returns the first of some lines: as many as the output of a chunk has room
// for, by what rows rendered to lately, so that no worker waits for others.
func (b *batchRun) some(lines string) string {
	rows := partBytes / max(b.perRow.Load(), 1)
	end := 0
	for ; rows >= 0 && end < len(lines); rows-- {
		n := strings.IndexByte(lines[end:], '\n') + 1
		if n == 0 {
			return lines
		}
		end += n
	}
	return lines[:end]
}

// write puts the chunks' results out in order.
func (b *batchRun) write(ordered <-chan *chunk) error {
	for c := range ordered {
		for ready := false; !ready; {
			p := &c.part
			select {
			case early := <-c.parts:
				p = &early
			case <-c.ready:
				ready = true
			case <-b.app.ctx.Done():
				return errInterrupted
			}
			if len(p.out) > 0 {
				if _, err := b.out.w.Write(p.out); err != nil {
					return err
				}
			}
			if p.last > 0 {
				b.out.last = p.last
			}
			b.reuse(p)
		}
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

// reuse keeps the memory of an output for another one.
func (b *batchRun) reuse(p *part) {
	if cap(p.out) > 0 && cap(p.out) <= maxSpare {
		select {
		case b.spare <- p.out[:0]:
		default:
		}
	}
	p.out = nil
}

// unused is memory for an output.
func (b *batchRun) unused() []byte {
	select {
	case out := <-b.spare:
		return out
	default:
		return nil
	}
}

// handOver waits for the turn of a chunk and gives the writer what it has so far;
// ok is false where that wants no more.
func (b *batchRun) handOver(c *chunk) (ok bool) {
	select {
	case c.parts <- c.part:
		c.part = part{out: b.unused()}
		return true
	case <-b.quit:
	case <-b.app.ctx.Done():
	}
	return false
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
	b.failed += c.others
	b.kept.merge(&c.kept)
	if c.rows > 0 {
		b.perRow.Store(c.bytes / c.rows)
	}
	b.told.merge(&c.told)
}

// report adds what is to be said about the batch as a whole.
func (b *batchRun) report() {
	if !b.rows && b.app.ctx.Err() == nil {
		b.app.warnNoRows(b.name)
	}
	b.app.found = append(b.app.found, b.kept.findings(b.program)...)
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
		if len(c.out) >= partBytes && !b.handOver(c) {
			return
		}
		c.rows++
		c.last = row
		start := len(c.out)
		if err := b.renderRow(c, d, row, line); err != nil {
			c.out = c.out[:start]
			if len(c.errs) < maxShown {
				c.errs = append(c.errs, rowError{row, err})
			} else {
				c.others++
			}
			switch b.flags.onError {
			case "stop":
				c.failed = true
				return
			case "emit":
				c.out = appendRowError(c.out, row, err)
			}
		}
		c.bytes += int64(len(c.out) - start)
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
	c.kept.add(r.Kept, row)
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
