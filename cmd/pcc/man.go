package main

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// manPage writes the manual page pcc(1) from the tree of commands, in the man
// macros of troff.
func manPage(root *cobra.Command) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, ".TH PCC 1 \"\" \"pcc %s\" \"User Commands\"\n", troff(root.Version))
	fmt.Fprintf(&b, ".SH NAME\npcc \\- %s\n", troff(strings.ToLower(root.Short[:1])+root.Short[1:]))
	b.WriteString(".SH SYNOPSIS\n.B pcc\n.I COMMAND\n[\\fIflags\\fR] [\\fIFILE\\fR|\\fIDIR\\fR|\\-]...\n")
	b.WriteString(".SH DESCRIPTION\n")
	manText(&b, root.Long)
	b.WriteString(".SH COMMANDS\n")
	for _, c := range root.Commands() {
		if c.Hidden {
			continue
		}
		fmt.Fprintf(&b, ".SS pcc %s\n", troff(c.Use))
		text := c.Long
		if text == "" {
			text = c.Short + "."
		}
		manText(&b, text)
		manFlags(&b, c.NonInheritedFlags())
		if c.Example != "" {
			b.WriteString(".PP\n.nf\n")
			for line := range strings.Lines(c.Example) {
				b.WriteString(troff(strings.TrimRight(line, "\n")) + "\n")
			}
			b.WriteString(".fi\n")
		}
	}
	b.WriteString(".SH OPTIONS OF ALL COMMANDS\n")
	manFlags(&b, root.PersistentFlags())
	b.WriteString(".SH EXIT STATUS\n")
	for _, e := range []struct {
		code int
		text string
	}{
		{exitOK, "all is well"},
		{exitFindings, "findings in templates or data"},
		{exitUsage, "wrong usage, or input or output failed"},
		{exitInterrupt, "interrupted"},
	} {
		fmt.Fprintf(&b, ".TP\n%d\n%s\n", e.code, e.text)
	}
	return b.Bytes()
}

func manText(b *bytes.Buffer, text string) {
	for i, p := range strings.Split(strings.TrimSpace(text), "\n\n") {
		if i > 0 {
			b.WriteString(".PP\n")
		}
		b.WriteString(troff(p) + "\n")
	}
}

func manFlags(b *bytes.Buffer, flags *pflag.FlagSet) {
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		b.WriteString(".TP\n")
		if f.Shorthand != "" {
			fmt.Fprintf(b, "\\fB\\-%s\\fR, ", f.Shorthand)
		}
		fmt.Fprintf(b, "\\fB\\-\\-%s\\fR", troff(f.Name))
		if t := f.Value.Type(); t != "bool" {
			fmt.Fprintf(b, " \\fI%s\\fR", troff(strings.ToUpper(strings.TrimSuffix(t, "Array"))))
		}
		fmt.Fprintf(b, "\n%s\n", troff(f.Usage))
	})
}

// troff escapes text: backslashes, hyphens, and dots and quotes that would
// begin a request.
func troff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(s)
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, ".") || strings.HasPrefix(l, "'") {
			lines[i] = `\&` + l
		}
	}
	return strings.Join(lines, "\n")
}
