package stdlib

import (
	"html"
	"strings"

	"github.com/pcc-lang/pcc/vm"
)

// htmlFilters are Jinja's filters for HTML and URLs.
var htmlFilters = []spec{
	{"e", "s", "Escapes & < > ' and \" for HTML, unless that was done before.", escapeFilter, 0},
	{"escape", "s", "Escapes & < > ' and \" for HTML, unless that was done before.", escapeFilter, 0},
	{"forceescape", "value", "Escapes for HTML, even what is escaped already.", forceEscapeFilter, 0},
	{"safe", "value", "Marks text as safe: automatic escaping leaves it alone.", safeFilter, 0},
	{"striptags", "value", "Strips tags and comments, decodes entities and joins runs of white space.", striptagsFilter, 0},
	{"urlencode", "value", "Quotes text for use in a URL; a map or pairs become a query string.", urlencodeFilter, 0},
	{"urlize", "value, trim_url_limit=null, nofollow=false, target=null, rel=null, extra_schemes=null", "Makes links of URLs and mail addresses.", urlizeFilter, 0},
	{"xmlattr", "d, autospace=true", "Writes a map as attributes of a tag; null and missing values are left out.", xmlattrFilter, 0},
}

func escapeFilter(env *vm.Env, args []vm.Value) (vm.Value, error) { return env.Escape(args[0]) }

func forceEscapeFilter(env *vm.Env, args []vm.Value) (vm.Value, error) {
	s, err := textOf(env, args[0])
	if err != nil {
		return vm.Null, err
	}
	return env.Escape(vm.String(s))
}

func safeFilter(env *vm.Env, args []vm.Value) (vm.Value, error) {
	s, err := textOf(env, args[0])
	return vm.Safe(s), err
}

func striptagsFilter(env *vm.Env, args []vm.Value) (vm.Value, error) {
	s, err := textOf(env, args[0])
	if err != nil {
		return vm.Null, err
	}
	if err := env.Charge(3 * len(s)); err != nil {
		return vm.Null, err
	}
	return vm.String(stripTags(env, s)), nil
}

// stripTags removes comments, then tags, joins white space and decodes
// entities.
func stripTags(env *vm.Env, s string) string {
	s = removeSpans(env, s, "<!--", "-->")
	s = removeSpans(env, s, "<", ">")
	return unescapeHTML(env, joinWords(env, s))
}

// unescapeHTML is html.UnescapeString. No entity holds an ampersand, so that
// the text can be cut before each.
func unescapeHTML(env *vm.Env, s string) string {
	if len(s) <= pieceBytes {
		return html.UnescapeString(s)
	}
	if env.StopError() != nil {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for s != "" && !env.Stopped() {
		n := min(len(s), pieceBytes)
		if i := strings.IndexByte(s[n:], '&'); i >= 0 {
			n += i
		} else {
			n = len(s)
		}
		b.WriteString(html.UnescapeString(s[:n]))
		s = s[n:]
	}
	return b.String()
}

// removeSpans removes all stretches from open up to and with the next end.
// What stands before and after a gap may form another opener, which counts. An
// opener without its end stops the work.
func removeSpans(env *vm.Env, s, open, end string) string {
	if new(vm.Pace).Index(env, s, open) < 0 || env.StopError() != nil {
		return s
	}
	kept := make([]byte, 0, len(s))
	var pace vm.Pace
	for s != "" && !pace.Stopped(env, 1) {
		kept = append(kept, s[0])
		s = s[1:]
		if len(kept) < len(open) || string(kept[len(kept)-len(open):]) != open {
			continue
		}
		n := spanEnd(env, s, open, end)
		if n < 0 {
			break
		}
		kept, s = kept[:len(kept)-len(open)], s[n:]
	}
	for s != "" && !env.Work(min(len(s), pieceBytes)) {
		n := min(len(s), pieceBytes)
		kept, s = append(kept, s[:n]...), s[n:]
	}
	return string(kept)
}

// spanEnd is the number of bytes of s up to and with the end of a span whose
// opener has just been read. The end may begin inside the opener: "<!-->".
func spanEnd(env *vm.Env, s, open, end string) int {
	for k := len(end) - 1; k > 0; k-- {
		if strings.HasSuffix(open, end[:k]) && strings.HasPrefix(s, end[k:]) {
			return len(end) - k
		}
	}
	if i := new(vm.Pace).Index(env, s, end); i >= 0 {
		return i + len(end)
	}
	return -1
}

// urlSafe are the characters that urllib.parse.quote leaves alone.
func urlSafe(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' ||
		c == '_' || c == '.' || c == '-' || c == '~'
}

// urlQuote quotes s; in a query "/" is quoted too and a space becomes "+".
func urlQuote(env *vm.Env, s string, query bool) string {
	const hex = "0123456789ABCDEF"
	return build(env, s, func(b *strings.Builder, part string, _ int) {
		for i := range len(part) {
			switch c := part[i]; {
			case urlSafe(c) || c == '/' && !query:
				b.WriteByte(c)
			case c == ' ' && query:
				b.WriteByte('+')
			default:
				b.WriteByte('%')
				b.WriteByte(hex[c>>4])
				b.WriteByte(hex[c&15])
			}
		}
	})
}

func urlencodeFilter(env *vm.Env, args []vm.Value) (vm.Value, error) {
	v := env.OwnText(args[0])
	switch v.Kind() {
	case vm.KindString, vm.KindNull, vm.KindBool, vm.KindInt, vm.KindFloat, vm.KindBytes, vm.KindTime:
		s, err := quoted(env, v, false)
		return vm.String(s), err
	}
	pairs, err := pairsOf(env, v)
	if err != nil {
		return vm.Null, err
	}
	parts := make([]string, 0, len(pairs))
	for _, p := range pairs {
		key, err := quoted(env, p[0], true)
		if err != nil {
			return vm.Null, err
		}
		val, err := quoted(env, p[1], true)
		if err != nil {
			return vm.Null, err
		}
		parts = append(parts, key+"="+val)
	}
	out, err := joinTexts(env, parts, "&")
	return vm.String(out), err
}

func quoted(env *vm.Env, v vm.Value, query bool) (string, error) {
	var s string
	b, isBytes := v.Bytes()
	if !isBytes {
		var err error
		if s, err = textOf(env, v); err != nil {
			return "", err
		}
	}
	if err := env.Charge(3*len(s) + 4*len(b)); err != nil {
		return "", err
	}
	if isBytes {
		s = string(b)
	}
	return urlQuote(env, s, query), nil
}

// pairsOf gives the entries of a map, or the items of a sequence of pairs.
func pairsOf(env *vm.Env, v vm.Value) ([][2]vm.Value, error) {
	if isMapping(v) {
		return entries(env, v)
	}
	items, err := env.Items(v)
	if err != nil {
		return nil, err
	}
	pairs := make([][2]vm.Value, 0, len(items))
	for _, it := range items {
		two, err := env.Items(it)
		if err != nil {
			return nil, err
		}
		switch {
		case len(two) < 2:
			return nil, env.Errorf("value", "not enough values to unpack (expected 2, got %d)", len(two))
		case len(two) > 2:
			return nil, env.Errorf("value", "too many values to unpack (expected 2)")
		}
		pairs = append(pairs, [2]vm.Value{two[0], two[1]})
	}
	return pairs, nil
}

func xmlattrFilter(env *vm.Env, args []vm.Value) (vm.Value, error) {
	if !isMapping(args[0]) {
		if err := refuseUndefined(env, args[0]); err != nil {
			return vm.Null, err
		}
		return vm.Null, noAttribute(env, args[0], "items")
	}
	autospace, err := env.Truth(args[1])
	if err != nil {
		return vm.Null, err
	}
	pairs, err := entries(env, args[0])
	if err != nil {
		return vm.Null, err
	}
	var parts []string
	for _, p := range pairs {
		if err := env.Step(1); err != nil {
			return vm.Null, err
		}
		if p[1].IsMissing() {
			continue
		}
		key, ok := p[0].Str()
		if !ok {
			return vm.Null, env.Errorf("type", "expected string or bytes-like object")
		}
		if err := env.Step(len(key) / 64); err != nil {
			return vm.Null, err
		}
		if strings.ContainsAny(key, " \t\n\r\f\v/>=") {
			return vm.Null, env.Errorf("value", "Invalid character in attribute name")
		}
		k, _, err := escapedText(env, p[0])
		if err != nil {
			return vm.Null, err
		}
		v, _, err := escapedText(env, p[1])
		if err != nil {
			return vm.Null, err
		}
		parts = append(parts, k+`="`+v+`"`)
	}
	out, err := joinTexts(env, parts, " ")
	if err != nil {
		return vm.Null, err
	}
	if autospace && out != "" {
		out = " " + out
	}
	return markedText(out, env.Autoescape), nil
}

// noAttribute is Jinja's error for a method that a value lacks.
func noAttribute(env *vm.Env, v vm.Value, name string) error {
	if !env.Dialect.PythonErrors() {
		return env.Errorf("type", "a map is needed here, not %s", env.TypeName(v))
	}
	if v.IsNull() {
		return env.Errorf("undefined", "'None' has no attribute '%s'", name)
	}
	return env.Errorf("undefined", "'%s object' has no attribute '%s'", env.TypeName(v), name)
}
