// Package document reads prompt documents: YAML and JSON files, front matter
// and agent folders.
//
// What enters: source files and an fs.FS. What leaves: ast.Structure values
// (plain data with positions), ast.Meta (what a head declares), and documents
// whose texts are parsed as templates of their own, each with its positions
// mapped back to the line and column of the file that it stands in.
//
// The files, in the order in which a document goes through them: yaml.go and
// json.go are the gates (limits, duplicate keys, tags), scalar.go types plain
// scalars, textmap.go finds the source byte of each byte of a scalar,
// explain.go turns parser complaints into advice, meta.go reads the head,
// frontmatter.go and roles.go read template files.
package document
