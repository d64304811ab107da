package engine

import (
	"context"

	einoprompt "github.com/cloudwego/eino/components/prompt"
	"github.com/cloudwego/eino/schema"
	"github.com/pcc-lang/pcc/bench/workload"
	langchain "github.com/tmc/langchaingo/prompts"
	fast "github.com/valyala/fasttemplate"
)

// The engines here put values into a text and know neither loops nor
// conditions.
const onlyValues = "values only, no loops or conditions"

func fasttemplate() *Engine {
	return compiled(&Engine{Name: "fasttemplate"}, []string{"fasttemplate"}, onlyValues,
		func(src string) (*fast.Template, error) { return fast.NewTemplate(src, "{{", "}}") },
		func(t *fast.Template, s *workload.Set) (string, error) { return t.ExecuteString(s.Map), nil })
}

// The prompt packages of langchaingo and eino keep the source and parse it at
// each rendering; they have nothing that could be compiled once.

func langchainFString() *Engine {
	e := compiled(&Engine{Name: "langchaingo prompts, f-string"}, []string{"fstring"}, onlyValues,
		func(src string) (string, error) { return src, nil },
		func(src string, s *workload.Set) (string, error) {
			return langchain.RenderTemplate(src, langchain.TemplateFormatFString, s.Map)
		})
	e.Compile = nil
	return e
}

func langchainGoText() *Engine {
	e := compiled(&Engine{Name: "langchaingo prompts, go-template"}, []string{"gotext"}, "",
		func(src string) (string, error) { return src, nil },
		func(src string, s *workload.Set) (string, error) {
			return langchain.RenderTemplate(src, langchain.TemplateFormatGoTemplate, s.Map)
		})
	e.Compile = nil
	return e
}

func einoFString() *Engine {
	return eino("eino prompts, f-string", schema.FString, "fstring")
}

func einoJinja() *Engine {
	return eino("eino prompts, jinja2", schema.Jinja2, "jinja")
}

func eino(name string, format schema.FormatType, language string) *Engine {
	e := compiled(&Engine{Name: name}, []string{language}, onlyValues,
		func(src string) (einoprompt.ChatTemplate, error) {
			return einoprompt.FromMessages(format, schema.UserMessage(src)), nil
		},
		func(t einoprompt.ChatTemplate, s *workload.Set) (string, error) {
			messages, err := t.Format(context.Background(), s.Map)
			if err != nil {
				return "", err
			}
			return messages[0].Content, nil
		})
	e.Compile = nil
	return e
}
