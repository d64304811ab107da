package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/pcc-lang/pcc/bench/measure"
)

// comparison holds what the engines did with the templates.
type comparison struct {
	models  []*model
	engines []engine
	exact   [][][]bool // by engine, model and row: it gave what is recorded
	scores  []score    // by engine
	log     io.Writer  // rows that are missed; nil for none
}

// score counts what is exact.
type score struct {
	rows, prompts, errors int // errors: the row fails, as recorded
	templates             int // all of whose rows are exact
}

func newComparison(models []*model, engines []engine) *comparison {
	return &comparison{models: models, engines: engines, scores: make([]score, len(engines)), exact: make([][][]bool, len(engines))}
}

// total counts the rows as if all were exact.
func (c *comparison) total() score {
	s := score{templates: len(c.models)}
	for _, m := range c.models {
		for _, r := range m.rows {
			s.rows++
			if r.Prompt == nil {
				s.errors++
			} else {
				s.prompts++
			}
		}
	}
	return s
}

// check renders every row with every engine.
func (c *comparison) check() {
	for i, e := range c.engines {
		c.exact[i] = make([][]bool, len(c.models))
		for j, m := range c.models {
			render, err := compileSafely(e, m.source)
			all := true
			c.exact[i][j] = make([]bool, len(m.rows))
			for k := range m.rows {
				r := &m.rows[k]
				got, err := "", err
				if err == nil {
					got, err = renderSafely(render, r.Request)
				}
				ok := (err != nil) == (r.Prompt == nil) && (err != nil || got == *r.Prompt)
				c.exact[i][j][k] = ok
				switch {
				case !ok:
					all = false
					if c.log != nil {
						fmt.Fprintf(c.log, "%s: %s: %q, %v\n", e.name, r.ID, got, err)
					}
					continue
				case r.Prompt == nil:
					c.scores[i].errors++
				default:
					c.scores[i].prompts++
				}
				c.scores[i].rows++
			}
			if all {
				c.scores[i].templates++
			}
		}
	}
}

func (c *comparison) exactness() string {
	total := c.total()
	of := func(n, all int) string {
		if all == 0 {
			return "–"
		}
		return fmt.Sprintf("%d (%.1f %%)", n, 100*float64(n)/float64(all))
	}
	t := measure.Table{{fmt.Sprintf("Exact, of %d templates", total.templates),
		fmt.Sprintf("rows of %d", total.rows), fmt.Sprintf("prompts of %d", total.prompts),
		fmt.Sprintf("errors of %d", total.errors), "templates"}}
	for i, e := range c.engines {
		s := c.scores[i]
		t = append(t, []string{e.name, of(s.rows, total.rows), of(s.prompts, total.prompts),
			of(s.errors, total.errors), of(s.templates, total.templates)})
	}
	return t.String()
}

// times are the results of one engine, an element for each template that counts.
type times struct {
	render, renderRatio   []float64
	compile, compileRatio []float64
}

// speed measures each engine beside the first one, template by template: on the
// rows with a prompt that the engine gives exactly, all of them in one operation.
func (c *comparison) speed(o measure.Options) (string, error) {
	all := make([]times, len(c.engines))
	for j, m := range c.models {
		if err := c.measureModel(j, m, o, all); err != nil {
			return "", fmt.Errorf("template %s: %w", m.name, err)
		}
	}
	t := measure.Table{{"Time, median of templates", "request to prompt", "ratio", "quartiles", "templates",
		"compile", "ratio", "quartiles", "templates"}}
	for i, e := range c.engines {
		x := &all[i]
		row := []string{e.name}
		for _, v := range [][2][]float64{{x.render, x.renderRatio}, {x.compile, x.compileRatio}} {
			if len(v[0]) == 0 {
				row = append(row, "–", "–", "–", "0")
				continue
			}
			row = append(row, measure.Duration(measure.Quantile(v[0], 0.5)), measure.Ratio(measure.Quantile(v[1], 0.5)),
				measure.Ratio(measure.Quantile(v[1], 0.25))+"–"+measure.Ratio(measure.Quantile(v[1], 0.75)), fmt.Sprint(len(v[0])))
		}
		t = append(t, row)
	}
	return t.String(), nil
}

// measureModel adds the times of one template.
func (c *comparison) measureModel(j int, m *model, o measure.Options, all []times) error {
	base, err := compileSafely(c.engines[0], m.source)
	if err != nil {
		return nil // the recorded runs fail too
	}
	for i, e := range c.engines {
		render, err := compileSafely(e, m.source)
		if err != nil {
			continue
		}
		var requests [][]byte
		for k, r := range m.rows {
			if r.Prompt != nil && c.exact[i][j][k] && c.exact[0][j][k] {
				requests = append(requests, r.Request)
			}
		}
		x := &all[i]
		if len(requests) > 0 {
			t, ratio, err := pair(func() error { return renderAll(render, requests) }, func() error { return renderAll(base, requests) }, i == 0, o)
			if err != nil {
				return fmt.Errorf("%s: %w", e.name, err)
			}
			x.render = append(x.render, t/float64(len(requests)))
			x.renderRatio = append(x.renderRatio, ratio)
		}
		t, ratio, err := pair(
			func() error { _, err := e.compile(m.source); return err },
			func() error { _, err := c.engines[0].compile(m.source); return err }, i == 0, o)
		if err != nil {
			return fmt.Errorf("%s: %w", e.name, err)
		}
		x.compile = append(x.compile, t)
		x.compileRatio = append(x.compileRatio, ratio)
	}
	return nil
}

func renderAll(render renderer, requests [][]byte) error {
	for _, r := range requests {
		if _, err := render(r); err != nil {
			return err
		}
	}
	return nil
}

// pair returns the time of one operation of f, in nanoseconds, and its ratio to
// base; only f is measured where the two are the same.
func pair(f, base func() error, same bool, o measure.Options) (t, ratio float64, err error) {
	functions := []measure.Function{{Run: repeat(base)}}
	if !same {
		functions = append(functions, measure.Function{Run: repeat(f)})
	}
	r, err := measure.Compare(functions, 0, o)
	if err != nil {
		return 0, 0, err
	}
	last := r[len(r)-1]
	return last.Time, last.Ratio, nil
}

func repeat(f func() error) func(int) error {
	return func(n int) error {
		for range n {
			if err := f(); err != nil {
				return err
			}
		}
		return nil
	}
}

// patience is how long a row may take an engine; the slowest that is exact takes
// a small part of it.
const patience = 20 * time.Second

// compileSafely compiles; a panic is an error.
func compileSafely(e engine, source string) (render renderer, err error) {
	err = safely(func() error {
		var err error
		render, err = e.compile(source)
		return err
	})
	return render, err
}

func renderSafely(render renderer, request []byte) (text string, err error) {
	request = slices.Clone(request) // of an engine that does not end
	var got string
	err = safely(func() error {
		var err error
		got, err = render(request)
		return err
	})
	if err != nil {
		return "", err
	}
	return got, nil
}

// safely makes an error of a panic and of a call that does not end, which is left
// behind: an engine without limits cannot be stopped.
func safely(f func() error) error {
	done := make(chan error, 1)
	go func() {
		defer func() {
			if x := recover(); x != nil {
				done <- fmt.Errorf("panic: %v", x)
			}
		}()
		done <- f()
	}()
	select {
	case err := <-done:
		return err
	case <-time.After(patience):
		return errors.New("no result in time")
	}
}
