package main

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// pcc is a command that runs this test binary as the program pcc.
func (c *attackCase) pcc(ctx context.Context, args ...string) *exec.Cmd {
	exe, err := os.Executable()
	if err != nil {
		c.t.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, exe)
	cmd.Args = append([]string{"pcc"}, args...)
	cmd.Dir = c.dir
	cmd.WaitDelay = time.Second
	return cmd
}

// runs is the outcome of a command: what it prints must be free of control
// characters, so that nothing forges lines of a log or colours a terminal.
func (c *attackCase) runs(args ...string) (outcome, out string) {
	ctx, cancel := context.WithTimeout(c.t.Context(), hangs/5)
	defer cancel()
	cmd := c.pcc(ctx, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if strings.ContainsAny(stderr.String(), "\x1b\x00\r") {
		c.fault("%q: control characters in %q", args, stderr.String())
	}
	for _, crash := range []string{"panic:", "goroutine ", "fatal error:"} {
		if strings.Contains(stderr.String(), crash) {
			c.fault("%q: %.1000s", args, stderr.String())
			break
		}
	}
	c.both = stdout.String() + stderr.String()
	if ctx.Err() != nil {
		c.fault("%q hangs", args)
	}
	if mb := peakMemory(cmd.ProcessState); cmd.ProcessState != nil && mb > defaultMB/4 && !raceEnabled {
		c.fault("%q took %d MB", args, mb)
	}
	if err != nil {
		return "error", stderr.String()
	}
	return "render", stdout.String()
}

// commandLine runs a row about the command line.
func (c *attackCase) commandLine() verdict {
	put := func(name, text string) {
		if err := os.WriteFile(filepath.Join(c.dir, name), []byte(text), 0o666); err != nil {
			c.t.Fatal(err)
		}
	}
	name := strings.TrimPrefix(c.row.Fixture, "cli:")
	if !raceEnabled { // the detector reserves far more
		limitMemory(addressSpace)
	}
	v := verdict{}
	switch name {
	case "":
		put("t.txt", c.source())
		v.Outcome, v.Detail = c.runs("render", "--syntax", c.row.Dialect, "t.txt")
	case "pcc explain with secret var":
		put("t.txt", "---\nvariables:\n  token: {type: string}\n---\n{{ token | int }}{{ token.x }}")
		put("d.json", `{"token": "`+canary+`"}`)
		for _, args := range [][]string{{"explain", "PCC301"}, {"vars", "t.txt"}, {"disasm", "t.txt"}, {"compile", "t.txt", "--data", "d.json"}} {
			if _, out := c.runs(args...); strings.Contains(out, canary) {
				c.fault("%q shows data", args)
			}
		}
		v.Outcome = "render"
	case "kill -9 during write of -o out":
		v.Outcome = c.killed(put)
	case "output file mode":
		put("t.txt", "{x}")
		put("old", "o")
		must(c, os.Chmod(filepath.Join(c.dir, "old"), 0o640))
		v.Outcome, _ = c.runs("render", "t.txt", "-D", "x=1", "-o", "old")
		c.runs("render", "t.txt", "-D", "x=1", "-o", "new")
		for name, most := range map[string]fs.FileMode{"old": 0o640, "new": 0o644} {
			if info, err := os.Stat(filepath.Join(c.dir, name)); err != nil || info.Mode().Perm()&^most != 0 && name == "old" {
				c.fault("%s: %v, %v", name, info, err)
			}
		}
	case "SIGPIPE: pcc render | head -c1":
		put("t.txt", strings.Repeat("text ", 100_000))
		cmd := exec.Command("sh", "-c", `"$0" render t.txt | head -c1`, c.link())
		cmd.Dir = c.dir
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if string(out) != "t" || err != nil || stderr.Len() > 0 {
			c.fault("%q, %v, %s", out, err, stderr.String())
		}
		v.Outcome = "render"
	case "data file is a FIFO / directory / 5 GB":
		put("t.txt", "{x}")
		must(c, os.Mkdir(filepath.Join(c.dir, "folder.json"), 0o777))
		must(c, os.WriteFile(filepath.Join(c.dir, "big.json"), nil, 0o666))
		must(c, os.Truncate(filepath.Join(c.dir, "big.json"), 5<<30))
		must(c, makeFIFO(filepath.Join(c.dir, "fifo.json")))
		for _, data := range []string{"folder.json", "big.json", "fifo.json"} {
			done := make(chan string, 1)
			go func() { o, _ := c.runs("render", "t.txt", "-d", data); done <- o }()
			select {
			case o := <-done:
				v.Outcome = o
				if o != "error" {
					c.fault("%s is taken for data", data)
				}
			case <-time.After(10 * time.Second):
				c.fault("%s blocks", data)
			}
		}
	case "argument with invalid UTF-8, NUL, ANSI, newline":
		put("t.txt", "{x}")
		for _, arg := range []string{"\xff\xfe", "a\x1b[31mb", "a\nINFO forged", "a\rb"} {
			for _, args := range [][]string{{"render", arg}, {"render", "t.txt", "-d", arg}, {"render", "t.txt", "-D", arg}, {arg}, {"render", "--" + arg, "t.txt"}, {"explain", arg}, {"render", "t.txt", "--syntax", arg}} {
				outcome, out := c.runs(args...)
				if outcome != "error" {
					c.fault("%q: %s", args, outcome)
				}
				if strings.Contains(out, "\nINFO") {
					c.fault("%q forges a line: %q", args, out)
				}
			}
		}
		v.Outcome = "error"
	case "config file in a hostile working folder":
		// A pcc.yaml is read by design; it must not be able to run, write or
		// read anything, nor to raise a limit.
		put("t.txt", "{x}")
		v.Outcome = "render"
		for _, hostile := range []string{"output: stolen.txt\n", "define: [x=evil]\n", "data: /etc/passwd\n", "root: /\n", "now: x\n", "!!python/object/apply:os.system [id]\n", "max-steps: 999999999999\n"} {
			put("pcc.yaml", hostile)
			outcome, out := c.runs("render", "t.txt", "-D", "x=fine")
			if outcome == "render" && out != "fine" {
				c.fault("%q changes the output to %q", hostile, out)
			}
		}
		if _, err := os.Stat(filepath.Join(c.dir, "stolen.txt")); err == nil {
			c.fault("a setting made a file")
		}
	case "template named -rf or --help":
		for _, name := range []string{"-rf", "--help"} {
			put(name, "safe {x}")
			if outcome, out := c.runs("render", "-D", "x=1", "--", name); out != "safe 1" {
				c.fault("%s: %s %q", name, outcome, out)
			}
		}
		v.Outcome = "render"
	case "HTTP/pprof":
		v.Outcome = c.noSockets()
	default:
		v.Outcome, v.Detail = c.console(name)
	}
	v.Faults = c.faults
	for _, s := range c.row.Assert.Absent {
		if strings.Contains(v.Detail, s) {
			v.Faults = append(v.Faults, "the output holds "+s)
		}
	}
	return v
}

func must(c *attackCase, err error) {
	if errors.Is(err, errors.ErrUnsupported) {
		c.t.Skip(err)
	}
	if err != nil {
		c.t.Fatal(err)
	}
}

// link is a path of this binary under the name pcc.
func (c *attackCase) link() string {
	exe, err := os.Executable()
	must(c, err)
	path := filepath.Join(c.t.TempDir(), "pcc")
	must(c, os.Symlink(exe, path))
	return path
}

// killed kills a render that writes a file at many moments: the old or the new
// content is there, never a part.
func (c *attackCase) killed(put func(name, text string)) string {
	text := strings.Repeat("0123456789", 300_000)
	put("t.txt", text)
	put("out", "old")
	seen := map[string]int{}
	for i := range 25 {
		cmd := c.pcc(c.t.Context(), "render", "t.txt", "-o", "out")
		must(c, cmd.Start())
		time.Sleep(time.Duration(i) * 2 * time.Millisecond)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		b, err := os.ReadFile(filepath.Join(c.dir, "out"))
		switch {
		case err == nil && string(b) == "old":
			seen["old"]++
		case err == nil && string(b) == text:
			seen["new"]++
			put("out", "old")
		default:
			c.fault("%d bytes after %d ms: %v", len(b), 2*i, err)
		}
	}
	if seen["old"] == 0 {
		c.fault("never killed in time: %v", seen)
	}
	return "render"
}

// noSockets checks that the program is built without the packages that open
// sockets or serve profiles.
func (c *attackCase) noSockets() string {
	wd, err := os.Getwd()
	must(c, err)
	cmd := exec.Command("go", "list", "-deps", "github.com/pcc-lang/pcc/cmd/pcc")
	cmd.Dir = wd
	out, err := cmd.Output()
	if err != nil {
		return "render" // no sources at hand: a test of package main holds this too
	}
	for _, p := range strings.Fields(string(out)) {
		if slices.Contains([]string{"net/http", "net/http/pprof", "net/rpc", "expvar"}, p) {
			c.fault("the command is linked with %s", p)
		}
	}
	return "render"
}
