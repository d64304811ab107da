// Package guard knows the control tokens of models and the characters that
// cannot be seen: it finds tokens in texts, whatever their disguise, and
// neutralises them.
//
// What enters: a text, and a Work function that is told how many bytes are
// looked at and may end the search. What leaves: a text, offsets, or a yes or
// no. The package imports nothing of this module, and Unicode's tables of
// compatible characters.
package guard

import (
	"errors"
	"slices"
	"strings"
	"sync"
)

// Control tokens end turns, begin roles and call tools. Text that comes from
// data must not spell one: the tokenizer of a model would take it for the real
// thing.
//
// Tokens are found whatever their case, in ASCII or full-width characters,
// in others that Unicode counts as compatible with these, and with invisible characters strewn in, which a later step might strip. One is
// neutralised by a space after its first character: "< |im_start|>" is no
// token to any tokenizer, reads the same, and survives JSON. Text at the very
// beginning or end of a value that is a part of a token is treated alike, as
// the template may hold the other part.

// tokens is a set of control tokens as it is written down.
type tokenSet struct {
	// piped: the family writes tokens as <|name|>, with any name.
	piped  bool
	tokens []string
}

// families are the control tokens by model family, from the tokenizer
// configurations that the models are published with.
var families = map[string]tokenSet{
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

// Names lists the names of the families, "all" first.
func Names() []string {
	names := make([]string, 0, len(families)+1)
	for name := range families {
		names = append(names, name)
	}
	slices.Sort(names)
	return slices.Insert(names, 0, "all")
}

// ErrFamily is the error for a name that no family has.
var ErrFamily = errors.New("there is no such family of control tokens")

// Neutralise puts a space into each control token of a family that text spells,
// "all" or "" meaning those of every family. The result holds no token of the
// family; neutralising it again changes nothing. The error is ErrFamily.
func Neutralise(text, family string) (string, error) {
	return apply(text, family, (*Family).Neutralise)
}

// Escape is Neutralise such that Unescape restores every text.
func Escape(text, family string) (string, error) { return apply(text, family, (*Family).Escape) }

// Unescape restores what Escape made.
func Unescape(text, family string) (string, error) { return apply(text, family, (*Family).Unescape) }

// HasToken reports whether text spells a control token of the family.
func HasToken(text, family string) (bool, error) {
	f := Find(family)
	if f == nil {
		return false, ErrFamily
	}
	return f.HasToken(text), nil
}

func apply(text, family string, change func(*Family, string, Work) string) (string, error) {
	f := Find(family)
	if f == nil {
		return "", ErrFamily
	}
	return change(f, text, nil), nil
}

// Neutralise is the function Neutralise with a price: work is told of the
// bytes looked at.
func (g *Family) Neutralise(text string, work Work) string {
	return g.rewrite(&pacer{work: work}, text, func(marks int) int { return max(marks, 1) })
}

// Escape is the function Escape with a price.
func (g *Family) Escape(text string, work Work) string {
	return g.rewrite(&pacer{work: work}, text, func(marks int) int { return marks + 1 })
}

// Unescape is the function Unescape with a price.
func (g *Family) Unescape(text string, work Work) string { return g.restore(&pacer{work: work}, text) }

// HasToken reports whether text spells a control token of the family.
func (g *Family) HasToken(text string) bool {
	found := false
	g.rewrite(&pacer{}, text, func(marks int) int {
		found = found || marks == 0
		return marks
	})
	return found
}

// Family is a set of control tokens as it is looked for.
type Family struct {
	piped  bool
	tokens [][]rune // in their folded form
	// behind are the tokens by their first two characters: at each opener in a text
	// only those are tried that go on as it does.
	behind map[[2]rune][][]rune
}

// guards are the families as they are looked for, "all" among them.
var guards = sync.OnceValue(func() map[string]*Family {
	all := &Family{}
	out := map[string]*Family{"": all, "all": all}
	for name, f := range families {
		all.add(f)
		g := &Family{}
		g.add(f)
		out[name] = g.sorted()
	}
	all.sorted()
	return out
})

// Find returns a family by its name, "all" or "" for that of every token, nil
// where there is none. Case does not count, and a space is a hyphen.
func Find(name string) *Family {
	const longest = 32 // of all names
	if len(name) > longest {
		return nil
	}
	return guards()[strings.ReplaceAll(strings.ToLower(name), " ", "-")]
}

func (g *Family) add(f tokenSet) {
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
func (g *Family) sorted() *Family {
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
