package explore

import (
	"fmt"
	"strings"
)

// maxText bounds a text in a report, in characters (choice).
const maxText = 200

// shorten cuts a text to a length that can be read.
func shorten(text string) string {
	if characters := []rune(text); len(characters) > maxText {
		return string(characters[:maxText]) + "…"
	}
	return text
}

// oneLine returns a text as one line of a length that can be read.
func oneLine(text string) string { return shorten(strings.Join(strings.Fields(text), " ")) }

// firstOf returns the first lines, and says how many more there are.
func firstOf(lines []string, most int) []string {
	if more := len(lines) - most; more > 0 {
		return append(lines[:most:most], fmt.Sprintf("and %d more", more))
	}
	return lines
}

// subtract returns the elements that another list doesn't have, or not as often. Elements with the same text are the
// same.
func subtract[T any](from, other []T, text func(T) string) (rest []T) {
	counts := map[string]int{}
	for _, e := range other {
		counts[text(e)]++
	}
	for _, e := range from {
		if counts[text(e)]--; counts[text(e)] < 0 {
			rest = append(rest, e)
		}
	}
	return rest
}
