package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/internal/code"
)

// lockName is the name of a folder's lock file.
const lockName = "pcc.lock"

func (a *app) lockCommand() *cobra.Command {
	var t templateFlags
	var exclude []string
	var check bool
	cmd := &cobra.Command{
		Use:   "lock DIR",
		Short: "Pin what the prompts of a folder are",
		Long: `Writes DIR/pcc.lock: the id of each template, prompt document and agent in the
folder, as pcc compile finds them. An id is that of what is compiled: it changes with
any text, condition, variable, tool or parameter, and with those of the files that a
prompt includes; not with comments, or where the folder is.

With --check nothing is written: prompts that are not those of pcc.lock, that are new
or that are gone are errors. Ids are those of one version of pcc; where another one
wrote the file, that is said.`,
		Example: `  pcc lock prompts/
  pcc lock --check prompts/
  pcc lock --check prompts/ --format github`,
		Args: exactly("DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			a.strict = t.strict
			t.exclude = exclude
			if check && a.format != "text" {
				a.findings = a.stdout
			}
			return a.lock(args[0], &t, lockOptions(cmd.Flags()), check)
		},
	}
	t.add(cmd.Flags())
	addExclude(cmd.Flags(), &exclude)
	cmd.Flags().BoolVar(&check, "check", false, "compare the prompts with pcc.lock, and write nothing")
	return cmd
}

// pinned is one prompt of a lock file.
type pinned struct {
	name, id string
	span     source.Span // of its line
}

// lockOptions are the options that decide what the prompts of a folder are, as a lock
// file has them: where they come from does not matter.
func lockOptions(flags *pflag.FlagSet) string {
	var l []string
	for _, name := range []string{"agentforge-version", "blank-system", "delimiters", "exclude", "form", "jinja", "populator", "profile",
		"security-level", "strict", "syntax", "undefined"} {
		f := flags.Lookup(name)
		if f == nil || !f.Changed || f.Value.String() == f.DefValue {
			continue
		}
		l = append(l, "--"+name+"="+strconv.Quote(f.Value.String()))
	}
	return strings.Join(l, " ")
}

func (a *app) lock(dir string, t *templateFlags, options string, check bool) error {
	switch info, err := os.Stat(dir); {
	case errors.Is(err, fs.ErrNotExist):
		return usagef("lock: there is no folder %s", dir)
	case err == nil && !info.IsDir():
		return usagef("lock: %s is no folder", dir)
	}
	prompts, err := a.loadTree(dir, t)
	if err != nil || len(prompts) == 0 || a.failed() {
		return err
	}
	now := make([]pinned, 0, len(prompts))
	for _, p := range prompts {
		name, _ := strings.CutPrefix(p.name, dir+"#")
		now = append(now, pinned{name: filepath.ToSlash(name), id: p.ID()})
	}
	slices.SortFunc(now, func(x, y pinned) int { return strings.Compare(x.name, y.name) })
	path := filepath.Join(dir, lockName)
	if !check {
		if err := a.writeFile(path, lockText(now, options)); err != nil {
			return cannotWrite(path, err)
		}
		return nil
	}
	text, err := readLock(path)
	if errors.Is(err, fs.ErrNotExist) {
		d := diag.New("PCC437", nil, source.Span{}, "the folder %s has no %s", dir, lockName).WithHelp("write it with `pcc lock`")
		d.Severity = diag.Error
		a.found = append(a.found, d)
		return nil
	}
	if err != nil {
		return err
	}
	a.found = append(a.found, compareLock(source.New(path, text), now, options)...)
	return nil
}

// maxLock is the greatest size of a lock file in bytes.
const maxLock = 16 << 20

func readLock(path string) (string, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return "", err
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("%s is no regular file", path)
	case info.Size() > maxLock:
		return "", fmt.Errorf("%s is larger than %d bytes", path, maxLock)
	}
	b, err := os.ReadFile(path)
	return string(b), err
}

// codeVersion tells one version of the compiler's output from another, whose ids
// may differ.
func codeVersion() string {
	sum := sha256.Sum256([]byte(code.Reference()))
	return hex.EncodeToString(sum[:4])
}

const lockHead = "# The prompts of this folder, written by `pcc lock`; instructions "

const lockOptionsHead = "# Options: "

func lockText(prompts []pinned, options string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s%s\n", lockHead, codeVersion())
	if options != "" {
		fmt.Fprintf(&b, "%s%s\n", lockOptionsHead, options)
	}
	for _, p := range prompts {
		name := p.name
		if name[0] == '"' || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) || !utf8.ValidString(name) {
			name = strconv.Quote(name)
		}
		fmt.Fprintf(&b, "%s  %s\n", p.id, name)
	}
	return b.Bytes()
}

// nameIn is a name as a lock file has it.
func nameIn(written string) (string, bool) {
	if written[0] != '"' {
		return written, true
	}
	name, err := strconv.Unquote(written)
	return name, err == nil
}

var lockLine = regexp.MustCompile(`^([0-9a-f]{64})  (.+)$`)

// compareLock holds the prompts against those of a lock file.
func compareLock(f *source.File, now []pinned, options string) diag.List {
	var list diag.List
	report := func(span source.Span, format string, args ...any) *diag.Diagnostic {
		d := diag.New("PCC437", f, span, format, args...)
		d.Severity = diag.Error
		list = append(list, d)
		return d
	}
	then := map[string]pinned{}
	other, written := "", ""
	at := 0
	for line := range strings.SplitAfterSeq(f.Text, "\n") {
		span := source.Span{Start: source.Pos(at), End: source.Pos(at + len(strings.TrimRight(line, "\r\n")))}
		at += len(line)
		line = strings.TrimRight(line, "\r\n")
		switch m := lockLine.FindStringSubmatch(line); {
		case strings.HasPrefix(line, "#"):
			if v, ok := strings.CutPrefix(line, lockHead); ok && v != codeVersion() {
				other = v
			}
			if v, ok := strings.CutPrefix(line, lockOptionsHead); ok {
				written = v
			}
		case strings.TrimSpace(line) == "":
		case m == nil:
			report(span, "this line is none of a lock file").WithHelp("write the file anew with `pcc lock`")
			return list
		default:
			name, ok := nameIn(m[2])
			if !ok {
				report(span, "this line is none of a lock file").WithHelp("write the file anew with `pcc lock`")
				return list
			}
			if _, twice := then[name]; twice {
				report(span, "the prompt `%s` stands here twice", diag.Shorten(name, 120)).WithNames(name)
			}
			then[name] = pinned{name: name, id: m[1], span: span}
		}
	}
	for _, p := range now {
		old, ok := then[p.name]
		delete(then, p.name)
		switch {
		case !ok:
			report(source.Span{}, "the prompt `%s` is new", diag.Shorten(p.name, 120)).WithNames(p.name)
		case old.id != p.id:
			report(old.span, "the prompt `%s` has changed", diag.Shorten(p.name, 120)).WithNames(p.name)
		}
	}
	for _, p := range then {
		report(p.span, "the prompt `%s` is gone", diag.Shorten(p.name, 120)).WithNames(p.name)
	}
	list.Sort()
	for _, d := range list {
		switch {
		case written != options:
			d.Help = fmt.Sprintf("the lock file was written with %s, and this run has %s: check with the same options, or run `pcc lock` again",
				orDefault(diag.Shorten(written, 200), "no options"), orDefault(options, "none"))
		case other != "":
			d.Help = "another version of pcc wrote the file (" + diag.Shorten(other, 60) + "): check with that one, or run `pcc lock` again"
		}
	}
	return list
}
