package prompt_test

import (
	"context"
	"fmt"
	"log"
	"testing/fstest"

	"github.com/pcc-lang/pcc/prompt"
)

// In a program, files is an embed.FS, or os.DirFS of a folder:
//
//	//go:embed prompts
//	var files embed.FS
func ExampleSet_Find() {
	files := fstest.MapFS{"prompts/support.yaml": {Data: []byte(
		"messages:\n- system: You answer for {company}.\n- user: \"{question}\"\n")}}
	prompts, err := prompt.LoadDir(files, "prompts")
	if err != nil {
		log.Fatalf("%+v", err)
	}
	support, err := prompts.Find("support.yaml")
	if err != nil {
		log.Fatal(err)
	}
	messages, err := support.Messages(map[string]any{"company": "Acme", "question": "Why?"})
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range messages {
		fmt.Printf("%s: %s\n", m.Role, m.Content)
	}
	// Output:
	// system: You answer for Acme.
	// user: Why?
}

// The tests that documents hold run in a test of the program.
func ExampleTest_Run() {
	files := fstest.MapFS{"support.yaml": {Data: []byte(
		"template: Hi {name}\ntests:\n- {name: greets, data: {name: Ada}, expect: {text: Hi Bob}}\n")}}
	prompts, err := prompt.LoadDir(files, ".")
	if err != nil {
		log.Fatalf("%+v", err)
	}
	for _, test := range prompts.Tests() {
		if r := test.Run(context.Background()); !r.Passed() {
			fmt.Printf("%s: %v\n", test.Name, r.Failures)
		}
	}
	// Output:
	// greets: support.yaml:3:46: PCC430: the text is another one
}
