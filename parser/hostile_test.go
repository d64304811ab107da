package parser

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/fuzz/growth"
	"github.com/pcc-lang/pcc/lexer"
)

// hostile are texts that are meant to take a parser long or deep; size is the
// number of repetitions for about 3 MB, of which a tenth is parsed unless
// PCC_HOSTILE is set.
var hostile = []struct {
	name, syntax string
	head, unit   string
	tail         string
	size         int
	code         diag.Code // "" where the text is fine
}{
	{"openers", "brace", "", "{", "", 3000000, "PCC901"},
	{"angles", "angle", "", "<", "", 3000000, "PCC901"},
	{"delimiters of one's own", "[[ ]]", "", "[", "", 3000000, "PCC901"},
	{"delimiters that overlap", "<%< >%>", "", "<%", "", 1500000, ""},
	{"soft filters", "brace", "", "{a|f(", "", 600000, ""},
	{"soft filters, quotes", "brace", "", `{a|f("`, "", 500000, ""},
	{"soft filters, both quotes", "brace", "", `{a|f('"`, "", 430000, ""},
	{"soft items", "brace", "", "{a[", "", 1000000, ""},
	{"soft blanks", "brace", "", "{a|f( ", "", 500000, ""},
	{"hard angles", "angle", "", "<<a ", "", 750000, ""},
	{"hard angle brackets", "angle", "", "<<a(", "", 750000, ""},
	{"hard angle quotes", "angle", "", "<<a+\"", "", 600000, ""},
	{"soft angle keywords", "angle", "", "<when (a", "", 400000, ""},
	{"soft angle blanks", "angle", "", "<when ", "", 500000, ""},
	{"hard openers", "brace", "", "{{ ", "", 1000000, ""},
	{"hard names", "brace", "", "{{ a ", "", 600000, "PCC903"},
	{"hard after slash", "brace", "", "/{{a", "", 750000, "PCC901"},
	{"hard after slash, inside", "brace", "", "/{{a/{{", "/}}", 430000, "PCC901"},
	{"groups", "brace", "", "/{", "", 1500000, "PCC901"},
	{"groups in text", "brace", "", "/{ }", "", 750000, ""},
	{"group ends", "brace", "/{", "/}", "", 1500000, ""},
	{"closed groups", "brace", "", "/{/}", "", 750000, ""},
	{"keyword groups", "brace", "", "/{when (b", "", 330000, "PCC901"},
	{"blocks", "brace", "", "{when a}", "", 400000, "PCC901"},
	{"closers", "brace", "", "{/when}", "", 400000, "PCC903"},
	{"open comments", "brace", "", "{# ", "", 1000000, ""},
	{"comments on a line", "brace", "", "{##} ", "", 600000, "PCC917"},
	{"parentheses", "brace", "{{ a+", "(", "", 3000000, "PCC901"},
	{"closed parentheses", "brace", "{when " + strings.Repeat("(", 1500000), ")", "}", 1500000, "PCC901"},
	{"maps", "brace", "{{ a+", "{1:", "", 1000000, "PCC901"},
	{"signs", "brace", "{{ a", "-", " 1 }}", 3000000, "PCC901"},
	{"nots", "brace", "{{ a and", " not", " b }}", 700000, "PCC901"},
	{"sums", "brace", "{{ a", "+1", " }}", 1500000, "PCC901"},
	{"conditions", "brace", "{{ a", " if b else c", " }}", 250000, "PCC901"},
	{"half conditions", "brace", "{{ a", " if b", " }}", 600000, "PCC901"},
	{"filters", "brace", "{{ a", "|upper", " }}", 500000, "PCC901"},
	{"attributes", "brace", "{{ a", "[0]", " }}", 1000000, "PCC901"},
	{"comparisons", "brace", "{{ a", "<1", " }}", 1000000, ""},
	{"strings", "brace", "{{ a+", `"a"`, " }}", 1000000, ""},
	{"cases", "brace", "{switch a}{case 0", ",0", "}{/switch}", 500000, "PCC903"},
	{"case tags", "brace", "{switch a}", "{case b+0}", "{/switch}", 300000, "PCC917"},
	{"conditions of tags", "brace", "", "{when not a}{/when}", "", 150000, "PCC917"},
	{"attributes", "brace", "{message user", " a=1", "}{/message}", 750000, "PCC903"},
	{"values of an include", "brace", "{include a with b=1", ",a=1", "}", 750000, "PCC903"},
	{"branches", "brace", "{when a}", "{else when b}", "{/when}", 230000, "PCC917"},
	{"elements", "angle", "", "<a></a>", "", 430000, ""},
	{"digits", "brace", "{{ a+", "1", " }}", 3000000, "PCC901"},
	{"blanks", "brace", "{{", " ", "", 3000000, ""},
	{"names", "brace", "{", "a", "", 3000000, ""},
	{"smart quotes", "brace", "", "“", "", 1000000, ""},
	{"foreign", "brace", "", "{if x} {% if ", "", 230000, ""},
	{"unicode names", "brace", "{{ a+", `"\N{BULLET}"`, " }}", 230000, ""},
}

func TestHostile(t *testing.T) {
	for _, tt := range hostile {
		t.Run(tt.name, func(t *testing.T) {
			syn, known := lexer.ByName(tt.syntax)
			if open, closing, ok := strings.Cut(tt.syntax, " "); !known && ok {
				syn, _ = lexer.Custom(open, closing)
			}
			o := Options{Syntax: syn, Filters: func(string) bool { return true }}
			size := tt.size
			if os.Getenv("PCC_HOSTILE") == "" {
				size /= 10
				if tt.code == "PCC917" { // the limit is a number of tags
					size = MaxTags + 1
				}
			}
			var list diag.List
			growth.Linear(t, tt.name, size, func(n int) {
				f := source.New("x", tt.head+strings.Repeat(tt.unit, n)+tt.tail)
				if _, found := Parse(f, o); n == size {
					list = found
				}
			})
			found := tt.code == ""
			for _, d := range list {
				if d.Code == tt.code {
					found = true
				}
				if tt.code == "" && d.Severity == diag.Error {
					t.Errorf("unexpected: %v", d)
				}
			}
			if !found {
				t.Errorf("no %s among %d diagnostics: %.300s", tt.code, len(list), fmt.Sprint(list))
			}
			if len(list) > maxErrors+maxWarnings+2 {
				t.Errorf("%d diagnostics", len(list))
			}
		})
	}
}
