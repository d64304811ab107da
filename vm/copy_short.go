package vm

import "unsafe"

// shortCopy is the length up to which copyWide and copyTiny copy. Most texts and
// values are so short that a call of the runtime's copy costs more than moving
// them: what lies in registers has to be saved around it. Both become part of
// their callers, and touch no byte outside of what they copy, as what lies
// behind may be someone else's.
const shortCopy = 32

// copyWide copies the n bytes of s, 8 to shortCopy, to dst, in two parts that
// overlap.
func copyWide(dst unsafe.Pointer, s string, n int) {
	src := unsafe.Pointer(unsafe.StringData(s))
	if n >= 16 {
		*(*[16]byte)(dst) = *(*[16]byte)(src)
		*(*[16]byte)(unsafe.Add(dst, n-16)) = *(*[16]byte)(unsafe.Add(src, n-16))
		return
	}
	*(*[8]byte)(dst) = *(*[8]byte)(src)
	*(*[8]byte)(unsafe.Add(dst, n-8)) = *(*[8]byte)(unsafe.Add(src, n-8))
}

// copyTiny copies the n bytes of s, 1 to 7, to dst.
func copyTiny(dst unsafe.Pointer, s string, n int) {
	src := unsafe.Pointer(unsafe.StringData(s))
	if n >= 4 {
		*(*[4]byte)(dst) = *(*[4]byte)(src)
		*(*[4]byte)(unsafe.Add(dst, n-4)) = *(*[4]byte)(unsafe.Add(src, n-4))
		return
	}
	*(*byte)(dst) = *(*byte)(src)
	*(*byte)(unsafe.Add(dst, n>>1)) = *(*byte)(unsafe.Add(src, n>>1))
	*(*byte)(unsafe.Add(dst, n-1)) = *(*byte)(unsafe.Add(src, n-1))
}

// copyText copies s to dst+n. The place is computed only where there is
// something to copy: behind a full buffer lies memory of someone else's, to
// which there must not even be a pointer.
func copyText(dst unsafe.Pointer, n int, s string) {
	if t := len(s); t > shortCopy {
		copy(unsafe.Slice((*byte)(unsafe.Add(dst, n)), t), s)
	} else if t >= 8 {
		copyWide(unsafe.Add(dst, n), s, t)
	} else if t > 0 {
		copyTiny(unsafe.Add(dst, n), s, t)
	}
}

// copyTexts copies a and then b to dst+n.
func copyTexts(dst unsafe.Pointer, n int, a, b string) {
	if t := len(a); t > shortCopy {
		copy(unsafe.Slice((*byte)(unsafe.Add(dst, n)), t), a)
	} else if t >= 8 {
		copyWide(unsafe.Add(dst, n), a, t)
	} else if t > 0 {
		copyTiny(unsafe.Add(dst, n), a, t)
	}
	n += len(a)
	if t := len(b); t > shortCopy {
		copy(unsafe.Slice((*byte)(unsafe.Add(dst, n)), t), b)
	} else if t >= 8 {
		copyWide(unsafe.Add(dst, n), b, t)
	} else if t > 0 {
		copyTiny(unsafe.Add(dst, n), b, t)
	}
}
