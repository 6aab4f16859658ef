package wording

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Messages show only the beginning of what a caller or a file gave: a value of a megabyte, or ten thousand names, help
// nobody.
const (
	maxText    = 80   // characters
	maxMessage = 1000 // characters
	maxNames   = 20
)

// Quote returns a text in quotes, on one line and in valid UTF-8, shortened if it is long.
func Quote(text string) string { return strconv.Quote(Shorten(text)) }

// Shorten returns a text that is cut, and marked so, if it is long.
func Shorten(text string) string { return cut(text, maxText) }

// Message returns a whole message. A long one is cut, and marked so: it may show any value that a caller gave.
func Message(text string) string { return cut(text, maxMessage) }

func cut(text string, most int) string {
	if len(text) <= most || utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most]) + "…"
}

// Names lists names in quotes: "a", "b", "c".
func Names(names []string) string {
	more := ""
	if len(names) > maxNames {
		more = fmt.Sprintf(" and %d more", len(names)-maxNames)
		names = names[:maxNames]
	}
	list := make([]string, len(names))
	for i, name := range names {
		list[i] = Quote(name)
	}
	return strings.Join(list, ", ") + more
}
