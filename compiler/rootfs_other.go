//go:build !unix

package compiler

const nonBlocking = 0
