package chat

import (
	"strings"
	"testing"
	"time"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/vm"
)

// TestOptions: options of the compiler and of a render count, the special tokens
// are defaults that a request replaces, and the limits stay the template's.
func TestOptions(t *testing.T) {
	const src = "{{ bos_token }}{{ missing }}{% if tools is none %}-{% endif %}{{ strftime_now('%Y') if timed else '' }}"
	c := Config{Tokens: map[string]string{"bos_token": "<s>"}}
	at := time.Date(2031, 1, 2, 0, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name    string
		opts    []Option
		request string
		render  []vm.RenderOption
		want    string
		err     diag.Code
	}{
		{"none", nil, `{"messages": []}`, nil, "<s>-", ""},
		{"a request's own token", nil, `{"messages": [], "bos_token": "[", "tools": []}`, nil, "[", ""},
		{"of the compiler", []Option{WithCompiler(compiler.WithUndefined("error"))}, `{"messages": []}`, nil, "", "PCC301"},
		{"of a render", nil, `{"messages": [], "timed": true}`, []vm.RenderOption{vm.WithClock(func() time.Time { return at })}, "<s>-2031", ""},
		{"a render's before the template's", []Option{WithClock(func() time.Time { return at.AddDate(5, 0, 0) })}, `{"messages": [], "timed": true}`,
			[]vm.RenderOption{vm.WithClock(func() time.Time { return at })}, "<s>-2031", ""},
		{"limits are the template's", []Option{WithCompiler(compiler.WithLimits(vm.Limits{OutputBytes: 1})), WithLimits(vm.Limits{OutputBytes: 100})},
			`{"messages": []}`, nil, "<s>-", ""},
	} {
		tmpl, err := New(src, c, tt.opts...)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		res, err := tmpl.Apply(t.Context(), []byte(tt.request), tt.render...)
		if list := diag.AsList(err); tt.err != "" {
			if len(list) != 1 || list[0].Code != tt.err {
				t.Errorf("%s: %v, want %s", tt.name, err, tt.err)
			}
			continue
		}
		if err != nil || res.Prompt != tt.want {
			t.Errorf("%s: %v, %v, want %q", tt.name, res, err, tt.want)
		}
	}
	tmpl, err := New(src, c)
	if err != nil {
		t.Fatal(err)
	}
	for name, p := range tmpl.Programs() {
		var required []string
		for _, v := range p.Variables() {
			if v.Required && v.Default == "" {
				required = append(required, v.Name)
			}
		}
		if got := strings.Join(required, " "); name != "default" || strings.Contains(got, "bos_token") {
			t.Errorf("%s wants %s, and special tokens are known", name, got)
		}
	}
}
