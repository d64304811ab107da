package eino

import (
	"context"
	"slices"
	"strings"

	"github.com/cloudwego/eino/schema"

	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/vm"
)

// message is a message with a program for each text of it that has tags.
type message struct {
	original *schema.Message
	programs []*vm.Program // by the order of texts; nil where there are no tags
}

func compileMessage(m *schema.Message, options []compiler.Option) (*message, error) {
	c := &message{original: m}
	_, texts := copyMessage(m)
	for _, text := range texts {
		var p *vm.Program
		// All tags have a bracket; without one the text is itself, such as the data of
		// an image, but for the line break that Jinja drops at its end.
		if strings.ContainsAny(*text, "{[<") || strings.HasSuffix(*text, "\n") {
			var err error
			if p, err = compiler.Compile(*text, options...); err != nil {
				return nil, err
			}
		}
		c.programs = append(c.programs, p)
	}
	return c, nil
}

// Format implements schema.MessagesTemplate.
func (c *message) Format(ctx context.Context, vs map[string]any, _ schema.FormatType) ([]*schema.Message, error) {
	m, texts := copyMessage(c.original)
	for i, p := range c.programs {
		if p == nil {
			continue
		}
		var err error
		if *texts[i], err = p.RenderContext(ctx, vs); err != nil {
			return nil, err
		}
	}
	return []*schema.Message{m}, nil
}

// copyMessage copies a message as deep as its texts lie, and lists the texts that are
// templates: those that eino renders.
func copyMessage(m *schema.Message) (*schema.Message, []*string) {
	out := *m
	texts := []*string{&out.Content}
	out.MultiContent = slices.Clone(m.MultiContent)
	for i := range out.MultiContent {
		part := &out.MultiContent[i]
		switch part.Type {
		case schema.ChatMessagePartTypeText:
			texts = append(texts, &part.Text)
		case schema.ChatMessagePartTypeImageURL:
			if copied(&part.ImageURL) {
				texts = append(texts, &part.ImageURL.URL)
			}
		case schema.ChatMessagePartTypeAudioURL:
			if copied(&part.AudioURL) {
				texts = append(texts, &part.AudioURL.URL)
			}
		case schema.ChatMessagePartTypeVideoURL:
			if copied(&part.VideoURL) {
				texts = append(texts, &part.VideoURL.URL)
			}
		case schema.ChatMessagePartTypeFileURL:
			if copied(&part.FileURL) {
				texts = append(texts, &part.FileURL.URL)
			}
		}
	}
	out.UserInputMultiContent = slices.Clone(m.UserInputMultiContent)
	for i := range out.UserInputMultiContent {
		part := &out.UserInputMultiContent[i]
		var common *schema.MessagePartCommon
		switch part.Type {
		case schema.ChatMessagePartTypeText:
			texts = append(texts, &part.Text)
		case schema.ChatMessagePartTypeImageURL:
			if copied(&part.Image) {
				common = &part.Image.MessagePartCommon
			}
		case schema.ChatMessagePartTypeAudioURL:
			if copied(&part.Audio) {
				common = &part.Audio.MessagePartCommon
			}
		case schema.ChatMessagePartTypeVideoURL:
			if copied(&part.Video) {
				common = &part.Video.MessagePartCommon
			}
		case schema.ChatMessagePartTypeFileURL:
			if copied(&part.File) {
				common = &part.File.MessagePartCommon
			}
		}
		if common == nil {
			continue
		}
		if copied(&common.URL) {
			texts = append(texts, common.URL)
		}
		if copied(&common.Base64Data) {
			texts = append(texts, common.Base64Data)
		}
	}
	return &out, texts
}

// copied makes *p point to a copy; it reports whether there is one.
func copied[T any](p **T) bool {
	if *p == nil {
		return false
	}
	x := **p
	*p = &x
	return true
}
