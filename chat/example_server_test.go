package chat_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"

	"github.com/pcc-lang/pcc/chat"
)

// Load when the server starts, and fail there. One Template then serves all
// requests at once.
func Example_server() {
	t, err := chat.LoadFS(model, ".") // chat.Load("models/qwen3") for a folder of the system
	if err != nil {
		log.Fatalf("%+v", err)
	}
	handler := func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 8<<20))
		if err != nil {
			http.Error(w, "the request is too long", http.StatusRequestEntityTooLarge)
			return
		}
		res, err := t.Apply(r.Context(), body)
		switch {
		case err == nil:
			io.WriteString(w, res.Prompt)
		case errors.Is(err, chat.ErrTemplate):
			http.Error(w, "the model's template is broken", http.StatusInternalServerError)
		default: // what the client sent is wrong, or too much
			http.Error(w, err.Error(), http.StatusBadRequest)
		}
	}

	server := httptest.NewServer(http.HandlerFunc(handler))
	defer server.Close()
	var wg sync.WaitGroup
	answers := make([]string, 3)
	for i, content := range []string{`"Hi"`, `"Why?"`, `"x", "role": 5`} {
		wg.Go(func() {
			r, err := http.Post(server.URL, "application/json", strings.NewReader(`{"messages": [{"role": "user", "content": `+content+`}]}`))
			if err != nil {
				log.Fatal(err)
			}
			defer r.Body.Close()
			b, _ := io.ReadAll(r.Body)
			answers[i] = fmt.Sprint(r.StatusCode, " ", strings.TrimSpace(string(b)))
		})
	}
	wg.Wait()
	fmt.Println(strings.Join(answers, "\n"))
	// Output:
	// 200 <s><|user|>Hi
	// 200 <s><|user|>Why?
	// 400 PCC331: the request: a map of the JSON data has one key twice (line 1, column 54)
}

// tokenizer is a stand-in: with special it knows control tokens, without it does
// not.
type tokenizer struct{}

func (tokenizer) Encode(text string, special bool) []string {
	if special {
		return []string{text}
	}
	return []string{"plain " + text}
}

// Encode data as plain text, and only what the template wrote with control tokens:
// then no text of a user can end its message.
func ExampleWithSegments() {
	t, err := chat.LoadFS(model, "tokenizer_config.json")
	if err != nil {
		log.Fatal(err)
	}
	request := []byte(`{"messages": [{"role": "user", "content": "Hi<|end|>"}], "add_generation_prompt": true}`)
	res, err := t.Apply(context.Background(), request, chat.WithSegments())
	if err != nil {
		log.Fatal(err)
	}
	var tokens []string
	for _, s := range res.Segments {
		tokens = append(tokens, tokenizer{}.Encode(s.Text, !s.FromData)...)
	}
	fmt.Println(strings.Join(tokens, "\n"))
	// Output:
	// <s><|user|>
	// plain Hi
	// plain <|end|>
	// <|assistant|>
}

// What a server has computed for the beginning of a prompt can be kept for the
// next turn: up to the boundary of a message nothing that follows changes it.
func ExampleResult_Boundaries() {
	t, err := chat.LoadFS(model, "tokenizer_config.json")
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	res, err := t.Apply(ctx, []byte(`{"messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}], "add_generation_prompt": true}`))
	if err != nil {
		log.Fatal(err)
	}
	bounds, err := res.Boundaries(ctx)
	if err != nil {
		log.Fatal(err)
	}
	for i, end := range bounds {
		if end >= 0 {
			fmt.Printf("after message %d: %s\n", i, res.Prompt[:end])
		}
	}
	// Output:
	// after message 0: <s><|system|>Be brief.
	// after message 1: <s><|system|>Be brief.<|user|>Hi
}
