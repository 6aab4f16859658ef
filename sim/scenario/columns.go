package scenario

import "unicode/utf8"

// columns finds the characters of lines. Looked for from left to right, as the nodes of a tree are, those of a line of a megabyte
// take no longer than reading it.
type columns struct{ line, column, offset int }

// offsetOf returns the offset, in bytes, of a column of the text from the beginning of a line on. Both are counted from 1.
func (c *columns) offsetOf(text string, line, column int) int {
	if line != c.line || column < c.column {
		*c = columns{line: line, column: 1}
	}
	for ; c.column < column && c.offset < len(text); c.column++ {
		_, size := utf8.DecodeRuneInString(text[c.offset:])
		c.offset += size
	}
	return c.offset
}
