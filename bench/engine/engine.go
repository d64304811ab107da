// Package engine has the contestants: the floor that is written by hand, PCC,
// and other Go template engines, each used as its documentation advises for
// speed and with escaping off.
//
// What enters: a workload. What leaves: a function that renders one of its data
// sets, and a function that compiles its template.
package engine

import (
	"errors"
	"fmt"
	"slices"

	"github.com/pcc-lang/pcc/bench/workload"
)

// Render renders data set number set of the workload that it was prepared for.
// The text is valid until the next call where the engine's Reuses is set.
type Render func(set int) (string, error)

// Engine is one way to render a workload.
type Engine struct {
	Name string
	// Reuses is set where the text lies in a buffer that the next call
	// overwrites. All others give a string that is the caller's to keep.
	Reuses bool
	// CompileOnly is set where the engine renders just as another does, so that
	// it stands in the compile tables alone.
	CompileOnly bool
	// Prepare compiles the workload's template and returns what renders it. A
	// workload that the engine's language cannot express gives an
	// *UnsupportedError.
	Prepare func(w *workload.Workload) (Render, error)
	// Compile returns a function that compiles the workload's template anew at
	// each call; nil where nothing is compiled while the program runs.
	Compile func(w *workload.Workload) (func() error, error)
}

// UnsupportedError says why an engine has no template for a workload.
type UnsupportedError struct{ Reason string }

func (e *UnsupportedError) Error() string { return "not supported: " + e.Reason }

// Unsupported returns the reason where err is an *UnsupportedError.
func Unsupported(err error) (reason string, ok bool) {
	var u *UnsupportedError
	if errors.As(err, &u) {
		return u.Reason, true
	}
	return "", false
}

// Baseline is the name of the engine that the tables divide by.
const Baseline = "hand-written, map data"

// All returns all engines in the order of the tables.
func All() []*Engine {
	return slices.Concat(floors(), pcc(), []*Engine{
		quicktemplateMap(), quicktemplateReused(), quicktemplateStruct(), fasttemplate(), goText(),
		jetEngine(), mustacheEngine(), handlebars(), liquidEngine(),
		pongo(), gonjaEngine(),
		langchainFString(), langchainGoText(), einoFString(), einoJinja(),
	})
}

// Named returns the engine of that name.
func Named(name string) (*Engine, error) {
	for _, e := range All() {
		if e.Name == name {
			return e, nil
		}
	}
	return nil, fmt.Errorf("no engine is called %q", name)
}

// source returns the workload's template in the first of the languages, or an
// *UnsupportedError with the reason.
func source(w *workload.Workload, languages []string, reason string) (string, error) {
	src, ok := w.Source(languages...)
	if !ok {
		return "", &UnsupportedError{Reason: reason}
	}
	return src, nil
}

// written returns the renderer that was written for the workload, or an
// *UnsupportedError.
func written[F any](renderers map[string]F, w *workload.Workload) (F, error) {
	f, ok := renderers[w.Name]
	if !ok {
		return f, &UnsupportedError{Reason: "nothing is written for this workload"}
	}
	return f, nil
}

// compiled completes an engine whose templates are compiled while the program
// runs. compile makes a T of a source; render renders a T with the data of a
// set; reason says why some workloads have no source.
func compiled[T any](e *Engine, languages []string, reason string,
	compile func(src string) (T, error),
	render func(t T, s *workload.Set) (string, error),
) *Engine {
	e.Prepare = func(w *workload.Workload) (Render, error) {
		src, err := source(w, languages, reason)
		if err != nil {
			return nil, err
		}
		t, err := compile(src)
		if err != nil {
			return nil, err
		}
		return func(i int) (string, error) { return render(t, &w.Sets[i]) }, nil
	}
	e.Compile = func(w *workload.Workload) (func() error, error) {
		src, err := source(w, languages, reason)
		return func() error {
			_, err := compile(src)
			return err
		}, err
	}
	return e
}
