package parser

import (
	"sort"
	"strings"

	"github.com/pcc-lang/pcc/lexer"
)

// This file reads raw blocks, {raw} … {/raw}: the tags print nothing, and what
// stands between them is text, whatever it holds.

// rawTag is a closing tag of a raw block.
type rawTag struct{ start, end int }

// rawClosers are the closing tags of raw blocks in a text by their width, in
// order. They are looked for once, so that openers without a closer cost nothing.
type rawClosers struct {
	read       bool
	soft, hard []rawTag
}

// rawBlock reads a raw block whose word ended at offset end; without its closing
// tag the opener is a placeholder.
func (p *parser) rawBlock(piece *lexer.Piece, end int) bool {
	if !piece.Hard && p.syn.Angle {
		return false
	}
	src, closer := p.src[:p.scan.End], p.closer(piece.Hard)
	if piece.Hard {
		end += blanksAt(src[end:])
	}
	if !strings.HasPrefix(src[end:], closer) {
		return false
	}
	inside := end + len(closer)
	if !p.raw.read {
		p.raw = findRawClosers(src, p.scan.Pos, p.syn)
	}
	tags := p.raw.soft
	if piece.Hard {
		tags = p.raw.hard
	}
	i := sort.Search(len(tags), func(i int) bool { return tags[i].start >= inside })
	if i == len(tags) {
		return false
	}
	p.before(piece)
	p.line.tag()
	p.text(inside, tags[i].start)
	p.line.tag()
	p.needsMerge = true // texts may come to stand side by side
	p.accept(tags[i].end)
	return true
}

// findRawClosers finds the closing tags of raw blocks behind offset from.
func findRawClosers(src string, from int, syn *lexer.Syntax) rawClosers {
	const word = "/raw"
	r := rawClosers{read: true}
	for i := from; ; {
		n := strings.Index(src[i:], word)
		if n < 0 {
			return r
		}
		slash := i + n
		i = slash + len(word)
		end := i + blanksAt(src[i:])
		if !strings.HasPrefix(src[end:], syn.Close) {
			continue
		}
		end += len(syn.Close)
		open := slash
		for open > 0 && (src[open-1] == ' ' || src[open-1] == '\t') {
			open--
		}
		if syn.Hard && strings.HasSuffix(src[:open], syn.Open+syn.Open) && strings.HasPrefix(src[end:], syn.Close) {
			r.hard = append(r.hard, rawTag{open - 2*len(syn.Open), end + len(syn.Close)})
			continue
		}
		if syn.Soft && !syn.Angle && open == slash && strings.HasSuffix(src[:open], syn.Open) {
			r.soft = append(r.soft, rawTag{open - len(syn.Open), end})
		}
	}
}
