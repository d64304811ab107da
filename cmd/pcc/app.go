package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/charmbracelet/colorprofile"
	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
)

// app is one run of the program: its streams and what it has found so far.
type app struct {
	ctx            context.Context
	stdin          io.Reader
	stdout, stderr io.Writer
	lookupEnv      func(string) (string, bool)
	environ        func() []string
	isTerminal     func(any) bool

	format string // of diagnostics: text, json, sarif, github
	color  string // auto, always, never
	config string // the settings file, none for none, "" looks for it
	strict bool   // warnings count as findings

	// found are the diagnostics so far, written when the command ends;
	// findings is where they go then, standard error unless a command says
	// otherwise.
	found diag.List
	// suggested are names of the data that findings have suggested.
	suggested []string
	findings  io.Writer
	// shown are the files whose names are already those that the user knows.
	shown map[*source.File]bool

	given     []string // flags on the command line
	measuring bool     // files are read again and again, and known already
	stdinUsed string   // what has read standard input, "" nothing
	openLine  bool     // standard output, a terminal, is in the middle of a line
	maxResult int      // bytes of the results of all rows, of which none is written before all are there

	mu     sync.Mutex
	temp   string        // a temporary file that must not stay behind
	inputs []fs.FileInfo // the files that were read
}

func newApp(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer) *app {
	return &app{ctx: ctx, stdin: stdin, stdout: stdout, stderr: stderr, lookupEnv: os.LookupEnv,
		environ: os.Environ, isTerminal: isTerminal,
		format: "text", color: "auto", findings: stderr, maxResult: maxResultBytes}
}

// usageError is a wrong command line: exit code 2 with a pointer to the help.
type usageError struct {
	msg  string
	help string // the command to ask for help, such as "pcc help render"
}

func (e *usageError) Error() string { return e.msg }

func usagef(format string, args ...any) error {
	return &usageError{msg: fmt.Sprintf(format, args...)}
}

// errInterrupted ends a command after an interrupt.
var errInterrupted = errors.New("interrupted")

// run executes the command line and returns the exit code.
func (a *app) run(args []string) int {
	root := a.rootCommand()
	root.SetArgs(oneDash(root, args))
	help := &firstError{Writer: a.stdout}
	root.SetOut(help)
	cmd, err := root.ExecuteContextC(a.ctx)
	if err == nil {
		err = help.err
	}
	code := exitOK
	switch {
	case err == nil:
	case errors.Is(err, errInterrupted):
		return exitInterrupt
	case errors.Is(err, syscall.EPIPE):
		// Whoever read the output has seen enough.
	default:
		code = exitUsage
		a.complain(cmd, err)
	}
	if a.failed() {
		code = max(code, exitFindings)
	}
	if slices.ContainsFunc(a.found, unreadable) {
		code = exitUsage
	}
	if err := a.flushFindings(); err != nil && !errors.Is(err, syscall.EPIPE) {
		code = exitUsage
	}
	return code
}

// firstError keeps the first error of a writer: cobra prints help and the version
// without looking at any.
type firstError struct {
	io.Writer
	err error
}

// Write implements io.Writer.
func (w *firstError) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	if w.err == nil {
		w.err = err
	}
	return n, err
}

// oneDash lets long flags be written with one dash, as Go's own tools do: -run
// is --run, -data is --data. What only begins like one is a short flag with its
// value, such as -data.json.
func oneDash(root *cobra.Command, args []string) []string {
	long := map[string]bool{}
	for _, c := range append(root.Commands(), root) {
		for _, set := range []*pflag.FlagSet{c.Flags(), c.PersistentFlags()} {
			set.VisitAll(func(f *pflag.Flag) { long[f.Name] = true })
		}
	}
	args = slices.Clone(args)
	for i, arg := range args {
		if arg == "--" {
			break
		}
		name, _, _ := strings.Cut(strings.TrimPrefix(arg, "-"), "=")
		if len(name) > 1 && strings.HasPrefix(arg, "-") && long[name] {
			args[i] = "-" + arg
		}
	}
	return args
}

// unreadable reports whether a finding is that a file that the command line
// names could not be read, or is too large: it stands at no place of a file.
func unreadable(d *diag.Diagnostic) bool {
	switch d.Code {
	case "PCC210", "PCC418", "PCC902", "PCC920":
		return d.Span == source.Span{}
	}
	return false
}

// limitWords are the flags that set the limits of the machine and the compiler,
// by what the help lines call them.
var limitWords = map[string]string{
	"Limits.SourceBytes": "--max-source", "Limits.Depth": "--max-depth", "Limits.ValueDepth": "--max-value-depth",
	"Limits.CompileMemory": "--max-compile-memory", "Limits.Steps": "--max-steps", "Limits.Memory": "--max-memory", "Limits.OutputBytes": "--max-output",
	"Limits.Iterations": "--max-iterations", "Limits.IncludeDepth": "--max-includes",
	"Limits.MacroDepth": "--max-calls", "Limits.NumberDigits": "--max-digits",
	"a later deadline": "a longer --timeout",
}

// tailor gives the findings the words of the command line: limits have flags,
// and with --strict warnings are errors.
func (a *app) tailor(l diag.List) diag.List {
	out := make(diag.List, len(l))
	for i, d := range l {
		own := *d
		for name, flag := range limitWords {
			own.Help = strings.ReplaceAll(own.Help, name, flag)
		}
		if a.strict && own.Severity == diag.Warning {
			own.Severity = diag.Error
		}
		nameFlag(&own)
		out[i] = &own
	}
	return out
}

// failed reports whether the findings so far make the exit code 1: errors do,
// and with --strict warnings.
func (a *app) failed() bool {
	worst := a.found.Worst()
	return worst == diag.Error || a.strict && worst == diag.Warning
}

// complain writes an error that is no diagnostic.
func (a *app) complain(cmd *cobra.Command, err error) {
	// Arguments and names of files may hold anything: a message is one line.
	a.endLine()
	var l lines
	l.printf("pcc: %s\n", err)
	var u *usageError
	if errors.As(err, &u) {
		help := u.help
		if help == "" {
			help = strings.TrimSpace("pcc help " + strings.TrimPrefix(cmd.CommandPath(), "pcc"))
			help = strings.Join(strings.Fields(help), " ")
		}
		l.printf("See `%s`.\n", help)
	}
	_ = a.tell(l.b.Bytes(), false)
}

// report takes the diagnostics out of err, to be written at the end, and
// returns nil; an error of another kind comes back.
func (a *app) report(err error) error {
	if err == nil {
		return nil
	}
	if a.ctx.Err() != nil {
		return errInterrupted
	}
	l := diag.AsList(err)
	if l == nil {
		return err
	}
	a.found = append(a.found, l...)
	return nil
}

// flushFindings writes what was found in the format that was asked for.
func (a *app) flushFindings() error {
	all := tally(a.found, a.strict)
	l := a.tailor(bound(a.found, a.strict))
	a.found = nil
	var b bytes.Buffer
	var err error
	var out func() []byte
	switch a.format {
	case "json":
		err = diag.JSON(&b, l)
		out = func() []byte { return plainJSON(b.Bytes()) }
	case "sarif":
		err = diag.SARIF(&b, l, diag.SARIFOptions{Version: version()})
		out = func() []byte { return plainJSON(b.Bytes()) }
	case "github":
		err = diag.GitHub(&b, l)
		out = func() []byte { return []byte(bracketCommand.ReplaceAllString(visibleText(b.String()), `#\#$1[`)) }
	default:
		if len(l) == 0 {
			return nil
		}
		coloured := a.colored(a.findings)
		err = diag.Text(&b, l, diag.TextOptions{Color: coloured})
		if len(l) > 1 {
			fmt.Fprintf(&b, "\n%s\n", all)
		}
		out = func() []byte { return forPeople(b.Bytes(), coloured) }
	}
	if err != nil {
		return err
	}
	a.endLine()
	_, err = a.findings.Write(out())
	return err
}

// endLine begins a new line on the terminal where a result without a line break
// at its end stands before what is written next.
func (a *app) endLine() {
	if a.openLine && a.isTerminal(a.stderr) {
		_, _ = a.stderr.Write([]byte{'\n'})
	}
	a.openLine = false
}

// colored decides whether w gets colours: --color, else what the environment
// says of terminals (https://no-color.org, https://bixense.com/clicolors); what is
// none is like a dumb one.
func (a *app) colored(w io.Writer) bool {
	switch a.color {
	case "always":
		return true
	case "never":
		return false
	}
	// The library reads NO_COLOR as a boolean, and passes over CLICOLOR=0. By the
	// standards any value of the one and zero of the other ask for no colours.
	if v, _ := a.lookupEnv("NO_COLOR"); v != "" {
		return false
	}
	terminal := a.isTerminal(w)
	if v, _ := a.lookupEnv("CLICOLOR"); v == "0" {
		terminal = false // unless CLICOLOR_FORCE says otherwise
	}
	environ := slices.Clip(a.environ())
	if !terminal {
		environ = append(environ, "TERM=dumb")
	}
	return colorprofile.Env(environ) > colorprofile.ASCII
}

// isTerminal reports whether w is a terminal; other devices, such as the null
// device, are none.
func isTerminal(w any) bool {
	f, ok := w.(*os.File)
	return ok && (isatty.IsTerminal(f.Fd()) || isatty.IsCygwinTerminal(f.Fd()))
}

// rootCommand builds the tree of commands.
func (a *app) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "pcc",
		Short: "Compile and render prompt templates",
		Long: `pcc compiles prompt templates and prompt documents, and renders them with data.

FILE may be - for standard input. Standard output carries only the result;
diagnostics go to standard error. Exit codes: 0 fine, 1 findings in templates
or data, 2 wrong usage or failed input or output, 130 interrupted.

Flags may also be set by variables (PCC_SYNTAX=angle for --syntax angle) and by
a pcc.yaml in this folder or one above it (syntax: angle) that belongs to the
user; a flag wins over a variable, a variable over the file.

` + "`pcc help TOPIC`" + ` prints a page about a topic:

` + topicList() + `
` + "`pcc help --man`" + ` prints this as a manual page, ` + "`pcc help --man render`" + ` that of a command.`,
		Example: `  pcc render greeting.md -D name=Ada
  pcc compile prompts/
  pcc vars greeting.md`,
		SilenceErrors:      true,
		SilenceUsage:       true,
		Version:            version(),
		DisableSuggestions: true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			if err := a.configure(cmd); err != nil {
				return err
			}
			if a.format != "text" && cmd.Annotations["findings"] == "result" {
				a.findings = a.stdout
			}
			return nil
		},
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			return a.unknownCommand(cmd, args[0])
		},
	}
	root.SetVersionTemplate("pcc {{.Version}}\n")
	root.SetIn(a.stdin)
	root.SetErr(a.stderr)
	root.SetFlagErrorFunc(flagError)
	root.CompletionOptions.DisableDefaultCmd = true
	root.PersistentFlags().Var(&choice{&a.format, []string{"text", "json", "sarif", "github"}}, "format",
		"form of diagnostics: text, json, sarif or github")
	root.PersistentFlags().Var(&choice{&a.color, []string{"auto", "always", "never"}}, "color",
		"colours in diagnostics: auto, always or never")
	root.PersistentFlags().StringVar(&a.config, "config", "", "the settings FILE, or none (default: a pcc.yaml of the user's in this folder or one above)")
	root.PersistentFlags().BoolP("help", "h", false, "show help")
	root.AddCommand(
		a.compileCommand(),
		a.lockCommand(),
		a.renderCommand(),
		a.batchCommand(),
		a.chatCommand(),
		a.requestCommand(),
		a.varsCommand(),
		a.testCommand(),
		a.disasmCommand(),
		a.benchCommand(),
		a.detectCommand(),
		a.filtersCommand(),
		a.escapeCommand(),
		a.explainCommand(),
		a.completionCommand(),
		a.versionCommand(),
	)
	root.SetHelpCommand(a.helpCommand())
	for _, c := range root.Commands() {
		c.DisableFlagsInUseLine = true
	}
	completeChoices(root)
	return root
}

// unknownCommand says which command was likely meant.
func (a *app) unknownCommand(root *cobra.Command, name string) error {
	var names []string
	for _, c := range root.Commands() {
		names = append(append(names, c.Name()), c.Aliases...)
	}
	msg := fmt.Sprintf("there is no command %q", name)
	if t, ok := topicCalled(name); ok {
		msg += fmt.Sprintf("; there is a page: `pcc help %s`", t.name)
	} else if near, ok := diag.Near(name, names); ok {
		msg += fmt.Sprintf("; did you mean `pcc %s`?", near)
	} else if info, err := os.Stat(name); err == nil {
		if info.IsDir() {
			msg += fmt.Sprintf("; to check that folder: `pcc compile %s`", name)
		} else {
			msg += fmt.Sprintf("; to render that file: `pcc render %s`", name)
		}
	}
	return &usageError{msg: msg, help: "pcc help"}
}

// flagError adds the near miss of an unknown flag to pflag's message.
func flagError(cmd *cobra.Command, err error) error {
	msg := err.Error()
	if name, ok := strings.CutPrefix(msg, "unknown flag: --"); ok {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if near, ok := diag.Near(name, names); ok {
			msg += fmt.Sprintf("; did you mean --%s?", near)
		}
	}
	// The standard library's errors of numbers and booleans name its functions.
	var invalid *pflag.InvalidValueError
	if errors.As(err, &invalid) {
		switch f := invalid.GetFlag(); f.Value.Type() {
		case "bool":
			msg = fmt.Sprintf("--%s is true or false, not %q", f.Name, invalid.GetValue())
		case "int", "int64", "uint64":
			msg = fmt.Sprintf("--%s is a whole number, not %q", f.Name, invalid.GetValue())
		}
	}
	return &usageError{msg: msg}
}

// choice is a flag with a fixed set of values.
type choice struct {
	value   *string
	allowed []string
}

func (c *choice) String() string {
	if c.value == nil {
		return ""
	}
	return *c.value
}

func (c *choice) Type() string { return "NAME" }

func (c *choice) Set(s string) error {
	for _, v := range c.allowed {
		if s == v {
			*c.value = s
			return nil
		}
	}
	msg := "must be " + oneOf(c.allowed)
	if near, ok := diag.Near(s, c.allowed); ok {
		msg += fmt.Sprintf("; did you mean %s?", near)
	}
	return errors.New(msg)
}

// oneOf writes "a, b or c".
func oneOf(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}

// exactly wants n arguments and names what is missing.
func exactly(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < len(names):
			return usagef("%s: %s is missing", cmd.Name(), names[len(args)])
		case len(args) > 0 && len(names) == 0:
			return usagef("%s takes no arguments, and %q is one", cmd.Name(), args[0])
		case len(args) > len(names):
			return usagef("%s takes %s only, so %q is one argument too many", cmd.Name(), strings.Join(names, " "), args[len(names)])
		}
		return nil
	}
}
