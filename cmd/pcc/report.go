package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/chat"
	"github.com/pcc-lang/pcc/vm"
)

// reportRender adds what a render tells besides its result: placeholders that
// were kept, sections that were left out, names that are likely misspelt.
func (a *app) reportRender(p *vm.Program, r *vm.Report) {
	a.found = append(a.found, p.Findings(r)...)
	for i := range r.Kept {
		if near := r.Kept[i].Near; near != "" {
			a.suggested = append(a.suggested, rootName(near))
		}
	}
}

// reportDefined warns of each -D whose name the template does not read, and of
// those that give a text where a truth value or a number is meant.
func (a *app) reportDefined(sets []string, p *vm.Program, t *chat.Template) {
	var vars []vm.Variable
	if p != nil {
		vars = p.Variables()
	}
	if t != nil {
		for _, p := range t.Programs() {
			vars = append(vars, p.Variables()...)
		}
	}
	a.reportUnread(vars, definedNames(sets))
	for _, s := range sets {
		name, text, _ := strings.Cut(s, "=")
		if slices.ContainsFunc(vars, func(v vm.Variable) bool { return v.Name == name && meansNumber(v, text) }) && !a.told("PCC305", name) {
			a.warn("`"+name+"` is a text here, and the template reads it as a number", "for a number write -D "+name+":="+text)
			continue
		}
		value, isWord := truthWords[strings.ToLower(text)]
		if !isWord || strings.HasSuffix(name, ":") || t != nil && slices.Contains(requestSwitches, name) {
			continue
		}
		if slices.ContainsFunc(vars, func(v vm.Variable) bool { return v.Name == name && meansTruth(v) }) {
			a.warn("`"+name+"` is a text here, and a text that is not empty counts as true", "for a value that is no text write -D "+name+":="+value)
		}
	}
}

// truthWords are texts that are likely meant as JSON.
var truthWords = map[string]string{"true": "true", "false": "false", "null": "null", "none": "null"}

// meansTruth reports whether a variable is true or false: by its type or default,
// or as nothing is known of it but that it may be missing, as in conditions.
func meansTruth(v vm.Variable) bool {
	switch v.Default {
	case "true", "false", "null":
		return v.Type != "string"
	}
	return v.Type == "boolean" || v.Type == "any" && !v.Required && v.Default == ""
}

// meansNumber reports whether a text is likely meant as the number that a variable
// is.
func meansNumber(v vm.Variable, text string) bool {
	return (v.Type == "number" || v.Type == "integer") && isJSONNumber(text)
}

// isJSONNumber reports whether a text is a number as JSON writes it, and nothing else:
// numbers are the values that begin with a sign or digit and end in a digit.
func isJSONNumber(text string) bool {
	if text == "" || text[0] != '-' && !isDigit(text[0]) || !isDigit(text[len(text)-1]) {
		return false
	}
	return json.Valid([]byte(text))
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// told reports whether there is a finding with this code about a name.
func (a *app) told(code diag.Code, name string) bool {
	return slices.ContainsFunc(a.found, func(d *diag.Diagnostic) bool { return d.Code == code && slices.Contains(d.Names, name) })
}

// reportUnread warns of each -D whose name the template does not read, and
// names the one that was likely meant. What a prompt tree has said about its
// data is not said again.
func (a *app) reportUnread(vars []vm.Variable, names []string) {
	var reads []string
	known := map[string]bool{}
	for _, v := range vars {
		for _, way := range v.Names() {
			root := rootName(way)
			reads = append(reads, root)
			known[root] = true
		}
	}
	for _, d := range a.found {
		if d.Code == "PCC353" || d.Code == "PCC382" {
			for _, name := range d.Names {
				known[name] = true
			}
		}
	}
	for _, name := range a.suggested {
		known[name] = true
	}
	if known["vars"] {
		return // the template reads the whole data
	}
	for _, name := range names {
		root := rootName(name)
		if known[root] || known[name] {
			continue
		}
		known[root] = true
		d := diag.New("PCC382", nil, source.Span{}, "the template does not read `%s`", root).WithNames(root)
		if near, ok := diag.Near(root, reads); ok {
			d.Help = "did you mean `" + near + "`?"
		} else if len(reads) == 0 {
			d.Help = "it reads no variables"
		} else {
			d.Help = "`pcc vars` lists what it reads"
		}
		a.found = append(a.found, d)
	}
}

// hintTypes tells how -D gives a list or a number, where a loop or a declared
// variable got a text from it.
func (a *app) hintTypes(sets []string) {
	texts := map[string]bool{}
	for _, s := range sets {
		name, _, _ := strings.Cut(s, "=")
		texts[name] = !strings.HasSuffix(name, ":")
	}
	for _, d := range a.found {
		if len(d.Names) != 1 || !texts[d.Names[0]] {
			continue
		}
		switch d.Code {
		case "PCC305":
			d.Help = fmt.Sprintf(`-D %s=… gives a text; for another type write JSON: -D %[1]s:=42, -D %[1]s:=true, -D '%[1]s:=["a", "b"]'`, d.Names[0])
		case "PCC310":
			d.Help = fmt.Sprintf(`-D %s=… gives a text; for a list write -D '%[1]s:=["a", "b"]'`, d.Names[0])
		}
	}
}

// needsData reports whether p reads a variable that has no default.
func needsData(p *vm.Program) bool {
	return slices.ContainsFunc(p.Variables(), func(v vm.Variable) bool { return v.Required && v.Default == "" })
}

// rootName is the variable that a path such as "user.name" or "items[].id"
// begins with.
func rootName(path string) string {
	if i := strings.IndexAny(path, ".["); i > 0 {
		return path[:i]
	}
	return path
}

// reportVariables lists what the template reads, for a user who gave no data.
func (a *app) reportVariables(path string, p *vm.Program) {
	vars := p.Variables()
	if len(vars) == 0 {
		return
	}
	a.found = append(a.found, &diag.Diagnostic{Severity: diag.Note,
		Message: fmt.Sprintf("%s reads these variables:\n%s", path, strings.TrimRight(variableTable(vars), "\n")),
		Help:    "give data with -d data.json or -D name=text"})
}
