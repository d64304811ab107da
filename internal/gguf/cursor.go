package gguf

import (
	"encoding/binary"
	"fmt"
	"io"
)

// chunk is how much of the file is read at once.
const chunk = 64 << 10

// cursor reads a file forwards through a buffer. What is skipped is not read,
// where it does not lie in the buffer anyway.
type cursor struct {
	r     io.ReaderAt
	size  int64
	off   int64 // of the next byte
	order binary.ByteOrder

	buf   []byte // the bytes of the file from start on
	start int64
}

func (c *cursor) left() int64 { return c.size - c.off }

// take returns the next n bytes, which are valid until the next call.
func (c *cursor) take(n int) ([]byte, error) {
	if int64(n) > c.left() {
		return nil, c.fault(Truncated, c.off, "the file ends inside its metadata")
	}
	if c.off < c.start || c.off+int64(n) > c.start+int64(len(c.buf)) {
		if err := c.fill(n); err != nil {
			return nil, err
		}
	}
	i := c.off - c.start
	c.off += int64(n)
	return c.buf[i : i+int64(n)], nil
}

// fill reads the bytes at off, n of them at least.
func (c *cursor) fill(n int) error {
	want := int(min(int64(max(n, chunk)), c.left()))
	if cap(c.buf) < want {
		c.buf = make([]byte, want)
	}
	c.buf, c.start = c.buf[:want], c.off
	got, err := c.r.ReadAt(c.buf, c.off)
	if got == want {
		return nil
	}
	c.buf = c.buf[:got]
	if err == io.EOF {
		return c.fault(Truncated, c.off+int64(got), "the file ends inside its metadata")
	}
	e := c.fault(Unreadable, c.off+int64(got), "the file cannot be read")
	e.Cause = err
	return e
}

func (c *cursor) uint32() (uint32, error) {
	b, err := c.take(4)
	if err != nil {
		return 0, err
	}
	return c.order.Uint32(b), nil
}

func (c *cursor) uint64() (uint64, error) {
	b, err := c.take(8)
	if err != nil {
		return 0, err
	}
	return c.order.Uint64(b), nil
}

func (c *cursor) fault(kind Kind, at int64, format string, args ...any) *Error {
	return &Error{Kind: kind, Offset: at, Message: fmt.Sprintf(format, args...)}
}
