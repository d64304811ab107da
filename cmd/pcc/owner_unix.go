//go:build unix

package main

import (
	"io/fs"
	"os"
	"strconv"
	"syscall"
)

// nonBlocking keeps an open from waiting for the other end of a pipe.
const nonBlocking = syscall.O_NONBLOCK

// noFollow keeps an open from following a link.
const noFollow = syscall.O_NOFOLLOW

// isOwn reports whether a file belongs to the user who runs the command. As with
// git, the user who became root by sudo counts too.
func (a *app) isOwn(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return false
	}
	user := os.Geteuid()
	if user == 0 {
		if v, ok := a.lookupEnv("SUDO_UID"); ok {
			if before, err := strconv.ParseUint(v, 10, 32); err == nil && s.Uid == uint32(before) {
				return true
			}
		}
	}
	return int64(s.Uid) == int64(user)
}

// hasOtherNames reports whether a file stands under several names.
func hasOtherNames(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && s.Nlink > 1
}
