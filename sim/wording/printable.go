package wording

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Printable returns a text in valid UTF-8, with control characters and the marks of bidirectional text as Go escapes,
// such as \x1b: a terminal acts on them. Line breaks and tabs stay. In YAML and JSON, the escapes are right within
// double quotes.
func Printable(text string) string {
	return escaped(text, func(c rune) bool { return c != '\n' && c != '\t' && isUnprintable(c) })
}

// Line returns a text on one line: Printable, with escapes for line breaks and tabs, too.
func Line(text string) string { return escaped(text, isUnprintable) }

// isUnprintable reports whether a terminal may act on a character in place of showing it.
func isUnprintable(c rune) bool {
	return unicode.Is(unicode.Cc, c) || unicode.Is(unicode.Bidi_Control, c) || c == '\u2028' || c == '\u2029'
}

func escaped(text string, isBad func(rune) bool) string {
	if utf8.ValidString(text) && !strings.ContainsFunc(text, isBad) {
		return text
	}
	var b strings.Builder
	for size := 0; text != ""; text = text[size:] {
		var c rune
		c, size = utf8.DecodeRuneInString(text)
		switch {
		case c == '\n' && isBad(c):
			b.WriteString(`\n`)
		case c < ' ' && isBad(c), c == utf8.RuneError && size == 1: // some terminals act on single bytes from 0x80 on
			fmt.Fprintf(&b, `\x%02x`, text[0])
		case isBad(c):
			fmt.Fprintf(&b, `\u%04x`, c) // also valid in JSON, which leaves these characters as they are
		default:
			b.WriteRune(c)
		}
	}
	return b.String()
}

// PrintableWriter writes texts in the form of [Printable].
type PrintableWriter struct{ io.Writer }

// Write implements io.Writer.
func (w PrintableWriter) Write(text []byte) (int, error) {
	if _, err := io.WriteString(w.Writer, Printable(string(text))); err != nil {
		return 0, err
	}
	return len(text), nil
}
