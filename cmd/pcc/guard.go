package main

import (
	"strings"

	"github.com/spf13/pflag"

	"github.com/pcc-lang/pcc/vm"
)

// addGuard adds the flag --guard.
func addGuard(f *pflag.FlagSet, family *string) {
	f.StringVar(family, "guard", "", "neutralise this model family's control tokens where they come from data (all for every family)")
}

// checkGuard refuses families that are not known.
func checkGuard(family string) error {
	if _, err := vm.Guard("", family); err != nil {
		return usagef("--guard %s: choose one of %s", family, strings.Join(vm.GuardFamilies(), ", "))
	}
	return nil
}

func guardOption(family string) []vm.RenderOption {
	if family == "" {
		return nil
	}
	return []vm.RenderOption{vm.WithGuard(family)}
}
