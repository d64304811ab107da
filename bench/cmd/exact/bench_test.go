package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/pcc-lang/pcc/vm"
)

// recorded returns every sixth template of the recorded runs, for the benchmarks: all
// together are one operation.
func recorded(b *testing.B) []*model {
	b.Helper()
	folder := os.Getenv("PCC_CONFORMANCE")
	if folder == "" {
		b.Skip("PCC_CONFORMANCE names no folder of recorded runs")
	}
	models, err := readFile(filepath.Join(folder, "jinja", "chat.jsonl.gz"), 6)
	if err != nil {
		b.Fatal(err)
	}
	return models
}

func BenchmarkCompile(b *testing.B) {
	models := recorded(b)
	for _, e := range engines() {
		b.Run(e.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				for _, m := range models {
					_, _ = e.compile(m.source) // a gonja that refuses a template is no failure
				}
			}
		})
	}
}

// BenchmarkPrompt renders the rows that have a prompt, from the bytes of the request.
func BenchmarkPrompt(b *testing.B) {
	models := recorded(b)
	for _, e := range engines()[:3] {
		b.Run(e.name, func(b *testing.B) {
			renderers := make([]renderer, len(models))
			for i, m := range models {
				renderers[i], _ = e.compile(m.source)
			}
			b.ReportAllocs()
			for b.Loop() {
				for i, m := range models {
					for _, r := range m.rows {
						if r.Prompt != nil && renderers[i] != nil {
							_, _ = renderers[i](r.Request)
						}
					}
				}
			}
		})
	}
}

// BenchmarkDecode reads the requests alone.
func BenchmarkDecode(b *testing.B) {
	models := recorded(b)
	b.ReportAllocs()
	for b.Loop() {
		for _, m := range models {
			for _, r := range m.rows {
				if _, err := vm.DecodeJSON(r.Request, vm.DecodeOptions{}); err != nil {
					b.Fatal(err)
				}
			}
		}
	}
}
