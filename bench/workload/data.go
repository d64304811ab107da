package workload

import (
	"fmt"
	"math/rand/v2"
)

// Greeting is the data of W1.
type Greeting struct {
	Name     string `json:"name"`
	Product  string `json:"product"`
	Plan     string `json:"plan"`
	Language string `json:"language"`
	Question string `json:"question"`
}

func newGreeting(r *rand.Rand) *Greeting {
	return &Greeting{
		Name:     around(r, 12),
		Product:  around(r, 14),
		Plan:     pick(r, "free", "pro", "enterprise"),
		Language: pick(r, "English", "German", "日本語"),
		Question: around(r, 70),
	}
}

// Agent is the data of W2.
type Agent struct {
	AgentName string `json:"agent_name"`
	Role      string `json:"role"`
	Company   string `json:"company"`
	Date      string `json:"date"`
	Language  string `json:"language"`
	Tone      string `json:"tone"`
	Goal      string `json:"goal"` // has blanks around it, which the template trims
	Context   string `json:"context"`
	MaxSteps  int    `json:"max_steps"`
	Format    string `json:"format"`
	Strict    bool   `json:"strict"`
	Cite      bool   `json:"cite"`
	Tools     []Tool `json:"tools"`
}

// Tool is one of the tools of an Agent.
type Tool struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Arguments   string `json:"arguments"`
}

func newAgent(r *rand.Rand) *Agent {
	a := &Agent{
		AgentName: around(r, 10),
		Role:      around(r, 24),
		Company:   around(r, 16),
		Date:      fmt.Sprintf("2026-%02d-%02d", 1+r.IntN(12), 1+r.IntN(28)),
		Language:  pick(r, "English", "German", "日本語"),
		Tone:      pick(r, "friendly", "formal", "brief and factual"),
		Goal:      pick(r, "", " ", "   ") + around(r, 120) + pick(r, " ", "  ", ""),
		MaxSteps:  1 + r.IntN(30),
		Format:    around(r, 60),
		Strict:    r.IntN(2) == 0,
		Cite:      r.IntN(2) == 0,
	}
	if r.IntN(3) > 0 {
		a.Context = around(r, 240)
	}
	for i := range 8 {
		a.Tools = append(a.Tools, Tool{
			Name:        fmt.Sprintf("%s_%d", pick(r, "search", "read_file", "run", "send_mail"), i),
			Description: around(r, 60),
			Arguments:   pick(r, `{"query": "string"}`, `{"path": "string", "line": "integer"}`, `{}`),
		})
	}
	return a
}

// Chat is the data of W3.
type Chat struct {
	Messages []Message `json:"messages"`
}

// Message is one message of a Chat. Name is set for tools only.
type Message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
	Name    string `json:"name"`
}

func newChat(r *rand.Rand) *Chat {
	c := &Chat{Messages: []Message{{Role: "system", Content: around(r, 300)}}}
	for n := 36 + r.IntN(9); len(c.Messages) < n; {
		m := Message{Role: pick(r, "user", "assistant", "assistant", "tool"), Content: around(r, 180)}
		if m.Role == "tool" {
			m.Name = pick(r, "search", "read_file", "run")
		}
		c.Messages = append(c.Messages, m)
	}
	return c
}

// Examples is the data of W4.
type Examples struct {
	Task     string    `json:"task"`
	Examples []Example `json:"examples"`
}

// Example is one of the examples of a few-shot prompt.
type Example struct {
	Input  string   `json:"input"`
	Output string   `json:"output"`
	Label  string   `json:"label"`
	Notes  []string `json:"notes"`
}

func newExamples(r *rand.Rand) *Examples {
	e := &Examples{Task: around(r, 90)}
	for n := 185 + r.IntN(31); len(e.Examples) < n; {
		x := Example{
			Input:  around(r, 90),
			Output: around(r, 60),
			Label:  pick(r, "positive", "negative", "neutral"),
		}
		for range 3 {
			x.Notes = append(x.Notes, around(r, 28))
		}
		e.Examples = append(e.Examples, x)
	}
	return e
}

// Document is the data of W5.
type Document struct {
	User     string `json:"user"`
	Company  string `json:"company"`
	Title    string `json:"title"`
	Author   string `json:"author"`
	Date     string `json:"date"`
	Source   string `json:"source"`
	Language string `json:"language"`
	Length   string `json:"length"`
	Tone     string `json:"tone"`
	Question string `json:"question"`
	Text     string `json:"text"` // 1 MB
}

func newDocument(r *rand.Rand) *Document {
	return &Document{
		User:     around(r, 12),
		Company:  around(r, 16),
		Title:    around(r, 40),
		Author:   around(r, 20),
		Date:     fmt.Sprintf("2026-%02d-%02d", 1+r.IntN(12), 1+r.IntN(28)),
		Source:   pick(r, "archive", "web", "mail"),
		Language: pick(r, "English", "German", "日本語"),
		Length:   pick(r, "one paragraph", "three sentences"),
		Tone:     pick(r, "neutral", "formal"),
		Question: around(r, 80),
		Text:     prose(r, 900_000+r.IntN(200_000)),
	}
}

// Tree is the data of W6: four lists inside each other, each item of which
// may be hidden.
type Tree struct {
	Parts []Part `json:"parts"`
}

// Part is the outermost level of a Tree.
type Part struct {
	Shown    bool      `json:"shown"`
	Chapters []Chapter `json:"chapters"`
}

// Chapter is the second level of a Tree.
type Chapter struct {
	Shown    bool      `json:"shown"`
	Sections []Section `json:"sections"`
}

// Section is the third level of a Tree.
type Section struct {
	Shown bool   `json:"shown"`
	Lines []Line `json:"lines"`
}

// Line is the innermost level of a Tree.
type Line struct {
	Shown bool   `json:"shown"`
	Text  string `json:"text"`
}

// newTree makes a tree whose shown sections hold exactly turns lines, about a
// fifth of them hidden. Hidden parts and chapters stand between the shown ones.
func newTree(r *rand.Rand, turns int) *Tree {
	// The widths of the outer levels grow with the fourth root of the turns.
	width := 1
	for (width+1)*(width+1)*(width+1)*(width+1) <= turns {
		width++
	}
	lines := func(n int) []Line {
		ls := make([]Line, n)
		for i := range ls {
			ls[i] = Line{Shown: r.IntN(5) > 0, Text: around(r, 10)}
		}
		return ls
	}
	t := &Tree{}
	left := width * width * width // sections still to come
	for range width {
		p := Part{Shown: true}
		for range width {
			c := Chapter{Shown: true}
			for range width {
				n := turns / left
				c.Sections = append(c.Sections, Section{Shown: true, Lines: lines(n)})
				turns -= n
				left--
			}
			p.Chapters = append(p.Chapters, Chapter{}, c)
		}
		t.Parts = append(t.Parts, p)
	}
	t.Parts = append(t.Parts, Part{})
	return t
}
