package workload

import (
	"fmt"
	"strings"
)

// spelling is how a language writes the tags that the made templates need.
type spelling struct {
	value, open, close string // NAME stands for a name
}

var spellings = map[string]spelling{
	"brace":  {"{NAME}", "{when NAME}", "{/when}"},
	"jinja":  {"{{ NAME }}", "{% if NAME %}", "{% endif %}"},
	"pongo2": {"{{ NAME }}", "{% if NAME %}", "{% endif %}"},
	"gotext": {"{{.NAME}}", "{{if .NAME}}", "{{end}}"},
}

// named puts a name into a tag.
func named(tag, name string) string { return strings.ReplaceAll(tag, "NAME", name) }

// made returns a workload whose template write makes for each language.
func made(name, title string, data map[string]any, write func(b *strings.Builder, s spelling)) *Workload {
	w := &Workload{Name: name, Title: title, Sets: []Set{{Map: data}}, sources: map[string]string{}}
	for language, s := range spellings {
		var b strings.Builder
		write(&b, s)
		w.sources[language] = b.String()
	}
	return w
}

// Deep returns a workload whose template has conditions nested depth deep, each
// with a text and a value.
func Deep(depth int) *Workload {
	return made("deep", fmt.Sprintf("conditions nested %d deep", depth),
		map[string]any{"a": true, "b": "value"},
		func(b *strings.Builder, s spelling) {
			for range depth {
				b.WriteString(named(s.open, "a") + "some text " + named(s.value, "b") + "; ")
			}
			b.WriteString(strings.Repeat(s.close, depth))
		})
}

// Distinct returns a workload whose template has n placeholders, each of a
// name of its own, in lines of prose.
func Distinct(n int) *Workload {
	data := make(map[string]any, n)
	for i := range n {
		data[fmt.Sprintf("name_%d", i)] = "value"
	}
	return made("distinct", fmt.Sprintf("%d names", n), data,
		func(b *strings.Builder, s spelling) {
			for i := range n {
				if i > 0 {
					b.WriteByte('\n') // none at the end, which Jinja would drop
				}
				b.WriteString("A line of text before a value of its own: " + named(s.value, fmt.Sprintf("name_%d", i)) + " and after it.")
			}
		})
}

// Long returns a workload whose template is that of W2, copies times over.
func Long(copies int) *Workload {
	w2 := agent()
	w := &Workload{Name: "long", Title: fmt.Sprintf("%d times W2", copies), Sets: w2.Sets[:1], sources: map[string]string{}}
	for language := range spellings {
		src, _ := w2.Source(language)
		w.sources[language] = strings.Repeat(src+"\n", copies)
	}
	return w
}

// Copies is how many copies Long needs for a source of about size bytes, at
// least 1, without exceeding it in any language.
func Copies(size int) int {
	longest := 0
	for language := range spellings {
		src, _ := agent().Source(language)
		longest = max(longest, len(src)+1)
	}
	return max(1, size/longest)
}

func agent() *Workload {
	w, err := Named("W2")
	if err != nil {
		panic(err) // it stands in the catalogue
	}
	return w
}
