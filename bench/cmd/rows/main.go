// Command rows writes a workload's template and rows of its data, for measuring
// `pcc batch` from outside.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/pcc-lang/pcc/bench/workload"
)

func main() {
	name := flag.String("workload", "W2", "`name` of the workload")
	n := flag.Int("n", 100_000, "how many `rows`; the workload's data sets in turn")
	dir := flag.String("dir", ".", "`folder` for template.txt and rows.jsonl")
	flag.Parse()
	if flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	if err := write(*name, *n, *dir); err != nil {
		fmt.Fprintln(os.Stderr, "rows:", err)
		os.Exit(1)
	}
}

func write(name string, n int, dir string) error {
	w, err := workload.Named(name)
	if err != nil {
		return err
	}
	src, _ := w.Source("brace")
	if err := os.WriteFile(filepath.Join(dir, "template.txt"), []byte(src), 0o644); err != nil {
		return err
	}
	lines := make([][]byte, len(w.Sets))
	for i, s := range w.Sets {
		if lines[i], err = json.Marshal(s.Struct); err != nil {
			return err
		}
		lines[i] = append(lines[i], '\n')
	}
	f, err := os.Create(filepath.Join(dir, "rows.jsonl"))
	if err != nil {
		return err
	}
	out := bufio.NewWriter(f)
	for i := range n {
		if _, err := out.Write(lines[i%len(lines)]); err != nil {
			f.Close()
			return err
		}
	}
	if err := out.Flush(); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
