package document

import (
	"bytes"
	"fmt"
	"math"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/internal/yamlout"
)

// WriteYAML writes s as a YAML document. Reading it again gives the same
// structure: texts byte for byte, spellings of numbers and booleans kept. Texts
// of several lines are literal blocks wherever those can hold them.
func WriteYAML(s *ast.Structure) []byte {
	e := &yamlout.Emitter{SingleQuotes: true}
	emit(e, s)
	return append(e.Bytes(), '\n')
}

// emit writes s, which is no deeper than the reader of documents allows. The
// emitter has no budget and so no errors.
func emit(e *yamlout.Emitter, s *ast.Structure) {
	switch s.Kind {
	case ast.SList:
		e.List(len(s.Items) == 0)
		for i := range s.Items {
			emit(e, &s.Items[i])
		}
		if len(s.Items) > 0 {
			e.End()
		}
	case ast.SMap:
		e.Map(len(s.Map) == 0)
		for i := range s.Map {
			e.Key(s.Map[i].Key)
			emit(e, &s.Map[i].Value)
		}
		if len(s.Map) > 0 {
			e.End()
		}
	case ast.SNull:
		e.Scalar("null")
	case ast.SBool, ast.SInt, ast.SFloat:
		e.Scalar(plainScalar(s))
	default:
		e.Text(s.Str)
	}
}

// plainScalar is the spelling of a boolean or number. What was quoted under a
// tag gets its tag back.
func plainScalar(s *ast.Structure) string {
	if s.Source != "" {
		var again ast.Structure
		resolvePlain(&again, s.Source, true)
		if again.Kind == s.Kind && !leadingZeros.MatchString(s.Source) {
			return s.Source
		}
	}
	switch s.Kind {
	case ast.SBool:
		return strconv.FormatBool(s.Bool)
	case ast.SInt:
		return s.Int.String()
	}
	return yamlout.Float(s.Float)
}

// WriteJSON writes s as JSON (RFC 8259), indented by two blanks, UTF-8 kept.
// NaN and infinities, which JSON lacks, are an error.
func WriteJSON(s *ast.Structure) ([]byte, error) {
	var b bytes.Buffer
	enc := jsontext.NewEncoder(&b, jsontext.WithIndent("  "))
	if err := writeJSON(enc, s); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func writeJSON(enc *jsontext.Encoder, s *ast.Structure) error {
	switch s.Kind {
	case ast.SBool:
		return enc.WriteToken(jsontext.Bool(s.Bool))
	case ast.SInt:
		return enc.WriteValue(jsontext.Value(s.Int.String()))
	case ast.SFloat:
		if math.IsNaN(s.Float) || math.IsInf(s.Float, 0) {
			return fmt.Errorf("JSON has no number %s", plainScalar(s))
		}
		if jsontext.Value(s.Source).IsValid() {
			return enc.WriteValue(jsontext.Value(s.Source))
		}
		return enc.WriteValue(jsontext.Value(plainScalar(&ast.Structure{Kind: ast.SFloat, Float: s.Float})))
	case ast.SString, ast.STemplate:
		return enc.WriteToken(jsontext.String(s.Str))
	case ast.SList:
		if err := enc.WriteToken(jsontext.BeginArray); err != nil {
			return err
		}
		for i := range s.Items {
			if err := writeJSON(enc, &s.Items[i]); err != nil {
				return err
			}
		}
		return enc.WriteToken(jsontext.EndArray)
	case ast.SMap:
		if err := enc.WriteToken(jsontext.BeginObject); err != nil {
			return err
		}
		for i := range s.Map {
			if err := enc.WriteToken(jsontext.String(s.Map[i].Key)); err != nil {
				return err
			}
			if err := writeJSON(enc, &s.Map[i].Value); err != nil {
				return err
			}
		}
		return enc.WriteToken(jsontext.EndObject)
	}
	return enc.WriteToken(jsontext.Null)
}
