package compiler_test

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/pcc-lang/pcc/compiler"
)

// Structs are read by their json tags, raw JSON is what it holds, and a value has
// the text of its own method where WithHostMethods allows it.
func ExampleWithHostMethods() {
	type customer struct {
		Name  string          `json:"name"`
		Plan  string          `json:"plan,omitempty"`
		Since time.Time       `json:"since"`
		Wait  time.Duration   `json:"wait"`
		Extra json.RawMessage `json:"extra"`
		Key   string          `json:"-"`
	}
	p := compiler.Must(compiler.Compile("{{ c.name }} {{ c.plan is defined }} {{ c.extra.z }} {{ c.wait }}\n{{ c }}",
		compiler.WithHostMethods()))
	text, err := p.Render(map[string]any{"c": &customer{
		Name:  "Ada",
		Since: time.Date(2026, 3, 9, 10, 0, 0, 0, time.UTC),
		Wait:  90 * time.Second,
		Extra: json.RawMessage(`{"z": 1, "a": [2]}`),
		Key:   "not for templates",
	}})
	fmt.Println(text, err)
	// Output:
	// Ada true 1 1m30s
	// {"name": "Ada", "since": "2026-03-09T10:00:00Z", "wait": "1m30s", "extra": {"z": 1, "a": [2]}} <nil>
}
