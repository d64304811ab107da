package compiler_test

import (
	"fmt"
	"testing"

	"github.com/pcc-lang/pcc/compiler"
)

// A template that is part of the program is compiled when it starts.
func ExampleMust() {
	greeting := compiler.Must(compiler.Compile("Hello {name}"))
	fmt.Println(greeting.Render(map[string]any{"name": "Ada"}))
	// Output: Hello Ada <nil>
}

// Data that is decoded so keeps the order of its keys.
func ExampleDecodeJSON() {
	data, err := compiler.DecodeJSON([]byte(`{"order": {"z": 1, "a": 1.5}}`))
	if err != nil {
		panic(err)
	}
	fmt.Println(compiler.Must(compiler.Compile("{order}")).Render(data))
	// Output: {"z": 1, "a": 1.5} <nil>
}

func TestMustPanics(t *testing.T) {
	defer func() {
		if err, ok := recover().(error); !ok || err.Error() == "" {
			t.Errorf("Must of a faulty template does not panic with its error")
		}
	}()
	compiler.Must(compiler.Compile("{when x}"))
}
