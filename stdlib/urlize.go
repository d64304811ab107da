package stdlib

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/pcc-lang/pcc/vm"
)

// linkOptions are those of the urlize filter, escaped for HTML.
type linkOptions struct {
	limit       int // of the displayed URL in characters, -1 for none
	rel, target string
	attrs       string // both, one behind the other
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
		// Its words, which are joined again.
		if err := env.Charge(24 * len(s)); err != nil {
			return vm.Null, err
		}
		rel = append(rel, splitBlanks(env, s, len(s), false)...)
	}
	if nofollow {
		rel = append(rel, "nofollow")
	}
	if err := env.StopError(); err != nil {
		return vm.Null, err
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
	opt.attrs = opt.rel + opt.target
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
	if err == nil {
		err = env.Charge(2 * (len(s) + len(name))) // alone, and behind the other attributes
	}
	if err != nil {
		return "", err
	}
	return " " + name + `="` + s + `"`, nil
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
	middle, tail = balance(env, middle, tail)

	attrs := opt.attrs
	link := func(href, shown, attrs string) string {
		return head + `<a href="` + href + `"` + attrs + `>` + shown + `</a>` + tail
	}
	switch {
	case isURL(env, middle):
		shown := middle
		if cut, more := env.CutRunes(middle, opt.limit); opt.limit >= 0 && more != "" {
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
func balance(env *vm.Env, middle, tail string) (string, string) {
	for _, pair := range [][2]string{{"(", ")"}, {"<", ">"}, {"&lt;", "&gt;"}} {
		open := countText(env, middle, pair[0])
		if open <= countText(env, middle, pair[1]) {
			continue
		}
		moved := 0
		for n := min(open, countText(env, tail, pair[1])); n > 0; n-- {
			moved += strings.Index(tail[moved:], pair[1]) + len(pair[1])
		}
		middle += tail[:moved]
		tail = tail[moved:]
	}
	return middle, tail
}

// isURL tells a URL with a scheme, with "www.", or a bare domain under one of a few
// top-level domains, with a port, path, query or fragment behind it.
func isURL(env *vm.Env, s string) bool {
	host, rest := s, ""
	scheme := 0
	for _, prefix := range []string{"https://", "http://"} {
		if n := foldedPrefix(s, prefix); n > 0 {
			scheme, host = n, s[n:]
			break
		}
	}
	end := hostEnd(env, host)
	host, rest = host[:end], host[end:]
	if strings.HasPrefix(host, "[") {
		// An address of version 6: the colons in it end no host.
		i := strings.IndexByte(rest[:min(len(rest), longestAddress)], ']')
		if i < 0 {
			return false
		}
		host, rest = s[scheme:scheme+end+i+1], rest[i+1:]
	}
	if !isURLRest(rest) {
		return false
	}
	if scheme > 0 {
		return isSchemeHost(env, host) || len(host) <= longestAddress && addressPattern().MatchString(host)
	}
	if n := foldedPrefix(host, "www."); n > 0 && isSchemeHost(env, host[n:]) {
		return true
	}
	return isBareDomain(env, host)
}

// foldedPrefix is the length of the prefix of s that is prefix in any case, 0 where
// there is none. One letter beyond ASCII folds to one of the prefixes, the long s.
func foldedPrefix(s, prefix string) int {
	n := 0
	for _, want := range prefix {
		r, size := utf8.DecodeRuneInString(s[n:])
		if size == 0 || !strings.EqualFold(string(r), string(want)) {
			return 0
		}
		n += size
	}
	return n
}

// hostEnd is the length of a host in bytes, to a port, a path and the like.
func hostEnd(env *vm.Env, s string) int {
	if i := indexRune(env, s, func(r rune) bool { return strings.ContainsRune(":/?#", r) }); i >= 0 {
		return i
	}
	return len(s)
}

// isURLRest reports whether s is what may follow a host: a port of up to five
// digits, then nothing or a path, query or fragment.
func isURLRest(s string) bool {
	if strings.HasPrefix(s, ":") {
		n := 1
		for n < len(s) && n < 6 && s[n] >= '0' && s[n] <= '9' {
			n++
		}
		if n == 1 {
			return false
		}
		s = s[n:]
	}
	return s == "" || strings.IndexByte("/?#", s[0]) >= 0
}

// isURLWord are the characters of the labels of a host.
func isURLWord(r rune) bool {
	return r == '_' || r == '%' || r == '-' || unicode.IsLetter(r) || unicode.In(r, unicode.N)
}

// labels reports whether all labels of a host but its last hold from least to most
// characters of isURLWord, and returns the last one and how many there are.
func labels(env *vm.Env, host string, least, most int) (last string, n int, ok bool) {
	size, start := 0, 0
	for p := env.Parts(host); p.Next(); {
		for i, r := range p.Text {
			switch {
			case r == '.':
				if size < least || size > most {
					return "", 0, false
				}
				size, start = 0, p.At+i+1
				n++
			case !isURLWord(r):
				return "", 0, false
			default:
				size++
			}
		}
	}
	return host[start:], n + 1, true
}

// isSchemeHost reports whether host is one behind a scheme or "www.".
func isSchemeHost(env *vm.Env, host string) bool {
	last, _, ok := labels(env, host, 1, math.MaxInt)
	if !ok || len(last) > 4*63 {
		return false
	}
	if n := foldedPrefix(last, "xn--"); n > 0 {
		count := 0
		for _, r := range last[n:] {
			if r == '-' || !isURLWord(r) {
				return false
			}
			count++
		}
		return count >= 2 && count <= 59
	}
	count := 0
	for _, r := range last {
		// The long s and the sign of Kelvin are letters of ASCII in another case.
		if lower := r | 0x20; (lower < 'a' || lower > 'z' || r >= utf8.RuneSelf) && r != '\u017f' && r != '\u212a' {
			return false
		}
		count++
	}
	return count >= 2 && count <= 63
}

// bareDomains are the top-level domains under which a domain needs no scheme.
var bareDomains = []string{"com", "net", "int", "edu", "gov", "org", "info", "mil"}

func isBareDomain(env *vm.Env, host string) bool {
	last, n, ok := labels(env, host, 2, 63)
	return ok && n > 1 && slices.ContainsFunc(bareDomains, func(d string) bool { return strings.EqualFold(d, last) })
}

// longestAddress is more than the longest numeric address that addressPattern
// matches, in bytes.
const longestAddress = 64

// addressPattern tells a numeric address of a host.
var addressPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(?:\d{1,3}(?:\.\d{1,3}){3}|\[(?:[\da-f]{0,4}:){2}(?:[\da-f]{0,4}:?){1,6}\])$`)
})

// isMail tells a mail address: something, an at sign, and a domain with a dot in it.
func isMail(env *vm.Env, s string) bool {
	var pace vm.Pace
	at := pace.LastIndex(env, s, "@")
	if at < 1 {
		return false
	}
	domain := s[at+1:]
	dot := pace.LastIndex(env, domain, ".")
	if dot < 1 || dot == len(domain)-1 {
		return false
	}
	if c, _ := utf8.DecodeRuneInString(domain); !isMailWord(c) {
		return false
	}
	return indexRune(env, domain[:dot], func(r rune) bool { return !isMailWord(r) && r != '.' && r != '-' }) < 0 &&
		indexRune(env, domain[dot+1:], func(r rune) bool { return !isMailWord(r) }) < 0
}

func isMailWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.In(r, unicode.N) }
