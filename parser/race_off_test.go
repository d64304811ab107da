//go:build !race

package parser

// slowBuild says that the race detector is on.
const slowBuild = false
