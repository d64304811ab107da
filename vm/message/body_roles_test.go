package message

import (
	"errors"
	"strings"
	"testing"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/vm"
)

// TestBodyRoles: a body for Anthropic holds no role that its API does not know,
// though a list of messages in its form may.
func TestBodyRoles(t *testing.T) {
	for _, c := range []struct {
		message vm.Message
		want    string
	}{
		{vm.Message{Role: "user", Content: "x"}, ""},
		{vm.Message{Role: "tool", Content: "x"}, "messages[1].tool_call_id"},
		{vm.Message{Role: "critic", Content: "x"}, "messages[1].role"},
	} {
		parameters := vm.NewMap(1)
		parameters.Set("max_tokens", vm.Int(5))
		r := &Request{Model: "m", Parameters: parameters, Messages: []vm.Message{{Role: "user", Content: "a"}, c.message}}
		_, err := r.Body("anthropic", Options{})
		var d *diag.Diagnostic
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.message.Role, err)
		case c.want != "" && (!errors.As(err, &d) || !strings.HasPrefix(d.Message, c.want) || d.Help == ""):
			t.Errorf("%s: %v, want an error at %s", c.message.Role, err, c.want)
		}
	}
}
