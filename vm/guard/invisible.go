package guard

import "strings"

// isInvisible tells characters that print as nothing and that cleaning steps
// remove: zero-width and joining characters, direction marks, fillers, tags,
// variation selectors, annotation marks, controls of shorthand.
func isInvisible(r rune) bool {
	switch {
	case r < 0xad:
		return false
	case r == 0xad, r == 0x34f, r == 0x61c, r == 0x115f, r == 0x1160, r == 0x17b4, r == 0x17b5,
		r == 0x3164, r == 0xfeff, r == 0xffa0:
		return true
	case r >= 0x180b && r <= 0x180f, r >= 0x200b && r <= 0x200f, r >= 0x202a && r <= 0x202e,
		r >= 0x2060 && r <= 0x206f, r >= 0xfe00 && r <= 0xfe0f, r >= 0x1d173 && r <= 0x1d17a,
		r >= 0xe0000 && r <= 0xe0fff, r >= 0xfff0 && r <= 0xfffb, r >= 0x1bca0 && r <= 0x1bca3:
		return true
	}
	return false
}

// StripInvisible removes the characters of s that cannot be seen: zero-width,
// direction marks, tags, variation selectors.
func StripInvisible(s string) string {
	return strings.Map(func(r rune) rune {
		if isInvisible(r) {
			return -1
		}
		return r
	}, s)
}
