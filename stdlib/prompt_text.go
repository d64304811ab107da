package stdlib

import (
	"strings"
	"unicode"

	"github.com/pcc-lang/pcc/vm"
	"github.com/pcc-lang/pcc/vm/guard"
)

// promptFilters are the filters for writing prompts.
var promptFilters = []spec{
	{"bullets", "value, marker='-'", "Writes one bullet for each item, entry or line of text; what is nested stands below.", bulletsFilter, 0},
	{"dedent", "value", "Removes the white space that all lines begin with.", dedentFilter, 0},
	{"escape_control", "value, family='all'", "Neutralises control tokens of chat models so that unescape_control can restore them.", escapeControlFilter, 0},
	{"fence", "value, language=''", "Puts text into a code fence that is long enough for its content; lists and maps are written as JSON.", fenceFilter, 0},
	{"guard", "value, family='all'", "Neutralises control tokens of chat models, such as <|im_start|> or [INST], in data.", guardFilter, 0},
	{"markdown", "value", "Writes lists and maps as nested Markdown bullets.", markdownFilter, 0},
	{"numbered", "value, start=1", "Numbers the items, entries or lines of text.", numberedFilter, 0},
	{"oneline", "value", "Joins all lines into one, with single spaces between words.", onelineFilter, 0},
	{"quote", "value", "Quotes text for Markdown: every line begins with >.", quoteFilter, 0},
	{"strip_invisible", "value", "Removes characters that cannot be seen: zero-width, direction marks, tags, variation selectors.", mapText(inPieces(guard.StripInvisible)), 0},
	{"tokens", "value", "Estimates the number of tokens that text takes in a model; no tokenizer is asked.", tokensFilter, 0},
	{"truncate_words", "value, count=100, end='...'", "Cuts text after a number of words and adds the end.", truncateWordsFilter, 0},
	{"unescape_control", "value, family='all'", "Restores what escape_control changed.", unescapeControlFilter, 0},
	{"xml", "value", "Escapes & < > so that text can stand inside XML.", xmlFilter, 0},
	{"yaml", "value", "Writes a value as YAML in block style.", yamlFilter, 0},
}

func xmlFilter(env *vm.Env, args []vm.Value) (vm.Value, error) {
	s, err := textOf(env, args[0])
	if err != nil {
		return vm.Null, err
	}
	if err := env.Step(len(s) / 64); err != nil {
		return vm.Null, err
	}
	grown := len(s) + 4*countText(env, s, "&") + 3*(countText(env, s, "<")+countText(env, s, ">"))
	if err := env.Charge(grown); err != nil {
		return vm.Null, err
	}
	return vm.String(inPieces(strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace)(env, s)), nil
}

// layoutText is text as it is, and lists and maps as JSON over several lines.
func layoutText(env *vm.Env, v vm.Value) (s string, structured bool, err error) {
	v = env.OwnText(v)
	if isMapping(v) || v.IsSequence() {
		s, err := jsonText(env, v, vm.JSONOptions{Indent: "  ", Python: env.Dialect.PythonPrint()})
		return s, true, err
	}
	s, err = textOf(env, v)
	return s, false, err
}

func fenceFilter(env *vm.Env, args []vm.Value) (vm.Value, error) {
	s, structured, err := layoutText(env, args[0])
	if err != nil {
		return vm.Null, err
	}
	language, err := stringArg(env, args[1], "language")
	if err != nil {
		return vm.Null, err
	}
	if err := env.Spend(len(language)); err != nil {
		return vm.Null, err
	}
	if strings.ContainsAny(language, "`\n\r") {
		return vm.Null, &vm.Error{Kind: "value", Msg: "the language of a fence holds a backtick or a line break", Help: "name a language, as in fence('python')"}
	}
	if language == "" && structured {
		language = "json"
	}
	if err := env.Step(len(s) / 64); err != nil {
		return vm.Null, err
	}
	ticks := max(3, longestRun(env, s, '`')+1)
	if err := env.Charge(2*len(s) + 3*ticks + len(language) + 2); err != nil {
		return vm.Null, err
	}
	marker := strings.Repeat("`", ticks)
	if s != "" && !strings.HasSuffix(s, "\n") {
		s += "\n"
	}
	return vm.String(marker + language + "\n" + s + marker), nil
}

func longestRun(env *vm.Env, s string, c byte) int {
	longest, run := 0, 0
	for p := env.Parts(s); p.Next(); {
		for i := range len(p.Text) {
			if p.Text[i] != c {
				run = 0
				continue
			}
			run++
			longest = max(longest, run)
		}
	}
	return longest
}

func quoteFilter(env *vm.Env, args []vm.Value) (vm.Value, error) {
	s, err := textOf(env, args[0])
	if err != nil {
		return vm.Null, err
	}
	if err := env.Charge(len(s)); err != nil {
		return vm.Null, err
	}
	if err := chargeProduct(env, countText(env, s, "\n")+1, 2); err != nil {
		return vm.Null, err
	}
	var b strings.Builder
	var pace vm.Pace
	for rest := s; rest != "" && !pace.Stopped(env, 8); {
		n := pace.Index(env, rest, "\n") + 1
		if n == 0 {
			n = len(rest)
		}
		line := rest[:n]
		rest = rest[n:]
		blank := true
		for p := env.Parts(line); blank && p.Next(); {
			blank = strings.Trim(p.Text, "\r\n") == ""
		}
		b.WriteByte('>')
		if !blank {
			b.WriteByte(' ')
		}
		for p := env.Parts(line); p.Next(); {
			b.WriteString(p.Text)
		}
	}
	if s == "" {
		b.WriteByte('>')
	}
	return vm.String(b.String()), nil
}

// dedentFilter follows textwrap.dedent: lines of white space only do not count
// and become empty.
func dedentFilter(env *vm.Env, args []vm.Value) (vm.Value, error) {
	s, safe, err := text(env, args[0])
	if err != nil {
		return vm.Null, err
	}
	if err := env.Charge(len(s)); err != nil {
		return vm.Null, err
	}
	margin, found := "", false
	var pace vm.Pace
	for line := range strings.Lines(s) {
		if pace.Stopped(env, len(line)+8) {
			break
		}
		body := strings.TrimRight(line, "\r\n")
		rest := strings.TrimLeft(body, " \t")
		if rest == "" {
			continue
		}
		lead := body[:len(body)-len(rest)]
		if !found {
			margin, found = lead, true
			continue
		}
		n := 0
		for n < len(margin) && n < len(lead) && margin[n] == lead[n] {
			n++
		}
		margin = margin[:n]
	}
	var b strings.Builder
	for line := range strings.Lines(s) {
		if pace.Stopped(env, len(line)+8) {
			break
		}
		body := strings.TrimRight(line, "\r\n")
		end := line[len(body):]
		if strings.Trim(body, " \t") != "" {
			b.WriteString(body[len(margin):])
		}
		b.WriteString(end)
	}
	return markedText(b.String(), safe), nil
}

func onelineFilter(env *vm.Env, args []vm.Value) (vm.Value, error) {
	s, safe, err := text(env, args[0])
	if err != nil {
		return vm.Null, err
	}
	if err := env.Charge(2 * len(s)); err != nil {
		return vm.Null, err
	}
	return markedText(joinWords(env, s), safe), nil
}

func truncateWordsFilter(env *vm.Env, args []vm.Value) (vm.Value, error) {
	s, safe, err := text(env, args[0])
	if err != nil {
		return vm.Null, err
	}
	count, err := sizeArg(env, args[1], "count")
	if err != nil {
		return vm.Null, err
	}
	end, err := textOf(env, args[2])
	if err != nil {
		return vm.Null, err
	}
	if err := env.Charge(len(s) + len(end)); err != nil {
		return vm.Null, err
	}
	words, lastEnd, inside := 0, 0, false
	for p := env.Parts(s); p.Next(); {
		for i, r := range p.Text {
			if isSpace(r) {
				if inside {
					lastEnd = p.At + i
				}
				inside = false
				continue
			}
			if !inside {
				if words == count {
					return markedText(s[:lastEnd]+end, safe), nil
				}
				words++
				inside = true
			}
		}
	}
	return markedText(s, safe), nil
}

func tokensFilter(env *vm.Env, args []vm.Value) (vm.Value, error) {
	s, _, err := text(env, args[0])
	if err != nil {
		return vm.Null, err
	}
	return vm.Int(int64(estimateTokens(env, s))), env.Step(1 + len(s)/16)
}

// EstimateTokens estimates how many tokens a byte-pair vocabulary of 100,000
// to 200,000 entries makes of s: a word of the Latin alphabet is one token for
// each six letters begun, digits one for three, a run of the same punctuation
// mark one for four, two line breaks one, blanks none (they join the word after
// them), a Chinese, Japanese or Korean character one, other letters one for
// two, an emoji two. On English text and code it is right to about a fifth;
// where a limit matters, ask the model's own tokenizer.
func EstimateTokens(s string) int { return estimateTokens(nil, s) }

func estimateTokens(env *vm.Env, s string) int {
	total := 0
	var class tokenClass
	var last rune
	n := 0
	flush := func() {
		if per := tokenSizes[class]; per > 0 {
			total += (n + per - 1) / per
		}
		n = 0
	}
	for p := env.Parts(s); p.Next(); {
		for _, r := range p.Text {
			c := classOf(r)
			if c != class || c == tokenPunct && r != last {
				flush()
				class = c
			}
			last = r
			n++
			if c == tokenEmoji {
				n++
			}
		}
	}
	flush()
	return total
}

type tokenClass uint8

const (
	tokenNone tokenClass = iota
	tokenLatin
	tokenDigit
	tokenPunct
	tokenBreak
	tokenSpace
	tokenIdeograph
	tokenLetter
	tokenEmoji
)

// tokenSizes is the number of characters of each class that make a token;
// blanks belong to the word after them.
var tokenSizes = [...]int{tokenLatin: 6, tokenDigit: 3, tokenPunct: 4, tokenBreak: 2,
	tokenSpace: 0, tokenIdeograph: 1, tokenLetter: 2, tokenEmoji: 1}

func classOf(r rune) tokenClass {
	switch {
	case r == ' ' || r == '\t':
		return tokenSpace
	case r == '\n' || r == '\r':
		return tokenBreak
	case r < 0x80 && (r|0x20 >= 'a' && r|0x20 <= 'z'), r >= 0xc0 && r < 0x250 && unicode.IsLetter(r):
		return tokenLatin
	case unicode.IsDigit(r):
		return tokenDigit
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
		return tokenIdeograph
	case unicode.IsLetter(r) || unicode.IsMark(r):
		return tokenLetter
	case r < 0x80 || unicode.IsPunct(r):
		return tokenPunct
	}
	return tokenEmoji
}
