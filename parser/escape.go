package parser

import (
	"strings"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/lexer"
)

// Escape returns a template of the syntax that renders exactly s, for every s
// of valid UTF-8. The empty comment, which prints nothing, stands between what
// would otherwise make a mark; in Jinja, raw blocks and string literals serve.
func Escape(s string, syn *lexer.Syntax) string {
	if syn.Jinja {
		return escapeJinja(s)
	}
	return ast.Spelling{Open: syn.Open, Close: syn.Close, Soft: syn.Soft, Hard: syn.Hard}.EscapeText(s)
}

// likeHead reports whether a template that begins with s would begin with
// something else than text: a BOM or front matter.
func likeHead(s string) bool {
	return strings.HasPrefix(s, "\ufeff") || strings.HasPrefix(s, "---")
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
