// Package docs holds the pages of this folder that the command prints, `pcc help
// TOPIC`, as they stand.
package docs

import "embed"

// Pages are the pages by their names, such as language.md.
//
//go:embed language.md documents.md requests.md chat.md data.md undefined.md limits.md ci.md migration.md
var Pages embed.FS
