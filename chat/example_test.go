package chat_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"testing/fstest"

	"github.com/pcc-lang/pcc/chat"
)

// A model's files as they lie in its folder.
var model = fstest.MapFS{
	"tokenizer_config.json": {Data: []byte(`{"bos_token": "<s>", "chat_template": "{{ bos_token }}{% for m in messages %}<|{{ m.role }}|>{{ m.content }}{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}"}`)},
}

// Load once at the start; a Template serves any number of goroutines. For
// files of the system, chat.Load takes a path.
func Example() {
	t, err := chat.LoadFS(model, "tokenizer_config.json")
	if err != nil {
		log.Fatal(err)
	}
	request := []byte(`{"messages": [{"role": "user", "content": "Hi"}], "add_generation_prompt": true}`)
	res, err := t.Apply(context.Background(), request)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(res.Prompt)
	// Output: <s><|user|>Hi<|assistant|>
}

// Requests may be Go values, with raw JSON anywhere inside them.
func ExampleTemplate_ApplyRequest() {
	t, err := chat.New(`{{ tools|tojson }}`, chat.Config{})
	if err != nil {
		log.Fatal(err)
	}
	type tool struct {
		Name       string          `json:"name"`
		Parameters json.RawMessage `json:"parameters"`
	}
	res, err := t.ApplyRequest(context.Background(), chat.Request{
		Messages: []map[string]string{{"role": "user", "content": "Hi"}},
		Tools:    []tool{{"f", json.RawMessage(`{"z": 1.0, "a": 1}`)}},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(res.Prompt)
	// Output: [{"name": "f", "parameters": {"z": 1.0, "a": 1}}]
}

// A request that is wrong is an error that names the place.
func ExampleTemplate_Apply_error() {
	t, err := chat.New(`{% for m in messages %}{{ m.content }}{% endfor %}`, chat.Config{})
	if err != nil {
		log.Fatal(err)
	}
	_, err = t.Apply(context.Background(), []byte(`{"messages": [{"content": "Hi"}]}`))
	fmt.Println(err)
	// Output: PCC371: `messages[0]` of the request has no `role`
}

func ExampleTemplate_Capabilities() {
	t, err := chat.LoadFS(model, "tokenizer_config.json")
	if err != nil {
		log.Fatal(err)
	}
	c := t.Capabilities()
	fmt.Println(c.System, c.Tools, c.Content, *c.GenerationText)
	// Output: yes no string <|assistant|>
}
