package parser

import (
	"strings"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/lexer"
)

// Detection is the outcome of Detect.
type Detection struct {
	Syntax   *lexer.Syntax
	Reason   string // why, a phrase for people
	Warnings diag.List
	// TextTags are the soft candidates such as {yes|no} that are text because
	// no filter of that name is known.
	TextTags []source.Span
	// Conflict says that the text holds sure tags of two families: Warnings holds
	// the error, and nothing else that is found in the text is worth telling.
	Conflict bool
	// named says that the file's name decides, and not the text.
	named bool
}

// jinjaNames are the endings of file names that mean Jinja.
var jinjaNames = []string{".jinja", ".jinja2", ".j2"}

// Detect finds the syntax of f by its name and its text.
// Front matter is the caller's: it sets o.Body, and asks only where the
// front matter names no syntax.
func Detect(f *source.File, o Options) Detection {
	d, _ := detect(f, o)
	return d
}

// detect is Detect; it returns the parser that read f in the syntax found, if
// one did.
func detect(f *source.File, o Options) (Detection, *parser) {
	if strings.IndexByte(f.Name, '.') >= 0 {
		name := strings.ToLower(f.Name)
		for _, ext := range jinjaNames {
			if strings.HasSuffix(name, ext) {
				return Detection{Syntax: lexer.Jinja(), Reason: "the file's name ends in " + ext, named: true}, nil
			}
		}
	}
	start, end := bodyOf(f, o)
	text := f.Text[start:end]
	hasBraces, hasAngles := strings.IndexByte(text, '{') >= 0, strings.IndexByte(text, '<') >= 0
	hasJinja := hasBraces && strings.Contains(text, "{%")
	var h *hidden
	if (hasAngles || hasJinja) && hides(text) { // tags of several families
		h = findHidden(f.Text, start, end)
	}
	word, jinja := "", source.Span{}
	if hasJinja {
		word, jinja = jinjaSign(f.Text, start, end, h)
	}
	// Only one of the trees is kept: the memory of the larger counts.
	if o.Budget == nil {
		o.Budget = o.budget()
	}
	all, left := *o.Budget, *o.Budget
	var signs *[2]evidence
	if o.Arena != nil {
		signs = &o.Arena.signs
	} else {
		signs = new([2]evidence)
	}
	signs[0], signs[1] = evidence{hidden: h}, evidence{hidden: h}
	braces, angles := &signs[0], &signs[1]
	var inBraces, inAngles *parser
	if hasBraces {
		inBraces = survey(f, o, lexer.Brace(), braces)
	}
	_, sureBraces := braces.sure()
	left, *o.Budget = *o.Budget, all
	if hasAngles {
		if o.Arena != nil {
			o.Arena = o.Arena.second() // the first holds the other tree
		}
		// Where braces are certain, angle brackets can only contradict them.
		angles.brief = sureBraces && word == ""
		inAngles = survey(f, o, lexer.Angle(), angles)
	}
	_, sureAngles := angles.sure()
	if left.Left() < o.Budget.Left() {
		*o.Budget = left
	}
	d := Detection{Syntax: lexer.Angle(), Reason: "it holds no tags"}
	var read *parser
	inBrace := func(reason string) {
		d.Syntax, d.Reason, read = lexer.Brace(), reason, inBraces
	}
	marks := "" // what braces mark that is no tag
	if inBraces != nil && inBraces.literals > 0 {
		marks = "literal groups"
	} else if inBraces != nil && inBraces.comments > 0 {
		marks = "comments"
	}
	switch {
	case word != "":
		d.Syntax, d.Reason = lexer.Jinja(), "it holds the Jinja tag {% "+word+" %}"
	case sureBraces:
		inBrace("it holds tags in braces")
	case sureAngles:
		d.Reason, read = "it holds tags in angle brackets and none in braces", inAngles
		if braces.any {
			d.Reason = "it holds sure tags in angle brackets: blocks or doubled brackets"
		}
	case braces.any:
		inBrace("it holds tags in braces")
	case marks != "" && (!angles.several || inBraces.literals > 0): // a lone name may be markup that the text speaks of
		inBrace("it holds " + marks + " in braces")
	case angles.any:
		d.Reason, read = "it holds tags in angle brackets and none in braces", inAngles
		if marks != "" {
			d.Reason = "it holds tags in angle brackets and only " + marks + " in braces"
		}
	case inBraces != nil && (inBraces.errors > 0 || inBraces.misspelt):
		// Nothing else is a tag here, so these are meant as such.
		inBrace("it holds malformed tags in braces")
	case inBraces != nil && inBraces.foreign.any():
		inBrace("it holds no tags, and text in braces that looks like tags of another language")
	case inBraces != nil && len(inBraces.near) > 0 && (inAngles == nil || len(inAngles.near) == 0):
		// All of it is text; the data may tell that placeholders are meant.
		inBrace("it holds no tags, and text in braces that is nearly one")
	}
	for _, p := range []*parser{inBraces, inAngles} {
		if p != nil && (p == read || read == nil || p == inAngles && d.Reason == "it holds no tags") {
			d.TextTags = append(d.TextTags, p.textTags...)
		}
	}
	d.conflict(f, jinja, braces, angles)
	at := goTemplate(text)
	if at >= 0 && h == nil && hides(text) {
		h = findHidden(f.Text, start, end)
	}
	if at >= 0 && d.Syntax != lexer.Jinja() && !h.has(start+at) {
		d.Reason += "; it looks like a Go text/template"
		span := source.Span{Start: source.Pos(start + at), End: source.Pos(start + at + 2)}
		d.Warnings = append(d.Warnings, diag.New("PCC112", f, span, "this looks like a Go text/template (as in an Ollama Modelfile)").
			WithHelp("write {{ name }} for {{ .Name }}, and {when x} … {/when} for {{ if .X }} … {{ end }}; where it is text, put it into {raw} … {/raw}"))
	}
	return d, read
}

// conflict reports sure signs of two families, or else placeholders of a family
// that was not chosen, which stay text.
func (d *Detection) conflict(f *source.File, jinja source.Span, braces, angles *evidence) {
	none := source.Span{}
	brace, _ := braces.sure()
	angle, _ := angles.sure()
	if jinja != none { // {{ x }} is Jinja's too
		brace = braces.block
		if angle == none && brace == none && braces.hard != none {
			braces.weak, braces.any = none, false
		}
	}
	type sign struct {
		at   source.Span
		name string
	}
	var sure []sign
	for _, s := range []sign{{jinja, "jinja"}, {brace, "brace"}, {angle, "angle"}} {
		if s.at != none {
			sure = append(sure, s)
		}
	}
	if len(sure) > 1 {
		a, b := sure[0], sure[1]
		if b.at.Start < a.at.Start {
			a, b = b, a
		}
		d.Conflict = true
		d.Warnings = append(d.Warnings, diag.New("PCC126", f, a.at, "this is a tag of the %s syntax, and the text holds one of the %s syntax as well", a.name, b.name).
			WithLabel(b.at, "a tag of the %s syntax", b.name))
		return
	}
	left, name := source.Span{}, ""
	switch d.Syntax {
	case lexer.Brace():
		left, name = angles.weak, "angle brackets"
	default:
		left, name = braces.weak, "braces"
	}
	if left == none && d.Syntax == lexer.Jinja() {
		left, name = angles.weak, "angle brackets"
	}
	if left != none {
		d.Warnings = append(d.Warnings, diag.New("PCC115", f, left, "the text is read as %s, so this placeholder in %s stays text", d.Syntax.Name, name).
			WithHelp("write it in %s for a placeholder; where text is meant, say so: `syntax: %s` in the front matter, or --syntax %[2]s", delimiters[d.Syntax.Name], d.Syntax.Name))
	}
}

// delimiters are those of the syntaxes that a text can choose, in words.
var delimiters = map[string]string{"brace": "braces", "angle": "angle brackets", "jinja": "doubled braces"}

// survey reads f in a syntax and collects what speaks for it. The parser is nil if
// f cannot be read at all.
func survey(f *source.File, o Options, syn *lexer.Syntax, e *evidence) *parser {
	o.Syntax = syn
	p, ok := newParser(f, o)
	if !ok {
		return nil
	}
	p.evidence = e
	p.parse()
	return p
}

// goTemplate returns the offset of the first action of a Go template that reads a
// field of the dot, -1 where there is none.
func goTemplate(src string) int {
	for at := 0; ; {
		n := strings.Index(src[at:], "{{")
		if n < 0 {
			return -1
		}
		at += n
		const most = 100
		if inside := at + 2; readsDot(src[inside:min(len(src), inside+most)]) {
			return at
		}
		at += 2
	}
}

// readsDot reports whether the inside of an action begins by reading a field of
// the dot.
func readsDot(action string) bool {
	action = strings.TrimLeft(strings.TrimPrefix(action, "-"), " \t")
	for _, word := range []string{"if ", "range ", "with ", "else if ", "not "} {
		action = strings.TrimPrefix(action, word)
	}
	return len(action) > 1 && action[0] == '.' && isNameByte(action[1])
}
