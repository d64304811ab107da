package main

import (
	"bytes"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// manPage writes the manual page of a command, of pcc itself or of one of its
// commands: pcc(1), pcc-render(1) and so on.
func manPage(cmd *cobra.Command) ([]byte, error) {
	cmd.DisableAutoGenTag = true
	header := &doc.GenManHeader{Manual: "User Commands", Source: "pcc " + cmd.Root().Version, Date: builtFrom()}
	var b bytes.Buffer
	err := doc.GenMan(cmd, header, &b)
	return b.Bytes(), err
}

// builtFrom is the time of the commit that the program was built from, so that
// its pages say the same every day; nil, which is today, where it is unknown.
func builtFrom() *time.Time {
	info, _ := debug.ReadBuildInfo()
	if info == nil {
		return nil
	}
	for _, s := range info.Settings {
		if at, err := time.Parse(time.RFC3339, s.Value); s.Key == "vcs.time" && err == nil {
			return &at
		}
	}
	return nil
}
