package ast

import "slices"

// Roles are the roles of messages that every template may use; they are written
// as words.
func Roles() []string { return []string{"system", "user", "assistant", "tool", "developer"} }

// IsRole reports whether a word is one of Roles.
func IsRole(word string) bool { return slices.Contains(Roles(), word) }
