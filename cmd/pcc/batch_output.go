package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"

	"github.com/pcc-lang/pcc/ast/diag"
)

// batchOutput is where the rows go: standard output, or a .part file that gets
// its final name at the end.
type batchOutput struct {
	w     io.Writer
	file  *os.File // nil for standard output
	final string   // "" where the file has its name already
	// after is the last row that the file holds already.
	after int64
	// last is the last row that is written.
	last int64
}

// openBatchOutput returns nil without an error where a resumed batch has
// nothing left to do.
func (a *app) openBatchOutput(f *batchFlags) (*batchOutput, error) {
	if f.output == "" || f.output == "-" {
		if a.isTerminal(a.stdout) {
			return &batchOutput{w: jsonTerminal{a.stdout}}, nil
		}
		return &batchOutput{w: a.stdout}, nil
	}
	part := f.output + ".part"
	if err := errors.Join(a.refuseInput(f.output), a.refuseInput(part)); err != nil {
		return nil, err
	}
	perm := fs.FileMode(0o666)
	switch info, err := os.Stat(f.output); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, usagef("%s is a folder; -o takes a file", f.output)
	case !info.Mode().IsRegular():
		if f.resume {
			return nil, usagef("%s is no regular file, so there is nothing to --resume", f.output)
		}
		file, err := openDevice(f.output, info)
		if err != nil {
			return nil, cannotWrite(f.output, err)
		}
		return &batchOutput{w: file, file: file}, nil
	default:
		perm = info.Mode().Perm()
	}
	o := &batchOutput{final: f.output}
	file, err := a.openPart(part, perm, f.resume)
	if f.resume && errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(f.output); err == nil {
			a.found = append(a.found, &diag.Diagnostic{Severity: diag.Note, Message: f.output + " is complete already"})
			return nil, nil
		}
		file, err = a.openPart(part, perm, false)
	}
	if err != nil {
		return nil, err
	}
	o.file, o.w = file, file
	if f.resume {
		if o.after, err = behindLastRow(file, longestLine(f.limits.OrDefault().OutputBytes)); err != nil {
			file.Close()
			return nil, fmt.Errorf("%s: %w", part, err)
		}
		o.last = o.after
	}
	return o, nil
}

// jsonTerminal is a terminal that JSON is written to, whole lines at a time.
type jsonTerminal struct{ w io.Writer }

func (t jsonTerminal) Write(text []byte) (int, error) {
	if _, err := t.w.Write(plainJSON(text)); err != nil {
		return 0, err
	}
	return len(text), nil
}

// openPart makes the file that a batch collects its rows in, or opens that of a
// batch that was stopped. Its name is known before, so that anybody who may
// write in the folder can put something there: what exists is never written
// without --resume, and with it neither through a link nor into a file of
// somebody else's.
func (a *app) openPart(part string, perm fs.FileMode, resume bool) (*os.File, error) {
	if !resume {
		f, err := os.OpenFile(part, os.O_RDWR|os.O_CREATE|os.O_EXCL, perm)
		if errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("%s is there already; if a batch was stopped, go on with --resume, else delete it", part)
		}
		if err == nil && !lock(f) {
			err = errors.New("another batch writes it")
		}
		return f, partError(part, err)
	}
	named, err := os.Lstat(part)
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(part, os.O_RDWR|noFollow|nonBlocking, 0)
	if err != nil {
		if !named.Mode().IsRegular() {
			err = errors.New("it is no regular file")
		}
		return nil, partError(part, err)
	}
	info, err := f.Stat()
	switch {
	case err != nil:
	case !named.Mode().IsRegular() || !info.Mode().IsRegular():
		err = errors.New("it is no regular file")
	case !os.SameFile(named, info):
		err = errors.New("it was replaced meanwhile")
	case hasOtherNames(info):
		err = errors.New("it stands under another name too")
	case !a.isOwn(info):
		err = errors.New("it belongs to another user")
	case !lock(f):
		err = errors.New("another batch writes it")
	}
	if err != nil {
		f.Close()
		return nil, partError(part, err)
	}
	return f, nil
}

func partError(part string, err error) error {
	if err == nil {
		return nil
	}
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	return fmt.Errorf("cannot go on with %s: %w", part, err)
}

// rowPrefix is what each line of a batch's output begins with.
const rowPrefix = `{"row": `

var errNoBatch = errors.New("it does not hold the rows of a batch, so nothing is written to it; delete it, or name another -o")

// behindLastRow moves behind the last whole line of a batch's output, cuts off
// one that was not written to its end, and returns the row of the last. All lines
// are looked at first: what is no batch's output stays as it is.
func behindLastRow(f *os.File, longest int64) (row int64, err error) {
	r := bufio.NewReaderSize(f, 1<<20)
	var end int64
	var last []byte
	for {
		line, err := readLine(r, &last, longest)
		if err == io.EOF {
			// What is left must be the beginning of a row.
			if n := min(len(line), len(rowPrefix)); string(line[:n]) != rowPrefix[:n] {
				return 0, errNoBatch
			}
			break
		}
		if err != nil {
			return 0, err
		}
		n, ok := rowOf(line)
		if !ok || n <= row {
			return 0, errNoBatch
		}
		row = n
		end += int64(len(line))
	}
	if err := f.Truncate(end); err != nil {
		return 0, err
	}
	_, err = f.Seek(end, io.SeekStart)
	return row, err
}

// readLine reads a line of a batch's output into buf, whose memory it uses again. Of
// another line it does not read more than it must.
func readLine(r *bufio.Reader, buf *[]byte, longest int64) ([]byte, error) {
	*buf = (*buf)[:0]
	for {
		piece, err := r.ReadSlice('\n')
		*buf = append(*buf, piece...)
		if err != bufio.ErrBufferFull {
			return *buf, err
		}
		if int64(len(*buf)) > longest || !bytes.HasPrefix(*buf, []byte(rowPrefix)) {
			return nil, errNoBatch
		}
	}
}

// longestLine is more than the JSON of a row's result takes, of which each byte may
// be escaped by six.
func longestLine(output int64) int64 {
	const others = 64 << 20 // numbers, keys, and errors
	return min(output, math.MaxInt64/8)*6 + others
}

// rowOf is the number of the row that a whole line of the output holds.
func rowOf(line []byte) (row int64, ok bool) {
	rest, ok := bytes.CutPrefix(line, []byte(rowPrefix))
	digits, _, comma := bytes.Cut(rest, []byte(","))
	if !ok || !comma || len(digits) > 19 || !json.Valid(line) {
		return 0, false
	}
	row, err := strconv.ParseInt(string(digits), 10, 64)
	return row, err == nil && row > 0
}

// close ends the output; whole says that all rows are in it.
func (o *batchOutput) close(whole bool) error {
	if o.file == nil {
		return nil
	}
	if !whole || o.final == "" {
		return o.file.Close()
	}
	if err := o.file.Sync(); err != nil {
		return errors.Join(err, o.file.Close())
	}
	if err := o.file.Close(); err != nil {
		return err
	}
	if err := os.Rename(o.file.Name(), o.final); err != nil {
		return err
	}
	syncDir(filepath.Dir(o.final))
	return nil
}
