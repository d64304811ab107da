package document

import (
	"slices"
	"strconv"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/source"
)

var (
	testKeys   = []string{"name", "entry", "data", "expect"}
	expectKeys = []string{"text", "messages", "contains", "not_contains", "matches", "error", "variables"}
)

// tests reads a list of tests: {name, entry, data, expect}.
func (r *reader) tests(s *ast.Structure) {
	if s.Kind == ast.SNull {
		return
	}
	if s.Kind != ast.SList {
		r.want("a list of tests", "tests", s)
		return
	}
	for i := range s.Items {
		if t, ok := r.test(&s.Items[i], "test "+strconv.Itoa(i+1)); ok {
			r.doc.Tests = append(r.doc.Tests, t)
		}
	}
}

func (r *reader) test(s *ast.Structure, name string) (ast.DocumentTest, bool) {
	t := ast.DocumentTest{Name: name, File: r.file, Span: source.Span{Start: s.Start, End: s.Start + 1}}
	if s.Kind != ast.SMap {
		r.want("a map with `data` and `expect`", "tests", s)
		return t, false
	}
	for i := range s.Map {
		e := &s.Map[i]
		switch e.Key {
		case "name":
			t.Name, t.Span = r.text(e.Key, &e.Value), e.Value.Span()
		case "entry":
			t.Entry = r.text(e.Key, &e.Value)
		case "data":
			if e.Value.Kind == ast.SMap {
				t.Data = &e.Value
			} else if e.Value.Kind != ast.SNull {
				r.want("a map", e.Key, &e.Value)
			}
		case "expect":
			t.Expect = &e.Value
			r.checkExpect(&e.Value)
		default:
			r.unknownKey(e, testKeys)
		}
	}
	return t, true
}

func (r *reader) checkExpect(s *ast.Structure) {
	if s.Kind != ast.SMap {
		r.want("a map such as {contains: text}", "expect", s)
		return
	}
	for i := range s.Map {
		if e := &s.Map[i]; !slices.Contains(expectKeys, e.Key) {
			r.unknownKey(e, expectKeys)
		}
	}
}
