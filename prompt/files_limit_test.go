package prompt_test

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/prompt"
)

// TestFilesTaken loads documents that name one file again and again: what they
// take from files together has a limit, and each file is read once.
func TestFilesTaken(t *testing.T) {
	big := strings.Repeat("x ", 400_000)
	for name, docs := range map[string]func(n int) fstest.MapFS{
		"native": func(n int) fstest.MapFS {
			return fstest.MapFS{"d.yaml": {Data: []byte("messages:\n" + strings.Repeat("- {role: user, content: {file: big.md}}\n", n))}, "big.md": {Data: []byte(big)}}
		},
		"agent": func(n int) fstest.MapFS {
			return fstest.MapFS{"d/config.yaml": {Data: []byte("prompt:\n" + strings.Repeat("- user: big.jinja\n", n))}, "d/prompts/big.jinja": {Data: []byte(big)},
				"d/big.jinja": {Data: []byte(big)}, "d/templates/big.jinja": {Data: []byte(big)}}
		},
	} {
		of := map[string]string{"native": "d.yaml", "agent": "d"}[name]
		if _, err := prompt.Load(docs(10), of); err != nil {
			t.Errorf("%s: 8 MB: %v", name, err)
		}
		_, err := prompt.Load(docs(200), of)
		var l diag.List
		if !errors.As(err, &l) || !errors.Is(err, &diag.Diagnostic{Code: "PCC920"}) {
			t.Errorf("%s: 160 MB: %v", name, err)
		}
		if n := strings.Count(err.Error(), "MiB from files"); n != 1 {
			t.Errorf("%s: told %d times: %v", name, n, err)
		}
	}
}
