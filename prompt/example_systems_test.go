package prompt_test

import (
	"fmt"
	"log"

	"github.com/pcc-lang/pcc/prompt"
)

// The files of other systems load as they are: the keys tell which one wrote
// them.
func ExampleLoadText() {
	for _, file := range []struct {
		text string
		data map[string]any
	}{
		{"prompts:\n  system: You are {role}.\n  user: {ask: 'Hi {name}', more: 'About {topic}'}\n", map[string]any{"name": "Ada", "role": "kind"}},
		{"prompt:\n  template:\n    - {role: user, content: 'Hi {{ name }}'}\n  template_variables: [name]\n", map[string]any{"name": "Ada"}},
		{"prompt:\n  - user: 'Hi {{ name }}'\n    pointer: greet\n", map[string]any{"greet": map[string]any{"name": "Ada"}}},
	} {
		set, err := prompt.LoadText("prompt.yaml", file.text, nil)
		if err != nil {
			log.Fatal(err)
		}
		p, _ := set.Lookup("")
		messages, err := p.Messages(file.data)
		if err != nil {
			log.Fatal(err)
		}
		for _, m := range messages {
			fmt.Printf("%s %s: %s\n", set.Form(), m.Role, m.Content)
		}
	}
	// Output:
	// agentforge system: You are kind.
	// agentforge user: Hi Ada
	// prompt-templates user: Hi Ada
	// agent user: Hi Ada
}
