package main

import (
	"strings"

	"github.com/spf13/pflag"

	"github.com/pcc-lang/pcc/vm"
	"github.com/pcc-lang/pcc/vm/guard"
)

// addGuard adds the flag --guard.
func addGuard(f *pflag.FlagSet, family *string) {
	f.StringVar(family, "guard", "", "neutralise this model family's control tokens where they come from data (all for every family)")
}

// checkGuard refuses families that are not known.
func checkGuard(family string) error {
	if guard.Find(family) == nil {
		return usagef("--guard %s: choose one of %s", family, strings.Join(guard.Names(), ", "))
	}
	return nil
}

func guardOption(family string) []vm.RenderOption {
	if family == "" {
		return nil
	}
	return []vm.RenderOption{vm.WithGuard(family)}
}
