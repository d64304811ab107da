package parser

import (
	"strings"

	"github.com/pcc-lang/pcc/lexer"
)

// keyword is a word that the tags of the native syntaxes begin with.
type keyword uint8

// Keywords.
const (
	noKeyword keyword = iota
	whenWord
	elseWord
	loopWord
	switchWord
	caseWord
	defaultWord
	messageWord
	messagesWord
	includeWord
)

// keywordRule says what holds for the tags of a keyword.
type keywordRule struct {
	word string
	// block is the kind of block that the tag opens.
	block blockKind
	// anywhere: the tag may stand in any text, not in certain blocks only. A head
	// must follow the word then, or it is a name.
	anywhere bool
	// reads: the head begins with an expression, most often of a variable.
	reads bool
	// named: the head takes name=value, so that an `=` where none may stand is one of
	// those, and no comparison.
	named bool
	// usage is the help line of malformed tags, in the spelling of the brace
	// syntax, which parser.usage translates.
	usage string
}

// keywords are the rules of the keywords. What reads a tag is in parser.reader.
var keywords = [...]keywordRule{
	whenWord:    {word: "when", block: whenBlock, anywhere: true, reads: true, usage: "write {when condition} … {/when}"},
	elseWord:    {word: "else", usage: "write {else} or {else when condition}"},
	loopWord:    {word: "loop", block: loopBlock, anywhere: true, reads: true, usage: "write {loop items as item} or {loop map as key, value}"},
	switchWord:  {word: "switch", block: switchBlock, anywhere: true, reads: true, usage: "write {switch value} {case \"a\"} … {default} … {/switch}"},
	caseWord:    {word: "case", usage: "write {case \"a\"} or {case \"a\", \"b\"}"},
	defaultWord: {word: "default", usage: "write {default}"},
	messageWord: {word: "message", block: messageBlock, anywhere: true, named: true,
		usage: "write {message role} or {message role name=value}, the role being system, user, assistant, tool, developer or an expression"},
	messagesWord: {word: "messages", anywhere: true, reads: true, usage: "write {messages list}"},
	includeWord:  {word: "include", anywhere: true, named: true, usage: "write {include \"file\"} or {include \"file\" with a=value, b=value}"},
}

// keywordOf returns the keyword that is spelled word. A switch over texts is
// several times faster than a map, and each placeholder's name comes here.
func keywordOf(word string) keyword {
	switch word {
	case "when":
		return whenWord
	case "else":
		return elseWord
	case "loop":
		return loopWord
	case "switch":
		return switchWord
	case "case":
		return caseWord
	case "default":
		return defaultWord
	case "message":
		return messageWord
	case "messages":
		return messagesWord
	case "include":
		return includeWord
	}
	return noKeyword
}

// isKeyword reports whether tags may begin with the word.
func isKeyword(word string) bool { return keywordOf(word) != noKeyword }

// blockOf returns the kind of the block with a keyword, noBlock where it is none.
func blockOf(word string) blockKind { return keywords[keywordOf(word)].block }

// anywhereWords are the keywords whose tags may stand in any text.
func anywhereWords() []string {
	words := make([]string, 0, len(keywords))
	for _, k := range keywords {
		if k.anywhere {
			words = append(words, k.word)
		}
	}
	return words
}

// usage returns the help line for a keyword, with the delimiters of a tag.
func (p *parser) usage(word string, hard bool) string {
	n := 1
	if hard {
		n = 2
	}
	return strings.NewReplacer(
		"{", strings.Repeat(p.syn.Open, n), "}", strings.Repeat(p.syn.Close, n),
	).Replace(keywords[keywordOf(word)].usage)
}

// reader returns what reads the tag that begins with the keyword, or nil if the
// word, which ends at end with white space up to gap, is a name here.
func (p *parser) reader(k keyword, end, gap int, hard bool) func(*parser, *lexer.Piece, int) bool {
	inside := noBlock
	if n := len(p.frames); n > 0 {
		inside = p.frames[n-1].kind
	}
	head := gap > end && beginsHead(p.src[:p.scan.End], gap)
	if keywords[k].anywhere && !head {
		return nil
	}
	alone := strings.HasPrefix(p.src[gap:p.scan.End], p.closer(hard))
	if keywords[k].anywhere {
		return headReaders[k]
	}
	switch k {
	case elseWord:
		switch {
		case alone && inside == switchBlock:
			return (*parser).elseOfSwitch
		case inside != whenBlock && inside != loopBlock:
		case alone:
			return (*parser).elseTag
		case gap > end:
			return (*parser).elseWhen
		}
	case caseWord:
		if inside == switchBlock && head {
			return (*parser).caseTag
		}
	case defaultWord:
		if inside == switchBlock && (alone || head) {
			return (*parser).defaultTag
		}
	}
	return nil
}

// headReaders read the tags that may stand anywhere.
var headReaders = [...]func(*parser, *lexer.Piece, int) bool{
	whenWord:     (*parser).openWhen,
	loopWord:     (*parser).openLoop,
	switchWord:   (*parser).openSwitch,
	messageWord:  (*parser).openMessage,
	messagesWord: (*parser).messages,
	includeWord:  (*parser).include,
}
