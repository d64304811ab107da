package main

import (
	"bytes"
	"fmt"
	"math/big"
	"reflect"
	"strings"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/source"
)

// treeDumper writes a template's tree for people, one node a line, children
// indented:
//
//	Loop 3:1 Mode=LoopItems
//	  Target: Name="t"
//	  Iter: Name 3:7 Name="tools"
//
// It reads the nodes' fields by reflection, so that it shows all of them. The
// parser has limited their nesting.
type treeDumper struct {
	b    bytes.Buffer
	file *source.File
}

func dumpTree(t *ast.Template) []byte {
	d := &treeDumper{file: t.File}
	fmt.Fprintf(&d.b, "Template %s syntax=%s chat=%v\n", t.File.Name, t.Syntax, t.Chat)
	for _, n := range t.Body {
		d.value("", reflect.ValueOf(n), 1)
	}
	return d.b.Bytes()
}

var (
	rangeType = reflect.TypeFor[ast.Range]()
	spanType  = reflect.TypeFor[source.Span]()
	bigType   = reflect.TypeFor[*big.Int]()
)

// value writes one field's value: a scalar never gets here.
func (d *treeDumper) value(label string, v reflect.Value, depth int) {
	for v.Kind() == reflect.Interface || v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return
		}
		v = v.Elem()
	}
	switch v.Kind() {
	case reflect.Slice:
		if v.Len() == 0 {
			return
		}
		d.line(depth, label+":")
		for i := range v.Len() {
			d.value("", v.Index(i), depth+1)
		}
	case reflect.Struct:
		d.node(label, v, depth)
	default:
		d.line(depth, fmt.Sprintf("%s: %v", label, v))
	}
}

func (d *treeDumper) node(label string, v reflect.Value, depth int) {
	var head strings.Builder
	if label != "" {
		head.WriteString(label + ": ")
	}
	t := v.Type()
	head.WriteString(t.Name())
	if f, ok := t.FieldByName("Range"); ok && f.Type == rangeType {
		at := d.file.Position(v.FieldByIndex(f.Index).Interface().(ast.Range).Start)
		fmt.Fprintf(&head, " %d:%d", at.Line, at.Column)
	}
	var children []int
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Type == rangeType || f.Type == spanType || !f.IsExported() || v.Field(i).IsZero() {
			continue
		}
		if s, ok := scalar(v.Field(i)); ok {
			fmt.Fprintf(&head, " %s=%s", f.Name, s)
		} else {
			children = append(children, i)
		}
	}
	d.line(depth, head.String())
	for _, i := range children {
		d.value(t.Field(i).Name, v.Field(i), depth+1)
	}
}

// scalar writes values that fit on their node's line.
func scalar(v reflect.Value) (string, bool) {
	if v.Type() == bigType {
		return fmt.Sprint(v.Interface()), true
	}
	switch v.Kind() {
	case reflect.String:
		return fmt.Sprintf("%q", v.String()), true
	case reflect.Bool, reflect.Float64, reflect.Int, reflect.Uint8:
		return fmt.Sprint(v.Interface()), true
	}
	return "", false
}

func (d *treeDumper) line(depth int, text string) {
	d.b.WriteString(strings.Repeat("  ", depth) + text + "\n")
}
