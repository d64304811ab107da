package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pcc-lang/pcc/vm"
)

// batchFlags are the flags of `pcc batch`.
type batchFlags struct {
	templateFlags
	dataFlags
	formFlags
	rows    string
	entry   string
	guard   string
	onError string
	shard   shard
	output  string
	resume  bool
	workers int
}

func (a *app) batchCommand() *cobra.Command {
	f := &batchFlags{onError: "stop", shard: shard{1, 1}}
	cmd := &cobra.Command{
		Use:   "batch FILE --rows ROWS",
		Short: "Render a template for each row of a JSONL file",
		Long: `Renders the template FILE for each line of ROWS, on all cores, and prints one JSON
object a line in the order of the rows:

    {"row": 1, "text": "…"}         or {"row": 1, "messages": […]} for a chat,
                                    {"row": 1, "request": {…}} with --as anthropic

Rows count from 1. -d and -D give values that all rows share; a row's own win.
Memory does not grow with the number of rows.

With -o the result is collected in OUTPUT.part, which becomes OUTPUT when all
rows are done. A batch that was stopped goes on where it was with --resume, and
writes no row twice. Without it OUTPUT.part must not be there, and with it must be
what a batch of this user wrote.`,
		Example: `  pcc batch greeting.md --rows customers.jsonl -o prompts.jsonl
  zcat rows.gz | pcc batch greeting.md --rows - --on-error skip
  pcc batch greeting.md --rows customers.jsonl --shard 2/4 -o part2.jsonl
  pcc batch greeting.md --rows customers.jsonl -o prompts.jsonl --resume`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 2 && f.rows == "" {
				return usagef("batch takes one FILE; if %q holds the rows, give it with --rows", args[1])
			}
			return exactly("FILE")(cmd, args)
		},
		RunE: func(_ *cobra.Command, args []string) error { return a.batch(args[0], f) },
	}
	fs := cmd.Flags()
	fs.StringVar(&f.rows, "rows", "", "the rows: a .jsonl FILE, or - for standard input")
	f.dataFlags.add(fs)
	f.templateFlags.add(fs)
	fs.StringVar(&f.entry, "entry", "", "which prompt of a document that holds several")
	f.formFlags.add(fs)
	addGuard(fs, &f.guard)
	fs.Var(&choice{&f.onError, []string{"stop", "skip", "emit"}}, "on-error",
		`what a row that fails does: stop the batch, skip the row, or emit {"row": n, "error": {…}}`)
	fs.Var(&f.shard, "shard", "only the rows of part i of n, such as 1/4")
	fs.StringVarP(&f.output, "output", "o", "", "write the result to this file")
	fs.BoolVar(&f.resume, "resume", false, "go on with a batch to -o that was stopped")
	fs.IntVar(&f.workers, "workers", 0, "renders at a time (default: the number of cores)")
	return cmd
}

// shard is the flag i/n.
type shard struct{ i, n int }

func (s *shard) Type() string { return "I/N" }

func (s *shard) String() string {
	if s.n <= 1 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.i, s.n)
}

func (s *shard) Set(text string) error {
	left, right, ok := strings.Cut(text, "/")
	i, err1 := strconv.Atoi(left)
	n, err2 := strconv.Atoi(right)
	if !ok || err1 != nil || err2 != nil || i < 1 || i > n {
		return fmt.Errorf("%q is not of the form 2/4, with the first from 1 up to the second", text)
	}
	s.i, s.n = i, n
	return nil
}

// holds reports whether row (from 1) belongs to the shard.
func (s *shard) holds(row int64) bool { return (row-1)%int64(s.n) == int64(s.i-1) }

func (a *app) batch(path string, f *batchFlags) error {
	a.strict = f.strict
	if f.rows == "" {
		return usagef("batch: --rows is missing; `-` is standard input")
	}
	if err := checkGuard(f.guard); err != nil {
		return err
	}
	if err := f.checkRequest(); err != nil {
		return err
	}
	if f.resume && (f.output == "" || f.output == "-") {
		return usagef("--resume goes with -o")
	}
	p, err := a.loadOne(path, f.entry, &f.templateFlags)
	if p == nil || err != nil {
		return err
	}
	shared, many, err := a.rows(&f.dataFlags)
	if shared == nil || err != nil {
		return err
	}
	if many {
		return usagef("-d gives the values that all rows share; the rows come from --rows")
	}
	rows, closeRows, err := a.openRows(f.rows)
	if err != nil {
		return err
	}
	defer closeRows()
	out, err := a.openBatchOutput(f)
	if err != nil || out == nil {
		return err
	}
	b := &batchRun{app: a, flags: f, program: p.Program, out: out, name: f.rows, progress: a.newProgress()}
	if f.rows == "-" {
		b.name = stdinName
	}
	if m, _ := shared[0].Map(); m.Len() > 0 {
		b.shared = m
	}
	err = b.run(rows)
	b.progress.done()
	if errors.Is(err, errInterrupted) {
		b.tellInterrupted()
	}
	if closeErr := out.close(err == nil && !b.stopped); err == nil {
		err = closeErr
	}
	b.report()
	return err
}

// openRows opens the rows, which are not read as a whole.
func (a *app) openRows(path string) (io.Reader, func(), error) {
	if path == "-" {
		if a.stdinUsed != "" {
			return nil, nil, usagef("standard input cannot be both %s and the rows", a.stdinUsed)
		}
		a.stdinUsed = "the rows"
		a.readsStdin()
		return a.stdin, func() {}, nil
	}
	switch strings.ToLower(filepath.Ext(path)) {
	case ".csv", ".tsv", ".toml", ".xml", ".parquet", ".xlsx", ".yaml", ".yml":
		return nil, nil, usagef("--rows %s: rows are JSON, one object a line (.jsonl)", path)
	}
	file, _, err := a.openInput(path)
	if err != nil {
		return nil, nil, err
	}
	return file, func() { file.Close() }, nil
}

// shareInto returns row with the shared values in front; the row's own win.
func shareInto(shared *vm.Map, row *vm.Map) *vm.Map {
	if shared == nil {
		return row
	}
	whole := vm.NewMap(shared.Len() + row.Len())
	merge(whole, shared)
	merge(whole, row)
	return whole
}
