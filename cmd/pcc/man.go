package main

import (
	"embed"
	"strings"

	"github.com/spf13/cobra"
)

// manPages are the manual pages pcc(1), pcc-render(1) and so on. A test writes
// them from the help of the commands by cobra/doc, which is not part of the
// program: it would cost a tenth of each start.
//
//go:embed man
var manPages embed.FS

// manPage is the manual page of pcc itself or of one of its commands.
func manPage(cmd *cobra.Command) ([]byte, error) {
	return manPages.ReadFile("man/" + manName(cmd))
}

func manName(cmd *cobra.Command) string {
	return strings.ReplaceAll(cmd.CommandPath(), " ", "-") + ".1"
}
