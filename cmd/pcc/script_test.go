package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"pcc": main})
}

// TestScripts runs testdata/script. Besides the commands of testscript there
// is
//
//	code N pcc args…    runs pcc and wants this exit code
//
// and what systemCommands adds; the condition [owners] says that files can be
// given to another user.
//
// With PCC_UPDATE=1 the expected outputs in the scripts are rewritten.
func TestScripts(t *testing.T) {
	commands := systemCommands()
	if commands == nil {
		commands = map[string]func(*testscript.TestScript, bool, []string){}
	}
	commands["code"] = wantCode
	testscript.Run(t, testscript.Params{
		Dir:                 "../../testdata/script",
		UpdateScripts:       os.Getenv("PCC_UPDATE") != "",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds:                commands,
		Condition: func(condition string) (bool, error) {
			if condition == "owners" {
				return mayGive(), nil
			}
			return false, fmt.Errorf("there is no condition %q", condition)
		},
	})
}

func wantCode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N command args…")
	}
	want, err := strconv.Atoi(args[0])
	if err != nil {
		ts.Fatalf("code: %v", err)
	}
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}
