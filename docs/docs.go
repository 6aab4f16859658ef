// Package docs has the pages of the documentation that the program shows by itself.
package docs

import _ "embed"

// Scenarios says how scenarios are written (Markdown).
//
//go:embed scenarios.md
var Scenarios string
