package main

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/vm"
)

// reportRender turns what a render tells besides its result into findings:
// placeholders that were kept, each place once however often a loop came by,
// and sections that were left out.
func (a *app) reportRender(p *vm.Program, r *vm.Report) {
	seen := map[keptPlace]bool{}
	for _, k := range r.Kept {
		at := keptPlace{k.File, k.Position.Offset}
		if !seen[at] {
			seen[at] = true
			a.found = append(a.found, keptFinding(p, k, "`"+k.Name+"` has no value, so its placeholder is kept"))
		}
	}
	for _, s := range r.Dropped {
		why := "it is blank"
		if len(s.Names) > 0 {
			why = "no value for " + oneOf(quoted(s.Names))
		}
		a.found = append(a.found, diag.New("PCC381", nil, source.Span{}, "`%s` is left out: %s", s.Section, why).WithNames(s.Names...))
	}
	a.found = append(a.found, r.Warnings...)
}

// keptPlace is a placeholder in a template.
type keptPlace struct {
	file   string
	offset int
}

func keptFinding(p *vm.Program, k vm.Kept, message string) *diag.Diagnostic {
	d := diag.New("PCC380", nil, source.Span{}, "%s", message).WithNames(k.Name)
	for _, s := range p.Image().Sites {
		if f, _ := s.File.Root(0); f.Name == k.File {
			d.File, d.Span = f, placeholderAt(f.Text, k.Position.Offset, k.Name)
			d.Help = keptHelp(f.Slice(d.Span), k.Name)
			break
		}
	}
	return d
}

// keptHelp tells what to do about a placeholder that is kept. Its literal form
// is spelled out where all of it is at hand.
func keptHelp(placeholder, name string) string {
	opener, closer, ok := strings.Cut(placeholder, name)
	if delim := strings.TrimLeft(closer, " \t"); ok && opener != "" && delim != "" {
		blanks := closer[:len(closer)-len(delim)]
		return "give the value, or write it as a literal: /" + opener + name + blanks + "/" + delim
	}
	return "give the value, or write it as a literal group"
}

// placeholderAt is the span of the placeholder of name whose opening delimiter
// is at offset. The closing one has the same length. Where the tag holds more
// than the name, only the opener and the name are covered.
func placeholderAt(text string, offset int, name string) source.Span {
	const longest = 8 // of an opening delimiter with the blanks behind it
	offset = min(offset, len(text))
	opener := strings.Index(text[offset:min(len(text), offset+longest+len(name))], name)
	if opener < 0 {
		return spanOf(offset, offset+1)
	}
	end := offset + opener + len(name)
	if closed := min(end+opener, len(text)); strings.IndexFunc(text[end:closed], isWord) < 0 {
		end = closed
	}
	return spanOf(offset, end)
}

func isWord(r rune) bool { return r == '_' || r == '|' || unicode.IsLetter(r) || unicode.IsDigit(r) }

func quoted(names []string) []string {
	q := make([]string, len(names))
	for i, n := range names {
		q[i] = "`" + n + "`"
	}
	return q
}

// reportUnread warns of each -D whose name the template does not read, and
// names the one that was likely meant. What a prompt tree has said about its
// data is not said again.
func (a *app) reportUnread(p, chat *vm.Program, names []string) {
	var reads []string
	known := map[string]bool{}
	vars := p.Variables()
	if chat != nil && chat != p {
		vars = append(vars, chat.Variables()...)
	}
	for _, v := range vars {
		for way := range strings.SplitSeq(v.Name, " | ") {
			root := rootName(way)
			reads = append(reads, root)
			known[root] = true
		}
	}
	for _, d := range a.found {
		if d.Code == "PCC353" {
			for _, name := range d.Names {
				known[name] = true
			}
		}
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
