package wording

import (
	"fmt"
	"io"
	"strings"
	"unicode"
)

// Printable returns a text with control characters and the marks of bidirectional text as Go escapes, such as \x1b:
// a terminal acts on them. Line breaks and tabs stay.
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
	at := strings.IndexFunc(text, isBad)
	if at < 0 {
		return text
	}
	var b strings.Builder
	b.WriteString(text[:at])
	for _, c := range text[at:] {
		switch {
		case !isBad(c):
			b.WriteRune(c)
		case c == '\n':
			b.WriteString(`\n`)
		case c < ' ':
			fmt.Fprintf(&b, `\x%02x`, c)
		default:
			fmt.Fprintf(&b, `\u%04x`, c) // also valid in JSON, which leaves these characters as they are
		}
	}
	return b.String()
}

// PrintableWriter writes what it is given as [Printable] returns it.
type PrintableWriter struct{ io.Writer }

// Write implements io.Writer.
func (w PrintableWriter) Write(text []byte) (int, error) {
	if _, err := io.WriteString(w.Writer, Printable(string(text))); err != nil {
		return 0, err
	}
	return len(text), nil
}
