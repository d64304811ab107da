package message

import (
	"strings"

	"github.com/pcc-lang/pcc/vm"
)

// DefaultLabels are PDX's role labels of the completion form.
func DefaultLabels() map[string]string {
	return map[string]string{"user": "\n\nUSER", "assistant": "\n\nASSISTANT", "system": "\n\nSYSTEM", "developer": "\n\nSYSTEM"}
}

// Text writes messages as one text for completion models: before each message
// the label of its role and a blank, and at the end the assistant's label. A
// role without a label gets none. A single user message is its text alone.
// Content that is no text, further keys and calls of tools are errors, and so
// are a tool's messages where Labels has no label for them.
func Text(messages []vm.Message, o Options) (string, error) {
	messages = withoutSystem(messages, o)
	labels := o.Labels
	if labels == nil {
		labels = DefaultLabels()
	}
	s := &spelling{form: "text"}
	texts := make([]string, len(messages))
	for i := range messages {
		m := &messages[i]
		if err := noCalls(m, i, "text"); err != nil {
			return "", err
		}
		if m.Role == "tool" && labels["tool"] == "" {
			return "", fault("PCC360", i, "", "the form text has no label for a tool's message").
				WithHelp("give one: --label tool=…, in Go Options.Labels")
		}
		if err := foreignKeys(m, i, "text"); err != nil {
			return "", err
		}
		if failed, ok := extra(m, "is_error"); ok {
			if b, isBool := failed.AsBool(); b || !isBool {
				return "", fault("PCC360", i, ".is_error", "the form text cannot say that a tool failed").
					WithHelp("say so in the result's text, and drop the key")
			}
		}
		var err error
		if texts[i], err = s.texts(m, i, "\n", &o); err != nil {
			return "", err
		}
	}
	if len(messages) == 1 && messages[0].Role == "user" && o.Labels == nil {
		return texts[0], nil
	}
	var b strings.Builder
	for i := range messages {
		if label := labels[messages[i].Role]; label != "" {
			b.WriteString(label)
			b.WriteByte(' ')
		} else if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(texts[i])
	}
	b.WriteString(labels["assistant"])
	return b.String(), nil
}
