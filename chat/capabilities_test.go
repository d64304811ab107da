package chat

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/pcc-lang/pcc/compiler"
)

func TestCapabilitiesConformance(t *testing.T) {
	dir := os.Getenv("PCC_CONFORMANCE")
	if dir == "" {
		t.Skip("PCC_CONFORMANCE is not set: capabilities are not compared")
	}
	templates := map[string]string{}
	f, err := os.Open(filepath.Join(dir, "jinja", "chat.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(z)
	for d.More() {
		var row struct{ ID, Template string }
		if err := d.Decode(&row); err != nil {
			t.Fatal(err)
		}
		templates[strings.Split(row.ID, "-")[1]] = row.Template
	}
	rows, err := os.ReadFile(filepath.Join(dir, "capabilities", "caps.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	passed, all := 0, 0
	wrong := map[string]int{}
	for line := range strings.Lines(string(rows)) {
		var row struct {
			ID   string
			Caps map[string]any
		}
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		all++
		p, err := compiler.ChatTemplate(templates[row.ID])
		if err != nil {
			t.Errorf("%s: %v", row.ID, err)
			continue
		}
		variables, err := compiler.Undeclared(templates[row.ID], compiler.WithProfile("hf"))
		if err != nil {
			t.Errorf("%s: %v", row.ID, err)
		}
		b, err := json.Marshal(probe(context.Background(), p, variables))
		if err != nil {
			t.Fatal(err)
		}
		var got map[string]any
		if err := json.Unmarshal(b, &got); err != nil {
			t.Fatal(err)
		}
		ok := true
		for key, want := range row.Caps {
			if !reflect.DeepEqual(got[key], want) {
				ok = false
				if wrong[key]++; wrong[key] <= 8 {
					t.Logf("%s %s: %v, want %v", row.ID, key, got[key], want)
				}
			}
		}
		if ok {
			passed++
		}
	}
	t.Logf("conformance capabilities: %d/%d passed; %v", passed, all, wrong)
}
