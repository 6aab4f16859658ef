package wire

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Visible returns a valid JSON text that says the same, and in which a terminal or an editor shows every character: those that
// could control it, or turn the direction of the text, are escaped. Line breaks and tabs between values stay.
func Visible(text string) string {
	if !strings.ContainsFunc(text, invisible) {
		return text
	}
	var b strings.Builder
	for _, c := range text {
		switch {
		case !invisible(c):
			b.WriteRune(c)
		case c < utf8.RuneSelf || utf16.RuneLen(c) == 1:
			fmt.Fprintf(&b, `\u%04x`, c)
		default:
			high, low := utf16.EncodeRune(c)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		}
	}
	return b.String()
}

// invisible reports whether a character of a valid JSON text has to be escaped to be seen. It is one of a string's.
func invisible(c rune) bool {
	return !strconv.IsGraphic(c) && c != '\n' && c != '\r' && c != '\t'
}
