package vm

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
	"unsafe"
)

// Control tokens end turns, begin roles and call tools. Text that comes from
// data must not spell one: the tokenizer of a model would take it for the real
// thing.
//
// Tokens are found whatever their case, in ASCII or full-width characters, and
// with invisible characters strewn in, which a later step might strip. One is
// neutralised by a space after its first character: "< |im_start|>" is no
// token to any tokenizer, reads the same, and survives JSON. Text at the very
// beginning or end of a value that is a part of a token is treated alike, as
// the template may hold the other part.

// family is a set of control tokens.
type family struct {
	// piped: the family writes tokens as <|name|>, with any name.
	piped  bool
	tokens []string
}

// families are the control tokens by model family, from the tokenizer
// configurations that the models are published with.
var families = map[string]family{
	"chatml":    {piped: true},
	"qwen":      {piped: true, tokens: []string{"<think>", "</think>", "<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>"}},
	"llama2":    {tokens: []string{"[INST]", "[/INST]", "<<SYS>>", "<</SYS>>", "<s>", "</s>", "<unk>"}},
	"llama3":    {piped: true},
	"gemma":     {tokens: []string{"<start_of_turn>", "<end_of_turn>", "<bos>", "<eos>", "<pad>", "<unk>", "<mask>", "<start_of_image>", "<end_of_image>", "<image_soft_token>", "<start_of_audio>", "<end_of_audio>", "<audio_soft_token>"}},
	"mistral":   {tokens: mistralTokens},
	"deepseek":  {piped: true, tokens: []string{"<think>", "</think>"}},
	"phi":       {piped: true},
	"command-r": {piped: true, tokens: []string{"<BOS_TOKEN>", "<EOS_TOKEN>", "<EOP_TOKEN>", "<PAD_TOKEN>", "<UNK_TOKEN>", "<MASK_TOKEN>", "<CLS>", "<SEP>"}},
	"dialogue":  {tokens: []string{"\n\nHuman:", "\n\nAssistant:"}},
}

var mistralTokens = []string{"<s>", "</s>", "<unk>", "<pad>", "[INST]", "[/INST]", "[TOOL_CALLS]",
	"[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]", "[TOOL_RESULTS]", "[/TOOL_RESULTS]", "[TOOL_CONTENT]",
	"[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]", "[CALL_ID]", "[ARGS]", "[THINK]", "[/THINK]", "[IMG]", "[IMG_BREAK]",
	"[IMG_END]", "[AUDIO]", "[BEGIN_AUDIO]", "[PREFIX]", "[MIDDLE]", "[SUFFIX]"}

// GuardFamilies lists the names that Guard and the guard filter take, "all"
// first.
func GuardFamilies() []string {
	names := make([]string, 0, len(families)+1)
	for name := range families {
		names = append(names, name)
	}
	slices.Sort(names)
	return slices.Insert(names, 0, "all")
}

// Guard neutralises the control tokens of a model family in text, "all" or ""
// meaning those of every family. The result holds no token of the family;
// guarding it again changes nothing. It fails for an unknown family.
func Guard(text, familyName string) (string, error) { return (*Env)(nil).Guard(text, familyName) }

// Guard is Guard under the render's context, see Stopped.
func (e *Env) Guard(text, familyName string) (string, error) {
	g, err := findGuard(familyName)
	if err != nil {
		return "", err
	}
	return g.rewrite(e, text, func(marks int) int { return max(marks, 1) }), nil
}

// EscapeControl is Guard such that UnescapeControl restores every text.
func EscapeControl(text, familyName string) (string, error) {
	return (*Env)(nil).EscapeControl(text, familyName)
}

// EscapeControl is EscapeControl under the render's context, see Stopped.
func (e *Env) EscapeControl(text, familyName string) (string, error) {
	g, err := findGuard(familyName)
	if err != nil {
		return "", err
	}
	return g.rewrite(e, text, func(marks int) int { return marks + 1 }), nil
}

// UnescapeControl restores what EscapeControl made.
func UnescapeControl(text, familyName string) (string, error) {
	return (*Env)(nil).UnescapeControl(text, familyName)
}

// UnescapeControl is UnescapeControl under the render's context, see Stopped.
func (e *Env) UnescapeControl(text, familyName string) (string, error) {
	g, err := findGuard(familyName)
	if err != nil {
		return "", err
	}
	return g.restore(e, text), nil
}

// HasControlToken reports whether text spells a control token of the family.
func HasControlToken(text, familyName string) (bool, error) {
	g, err := findGuard(familyName)
	if err != nil {
		return false, err
	}
	found := false
	g.rewrite(nil, text, func(marks int) int {
		found = found || marks == 0
		return marks
	})
	return found, nil
}

type guard struct {
	piped  bool
	tokens [][]rune // in their folded form
	// behind are the tokens by their first two characters: at each opener in a text
	// only those are tried that go on as it does.
	behind map[[2]rune][][]rune
}

// guards are the families as they are looked for, "all" among them.
var guards = sync.OnceValue(func() map[string]*guard {
	all := &guard{}
	out := map[string]*guard{"": all, "all": all}
	for name, f := range families {
		all.add(f)
		g := &guard{}
		g.add(f)
		out[name] = g.sorted()
	}
	all.sorted()
	return out
})

func findGuard(name string) (*guard, error) {
	const longest = 32 // of all names
	if len(name) > longest {
		name = "unknown"
	}
	if g := guards()[strings.ReplaceAll(strings.ToLower(name), " ", "-")]; g != nil {
		return g, nil
	}
	return nil, &Error{
		Kind: "value", Msg: "there is no such family of control tokens",
		Help: "choose one of " + strings.Join(GuardFamilies(), ", "),
	}
}

func (g *guard) add(f family) {
	g.piped = g.piped || f.piped
	for _, t := range f.tokens {
		var folded []rune
		for _, r := range t {
			folded = append(folded, foldControl(r))
		}
		g.tokens = append(g.tokens, folded)
	}
}

// sorted puts longer tokens first, for the same result each time.
func (g *guard) sorted() *guard {
	slices.SortFunc(g.tokens, func(a, b []rune) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return slices.Compare(a, b)
	})
	g.tokens = slices.CompactFunc(g.tokens, slices.Equal)
	g.behind = make(map[[2]rune][][]rune, len(g.tokens))
	for _, t := range g.tokens {
		start := [2]rune{t[0], t[1]}
		g.behind[start] = append(g.behind[start], t)
	}
	return g
}

// mark is what neutralises a token.
const mark = ' '

// rewrite replaces the marks of each token found: count is asked how many to
// write where there are some already. A token is found however many marks it
// has, so that restore can undo what count does.
// It may break off, see Stopped.
func (g *guard) rewrite(e *Env, s string, count func(marks int) int) string {
	var b strings.Builder
	from := 0 // of what is not yet written
	put := func(at, marks int) {
		if b.Len() == 0 && from == 0 {
			b.Grow(len(s) + 16)
		}
		b.WriteString(s[from:at])
		for range count(marks) {
			b.WriteByte(mark)
		}
		from = at + marks
	}
	if at, marks, ok := g.startPart(e, s); ok {
		put(at, marks)
	}
	var pace Pace
	for i := from; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if pace.Stopped(e, size) {
			return ""
		}
		if opener := foldControl(r); opener != '<' && opener != '[' && opener != '\n' {
			i += size
			continue
		}
		marks, _, ok := g.token(e, &pace, s[i:])
		i += size
		if ok {
			put(i, marks)
			i += marks
		}
	}
	if from == 0 {
		return s
	}
	b.WriteString(s[from:])
	return b.String()
}

// restore takes one mark from each token, from the last to the first: whether
// one begins at a place depends on what follows, and that is then as it was.
func (g *guard) restore(e *Env, s string) string {
	buf := make([]byte, len(s))
	w := len(s) // buf[w:] is restored
	var pace Pace
	for i := len(s); i > 0; {
		r, size := utf8.DecodeLastRuneInString(s[:i])
		if pace.Stopped(e, size) {
			return ""
		}
		i -= size
		w -= size
		copy(buf[w:], s[i:i+size])
		if opener := foldControl(r); opener != '<' && opener != '[' && opener != '\n' {
			continue
		}
		if marks, _, ok := g.token(e, &pace, unsafe.String(&buf[w], len(s)-w)); ok && marks > 0 {
			copy(buf[w+1:], s[i:i+size])
			w++
		}
	}
	out := string(buf[w:])
	if at, marks, ok := g.startPart(e, out); ok && marks > 0 {
		out = out[:at] + out[at+1:]
	}
	return out
}

// foldControl maps the variants of a character to one.
func foldControl(r rune) rune {
	switch {
	case r < 0x80:
		return unicode.ToLower(r)
	case r == '▁':
		return '_'
	case r >= 0xff01 && r <= 0xff5e: // full-width forms of ASCII
		return unicode.ToLower(r - 0xfee0)
	case r == '¦' || r == '∣' || r == '￨' || r == 'ǀ' || r == '│':
		return '|'
	case r == '‹' || r == '〈' || r == '⟨' || r == '﹤':
		return '<'
	case r == '›' || r == '〉' || r == '⟩' || r == '﹥':
		return '>'
	}
	return unicode.ToLower(r)
}

// tokenReader reads the characters of a token, folded, without the invisible
// ones.
type tokenReader struct {
	s    string
	e    *Env
	pace *Pace
}

func (t *tokenReader) next() (rune, bool) {
	for t.s != "" {
		r, size := utf8.DecodeRuneInString(t.s)
		t.s = t.s[size:]
		if t.pace.Stopped(t.e, size) {
			return 0, false
		}
		if !isInvisible(r) {
			return foldControl(r), true
		}
	}
	return 0, false
}

// token reports whether a token begins at the start of s, how many marks stand
// right after its first character, and its length in bytes. A beginning of one
// that the end of s cuts off counts too.
func (g *guard) token(e *Env, pace *Pace, s string) (marks, length int, ok bool) {
	first, size := utf8.DecodeRuneInString(s)
	rest := s[size:]
	for marks < len(rest) && rest[marks] == mark {
		if pace.Stopped(e, 1) {
			return 0, 0, false
		}
		marks++
	}
	opener, rest := foldControl(first), rest[marks:]
	if opener == '<' && g.piped {
		if n, ok := piped(e, pace, rest); ok {
			return marks, size + marks + n, true
		}
	}
	t := tokenReader{s: rest, e: e, pace: pace}
	second, more := t.next()
	if !more {
		return 0, 0, false // an opener alone tells nothing
	}
	for _, token := range g.behind[[2]rune{opener, second}] {
		if n, ok := matches(e, pace, t.s, token[1:]); ok {
			return marks, size + marks + (len(rest) - len(t.s)) + n, true
		}
	}
	return 0, 0, false
}

// piped reports whether s goes on as "|name|>", to the end of s at least after
// the bar, and for how many bytes.
func piped(e *Env, pace *Pace, s string) (length int, is bool) {
	t := tokenReader{s: s, e: e, pace: pace}
	if r, ok := t.next(); !ok || r != '|' {
		return 0, false
	}
	n := 0
	for {
		r, ok := t.next()
		switch {
		case !ok:
			return len(s), true
		case r == '|':
			r, ok := t.next()
			return len(s) - len(t.s), n > 0 && (!ok || r == '>')
		case !isTokenName(r):
			return 0, false
		}
		n++
	}
}

func isTokenName(r rune) bool {
	return r == '_' || r == '-' || r == '.' || r == '/' || unicode.IsLetter(r) || unicode.IsDigit(r)
}

// matches reports whether s goes on with token behind its first character, which
// was read, or ends within it after a letter of it, and for how many bytes.
func matches(e *Env, pace *Pace, s string, token []rune) (length int, is bool) {
	t := tokenReader{s: s, e: e, pace: pace}
	telling := token[0] >= 'a' && token[0] <= 'z'
	for _, want := range token[1:] {
		r, ok := t.next()
		if !ok {
			return len(s), telling
		}
		if r != want {
			return 0, false
		}
		telling = telling || r >= 'a' && r <= 'z'
	}
	return len(s) - len(t.s), true
}

// startPart reports whether s begins with the end of a token, such as
// "start|>", where the marks before its last character are, and how many.
func (g *guard) startPart(e *Env, s string) (at, marks int, ok bool) {
	end := -1
	for p := e.Parts(s); end < 0 && p.Next(); {
		end = strings.IndexFunc(p.Text, func(r rune) bool {
			c := foldControl(r)
			return c == '>' || c == ']' || c == '<' || c == '[' || c == '\n'
		})
		if end >= 0 {
			end += p.At
		}
	}
	if end < 0 {
		return 0, 0, false
	}
	at = end
	for at > 0 && s[at-1] == mark {
		at--
	}
	closer, _ := utf8.DecodeRuneInString(s[end:])
	t := tokenReader{s: s[:at], e: e, pace: new(Pace)}
	var head []rune
	for len(head) < 64 {
		r, more := t.next()
		if !more {
			break
		}
		head = append(head, r)
	}
	if t.s != "" || len(head) == 0 {
		return 0, 0, false
	}
	head = append(head, foldControl(closer))
	if g.isTokenEnd(head) {
		return at, end - at, true
	}
	return 0, 0, false
}

func (g *guard) isTokenEnd(part []rune) bool {
	last := len(part) - 1
	if g.piped && part[last] == '>' && last >= 2 && part[last-1] == '|' {
		name := part[:last-1]
		if name[0] == '|' {
			name = name[1:]
		}
		if len(name) > 0 && !slices.ContainsFunc(name, func(r rune) bool { return !isTokenName(r) }) {
			return true
		}
	}
	for _, t := range g.tokens {
		if len(part) < len(t) && len(part) > 1 && slices.Equal(part, t[len(t)-len(part):]) &&
			slices.ContainsFunc(part, unicode.IsLetter) {
			return true
		}
	}
	return false
}

// isInvisible tells characters that print as nothing and that cleaning steps
// remove: zero-width and joining characters, direction marks, fillers, tags,
// variation selectors.
func isInvisible(r rune) bool {
	switch {
	case r < 0xad:
		return false
	case r == 0xad, r == 0x34f, r == 0x61c, r == 0x115f, r == 0x1160, r == 0x17b4, r == 0x17b5,
		r == 0x3164, r == 0xfeff, r == 0xffa0:
		return true
	case r >= 0x180b && r <= 0x180f, r >= 0x200b && r <= 0x200f, r >= 0x202a && r <= 0x202e,
		r >= 0x2060 && r <= 0x206f, r >= 0xfe00 && r <= 0xfe0f, r >= 0x1d173 && r <= 0x1d17a,
		r >= 0xe0000 && r <= 0xe0fff:
		return true
	}
	return false
}

// StripInvisible removes the characters of s that cannot be seen: zero-width,
// direction marks, tags, variation selectors.
func StripInvisible(s string) string {
	return strings.Map(func(r rune) rune {
		if isInvisible(r) {
			return -1
		}
		return r
	}, s)
}

// MayHoldToken reports quickly whether text may hold the beginning of a token.
func MayHoldToken(text string) bool {
	return holdsOneOf(text, '<', "|", "start_of_", "end_of_") || holdsOneOf(text, '[', "I", "/", "TOOL_", "AVAIL")
}

// holdsOneOf reports whether one of the words stands behind an opener in text.
func holdsOneOf(text string, opener byte, words ...string) bool {
	for {
		i := strings.IndexByte(text, opener)
		if i < 0 {
			return false
		}
		text = text[i+1:]
		for _, w := range words {
			if strings.HasPrefix(text, w) {
				return true
			}
		}
	}
}

// EndsInToken reports whether text ends within a control token of any family,
// after a letter of it at least: "<|im_" does, "<|im_start|>" and "<|" do not.
func EndsInToken(text string) bool {
	// No token that begins with `<` or `[`, as those here do, holds a line break.
	text = text[strings.LastIndexByte(text, '\n')+1:]
	if text == "" {
		return false
	}
	g := guards()["all"]
	for i, r := range text {
		opener := r
		if r >= 0x80 {
			opener = foldControl(r)
		}
		if opener != '<' && opener != '[' {
			continue
		}
		_, n, ok := g.token(nil, new(Pace), text[i:])
		if !ok || i+n != len(text) || !strings.ContainsFunc(text[i:], unicode.IsLetter) {
			continue
		}
		// A whole token is one whatever follows it.
		if _, _, whole := g.token(nil, new(Pace), text[i:]+"\x00"); !whole {
			return true
		}
	}
	return false
}
