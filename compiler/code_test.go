package compiler

import (
	"errors"
	"testing"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
)

// TestProgramRoom: no construct known makes code out of proportion to its
// source, so the last resort against one is tested by itself.
func TestProgramRoom(t *testing.T) {
	l := &lowerer{file: source.New("t", "{x}")}
	l.room = 0
	if !l.fits(source.Span{}) || len(l.errs) > 0 {
		t.Fatal("a program that just fits is refused")
	}
	l.room = -1
	if l.fits(source.Span{}) || l.fits(source.Span{}) {
		t.Error("a program that is too large is accepted")
	}
	if len(l.errs) != 1 || !errors.Is(l.errs[0], &diag.Diagnostic{Code: "PCC916"}) {
		t.Errorf("the findings are %v", l.errs)
	}
}
