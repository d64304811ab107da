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
				return Detection{Syntax: lexer.Jinja(), Reason: "the file's name ends in " + ext}, nil
			}
		}
	}
	start, end := bodyOf(f, o)
	word, goTemplate := foreignBraces(f.Text[start:end])
	if word != "" {
		return Detection{Syntax: lexer.Jinja(), Reason: "it holds the Jinja tag {% " + word + " %}"}, nil
	}
	var inBraces *parser
	var braces surveyed
	if strings.IndexByte(f.Text[start:end], '{') >= 0 {
		inBraces, braces = survey(f, o, lexer.Brace(), nil)
	}
	var second *evidence
	var read *parser
	var angles surveyed
	if strings.IndexByte(f.Text[start:end], '<') >= 0 {
		if o.Arena != nil {
			o.Arena = o.Arena.second() // the first holds the other tree
		}
		if braces.tags > 0 {
			second = &evidence{first: inBraces.root}
		}
		read, angles = survey(f, o, lexer.Angle(), second)
	}
	// A comment is weaker evidence than a tag. Tags that angle brackets surely
	// hold outweigh it; a lone name there may be markup that the text speaks of.
	comments := braces.tags > 0 && braces.tags == braces.comments
	if comments && second.plausible() {
		read, angles = survey(f, o, lexer.Angle(), nil) // all of it: these are the tags
	}
	d := Detection{Syntax: lexer.Angle(), Reason: "it holds no tags", TextTags: append(braces.textTags, angles.textTags...)}
	switch {
	case comments && second.plausible():
		d = Detection{Syntax: lexer.Angle(), Reason: "it holds tags in angle brackets and only comments in braces", TextTags: angles.textTags}
	case comments:
		d = Detection{Syntax: lexer.Brace(), Reason: "it holds comments in braces", TextTags: braces.textTags}
		read = inBraces
	case braces.tags > 0:
		d = Detection{Syntax: lexer.Brace(), Reason: "it holds tags in braces", TextTags: braces.textTags}
		read = inBraces
	case angles.tags > 0:
		d = Detection{Syntax: lexer.Angle(), Reason: "it holds tags in angle brackets and none in braces", TextTags: angles.textTags}
	case braces.errors > 0, braces.misspelt:
		// Nothing else is a tag here, so these are meant as such.
		d = Detection{Syntax: lexer.Brace(), Reason: "it holds malformed tags in braces", TextTags: braces.textTags}
		read = inBraces
	}
	if second.plausible() {
		tags, text, what := braces.firstTag, second.at, "tags in braces and in angle brackets: only those in braces are read"
		if comments {
			tags, text, what = text, tags, "comments in braces, tags in angle brackets: only the latter are read"
		}
		d.Warnings = append(d.Warnings, diag.New("PCC115", f, tags, "%s", what).WithLabel(text, "this is text"))
	}
	if goTemplate >= 0 {
		d.Reason += "; it looks like a Go text/template"
		span := source.Span{Start: source.Pos(start + goTemplate), End: source.Pos(start + goTemplate + 2)}
		d.Warnings = append(d.Warnings, diag.New("PCC112", f, span, "this looks like a Go text/template (as in an Ollama Modelfile)").
			WithHelp("write {{ name }} for {{ .Name }}, and {when x} … {/when} for {{ if .X }} … {{ end }}"))
	}
	return d, read
}

// surveyed is what a survey counted.
type surveyed struct {
	tags, comments, errors int
	misspelt               bool
	firstTag               source.Span
	textTags               []source.Span
}

// survey reads f in a syntax; where e is not nil, only as far as it takes to
// know whether the text has tags of a second family. The parser is nil if f
// cannot be read at all.
func survey(f *source.File, o Options, syn *lexer.Syntax, e *evidence) (*parser, surveyed) {
	o.Syntax = syn
	p, ok := newParser(f, o)
	if !ok {
		return nil, surveyed{}
	}
	p.evidence = e
	p.parse()
	return p, surveyed{p.tags, p.comments, p.errors, p.misspelt, p.firstTag, p.textTags}
}

// foreignBraces looks for tags of other languages in src: it returns the keyword
// of the first Jinja tag, or else the offset of the first action of a Go template
// that reads a field of the dot, -1 where there is none.
func foreignBraces(src string) (jinja string, goTemplate int) {
	goTemplate = -1
	next := 0 // behind the last doubled brace
	for i := 0; ; {
		n := strings.IndexByte(src[i:], '{')
		if n < 0 {
			return "", goTemplate
		}
		at := i + n
		i = at + 1
		if i == len(src) {
			return "", goTemplate
		}
		switch src[i] {
		case '%':
			if word := jinjaKeyword(src, i+1); word != "" {
				return word, goTemplate
			}
		case '{':
			if at < next {
				continue
			}
			next = at + 2
			if goTemplate < 0 && readsDot(src[next:min(len(src), next+100)]) {
				goTemplate = at
			}
		}
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
