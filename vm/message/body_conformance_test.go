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

// TestWireBodies writes the whole body of each row for each provider.
func TestWireBodies(t *testing.T) {
	rows, err := os.ReadFile(filepath.Join(conformance.Folder(t), "wire", "wire.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	passed, all, doubtful := 0, 0, 0
	for line := range strings.Lines(string(rows)) {
		var row wireRow
		var raw struct{ Request json.RawMessage }
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(line), &raw); err != nil {
			t.Fatal(err)
		}
		data, err := vm.DecodeJSON(raw.Request, vm.DecodeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, provider := range Providers() {
			if slices.Contains(row.Doubtful, provider) {
				doubtful++
				continue
			}
			all++
			notes := []string{}
			r, err := ParseRequest(data)
			v := vm.Null
			if err == nil {
				v, err = r.Body(provider, Options{Note: func(d *diag.Diagnostic) {
					notes = append(notes, strings.SplitN(d.Message, ": ", 2)[0])
				}})
			}
			var got map[string]any
			if err == nil {
				if err := json.Unmarshal(vm.AppendJSON(nil, v, vm.JSONOptions{}), &got); err != nil {
					t.Fatal(err)
				}
			}
			if bodyHolds(&row, provider, got, notes, err) {
				passed++
				continue
			}
			want, _ := json.Marshal(row.Expect[provider])
			t.Errorf("%s, %s:\n got %s %v, %v\nwant %s, %+v", row.ID, provider, vm.AppendJSON(nil, v, vm.JSONOptions{}), notes, err, want, row.Error[provider])
		}
	}
	if all < 300 {
		t.Errorf("the vectors hold %d bodies, which is too few: is the file whole?", all)
	}
	t.Logf("conformance wire: %d of %d bodies, %d more are doubtful", passed, all, doubtful)
}

func bodyHolds(row *wireRow, provider string, got map[string]any, notes []string, err error) bool {
	same := func(want map[string]any, wantNotes []string) bool {
		return err == nil && want != nil && reflect.DeepEqual(joinedTurns(provider, wireEqual(got)), joinedTurns(provider, wireEqual(want))) &&
			len(notes) == len(wantNotes) && (len(notes) == 0 || reflect.DeepEqual(notes, wantNotes))
	}
	if w := row.Error[provider]; w != nil && err != nil && strings.Contains(err.Error(), w.Field+": ") {
		return true
	}
	ok := same(row.Expect[provider], row.Notes[provider])
	for _, alt := range row.Alt[provider] {
		ok = ok || same(alt.Body, alt.Notes)
	}
	return ok
}

// joinedTurns joins consecutive messages of one role, where the API itself does.
func joinedTurns(provider string, body any) any {
	list, inner := map[string][2]string{"anthropic": {"messages", "content"}, "gemini": {"contents", "parts"}}[provider], ""
	m := body.(map[string]any)
	if list[0] == "" {
		return m
	}
	inner = list[1]
	items, _ := m[list[0]].([]any)
	var out []any
	for _, item := range items {
		x := item.(map[string]any)
		parts, isList := x[inner].([]any)
		if n := len(out); n > 0 && isList {
			last := out[n-1].(map[string]any)
			if before, ok := last[inner].([]any); ok && last["role"] == x["role"] {
				last[inner] = append(slices.Clone(before), parts...)
				continue
			}
		}
		out = append(out, x)
	}
	m[list[0]] = out
	return m
}
