package compiler_test

import (
	"fmt"

	"github.com/pcc-lang/pcc/compiler"
)

type order struct {
	Customer string `json:"customer"`
	Items    []item `json:"items"`
}

type item struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

// A program can be held against a struct type: what the type lacks is found
// before anything is rendered.
func ExampleCompile_bind() {
	p, err := compiler.Compile("Dear {{ customer }}:{loop items as i} {i.count} × {i.name}{/loop}")
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := p.Bind(order{}); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.Render(&order{Customer: "Ada", Items: []item{{"tea", 2}, {"milk", 1}}}))

	p, err = compiler.Compile("Dear {{ costumer }}")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.Bind(order{}))
	// Output:
	// Dear Ada: 2 × tea 1 × milk <nil>
	// template:1:9: PCC307: `costumer` has no value: compiler_test.order has no field `costumer`
}
