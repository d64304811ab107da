package document

import (
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
)

// scalar fills s from a scalar node that starts at offset start of the text.
// text says that its tag makes it a text.
func (r *yamlReader) scalar(n *yaml.Node, start int, text bool, s *ast.Structure) {
	s.End = r.base + source.Pos(scalarEnd(r.text, start, n.Value))
	plain := n.Style&^yaml.TaggedStyle == 0
	tagged := n.Style&yaml.TaggedStyle != 0
	if text || tagged && n.Tag == "!!str" || !plain && !tagged {
		s.Kind, s.Str = ast.SString, n.Value
		return
	}
	resolvePlain(s, n.Value, r.o.Booleans11)
	if !tagged && leadingZeros.MatchString(n.Value) {
		*s = ast.Structure{Range: s.Range, Kind: ast.SString, Str: n.Value}
	}
	if plain {
		s.Source = n.Value
	}
	if !tagged {
		return
	}
	want := map[string]ast.StructureKind{"!!int": ast.SInt, "!!float": ast.SFloat, "!!bool": ast.SBool, "!!null": ast.SNull}[n.Tag]
	if want == ast.SFloat && s.Kind == ast.SInt {
		s.Kind = ast.SFloat
		s.Float, _ = new(big.Float).SetInt(s.Int).Float64()
	}
	if s.Kind != want {
		r.add(diag.New("PCC404", r.file, s.Span(), "the value does not fit its tag `%s`", n.Tag).
			WithHelp("drop the tag, or write a value of that type"))
	}
}

// leadingZeros matches digits that are an identifier (a postal code, a part
// number) and no quantity: YAML 1.1 reads them as octal, 1.2 drops the zeros.
// Like dates they stay text, unless the tag !!int asks for a number.
var leadingZeros = regexp.MustCompile(`^[-+]?0[0-9]+(\.[0-9]*)?$`)

var (
	floatPattern = regexp.MustCompile(`^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`)
	infPattern   = regexp.MustCompile(`^[-+]?\.(inf|Inf|INF)$`)
)

// coreWords are the plain words of the core schema that are no strings.
var coreWords = map[string]ast.Structure{
	"": {Kind: ast.SNull}, "~": {Kind: ast.SNull}, "null": {Kind: ast.SNull}, "Null": {Kind: ast.SNull}, "NULL": {Kind: ast.SNull},
	"true": {Kind: ast.SBool, Bool: true}, "True": {Kind: ast.SBool, Bool: true}, "TRUE": {Kind: ast.SBool, Bool: true},
	"false": {Kind: ast.SBool}, "False": {Kind: ast.SBool}, "FALSE": {Kind: ast.SBool},
	".nan": {Kind: ast.SFloat, Float: math.NaN()}, ".NaN": {Kind: ast.SFloat, Float: math.NaN()}, ".NAN": {Kind: ast.SFloat, Float: math.NaN()},
}

// words11 are the further booleans of YAML 1.1, as PyYAML resolves them.
var words11 = map[string]bool{
	"yes": true, "Yes": true, "YES": true, "on": true, "On": true, "ON": true,
	"no": false, "No": false, "NO": false, "off": false, "Off": false, "OFF": false,
}

// maxDigits is the longest integer that is read as a number; a longer one
// stays text. The conversion is quadratic in the digits.
const maxDigits = 4300

// resolvePlain types a plain scalar by YAML 1.2's core schema (section 10.3.2
// of the YAML 1.2.2 specification).
func resolvePlain(s *ast.Structure, v string, booleans11 bool) {
	if w, ok := coreWords[v]; ok {
		s.Kind, s.Bool, s.Float = w.Kind, w.Bool, w.Float
		return
	}
	if booleans11 {
		if b, ok := words11[v]; ok {
			s.Kind, s.Bool = ast.SBool, b
			return
		}
	}
	if i := coreInt(v); i != nil {
		s.Kind, s.Int = ast.SInt, i
		return
	}
	if infPattern.MatchString(v) {
		s.Kind, s.Float = ast.SFloat, math.Inf(1)
		if v[0] == '-' {
			s.Float = math.Inf(-1)
		}
		return
	}
	if len(v) <= maxDigits && floatPattern.MatchString(v) {
		if f, err := strconv.ParseFloat(v, 64); err == nil {
			s.Kind, s.Float = ast.SFloat, f
			return
		}
	}
	s.Kind, s.Str = ast.SString, v
}

// coreInt reads [-+]?[0-9]+, 0o[0-7]+ and 0x[0-9a-fA-F]+; nil for other texts.
func coreInt(v string) *big.Int {
	base, digits := 10, v
	switch {
	case strings.HasPrefix(v, "0o"):
		base, digits = 8, v[2:]
	case strings.HasPrefix(v, "0x"):
		base, digits = 16, v[2:]
	case strings.HasPrefix(v, "-"), strings.HasPrefix(v, "+"):
		digits = v[1:]
	}
	if digits == "" || len(digits) > maxDigits {
		return nil
	}
	for i := 0; i < len(digits); i++ {
		c := digits[i] | 0x20
		switch {
		case '0' <= digits[i] && digits[i] <= '9' && int(digits[i]-'0') < base:
		case base == 16 && 'a' <= c && c <= 'f':
		default:
			return nil
		}
	}
	i, ok := new(big.Int).SetString(digits, base)
	if !ok {
		return nil
	}
	if v[0] == '-' {
		i.Neg(i)
	}
	return i
}
