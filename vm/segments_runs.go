package vm

import (
	"slices"
	"unsafe"
)

// run is a stretch of text of one origin: the offset of its end, and in the lower
// sourceBits its source. A template can change the origin with every byte that
// it writes, so that stretches are kept small.
type run uint64

// textSource is where a stretch comes from: the template, data of which no more is
// known, or from firstText on a text of the data by its number (segments_paths.go).
type textSource uint32

const (
	fromTemplate textSource = iota
	fromData
	firstText

	sourceBits = 28
	lastSource = 1<<sourceBits - 1
)

const (
	runSize     = int(unsafe.Sizeof(run(0)))
	firstRuns   = 16
	segmentSize = int(unsafe.Sizeof(Segment{}))
)

func runTo(end int, s textSource) run { return run(end)<<sourceBits | run(s) }

func (r run) end() int           { return int(r >> sourceBits) }
func (r run) source() textSource { return textSource(r & lastSource) }
func (r run) data() bool         { return r.source() != fromTemplate }

// runs are stretches in order. The first begins at offset 0.
type runs []run

func (r runs) end() int {
	if len(r) == 0 {
		return 0
	}
	return r[len(r)-1].end()
}

// room returns r with room for n more stretches, which is paid for before it is
// made. What has room is added without an allocation.
func (r runs) room(e *Env, n int) (runs, error) {
	if n <= cap(r)-len(r) {
		return r, nil
	}
	size := max(2*cap(r), len(r)+n, firstRuns)
	if err := e.Hold(size * runSize); err != nil {
		return r, err
	}
	return append(make(runs, 0, size), r...), nil
}

// add appends n bytes. A text of the data that is written twice is two stretches.
func (r runs) add(n int, s textSource) runs {
	switch last := len(r) - 1; {
	case n == 0:
	case last >= 0 && s < firstText && r[last].source() == s:
		r[last] += run(n) << sourceBits
	default:
		r = append(r, runTo(r.end()+n, s))
	}
	return r
}

// addAll appends other stretches.
func (r runs) addAll(other runs) runs {
	from := 0
	for _, x := range other {
		r = r.add(x.end()-from, x.source())
		from = x.end()
	}
	return r
}

// cut makes r n bytes long: what is behind is forgotten, what is missing is
// taken for data.
func (r runs) cut(n int) runs {
	for len(r) > 0 && r.end() > n {
		if last := len(r) - 1; last > 0 && r[last-1].end() >= n {
			r = r[:last]
		} else {
			r[last] = runTo(n, r[last].source())
			break
		}
	}
	if len(r) == 1 && r[0].end() == 0 {
		r = r[:0]
	}
	return r.add(n-r.end(), fromData)
}

// slice returns the stretches of the bytes [from, to).
func (r runs) slice(e *Env, from, to int) (runs, error) {
	first, last := r.at(from), r.at(to-1)
	size := min(last+1, len(r)) - first + 1 // one more for what is missing
	if err := e.Hold(size * runSize); err != nil {
		return nil, err
	}
	out := make(runs, 0, size)
	for at := from; first < len(r) && at < to; first++ {
		end := min(r[first].end(), to)
		out = out.add(end-at, r[first].source())
		at = end
	}
	return out.cut(to - from), nil
}

// at is the place of the stretch that holds the byte at offset.
func (r runs) at(offset int) int {
	i, _ := slices.BinarySearchFunc(r, offset+1, func(x run, at int) int { return x.end() - at })
	return i
}

// segments cuts a finished text by origin.
func (r *recorder) segments(e *Env, text string) ([]Segment, error) {
	if len(r.out) == 0 {
		return nil, nil
	}
	if err := e.Hold(len(r.out) * segmentSize); err != nil {
		return nil, err
	}
	out := make([]Segment, 0, len(r.out))
	from := 0
	for _, x := range r.out {
		path, err := r.texts.path(e, x.source())
		if err != nil {
			return nil, err
		}
		out = append(out, Segment{Text: text[from:x.end()], FromData: x.data(), Path: path})
		from = x.end()
	}
	return out, nil
}
