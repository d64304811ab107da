package message_test

import (
	"fmt"
	"log"

	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/vm/message"
)

// The messages of a prompt, written as a model reads them.
func ExampleFormat_chatTemplate() {
	p, err := compiler.Compile("{message system}You help {company}.{/message}{message user}{question}{/message}")
	if err != nil {
		log.Fatal(err)
	}
	messages, err := p.Messages(map[string]any{"company": "Acme", "question": "Why?"})
	if err != nil {
		log.Fatal(err)
	}
	list, err := message.Format(messages, "messages", message.Options{})
	if err != nil {
		log.Fatal(err)
	}
	chat, err := compiler.ChatTemplate("{% for m in messages %}<|{{ m.role }}|>{{ m['content'] }}{% endfor %}")
	if err != nil {
		log.Fatal(err)
	}
	text, err := chat.Render(map[string]any{"messages": list})
	fmt.Println(text, err)
	// Output: <|system|>You help Acme.<|user|>Why? <nil>
}
