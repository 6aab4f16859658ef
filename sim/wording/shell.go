package wording

import "strings"

// ShellQuote returns a text as a word for sh, bash and zsh: in single quotes, where each other character stands for
// itself.
func ShellQuote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
