package chat

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/vm"
	"github.com/pcc-lang/pcc/vm/guard"
)

// Segment is a piece of a prompt: bytes that come from one place. The pieces of a
// prompt follow each other without gaps, and none is empty.
type Segment struct {
	// Start and End are byte offsets in the prompt, and Text what stands there.
	Start int    `json:"start"`
	End   int    `json:"end"`
	Text  string `json:"text"`
	// FromData tells that the request wrote the piece. Else the template did, or the
	// tokenizer's special tokens: bos_token and the like. A control token that the
	// template writes around a whole role, <|user|> for instance, is the template's.
	FromData bool `json:"from_data"`
	// Path is where in the request the text, or what it is a part of, stands, such as
	// messages[2].content. It leads through arguments of tool calls that are given
	// as a JSON text, and is that of the content where its parts were joined.
	Path string `json:"path,omitempty"`
	// Derived marks data without a path: what filters and operators make of data
	// (a list as JSON), keys, numbers, and what is only in part a text of the request.
	Derived bool `json:"derived,omitempty"`
	// Control marks data that spells a control token, or the part of one that is data:
	// a special token of this tokenizer, or one that package vm/guard knows of any
	// family of models. Each token is a piece of its own. A tokenizer must encode
	// such a piece as plain text.
	Control bool `json:"control,omitempty"`
}

// WithSegments makes Apply fill in Segments and Media of the result. Such a call
// takes about two to three times as long.
func WithSegments() RenderOption { return vm.WithSegments() }

const segmentSize = int64(unsafe.Sizeof(Segment{}))

// Bytes of a prompt that belong to control tokens.
const (
	tokenStart = 1
	tokenRest  = 2
)

// segments cuts the pieces of a render at control tokens.
func (t *Template) segments(prompt string, pieces []vm.Segment) ([]Segment, error) {
	marks := t.controlTokens(prompt, pieces)
	out := make([]Segment, 0, len(pieces))
	at := 0
	for i := range pieces {
		p := &pieces[i]
		for from, end := at, at+len(p.Text); from < end; {
			to, control := end, false
			if marks != nil && p.FromData {
				control = marks[from] != 0
				to = from + 1
				for to < end && marks[to] != tokenStart && (marks[to] == tokenRest) == control {
					to++
				}
			}
			if int64(len(out)) > t.limits.Memory/segmentSize {
				d := fault("PCC905", "the segments of the prompt need more memory than the limit allows")
				d.Help = "the data spells very many control tokens; leave chat.WithSegments out, or raise the limit of memory"
				return nil, diag.List{d}
			}
			if last := len(out) - 1; last >= 0 && !p.FromData && !out[last].FromData {
				out[last].End, out[last].Text = to, prompt[out[last].Start:to]
			} else {
				out = append(out, Segment{Start: from, End: to, Text: prompt[from:to], FromData: p.FromData, Path: p.Path,
					Derived: p.FromData && p.Path == "", Control: control})
			}
			from = to
		}
		at += len(p.Text)
	}
	return out, nil
}

// controlTokens marks the bytes of tokens that hold data, nil where there are
// none. Roles inside tokens of the template become the template's.
func (t *Template) controlTokens(prompt string, pieces []vm.Segment) []byte {
	var marks []byte
	next, start := 0, 0 // the piece at which the last token began, and its offset
	note := func(from, to int) bool {
		for next > 0 && start > from { // a special token may begin before the last one
			next--
			start -= len(pieces[next].Text)
		}
		for start+len(pieces[next].Text) <= from {
			start += len(pieces[next].Text)
			next++
		}
		if roles, is := rolesIn(pieces[next:], start, from, to); is {
			for i := range pieces[next : next+roles] {
				pieces[next+i].FromData, pieces[next+i].Path = false, ""
			}
			return true
		}
		for i, at := next, start; at < to; i++ {
			if pieces[i].FromData {
				if marks == nil {
					marks = make([]byte, len(prompt))
				}
				if marks[from] == 0 {
					marks[from] = tokenStart
				}
				for j := from + 1; j < to; j++ {
					if marks[j] == 0 {
						marks[j] = tokenRest
					}
				}
				break
			}
			at += len(pieces[i].Text)
		}
		return true
	}
	for from, to := range guard.Find("all").Tokens(prompt) {
		note(from, to)
	}
	t.special.find(prompt, note)
	return marks
}

// rolesIn reports whether the token in [from, to) is the template's but for whole
// roles inside it, and over how many pieces it goes. The first piece begins at
// start.
func rolesIn(pieces []vm.Segment, start, from, to int) (n int, is bool) {
	for ; start < to; n++ {
		p := &pieces[n]
		end := start + len(p.Text)
		if p.FromData && (start <= from || end >= to || !strings.HasSuffix(p.Path, "].role")) {
			return 0, false
		}
		is = is || p.FromData
		start = end
	}
	return n, is
}

// specialTokens are the special tokens of a tokenizer, to be looked for.
type specialTokens struct {
	named *vm.Map  // by the names that templates use
	more  []string // without names

	sorted sync.Once // what follows, which only segments need
	texts  map[string]bool
	sizes  []int // of the texts, each once, the longest first
	first  [256]bool
}

// maxSpecial is the length of the longest special token that is looked for, in
// bytes: the search looks at most that often at each byte of a prompt.
const maxSpecial = 64

func (s *specialTokens) sort() {
	s.texts = map[string]bool{}
	sizes := map[int]bool{}
	add := func(text string) {
		if len(text) <= maxSpecial && strings.TrimSpace(text) != "" {
			s.texts[text], s.first[text[0]], sizes[len(text)] = true, true, true
		}
	}
	for i := range s.named.Len() {
		_, v := s.named.At(i)
		if text, ok := v.Str(); ok {
			add(text)
		}
		if l, ok := v.List(); ok {
			for _, item := range l.Items {
				if text, ok := item.Str(); ok {
					add(text)
				}
			}
		}
	}
	for _, text := range s.more {
		add(text)
	}
	s.sizes = slices.SortedFunc(maps.Keys(sizes), func(a, b int) int { return b - a })
}

// find calls note with the offsets of the tokens in text, the longest at each
// place.
func (s *specialTokens) find(text string, note func(from, to int) bool) {
	s.sorted.Do(s.sort)
	if len(s.sizes) == 0 {
		return
	}
	for i := range len(text) {
		if !s.first[text[i]] {
			continue
		}
		for _, n := range s.sizes {
			if i+n <= len(text) && s.texts[text[i:i+n]] {
				note(i, i+n)
				break
			}
		}
	}
}
