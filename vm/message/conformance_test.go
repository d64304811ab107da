package message

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/internal/conformance"
	"github.com/pcc-lang/pcc/vm"
)

// wireRow is a request, and what each provider's body has to be.
type wireRow struct {
	ID      string
	Request struct{ Messages json.RawMessage }
	Expect  map[string]map[string]any
	Error   map[string]*struct{ Field string }
	Notes   map[string][]string
	Alt     map[string][]struct {
		Body  map[string]any
		Notes []string
	}
	Doubtful []string
}

// wireBodies are rows about the request as a whole: a body needs a message
// beside the system prompt, a prompt does not, since the caller may add it.
var wireBodies = map[string]bool{"wire-plain-09": true, "wire-system-14": true}

// TestWireConformance gives the messages of each row the forms of the providers
// and compares those keys of the body that hold messages.
func TestWireConformance(t *testing.T) {
	rows, err := os.ReadFile(filepath.Join(conformance.Folder(t), "wire", "wire.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	keys := map[string][]string{"openai": {"messages"}, "responses": {"input"}, "anthropic": {"system", "messages"}, "gemini": {"systemInstruction", "contents"}}
	passed, all, doubtful := 0, 0, 0
	for line := range strings.Lines(string(rows)) {
		var row wireRow
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		data, err := vm.DecodeJSON(row.Request.Messages, vm.DecodeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		ms, err := Parse(data)
		if err != nil {
			t.Fatal(err)
		}
		for provider, names := range keys {
			wantError := row.Error[provider]
			if wireBodies[row.ID] || wantError != nil && !strings.HasPrefix(wantError.Field, "messages") {
				continue
			}
			if slices.Contains(row.Doubtful, provider) { // nobody knows the right outcome
				doubtful++
				continue
			}
			all++
			notes := []string{}
			v, err := Format(ms, provider, Options{Note: func(d *diag.Diagnostic) {
				notes = append(notes, strings.SplitN(d.Message, ": ", 2)[0])
			}})
			var got map[string]any
			if err == nil {
				switch provider {
				case "openai":
					v = mapOf("messages", v)
				case "responses":
					v = mapOf("input", v)
				}
				if err := json.Unmarshal(vm.AppendJSON(nil, v, vm.JSONOptions{}), &got); err != nil {
					t.Fatal(err)
				}
			}
			if wireHolds(&row, provider, names, got, notes, err) {
				passed++
				continue
			}
			t.Errorf("%s, %s:\n got %s %v, %v\nwant %v, %+v", row.ID, provider, vm.AppendJSON(nil, v, vm.JSONOptions{}), notes, err, row.Expect[provider], wantError)
		}
	}
	if all < 100 {
		t.Errorf("the vectors hold %d bodies to compare, which is too few: is the file whole?", all)
	}
	t.Logf("conformance wire: %d of %d messages, %d more are doubtful", passed, all, doubtful)
}

// wireHolds compares with the row's outcome and with those that are right too.
func wireHolds(row *wireRow, provider string, names []string, got map[string]any, notes []string, err error) bool {
	body := func(want map[string]any, wantNotes []string) bool {
		if err != nil || want == nil {
			return false
		}
		for _, name := range names {
			if !reflect.DeepEqual(wireEqual(got[name]), wireEqual(want[name])) {
				return false
			}
		}
		return len(notes) == len(wantNotes) && (len(notes) == 0 || reflect.DeepEqual(notes, wantNotes))
	}
	if w := row.Error[provider]; w != nil && err != nil && strings.Contains(err.Error(), w.Field+": ") {
		return true
	}
	ok := body(row.Expect[provider], row.Notes[provider])
	for _, alt := range row.Alt[provider] {
		ok = ok || body(alt.Body, alt.Notes)
	}
	return ok
}

// wireEqual makes equal what the APIs read as equal: a text and the list of its
// one block, arguments that are the same JSON.
func wireEqual(v any) any {
	switch x := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, inner := range x {
			s, isText := inner.(string)
			var parsed any
			switch {
			case k == "content" && isText:
				out[k] = []any{map[string]any{"type": "text", "text": s}}
			case k == "content" && inner == nil:
			case k == "arguments" && isText && json.Unmarshal([]byte(s), &parsed) == nil:
				out[k] = parsed
			default:
				out[k] = wireEqual(inner)
			}
		}
		return out
	case []any:
		out := make([]any, len(x))
		for i := range x {
			out[i] = wireEqual(x[i])
		}
		return out
	}
	return v
}
