package langchaingo

import (
	"context"
	"fmt"
	"io/fs"

	"github.com/tmc/langchaingo/prompts"

	"github.com/pcc-lang/pcc/compiler"
)

// RenderTemplateFS renders a template of a file system, from which it can include,
// import and extend others, and no other files.
func RenderTemplateFS(fsys fs.FS, name string, format prompts.TemplateFormat, values map[string]any, opts ...prompts.RenderOption) (string, error) {
	if !ours(format) || len(opts) > 0 && format != TemplateFormatPCC {
		return prompts.RenderTemplateFS(fsys, name, format, values, opts...)
	}
	b, err := fs.ReadFile(fsys, name)
	if err != nil {
		return "", fmt.Errorf("reading the template: %w", err)
	}
	return render(context.Background(), string(b), format, values, compiler.WithFS(fsys), compiler.WithName(name))
}
