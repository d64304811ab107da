package parser

import (
	"strings"
	"unicode/utf8"

	"github.com/pcc-lang/pcc/lexer"
)

// Escape returns a template of the syntax that renders exactly s, for every s
// of valid UTF-8. The empty comment, which prints nothing, stands between what
// would otherwise make a mark; in Jinja, raw blocks and string literals serve.
func Escape(s string, syn *lexer.Syntax) string {
	if syn.Jinja {
		return escapeJinja(s)
	}
	open := syn.Open
	empty := open + "##" + syn.Close
	var b strings.Builder
	if likeHead(s) {
		b.WriteString(empty)
	}
	for {
		n := strings.Index(s, open)
		if n < 0 {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(s[:n])
		if n > 0 && s[n-1] == '/' {
			b.WriteString(empty)
		}
		b.WriteString(open)
		s = s[n+len(open):]
		if opens(s, syn) {
			b.WriteString(empty)
		}
	}
}

// likeHead reports whether a template that begins with s would begin with
// something else than text: a BOM or front matter.
func likeHead(s string) bool {
	return strings.HasPrefix(s, "\ufeff") || strings.HasPrefix(s, "---")
}

// opens reports whether an opening delimiter before s might make a mark.
func opens(s string, syn *lexer.Syntax) bool {
	r, _ := utf8.DecodeRuneInString(s)
	switch {
	case s == "":
		return false
	case lexer.IsNameStart(r), r == '#', r == '/', r == '%', strings.HasPrefix(s, syn.Open[:1]):
		return true
	case syn.Digits && r >= '0' && r <= '9', syn.Hard && (r == ' ' || r == '\t'):
		return true
	}
	return false
}

// escapeJinja writes s for Jinja, under any of its white-space options.
func escapeJinja(s string) string {
	line := s[strings.LastIndexByte(s, '\n')+1:]
	blank := line != "" && strings.TrimSpace(line) == ""
	switch {
	case strings.ContainsRune(s, '\r') || strings.Contains(s, "endraw") || blank || likeHead(s):
		return `{{ "` + jinjaQuote.Replace(s) + `" }}`
	case strings.HasSuffix(s, "\n") || strings.Contains(s, "{{") || strings.Contains(s, "{%") || strings.Contains(s, "{#"),
		strings.HasSuffix(s, "{"):
		return "{% raw %}" + s + "{% endraw %}"
	}
	return s
}

var jinjaQuote = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`)
