package chat

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/internal/conformance"
)

func eachChatRow(t *testing.T, f func(*conformance.JinjaRow)) {
	t.Helper()
	conformance.EachJinjaRow(t, filepath.Join(conformance.Folder(t), "jinja", "chat.jsonl.gz"), f)
}

// TestChatConformance renders the rows from bytes and from Go values.
func TestChatConformance(t *testing.T) {
	rows, passed := 0, map[string]int{}
	eachChatRow(t, func(row *conformance.JinjaRow) {
		rows++
		tmpl, err := New(row.Template, Config{Name: row.ID}, WithClock(conformance.Clock))
		if err != nil {
			if row.Expect == nil {
				passed["bytes"]++
				passed["values"]++
				return
			}
			t.Errorf("%s: %v", row.ID, err)
			return
		}
		var keys map[string]json.RawMessage
		if err := json.Unmarshal(row.Context, &keys); err != nil {
			t.Fatal(err)
		}
		r := Request{Messages: keys["messages"], Tools: keys["tools"], Documents: keys["documents"], Variables: map[string]any{}}
		for k, v := range keys {
			switch k {
			case "messages", "tools", "documents":
			case "add_generation_prompt":
				r.AddGenerationPrompt = string(v) == "true"
			default:
				r.Variables[k] = v
			}
		}
		for _, way := range []string{"bytes", "values"} {
			var res *Result
			if way == "bytes" {
				res, err = tmpl.Apply(context.Background(), row.Context)
			} else {
				res, err = tmpl.ApplyRequest(context.Background(), r)
			}
			switch {
			case row.Expect == nil && err == nil:
				t.Errorf("%s from %s: %q, want an error", row.ID, way, res.Prompt)
			case row.Expect != nil && err != nil:
				t.Errorf("%s from %s: %v", row.ID, way, err)
			case row.Expect != nil && res.Prompt != *row.Expect:
				t.Errorf("%s from %s: %q, want %q", row.ID, way, res.Prompt, *row.Expect)
			default:
				passed[way]++
			}
		}
	})
	t.Logf("conformance chat: %d of %d from bytes, %d from Go values", passed["bytes"], rows, passed["values"])
}

func TestCapabilitiesConformance(t *testing.T) {
	templates := map[string]string{}
	eachChatRow(t, func(row *conformance.JinjaRow) { templates[strings.Split(row.ID, "-")[1]] = row.Template })
	rows, err := os.ReadFile(filepath.Join(conformance.Folder(t), "capabilities", "caps.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	passed, all := 0, 0
	for line := range strings.Lines(string(rows)) {
		var row struct {
			ID   string
			Caps map[string]any
		}
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		all++
		tmpl, err := New(templates[row.ID], Config{Name: row.ID})
		if err != nil {
			t.Errorf("%s: %v", row.ID, err)
			continue
		}
		b, err := json.Marshal(tmpl.Capabilities())
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
				t.Errorf("%s: %s is %v, want %v", row.ID, key, got[key], want)
				ok = false
			}
		}
		if ok {
			passed++
		}
	}
	t.Logf("conformance capabilities: %d/%d passed", passed, all)
}

// TestGGUFConformance loads the files of conformance/gguf as models: what is
// an error there is one here, with a code, and the others compile.
func TestGGUFConformance(t *testing.T) {
	dir := filepath.Join(conformance.Folder(t), "gguf")
	index, err := os.ReadFile(filepath.Join(dir, "index.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(index)) {
		var row struct {
			ID, File, Also string
			Expect         *struct {
				Template  *string
				Templates map[string]string
			}
			Error    *struct{ Kind string }
			Truncate []int `json:"truncate_each"`
		}
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		if row.Truncate != nil {
			continue // its prefixes are the business of internal/gguf
		}
		_, err := LoadFS(compiler.DirFS(dir), row.File)
		switch {
		case row.Expect != nil && (row.Expect.Template != nil || len(row.Expect.Templates) > 0) && row.Error == nil && err != nil:
			t.Errorf("%s: %v", row.ID, err)
		case row.Error != nil && row.Also == "" && err == nil:
			t.Errorf("%s loads, want an error (%s)", row.ID, row.Error.Kind)
		}
	}
}
