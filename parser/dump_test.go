package parser

import (
	"fmt"
	"math/big"
	"reflect"
	"strings"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/source"
)

// dump prints a tree without positions: nodes as (Type field…), zero fields
// left out, bodies indented.
func dump(v any) string {
	var b strings.Builder
	dumpValue(&b, reflect.ValueOf(v), 0)
	return b.String()
}

func dumpBody(body []ast.Node) string {
	var b strings.Builder
	for _, n := range body {
		b.WriteString(dump(n))
		b.WriteByte('\n')
	}
	return b.String()
}

var (
	rangeType = reflect.TypeOf(ast.Range{})
	spanType  = reflect.TypeOf(source.Span{})
	bigType   = reflect.TypeOf(&big.Int{})
	nodesType = reflect.TypeOf([]ast.Node{})
)

func dumpValue(b *strings.Builder, v reflect.Value, depth int) {
	switch v.Kind() {
	case reflect.Interface:
		if v.IsNil() {
			b.WriteString("nil")
			return
		}
		dumpValue(b, v.Elem(), depth)
	case reflect.Pointer:
		if v.Type() == bigType {
			fmt.Fprintf(b, "%v", v.Interface())
			return
		}
		dumpValue(b, v.Elem(), depth)
	case reflect.Struct:
		dumpStruct(b, v, depth)
	case reflect.Slice:
		if v.Type() == nodesType {
			b.WriteByte('{')
			for i := range v.Len() {
				fmt.Fprintf(b, "\n%s", strings.Repeat("  ", depth+1))
				dumpValue(b, v.Index(i), depth+1)
			}
			fmt.Fprintf(b, "\n%s}", strings.Repeat("  ", depth))
			return
		}
		b.WriteByte('[')
		for i := range v.Len() {
			if i > 0 {
				b.WriteByte(' ')
			}
			dumpValue(b, v.Index(i), depth)
		}
		b.WriteByte(']')
	case reflect.String:
		fmt.Fprintf(b, "%q", v.String())
	default:
		fmt.Fprintf(b, "%v", v.Interface())
	}
}

func dumpStruct(b *strings.Builder, v reflect.Value, depth int) {
	switch e := v.Addr().Interface().(type) {
	case *ast.Literal:
		switch e.Kind {
		case ast.IntLit:
			b.WriteString(e.Int.String())
		case ast.FloatLit:
			fmt.Fprintf(b, "%vf", e.Float)
		case ast.BoolLit:
			fmt.Fprint(b, e.Bool)
		case ast.NullLit:
			b.WriteString("null")
		default:
			fmt.Fprintf(b, "%q", e.Str)
		}
		return
	case *ast.Name:
		b.WriteString(e.Name)
		return
	}
	fmt.Fprintf(b, "(%s", v.Type().Name())
	for i := range v.NumField() {
		f := v.Field(i)
		if t := f.Type(); t == rangeType || t == spanType || f.IsZero() && f.Kind() != reflect.Uint8 {
			continue
		}
		if f.Kind() == reflect.Uint8 && f.IsZero() && !f.Type().Implements(reflect.TypeOf((*fmt.Stringer)(nil)).Elem()) {
			continue
		}
		b.WriteByte(' ')
		if n := v.Type().Field(i).Name; f.Kind() != reflect.Interface || n != "Expr" && n != "X" && n != "Y" {
			b.WriteString(n + "=")
		}
		dumpValue(b, f, depth)
	}
	b.WriteByte(')')
}
