package prompt_test

import (
	"embed"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"testing"

	"github.com/pcc-lang/pcc/prompt"
)

// The prompts are part of the program, and are compiled once, when it starts: a
// fault in one of them shows there and not at the first customer.
//
//go:embed testdata/prompts
var promptFiles embed.FS

var prompts = mustLoadPrompts()

func mustLoadPrompts() *prompt.Set {
	set, err := prompt.LoadDir(promptFiles, "testdata/prompts")
	if err != nil {
		log.Fatal(err)
	}
	return set
}

func ExampleLoadDir() {
	for name, p := range prompts.All() {
		fmt.Println(name, p.IsChat())
	}
	subject, _ := prompts.Lookup("mail.yaml#subject")
	text, err := subject.Render(map[string]any{"order": "A7"})
	fmt.Println(text, err)
	// Output:
	// mail.yaml#subject false
	// mail.yaml#body false
	// support.yaml true
	// triage true
	// Your order A7 <nil>
}

func ExampleSet_Lookup() {
	support, _ := prompts.Lookup("support.yaml")
	messages, err := support.Messages(map[string]any{"company": "Acme", "plan": "pro", "question": "Why <b>?"})
	if err != nil {
		log.Fatal(err)
	}
	enc := json.NewEncoder(os.Stdout)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	request, err := prompt.FormatAnthropic(messages, prompt.FormatOptions{})
	if err != nil {
		log.Fatal(err)
	}
	if err := enc.Encode(request); err != nil {
		log.Fatal(err)
	}
	// Output:
	// {
	//   "system": "You answer questions of customers of Acme.\n\nBe thorough, and offer a call.",
	//   "messages": [
	//     {
	//       "role": "user",
	//       "content": "Why <b>?"
	//     }
	//   ]
	// }
}

func ExampleNewPair() {
	system := "You are a {{role}} assistant."
	pair, err := prompt.NewPair("Translate to {{lang}}: {{input}}", &system)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(pair.Variables())
	r, err := pair.Invoke(map[string]any{"lang": "French", "input": "Hello", "role": "helpful"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Prompt)
	fmt.Println(*r.System)
	// Output:
	// [lang input role]
	// Translate to French: Hello
	// You are a helpful assistant.
}

func ExampleNewText() {
	set, err := prompt.NewText("Translate to {{lang}}:\n{{text}}", prompt.Spec{
		Variables: []string{"lang", "text"},
		Metadata:  map[string]any{"version": "1.0"},
	})
	if err != nil {
		log.Fatal(err)
	}
	b, _ := set.Encode("yaml")
	fmt.Print(string(b))
	p, _ := set.Lookup("")
	_, err = p.Render(map[string]any{"lang": "French", "txt": "Hello"})
	fmt.Println(err)
	// Output:
	// prompt:
	//   template: |-
	//     Translate to {{lang}}:
	//     {{text}}
	//   template_variables:
	//     - lang
	//     - text
	//   metadata:
	//     version: '1.0'
	// new.yaml:4:5: PCC354: missing variables: `text`; unexpected variables: `txt`
}

// TestEmbeddedPrompts runs the tests that the embedded prompts hold.
func TestEmbeddedPrompts(t *testing.T) {
	tests := prompts.Tests()
	if len(tests) != 6 {
		t.Errorf("%d tests", len(tests))
	}
	for _, test := range tests {
		if r := test.Run(t.Context()); !r.Passed() {
			t.Errorf("%s: %v\n%s", test.Name, r.Failures, r.Diff)
		}
	}
}

func ExampleSchema() {
	prompts, err := prompt.LoadText("greet.md", `---
variables:
  name: {type: string, description: whom to greet}
  plan: {type: string, enum: [free, pro], default: free}
---
Hello {name}, you have the {plan} plan.`, nil)
	if err != nil {
		log.Fatal(err)
	}
	p, err := prompts.Find("")
	if err != nil {
		log.Fatal(err)
	}
	schema, err := prompt.Schema(p)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(string(schema))
	// Output:
	// {
	//   "$schema": "https://json-schema.org/draft/2020-12/schema",
	//   "type": "object",
	//   "properties": {
	//     "name": {
	//       "type": "string",
	//       "description": "whom to greet"
	//     },
	//     "plan": {
	//       "type": "string",
	//       "default": "free",
	//       "enum": [
	//         "free",
	//         "pro"
	//       ]
	//     }
	//   },
	//   "required": [
	//     "name"
	//   ]
	// }
}
