//go:build unix

package main

import (
	"os"
	"syscall"

	"github.com/rogpeppe/go-internal/testscript"
)

// systemCommands make what only such systems have: `link OLD NEW` another name
// of a file, `fifo NAME` a pipe, `give NAME` a file of another user's.
func systemCommands() map[string]func(*testscript.TestScript, bool, []string) {
	return map[string]func(*testscript.TestScript, bool, []string){
		"link": func(ts *testscript.TestScript, _ bool, args []string) {
			ts.Check(os.Link(ts.MkAbs(args[0]), ts.MkAbs(args[1])))
		},
		"fifo": func(ts *testscript.TestScript, _ bool, args []string) {
			ts.Check(syscall.Mkfifo(ts.MkAbs(args[0]), 0o600))
		},
		"give": func(ts *testscript.TestScript, _ bool, args []string) {
			ts.Check(os.Lchown(ts.MkAbs(args[0]), 54321, 54321))
		},
	}
}

// mayGive reports whether files can be made another user's.
func mayGive() bool { return os.Geteuid() == 0 }
