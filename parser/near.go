package parser

import (
	"strings"
	"unicode/utf8"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/lexer"
)

// This file finds near tags: text in delimiters that misses being a placeholder
// by blanks, by a sign of white-space control or by its width. Whether one is
// worth a warning depends on the names that a contract or the data holds, so they
// are only listed here.

// maxNear is how many near tags a template lists.
const maxNear = 1000

// addNear lists a near tag, unless it stands in a literal group.
func (p *parser) addNear(piece *lexer.Piece, n ast.NearTag) {
	if !p.brief() && n.Name != "" && len(p.near) < maxNear && !piece.Slash && p.group() == nil {
		p.near = append(p.near, n)
	}
}

// nearPlaceholder lists the run of opening delimiters piece, which is text, if
// it begins a near tag. The path that it looks at holds no opening delimiter, so
// no byte is looked at twice.
func (p *parser) nearPlaceholder(piece *lexer.Piece) {
	if p.opts.PlaceholdersOnly || piece.Slash || p.group() != nil {
		return
	}
	src, at, w := p.src[:p.scan.End], piece.Inside, len(p.syn.Open)
	hard := p.syn.Hard && piece.Count > 1
	if !hard && at < len(src) && src[at] < utf8.RuneSelf && !isNameByte(src[at]) && src[at] != ' ' && src[at] != '\t' {
		return // most braces are those of JSON and code
	}
	kind := ast.NearBlanks
	switch {
	case !hard && !p.syn.Soft:
		kind = ast.NearWidth
	case hard && at < len(src) && (src[at] == '-' || src[at] == '+') && !p.syn.Angle:
		kind = ast.NearTrim
		at++
	}
	start, closer := piece.Inside-w, p.closer(hard)
	if hard {
		start -= w
	}
	at += looseBlanks(src[at:])
	not, quote := false, 0
	if hard && !p.syn.Angle && at < len(src) { // {{ !name }}, {{ “name” }}
		not, quote = src[at] == '!', quoteAt(src[at:])
		if at += quote; not {
			at++
		}
	}
	end := nearPathEnd(src, at)
	if end == at {
		return
	}
	path := src[at:end]
	if quote > 0 {
		n := quoteAt(src[end:])
		if n == 0 {
			return
		}
		end += n
	}
	end += looseBlanks(src[end:])
	trim := hard && !p.syn.Angle && end < len(src) && (src[end] == '-' || src[end] == '+')
	if trim && kind == ast.NearTrim {
		end++
	}
	if !strings.HasPrefix(src[end:], closer) {
		if (kind == ast.NearBlanks || kind == ast.NearWidth) && !hard && !p.syn.Angle {
			p.nearForm(piece, src[at:end], start, end, kind == ast.NearWidth)
		}
		return
	}
	end += len(closer)
	if exact := len(path) + piece.Inside - start + len(closer); kind == ast.NearBlanks && end-start == exact {
		p.nearElement(piece, path, start, end)
		return // nothing else is amiss
	}
	if p.syn.Angle && p.isElement(path, at) {
		return
	}
	tag := p.syn.Open + path + p.syn.Close
	switch {
	case not:
		tag = "{{ not " + path + " }}"
	case hard || !p.syn.Soft:
		tag = p.syn.Open + tag + p.syn.Close
	}
	p.addNear(piece, ast.NearTag{Range: rangeOf(start, end), Kind: kind, Name: nearName(path), Tag: tag})
}

// quoteAt returns the length of the quotation mark that text begins with, 0 for none.
func quoteAt(text string) int {
	switch r, n := utf8.DecodeRuneInString(text); r {
	case '"', '\'', '“', '”', '„', '‘', '’', '«', '»':
		return n
	}
	return 0
}

// longestForm bounds what may stand behind the path of a near form, in bytes.
const longestForm = 80

// nearForm lists text in single braces that begins with a path, from start to
// end with the blanks behind it, and goes on up to a closing brace: an expression
// that needs doubled braces, what other languages write there, or the head of a
// block behind blanks or, if width, in braces of the other width.
func (p *parser) nearForm(piece *lexer.Piece, path string, start, end int, width bool) {
	src := p.src[end:min(p.scan.End, end+longestForm)]
	n := strings.IndexAny(src, "{}\r\n")
	if n <= 0 || src[n] != '}' || p.brief() {
		return
	}
	rest, inside := src[:n], p.src[piece.Inside:end+n]
	near := ast.NearTag{Range: rangeOf(start, end+n+1)}
	switch word := strings.TrimRight(path, " \t"); {
	case width || inside[0] == ' ' || inside[0] == '\t':
		if word == path || !keywords[keywordOf(word)].reads {
			return
		}
		head := strings.TrimPrefix(rest, "not ")
		near.Kind, near.Name = ast.NearHead, nearName(head[:nearPathEnd(head, 0)])
		near.Tag = p.spell(strings.TrimSpace(inside), !p.syn.Soft)
	case rest[0] == '|' && (word != path || blanksAt(rest[1:]) > 0) && p.filterFollows(rest[1:]):
		// Jinja's habit: {name | upper}.
		near.Kind, near.Name, near.Tag = ast.NearBlanks, nearName(word), "{"+word+"|"+strings.TrimSpace(rest[1:])+"}"
	case word != path && p.syn.Hard && operatorFollows(rest):
		near.Kind, near.Name, near.Tag = ast.NearBlanks, nearName(word), "{{"+inside+"}}"
	case word != path || !formFollows(rest):
		return
	case rest[0] == '|' && len(p.textTags) > 0 && p.textTags[len(p.textTags)-1].Start == source.Pos(start):
		return // a filter that nobody knows, which soft told
	default:
		near.Kind, near.Name, near.Tag = ast.NearForm, nearName(word), "{"+word+"}"
		if p.syn.Hard {
			near.Tag = "{{" + inside + "}}"
		}
	}
	p.addNear(piece, near)
}

// formFollows reports whether text behind a path is what placeholders of some
// language go on with: a subscript, a call, a filter, a conversion (Python's
// {x!r}) or a format ({x:>9}, {x:upper}). A colon before a blank, a quote or a
// bracket is a key's.
func formFollows(rest string) bool {
	switch rest[0] {
	case '[', '(', '|', '!':
		return true
	case ':':
		return len(rest) > 1 && !strings.ContainsRune(" \t\"'[(", rune(rest[1]))
	}
	return false
}

// filterFollows reports whether text begins with a filter that there is.
func (p *parser) filterFollows(text string) bool {
	at := blanksAt(text)
	end := lexer.WordEnd(text, at)
	return end > at && p.opts.Filters != nil && p.opts.Filters(text[at:end])
}

// operatorFollows reports whether text behind a path and a blank is an operator
// with a literal, such as the one of {name or "you"}.
func operatorFollows(text string) bool {
	for _, op := range []string{"or ", "and ", "==", "!=", "+ ", "~ "} {
		if rest, ok := strings.CutPrefix(text, op); ok {
			rest = strings.TrimLeft(rest, " \t")
			return rest != "" && strings.IndexByte("\"'0123456789", rest[0]) >= 0
		}
	}
	return false
}

// looseBlanks is the length of the blanks that text begins with, those that look
// like one or like nothing among them.
func looseBlanks(text string) int {
	i := 0
	for i < len(text) {
		if c := text[i]; c < utf8.RuneSelf {
			if c != ' ' && c != '\t' {
				break
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		switch r {
		case '\u00a0', '\u2007', '\u202f', '\u200b', '\u2060', '\ufeff', '\u00ad':
			i += n
		default:
			return i
		}
	}
	return i
}

// nearElement lists the first element of XML of each name, from start to end: it is
// worth a warning where nothing reads the variable of that name.
func (p *parser) nearElement(piece *lexer.Piece, name string, start, end int) {
	if !p.syn.Angle || !p.syn.Hard || p.elements[name] || p.brief() || !p.isElement(name, end-1) {
		return
	}
	if p.elements == nil {
		p.elements = map[string]bool{}
	}
	p.elements[name] = true
	p.addNear(piece, ast.NearTag{Range: rangeOf(start, end), Kind: ast.NearElement, Name: nearName(name), Tag: "<<" + name + ">>"})
}

// nearPathEnd returns the end of the path of names and integers that begins at i,
// i where none does.
func nearPathEnd(src string, i int) int {
	for start := i; i < len(src); {
		r, n := rune(src[i]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(src[i:])
		}
		switch {
		case lexer.IsNamePart(r) && (i > start || lexer.IsNameStart(r)):
		case r == '.' && i > start && src[i-1] != '.':
		default:
			if i > start && src[i-1] == '.' {
				return start
			}
			return i
		}
		i += n
	}
	return i
}

// nearName is the variable that a path reads.
func nearName(path string) string {
	name, _, _ := strings.Cut(path, ".")
	return NormalizeName(name)
}
