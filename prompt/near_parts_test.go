package prompt

import (
	"strings"
	"testing"

	"github.com/pcc-lang/pcc/vm"
)

// A list of the data that is nearly one of parts is written as text, and told: by
// the key that is near, or since some of its items are parts.
func TestNearParts(t *testing.T) {
	for _, c := range []struct{ list, says, help string }{
		{`[{"imag":{"url":"x"}}]`, "item 1", "did you mean `image` by the key `imag`?"},
		{`[{"text":"a"},{"txt":"b","cache":true}]`, "item 2", "did you mean `text` by the key `txt`?"},
		{`[{"Image":{"url":"x"}}]`, "item 1", "`image` by the key `Image`"},
		{`[{"typ":"text","text":"a"}]`, "item 1", "`type` by the key `typ`"},
		{`[{"tpye":"input_text","text":"a"}]`, "item 1", "`type` by the key `tpye`"},
		{`[{"typ":"image","source":{"url":"x"}}]`, "item 1", "`type` by the key `typ`"},
		{`[{"image":{"url":"x"}},"b"]`, "item 2", ""},
		{`[{"image":{"url":"x"}},{"image":{"url":"x"},"alt":"y"}]`, "item 2", ""},
		// lists that are parts, and data that is meant as text
		{`[{"image":{"url":"x"}},{"text":"b","cache":true}]`, "", ""},
		{`[{"text":"a","score":1}]`, "", ""},
		{`[{"name":"a","image":"u"}]`, "", ""},
		{`[{"tax":1}]`, "", ""},
		{`[{"typ":"pump","id":"a"}]`, "", ""},
		{`["a","b"]`, "", ""},
		{`[]`, "", ""},
		{`{"imag":1}`, "", ""},
		{`"a"`, "", ""},
	} {
		data, err := vm.DecodeJSON([]byte(`{"x":`+c.list+`,"on":[1,2]}`), vm.DecodeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, doc := range []string{
			"- user: \"{x}\"\n", "- user: [\"Which?\", \"{x}\"]\n", "- user: \"{{ x }}\"\n", "- role: user\n  content: [\"{x}\"]\n",
			"- loop: on\n  messages:\n    - user: [\"{x}\"]\n",
		} {
			notes := reportOf(t, filesOf("a.yaml", doc), data).Warnings
			switch {
			case c.says == "" && len(notes) > 0:
				t.Errorf("%s of %s: %v", doc, c.list, notes)
			case c.says == "":
			case len(notes) != 1 || notes[0].Code != "PCC385" || !strings.Contains(notes[0].Message, c.says) || !strings.Contains(notes[0].Help, c.help):
				t.Errorf("%s of %s: %v", doc, c.list, notes)
			}
		}
	}
	set, err := Load(filesOf("a.yaml", "- user: [\"{x}\"]\n"), "a.yaml", WithStrict())
	if err != nil {
		t.Fatal(err)
	}
	p, _ := set.Lookup("")
	if _, err := p.Messages(map[string]any{"x": []any{map[string]any{"imag": "u"}}}); err == nil || !strings.Contains(err.Error(), "no part") {
		t.Errorf("a strict program says %v", err)
	}
}
