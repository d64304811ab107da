package stdlib

import (
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/pcc-lang/pcc/vm"
)

// linkOptions are those of the urlize filter, escaped for HTML.
type linkOptions struct {
	limit       int // of the displayed URL in characters, -1 for none
	rel, target string
	schemes     []string
}

func urlizeFilter(env *vm.Env, args []vm.Value) (vm.Value, error) {
	opt := linkOptions{limit: -1}
	if !args[1].IsNull() {
		n, err := intArg(env, args[1], "trim_url_limit")
		if err != nil {
			return vm.Null, err
		}
		opt.limit = n
	}
	nofollow, err := env.Truth(args[2])
	if err != nil {
		return vm.Null, err
	}
	rel := []string{"noopener"}
	if !args[4].IsNull() {
		s, err := stringArg(env, args[4], "rel")
		if err != nil {
			return vm.Null, err
		}
		rel = append(rel, strings.FieldsFunc(s, isSpace)...)
	}
	if nofollow {
		rel = append(rel, "nofollow")
	}
	slices.Sort(rel)
	if opt.rel, err = attribute(env, "rel", vm.String(strings.Join(slices.Compact(rel), " "))); err != nil {
		return vm.Null, err
	}
	if truth, err := env.Truth(args[3]); err != nil {
		return vm.Null, err
	} else if truth {
		if opt.target, err = attribute(env, "target", args[3]); err != nil {
			return vm.Null, err
		}
	}
	if opt.schemes, err = urlSchemes(env, args[5]); err != nil {
		return vm.Null, err
	}
	escaped, _, err := escapedText(env, args[0])
	if err != nil {
		return vm.Null, err
	}
	out, err := urlize(env, escaped, opt)
	return markedText(out, env.Autoescape), err
}

func attribute(env *vm.Env, name string, v vm.Value) (string, error) {
	s, _, err := escapedText(env, v)
	return " " + name + `="` + s + `"`, err
}

// urlSchemes checks extra schemes such as "tel:" or "ftp://".
func urlSchemes(env *vm.Env, v vm.Value) ([]string, error) {
	if v.IsNull() {
		return nil, nil
	}
	items, err := env.Items(v)
	if err != nil {
		return nil, err
	}
	var schemes []string
	for _, it := range items {
		s, err := stringArg(env, it, "a scheme")
		if err != nil {
			return nil, err
		}
		name := strings.TrimSuffix(strings.TrimSuffix(s, "/"), "/")
		name, ok := strings.CutSuffix(name, ":")
		if !ok || runeCount(name) < 2 || !allRunes(env, name, func(r rune) bool {
			return isWordRune(r) || strings.ContainsRune(".+-", r)
		}) {
			return nil, env.Errorf("runtime", "extra_schemes holds what is not a valid URI scheme prefix")
		}
		schemes = append(schemes, s)
	}
	return schemes, nil
}

// urlize makes links of the URLs in text that is escaped already.
func urlize(env *vm.Env, s string, opt linkOptions) (string, error) {
	if err := env.Charge(len(s)); err != nil {
		return "", err
	}
	var b strings.Builder
	for s != "" {
		word := s
		if i := indexRune(env, s, isSpace); i >= 0 {
			word = s[:i]
		}
		rest := s[len(word):]
		blanks := rest
		if i := indexRune(env, rest, func(r rune) bool { return !isSpace(r) }); i >= 0 {
			blanks = rest[:i]
		}
		if word != "" {
			linked := linkWord(env, word, opt)
			if err := env.Charge(len(linked)); err != nil {
				return "", err
			}
			b.WriteString(linked)
		}
		b.WriteString(blanks)
		s = rest[len(blanks):]
	}
	return b.String(), nil
}

// linkWord makes a link of one word, leaving brackets and punctuation around
// it outside.
func linkWord(env *vm.Env, word string, opt linkOptions) string {
	head, middle := cutLeading(word)
	middle, tail := cutTrailing(middle)
	middle, tail = balance(middle, tail)

	link := func(href, shown, attrs string) string {
		return head + `<a href="` + href + `"` + attrs + `>` + shown + `</a>` + tail
	}
	attrs := opt.rel + opt.target
	switch {
	case isURL(env, middle):
		shown := middle
		if cut, more := cutRunes(middle, opt.limit); opt.limit >= 0 && more != "" {
			shown = cut + "..."
		}
		if strings.HasPrefix(middle, "https://") || strings.HasPrefix(middle, "http://") {
			return link(middle, shown, attrs)
		}
		return link("https://"+middle, shown, attrs)
	case strings.HasPrefix(middle, "mailto:") && isMail(env, middle[len("mailto:"):]):
		return link(middle, middle[len("mailto:"):], "")
	case strings.Contains(middle, "@") && !strings.HasPrefix(middle, "www.") &&
		!strings.HasPrefix(middle, "@") && !strings.Contains(middle, ":") && isMail(env, middle):
		return link("mailto:"+middle, middle, "")
	}
	for _, scheme := range opt.schemes {
		if middle != scheme && strings.HasPrefix(middle, scheme) {
			return link(middle, middle, attrs)
		}
	}
	return head + middle + tail
}

// cutLeading splits off opening brackets.
func cutLeading(word string) (head, rest string) {
	rest = word
	for {
		switch {
		case strings.HasPrefix(rest, "("), strings.HasPrefix(rest, "<"):
			rest = rest[1:]
		case strings.HasPrefix(rest, "&lt;"):
			rest = rest[4:]
		default:
			return word[:len(word)-len(rest)], rest
		}
	}
}

// cutTrailing splits off closing brackets, full stops and commas.
func cutTrailing(word string) (rest, tail string) {
	rest = word
	for rest != "" {
		switch c := rest[len(rest)-1]; {
		case c == ')' || c == '>' || c == '.' || c == ',' || c == '\n':
			rest = rest[:len(rest)-1]
			continue
		case strings.HasSuffix(rest, "&gt;"):
			rest = rest[:len(rest)-4]
			continue
		}
		break
	}
	return rest, word[len(rest):]
}

// balance takes closing brackets back from the tail for those that the URL
// itself opens.
func balance(middle, tail string) (string, string) {
	for _, pair := range [][2]string{{"(", ")"}, {"<", ">"}, {"&lt;", "&gt;"}} {
		open := strings.Count(middle, pair[0])
		if open <= strings.Count(middle, pair[1]) {
			continue
		}
		moved := 0
		for n := min(open, strings.Count(tail, pair[1])); n > 0; n-- {
			moved += strings.Index(tail[moved:], pair[1]) + len(pair[1])
		}
		middle += tail[:moved]
		tail = tail[moved:]
	}
	return middle, tail
}

// urlPattern tells a URL with a scheme, with "www.", or a bare domain under one
// of a few top-level domains; mailPattern a mail address.
var (
	urlPattern = sync.OnceValue(func() *regexp.Regexp {
		const word = `[\pL\pN_%-]`
		return regexp.MustCompile(`(?i)^(?:` +
			`(?:https?://|www\.)(?:(?:` + word + `+\.)+)?(?:[a-z]{2,63}|xn--[\pL\pN_%]{2,59})` +
			`|(?:` + word + `{2,63}\.)+(?:com|net|int|edu|gov|org|info|mil)` +
			`|https?://(?:\d{1,3}(?:\.\d{1,3}){3}|\[(?:[\da-f]{0,4}:){2}(?:[\da-f]{0,4}:?){1,6}\])` +
			`)(?::\d{1,5})?(?:[/?#]\S*)?$`)
	})
	mailPattern = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\S+@[\pL\pN_][\pL\pN_.-]*\.[\pL\pN_]+$`)
	})
)

func isURL(env *vm.Env, s string) bool  { return match(env, urlPattern(), s) }
func isMail(env *vm.Env, s string) bool { return match(env, mailPattern(), s) }

// match is MatchString; a long text is read so that the end of the context ends
// it.
func match(env *vm.Env, pattern *regexp.Regexp, s string) bool {
	if len(s) <= pieceBytes {
		return pattern.MatchString(s)
	}
	return pattern.MatchReader(&pacedReader{env: env, s: s})
}

// pacedReader reads the characters of a text until the context ends.
type pacedReader struct {
	env  *vm.Env
	s    string
	pace vm.Pace
}

// ReadRune implements io.RuneReader.
func (p *pacedReader) ReadRune() (r rune, size int, err error) {
	r, size = utf8.DecodeRuneInString(p.s)
	if size == 0 || p.pace.Stopped(p.env, 8*size) { // matching is slow
		return 0, 0, io.EOF
	}
	p.s = p.s[size:]
	return r, size, nil
}
