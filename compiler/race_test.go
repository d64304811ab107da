//go:build race

package compiler_test

const raceEnabled = true
