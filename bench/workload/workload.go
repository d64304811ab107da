// Package workload holds what is rendered: six prompts of the kinds that
// programs send to language models, each with several data sets and with the
// template in the language of every engine.
//
// What enters: nothing; all data is made from fixed seeds. What leaves:
// Workloads with data as encoding/json decodes it, the same data as structs,
// and template sources. No engine is imported here.
package workload

import (
	"embed"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
)

//go:embed templates
var templates embed.FS

// Workload is one prompt with its data sets.
type Workload struct {
	Name  string // "W1"
	Title string // what it is, in a few words
	// Sets differ in the length of every value, in the branches that are taken
	// and, where there are lists, in their lengths: a renderer that remembers
	// one size or one shape gains nothing.
	Sets []Set

	folder  string            // of its templates
	sources map[string]string // templates by language, where they are made
}

// Set is one data set in its two forms.
type Set struct {
	// Map is the data as encoding/json decodes it into an any: map[string]any,
	// []any, string, float64, bool.
	Map map[string]any
	// Struct is a pointer to the same data as a Go programmer would declare it, nil
	// where the template was made for growth measurements:
	// *Greeting, *Agent, *Chat, *Examples, *Document or *Tree.
	Struct any
}

// Source returns the workload's template in the first of the languages that
// has one; a language is the name, without extension, of a file in the
// workload's folder under templates. The line break that ends the file is not
// part of the template. ok is false where none has a template.
func (w *Workload) Source(languages ...string) (src string, ok bool) {
	for _, l := range languages {
		if src, ok := w.sources[l]; ok {
			return src, true
		}
		if w.folder == "" {
			continue
		}
		if b, err := templates.ReadFile("templates/" + w.folder + "/" + l + ".txt"); err == nil {
			return strings.TrimSuffix(string(b), "\n"), true
		}
	}
	return "", false
}

// catalogue makes each workload at most once, and only when it is asked for: a
// process that measures one has no other's data for the collector to mark.
var catalogue = []struct {
	name string
	make func() *Workload
}{
	{"W1", sync.OnceValue(func() *Workload {
		return &Workload{Name: "W1", Title: "300 B, 5 variables", folder: "w1", Sets: sets(8, 1, newGreeting)}
	})},
	{"W2", sync.OnceValue(func() *Workload {
		return &Workload{Name: "W2", Title: "agent prompt of 2 KB, 10 variables, 3 conditions, 8 tools, a filter", folder: "w2", Sets: sets(8, 2, newAgent)}
	})},
	{"W3", sync.OnceValue(func() *Workload {
		return &Workload{Name: "W3", Title: "chat of 40 messages with a branch for each role, 9 KB", folder: "w3", Sets: sets(4, 3, newChat)}
	})},
	{"W4", sync.OnceValue(func() *Workload {
		return &Workload{Name: "W4", Title: "200 examples of 3 fields and an inner loop of 3, 64 KB", folder: "w4", Sets: sets(4, 4, newExamples)}
	})},
	{"W5", sync.OnceValue(func() *Workload {
		return &Workload{Name: "W5", Title: "one value of 1 MB among 10 small ones", folder: "w5", Sets: sets(4, 5, newDocument)}
	})},
	{"W6", sync.OnceValue(func() *Workload { return nested(1000, 4) })},
}

// Names are those of the workloads, in order.
func Names() []string {
	var names []string
	for _, c := range catalogue {
		names = append(names, c.name)
	}
	return names
}

// Named returns a workload by its name. It is made once and shared: callers
// must not change it.
func Named(name string) (*Workload, error) {
	for _, c := range catalogue {
		if c.name == name {
			return c.make(), nil
		}
	}
	return nil, fmt.Errorf("no workload is called %q", name)
}

// All returns W1 to W6, as Named does.
func All() []*Workload {
	var all []*Workload
	for _, c := range catalogue {
		all = append(all, c.make())
	}
	return all
}

// Nested returns W6 with one data set of the given number of turns of the
// innermost loop.
func Nested(turns int) *Workload { return nested(turns, 1) }

func nested(turns, n int) *Workload {
	return &Workload{
		Name:   "W6",
		Title:  fmt.Sprintf("loops and conditions nested 8 deep, %d turns", turns),
		folder: "w6",
		Sets:   sets(n, 6, func(r *rand.Rand) *Tree { return newTree(r, turns) }),
	}
}

// sets makes n data sets; seed picks the stream of random numbers.
func sets[T any](n int, seed uint64, generate func(*rand.Rand) *T) []Set {
	out := make([]Set, n)
	for i := range out {
		data := generate(rand.New(rand.NewPCG(seed, uint64(i))))
		out[i] = Set{Map: decoded(data), Struct: data}
	}
	return out
}

// decoded sends a struct through JSON, so that the map form holds exactly what
// a program that reads JSON would hold, and shares no memory with the struct.
func decoded(data any) map[string]any {
	b, err := json.Marshal(data)
	if err != nil {
		panic(err) // the types below can always be encoded
	}
	var m map[string]any
	if err := json.Unmarshal(b, &m); err != nil {
		panic(err)
	}
	return m
}
