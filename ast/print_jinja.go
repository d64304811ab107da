package ast

// printJinja writes a template in the Jinja syntax.
func printJinja(t *Template) string {
	if t.File != nil {
		return t.File.Text
	}
	return ""
}
