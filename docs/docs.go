// Package docs has the pages of the documentation that the program shows by itself.
package docs

import "embed"

// Pages are the pages in Markdown, by file name.
//
//go:embed *.md
var Pages embed.FS
