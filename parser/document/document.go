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
//
// Plain scalars are typed by YAML 1.2's core schema, with two exceptions that
// keep what people wrote: digits with leading zeros (007, 01234) are text, as
// dates and 1_000 are by the schema, and a number with zeros at the end of its
// fraction (1.10, 2.50) counts as the number and prints as it is written, alone
// and in lists and JSON. All other numbers have one form however they are
// spelled: 3.0, +5, 1e3 and 0x10 print as 3, 5, 1000 and 16 do. In the forms
// that know YAML 1.1's booleans yes, no, on and off print as they are written
// where they stand alone or in a bullet, and are true or false in JSON. Hugging
// Face's files keep to the core schema for digits with leading zeros.
package document
