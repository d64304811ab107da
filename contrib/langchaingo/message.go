package langchaingo

import (
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/prompts"
)

// SystemMessagePromptTemplate, HumanMessagePromptTemplate, AIMessagePromptTemplate and
// GenericMessagePromptTemplate are messages for prompts.NewChatPromptTemplate.
type (
	SystemMessagePromptTemplate  struct{ Prompt PromptTemplate }
	HumanMessagePromptTemplate   struct{ Prompt PromptTemplate }
	AIMessagePromptTemplate      struct{ Prompt PromptTemplate }
	GenericMessagePromptTemplate struct {
		Prompt PromptTemplate
		Role   string
	}
)

var (
	_ prompts.MessageFormatter = SystemMessagePromptTemplate{}
	_ prompts.MessageFormatter = HumanMessagePromptTemplate{}
	_ prompts.MessageFormatter = AIMessagePromptTemplate{}
	_ prompts.MessageFormatter = GenericMessagePromptTemplate{}
)

// FormatMessages renders the message.
func (p SystemMessagePromptTemplate) FormatMessages(values map[string]any) ([]llms.ChatMessage, error) {
	return p.Prompt.message(values, func(s string) llms.ChatMessage { return llms.SystemChatMessage{Content: s} })
}

// FormatMessages renders the message.
func (p HumanMessagePromptTemplate) FormatMessages(values map[string]any) ([]llms.ChatMessage, error) {
	return p.Prompt.message(values, func(s string) llms.ChatMessage { return llms.HumanChatMessage{Content: s} })
}

// FormatMessages renders the message.
func (p AIMessagePromptTemplate) FormatMessages(values map[string]any) ([]llms.ChatMessage, error) {
	return p.Prompt.message(values, func(s string) llms.ChatMessage { return llms.AIChatMessage{Content: s} })
}

// FormatMessages renders the message.
func (p GenericMessagePromptTemplate) FormatMessages(values map[string]any) ([]llms.ChatMessage, error) {
	return p.Prompt.message(values, func(s string) llms.ChatMessage {
		return llms.GenericChatMessage{Content: s, Role: p.Role}
	})
}

// GetInputVariables returns the variables of the prompt.
func (p SystemMessagePromptTemplate) GetInputVariables() []string { return p.Prompt.InputVariables }

// GetInputVariables returns the variables of the prompt.
func (p HumanMessagePromptTemplate) GetInputVariables() []string { return p.Prompt.InputVariables }

// GetInputVariables returns the variables of the prompt.
func (p AIMessagePromptTemplate) GetInputVariables() []string { return p.Prompt.InputVariables }

// GetInputVariables returns the variables of the prompt.
func (p GenericMessagePromptTemplate) GetInputVariables() []string { return p.Prompt.InputVariables }

func (p PromptTemplate) message(values map[string]any, of func(string) llms.ChatMessage) ([]llms.ChatMessage, error) {
	s, err := p.Format(values)
	if err != nil {
		return nil, err
	}
	return []llms.ChatMessage{of(s)}, nil
}
