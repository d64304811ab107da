//go:build !race

package chat

// slowBuild says that the race detector is on.
const slowBuild = false
