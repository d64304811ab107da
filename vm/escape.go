package vm

import "strings"

// htmlEscapes are the replacements of MarkupSafe's escape.
var htmlEscapes = [256]string{'&': "&amp;", '<': "&lt;", '>': "&gt;", '"': "&#34;", '\'': "&#39;"}

// Escape returns v as text that is safe in HTML: a safe string as it is, else
// the text with & < > " ' replaced.
func (e *Env) Escape(v Value) (Value, error) {
	if v.IsSafe() {
		return v, nil
	}
	s, err := e.Str(v)
	if err != nil {
		return Value{}, err
	}
	if s, err = e.escapeString(s); err != nil {
		return Value{}, err
	}
	return Safe(s), nil
}

// escapeString escapes s, charging for the new text where there is one.
func (e *Env) escapeString(s string) (string, error) {
	grown := len(s)
	for p := e.Parts(s); p.Next(); {
		for i := range len(p.Text) {
			if r := htmlEscapes[p.Text[i]]; r != "" {
				grown += len(r) - 1
			}
		}
	}
	if err := e.StopError(); err != nil {
		return "", err
	}
	if grown == len(s) {
		return s, e.Step(len(s) / 64)
	}
	if err := e.Charge(grown); err != nil {
		return "", err
	}
	var b strings.Builder
	b.Grow(grown)
	for p := e.Parts(s); p.Next(); {
		from, before := 0, b.Len()
		for i := range len(p.Text) {
			if r := htmlEscapes[p.Text[i]]; r != "" {
				b.WriteString(p.Text[from:i])
				b.WriteString(r)
				from = i + 1
			}
		}
		b.WriteString(p.Text[from:])
		if longer := b.Len() - before - len(p.Text); longer >= touchStep && e.spend(longer) {
			break
		}
	}
	return b.String(), e.StopError()
}
