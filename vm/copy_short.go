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

// copyText copies s to dst.
func copyText(dst unsafe.Pointer, s string) {
	if n := len(s); n > shortCopy {
		copy(unsafe.Slice((*byte)(dst), n), s)
	} else if n >= 8 {
		copyWide(dst, s, n)
	} else if n > 0 {
		copyTiny(dst, s, n)
	}
}

// copyTexts copies a and then b to dst.
func copyTexts(dst unsafe.Pointer, a, b string) {
	if n := len(a); n > shortCopy {
		copy(unsafe.Slice((*byte)(dst), n), a)
	} else if n >= 8 {
		copyWide(dst, a, n)
	} else if n > 0 {
		copyTiny(dst, a, n)
	}
	dst = unsafe.Add(dst, len(a))
	if n := len(b); n > shortCopy {
		copy(unsafe.Slice((*byte)(dst), n), b)
	} else if n >= 8 {
		copyWide(dst, b, n)
	} else if n > 0 {
		copyTiny(dst, b, n)
	}
}
