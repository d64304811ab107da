package parser

// Slab hands out values from blocks of many, one allocation for dozens. Blocks
// double in size up to maxSlab. The zero Slab is ready for use.
type Slab[T any] struct {
	block []T
	used  int
}

const (
	minSlab = 8
	maxSlab = 256
)

// One returns a zero value.
func (s *Slab[T]) One() *T {
	if s.used == len(s.block) {
		s.grow(1)
	}
	v := &s.block[s.used]
	s.used++
	return v
}

// List returns n zero values; appending to them copies.
func (s *Slab[T]) List(n int) []T {
	if len(s.block)-s.used < n {
		s.grow(n)
	}
	v := s.block[s.used : s.used+n : s.used+n]
	s.used += n
	return v
}

func (s *Slab[T]) grow(n int) {
	s.block, s.used = make([]T, max(n, min(2*len(s.block), maxSlab), minSlab)), 0
}

// Reset takes back all values; the last block serves the next ones.
func (s *Slab[T]) Reset() {
	if len(s.block) > maxSlab {
		s.block, s.used = nil, 0
		return
	}
	clear(s.block[:s.used])
	s.used = 0
}
