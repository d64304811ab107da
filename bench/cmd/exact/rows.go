package main

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
)

// row is one recorded run of a chat template: a request, and the prompt that
// Python's Jinja2 wrote for it with the settings of transformers.
type row struct {
	ID       string
	Template string
	Request  json.RawMessage `json:"context"`
	Prompt   *string         `json:"expect"` // nil: it failed
}

// model is a template with its rows.
type model struct {
	name   string
	source string
	rows   []row
}

// readFile reads the rows of a compressed file, grouped by template; of every
// sample-th template alone where sample is above 1.
func readFile(name string, sample int) ([]*model, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	models, err := read(z)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if sample > 1 {
		kept := models[:0]
		for i := 0; i < len(models); i += sample {
			kept = append(kept, models[i])
		}
		models = kept
	}
	return models, nil
}

// read reads rows, one a line. Their ids are chat-TEMPLATE-CONVERSATION.
func read(r io.Reader) ([]*model, error) {
	var models []*model
	byName := map[string]*model{}
	lines := bufio.NewReader(r)
	for n := 1; ; n++ {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var row row
			if err := json.Unmarshal(line, &row); err != nil {
				return nil, fmt.Errorf("line %d: %w", n, err)
			}
			parts := strings.SplitN(row.ID, "-", 3)
			if len(parts) < 3 {
				return nil, fmt.Errorf("line %d: the id %q names no template", n, row.ID)
			}
			m := byName[parts[1]]
			if m == nil {
				m = &model{name: parts[1], source: row.Template}
				byName[parts[1]] = m
				models = append(models, m)
			}
			m.rows = append(m.rows, row)
		}
		if err == io.EOF {
			return models, nil
		}
		if err != nil {
			return nil, err
		}
	}
}
