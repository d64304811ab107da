package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/pcc-lang/pcc/bench/workload"
)

// TestWrite reads the rows back: each is the map form of a data set.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	if err := write("W2", 20, dir); err != nil {
		t.Fatal(err)
	}
	w, err := workload.Named("W2")
	if err != nil {
		t.Fatal(err)
	}
	rows, err := os.ReadFile(filepath.Join(dir, "rows.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(bytes.NewReader(rows))
	for i := range 20 {
		var m map[string]any
		if err := d.Decode(&m); err != nil {
			t.Fatal(err)
		}
		if want := w.Sets[i%len(w.Sets)].Map; !reflect.DeepEqual(m, want) {
			t.Errorf("row %d is %v, want %v", i, m, want)
		}
	}
	if d.More() {
		t.Error("there are more rows than asked for")
	}
	if err := write("W9", 1, dir); err == nil {
		t.Error("W9 was written")
	}
}
