package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// console runs a row about the command line whose fixture is told in words:
// which command, and what lies in wait for it.
//
//	batch -o out, out.part is a symlink to another file
//	batch --resume, out.part is no batch output
//	pcc.yaml of 30 GB (sparse)
//	pcc.yaml of another owner in a parent folder
//	pcc test, a test name with ESC and a line "::error::x"
//	--format github, a file name with ESC
//	render -o t.txt, which is the template
func (c *attackCase) console(words string) (outcome, detail string) {
	has := func(word string) bool { return strings.Contains(words, word) }
	c.writeTop("t.txt", "Hi {name}\n")
	c.writeTop("d.json", `{"name": "a"}`)
	c.writeTop("rows.jsonl", `{"name": "a"}`+"\n"+`{"name": "b"}`+"\n")
	switch {
	case has("batch") && !has("input"):
		return c.lyingInWait(words)
	case has("pcc.yaml"):
		return c.hostileSettings(words)
	case has("ESC") || has("newline") || has("control") || has("::error::"):
		return c.hostileNames(words)
	case has("-o") || has("output"):
		return c.outputIsInput(words)
	}
	c.t.Fatalf("there is no fixture %q", words)
	return "", ""
}

func (c *attackCase) top(name string) string { return filepath.Join(c.dir, name) }

func (c *attackCase) writeTop(name, text string) {
	must(c, os.MkdirAll(filepath.Dir(c.top(name)), 0o777))
	must(c, os.WriteFile(c.top(name), []byte(text), 0o666))
}

func (c *attackCase) readTop(name string) string {
	b, _ := os.ReadFile(c.top(name))
	return string(b)
}

var fileState = regexp.MustCompile(`(\S+) (?:is|holds) (.+)$`)

// lyingInWait runs a batch whose output or part of it is there already and is
// not what a batch wrote: nothing that it leads to may change.
func (c *attackCase) lyingInWait(words string) (outcome, detail string) {
	m := fileState.FindStringSubmatch(words)
	if m == nil {
		c.t.Fatalf("there is no fixture %q", words)
	}
	name, state := m[1], m[2]
	const precious = "one\nprecious, without a newline at its end"
	c.writeTop("victim.txt", precious)
	held := name // the file that must not change
	switch {
	case strings.Contains(state, "dangling"):
		must(c, os.Symlink("nowhere.txt", c.top(name)))
	case strings.Contains(state, "symlink"), strings.Contains(state, "a link"):
		must(c, os.Symlink("victim.txt", c.top(name)))
	case strings.Contains(state, "hard link"):
		must(c, os.Link(c.top("victim.txt"), c.top(name)))
	case strings.Contains(state, "FIFO"), strings.Contains(state, "pipe"):
		must(c, makeFIFO(c.top(name)))
		held = "victim.txt"
	case strings.Contains(state, "folder"), strings.Contains(state, "directory"):
		must(c, os.Mkdir(c.top(name), 0o777))
		held = "victim.txt"
	default: // a file of someone's
		c.writeTop(name, precious)
	}
	before := c.readTop(held)
	args := []string{"batch", "t.txt", "--rows", "rows.jsonl", "-o", "out"}
	if strings.Contains(words, "--resume") {
		args = append(args, "--resume")
	}
	outcome, detail = c.runs(args...)
	if c.readTop("victim.txt") != precious || strings.HasSuffix(name, ".part") && c.readTop(held) != before {
		c.fault("a file that no batch wrote has changed")
	}
	if _, err := os.Stat(c.top("nowhere.txt")); err == nil {
		c.fault("a file was made through a link")
	}
	return outcome, detail
}

var gigabytes = regexp.MustCompile(`of (\d+) ?GB`)

// hostileSettings runs commands under a pcc.yaml that must not be taken.
func (c *attackCase) hostileSettings(words string) (outcome, detail string) {
	c.writeTop("secret.txt", canary)
	c.writeTop("sub/t.txt", `x{include "../secret.txt"}{name}`)
	path := c.top(configName)
	switch size := gigabytes.FindStringSubmatch(words); {
	case size != nil:
		c.writeTop(configName, "")
		must(c, os.Truncate(path, int64(atoi(size[1]))<<30))
	case strings.Contains(words, "owner"), strings.Contains(words, "another user"):
		c.writeTop(configName, "root: .\n")
		must(c, giveAway(path))
	case strings.Contains(words, "FIFO"):
		must(c, makeFIFO(path))
	case strings.Contains(words, "/dev/zero"), strings.Contains(words, "device"):
		must(c, os.Symlink("/dev/zero", path))
	case strings.Contains(words, "link"):
		must(c, os.Symlink("/proc/kcore", path))
	default:
		c.t.Fatalf("there is no fixture %q", words)
	}
	for _, args := range [][]string{{"render", "sub/t.txt", "-D", "name=a"}, {"vars", "t.txt"}, {"compile", "t.txt"}} {
		o, out := c.runs(args...)
		if outcome == "" {
			outcome, detail = o, out
		}
		if strings.Contains(c.both, canary) {
			c.fault("%q shows what lies outside", args)
		}
	}
	return outcome, detail
}

func atoi(digits string) (n int) {
	for _, d := range digits {
		n = 10*n + int(d-'0')
	}
	return n
}

// hostileNames runs the command that the words name on a file whose names, or
// whose own name, steer a terminal or the log of a build server.
func (c *attackCase) hostileNames(words string) (outcome, detail string) {
	const yamlName = `"n\e[31m\n::error::x"`
	const rawName = "n\x1b[31m\n::error::x"
	has := func(word string) bool { return strings.Contains(words, word) }
	var args []string
	switch {
	case has("file name"), has("a path"), has("folder name"):
		c.writeTop(rawName, "{{ x|nothing }}")
		args = []string{"compile", rawName}
	case has("-D"):
		args = []string{"render", "t.txt", "-D", rawName + ":={"}
	case has("test"):
		c.writeTop("d.yaml", "messages:\n  - user: hi\ntests:\n  - name: "+yamlName+"\n    expect: {contains: hi}\n")
		c.writeTop("failing.yaml", "messages:\n  - user: hi\ntests:\n  - name: "+yamlName+"\n    expect: {contains: "+yamlName+"}\n")
		c.saysNothingForged("test", "failing.yaml", "-v")
		args = []string{"test", "d.yaml"}
	case has("variable"):
		c.writeTop("d.yaml", "variables:\n  "+yamlName+": string\nmessages:\n  - user: hi\n")
		args = []string{"vars", "d.yaml"}
	case has("description"), has("vars"), has("front matter"):
		c.writeTop("d.yaml", "variables:\n  v: {type: string, description: "+yamlName+"}\nmessages:\n  - user: hi {v}\n")
		args = []string{"vars", "d.yaml"}
	case has("data"), has("key"):
		c.writeTop("bad.json", `{"n\u001b[31m\n::error::x": 1, "n\u001b[31m\n::error::x": 2}`)
		args = []string{"render", "t.txt", "-d", "bad.json"}
	case has("detect"), has("entry"), has("prompt"):
		c.writeTop("d.yaml", "prompts:\n  "+yamlName+":\n    prompt: {template: hi}\n")
		args = []string{"detect", "d.yaml"}
	default:
		c.t.Fatalf("there is no fixture %q", words)
	}
	for _, format := range []string{"text", "json", "sarif", "github"} {
		if has("--format ") && !has("--format "+format) {
			continue
		}
		o, out := c.saysNothingForged(append(args, "--format", format)...)
		if outcome == "" {
			outcome, detail = o, out
		}
	}
	return outcome, detail
}

var forgedLine = regexp.MustCompile(`(?m)^\s*::error::x`)

// saysNothingForged runs pcc and looks at all that it prints.
func (c *attackCase) saysNothingForged(args ...string) (outcome, detail string) {
	outcome, detail = c.runs(args...)
	if strings.ContainsAny(c.both, "\x1b\r\u009b") || forgedLine.MatchString(c.both) {
		c.fault("%q: %q", args, c.both)
	}
	return outcome, detail
}

// outputIsInput names a file as the output that the command reads.
func (c *attackCase) outputIsInput(words string) (outcome, detail string) {
	target := "t.txt"
	switch {
	case strings.Contains(words, "rows"):
		target = "rows.jsonl"
	case strings.Contains(words, "data"):
		target = "d.json"
	}
	before := c.readTop(target)
	output := target
	if strings.Contains(words, "link") {
		must(c, os.Symlink(target, c.top("link")))
		output = "link"
	}
	args := []string{"render", "t.txt", "-d", "d.json", "-o", output}
	if strings.Contains(words, "batch") || target == "rows.jsonl" {
		args = []string{"batch", "t.txt", "--rows", "rows.jsonl", "-d", "d.json", "-o", output}
	}
	outcome, detail = c.runs(args...)
	if c.readTop(target) != before {
		c.fault("%q overwrote its input", args)
	}
	return outcome, detail
}
