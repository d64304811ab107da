package sdk_test

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pcc-lang/pcc/docs"
	"github.com/pcc-lang/pcc/prompt"
	"github.com/pcc-lang/pcc/vm"
)

// TestPages sends the request of each document in the pages with messages, to each
// provider that can take it.
func TestPages(t *testing.T) {
	example := regexp.MustCompile("(?ms)^```yaml\n(.*?)^```\n```json\n(.*?)^```\n")
	pages, err := fs.Glob(docs.Pages, "*.md")
	if err != nil {
		t.Fatal(err)
	}
	sent := map[string]int{}
	for _, page := range pages {
		text, err := docs.Pages.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range example.FindAllStringSubmatch(string(text), -1) {
			set, err := prompt.LoadText("page.yaml", m[1], nil)
			if err != nil {
				continue // the page shows an error, or needs further files
			}
			p, err := set.Find("")
			if err != nil {
				continue
			}
			data, err := vm.DecodeJSON([]byte(m[2]), vm.DecodeOptions{})
			if err != nil {
				t.Fatalf("%s: %v", page, err)
			}
			r, err := prompt.RenderRequest(context.Background(), p, data)
			if err != nil {
				continue
			}
			every(t, page+": "+m[1], r, sent)
		}
	}
	enough(t, sent, 3)
}

// TestConversation sends the one conversation of the page about requests.
func TestConversation(t *testing.T) {
	text, err := docs.Pages.ReadFile("requests.md")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile("(?s)\n```yaml\n(.*?)```\n```json\n(.*?)```\n").FindStringSubmatch(string(text))
	if m == nil {
		t.Fatal("the page shows no document with data")
	}
	data, err := vm.DecodeJSON([]byte(m[2]), vm.DecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := prompt.RenderRequest(context.Background(), load(t, "conversation", m[1]), data)
	if err != nil {
		t.Fatalf("%+v", err)
	}
	for sdk := range senders {
		holds(t, "conversation", sdk, r)
	}
}

// TestWireBodies sends the bodies of the recorded requests.
func TestWireBodies(t *testing.T) {
	dir := os.Getenv("PCC_CONFORMANCE")
	if dir == "" {
		t.Skip("PCC_CONFORMANCE does not name the conformance folder")
	}
	rows, err := os.ReadFile(filepath.Join(dir, "wire", "wire.jsonl"))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("the conformance folder has no bodies")
	}
	if err != nil {
		t.Fatal(err)
	}
	sent := map[string]int{}
	for line := range strings.Lines(string(rows)) {
		var row struct {
			ID      string
			Request json.RawMessage
		}
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		if r := requestOf(t, row.Request); r != nil {
			every(t, row.ID, r, sent)
		}
	}
	enough(t, sent, 50)
}

// every sends a request through each SDK whose provider can take it.
func every(t *testing.T, name string, r *prompt.Request, sent map[string]int) {
	t.Helper()
	with := *r
	with.Parameters = vm.NewMap(8)
	with.Parameters.Set("max_tokens", vm.Int(256)) // Anthropic wants it
	if r.Parameters != nil {
		for i := range r.Parameters.Len() {
			with.Parameters.Put(r.Parameters.At(i))
		}
	}
	r = &with
	for sdk, s := range senders {
		if _, err := r.Body(s.form, prompt.FormatOptions{}); err == nil {
			holds(t, name, sdk, r)
			sent[sdk]++
		}
	}
}

// enough holds that a test has not become one of nothing.
func enough(t *testing.T, sent map[string]int, least int) {
	t.Helper()
	for sdk := range senders {
		if sent[sdk] < least {
			t.Errorf("%s: only %d bodies were sent", sdk, sent[sdk])
		}
	}
	t.Logf("bodies sent: %v", sent)
}
