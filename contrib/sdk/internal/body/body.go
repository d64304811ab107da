// Package body carries requests into the parameters of SDKs for the packages beside it.
package body

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/pcc-lang/pcc/prompt"
)

// Of is the body of a request for a provider as JSON.
func Of(r *prompt.Request, provider string, o prompt.FormatOptions) ([]byte, error) {
	v, err := r.Body(provider, o)
	if err != nil {
		return nil, err
	}
	return v.MarshalJSON()
}

// Decode reads a body into the parameters of an SDK. The decoders of the SDKs leave out
// what their types have no field for: here that is an error. mend, where it is not nil,
// sets what the decoder reads wrong.
func Decode(body []byte, params any, mend func()) error {
	if err := json.Unmarshal(body, params); err != nil {
		return err
	}
	if mend != nil {
		mend()
	}
	again, err := json.Marshal(params)
	if err != nil {
		return err
	}
	want, err := tree(body)
	if err != nil {
		return err
	}
	got, err := tree(again)
	if err != nil {
		return err
	}
	if place, ok := lost(want, got, ""); ok {
		return fmt.Errorf("the parameters of the SDK have no place for %s of the request's body", place)
	}
	return nil
}

// lost finds the first value of a body that is not in what the parameters hold. Null
// is as if it were absent.
func lost(want, got any, path string) (string, bool) {
	switch w := want.(type) {
	case nil:
		return "", false
	case map[string]any:
		g, _ := got.(map[string]any)
		for key, x := range w {
			if place, ok := lost(x, g[key], path+"."+key); ok {
				return place, true
			}
		}
		return path, g == nil
	case []any:
		g, _ := got.([]any)
		if len(g) != len(w) {
			return path, true
		}
		for i := range w {
			if place, ok := lost(w[i], g[i], fmt.Sprintf("%s[%d]", path, i)); ok {
				return place, true
			}
		}
		return "", false
	}
	return path, got == nil
}

func tree(text []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	err = d.Decode(&v)
	return v, err
}
