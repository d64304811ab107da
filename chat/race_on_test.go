//go:build race

package chat

// slowBuild says that the race detector is on, which makes the long tests ten
// times as long.
const slowBuild = true
