package scenario

import (
	"bytes"
	"strings"
)

// put writes a token, with the space before it.
func (f *formatter) put(kind byte, text string) {
	f.seen = append(f.seen, text)
	switch {
	case f.last == 0:
		f.out.WriteString(strings.Repeat(" ", f.indent))
	case kind == tokenComment:
	case kind == ':' && f.last == tokenAlias:
		f.out.WriteByte(' ')
	case f.last == '[', f.last == '{', kind == ']', kind == '}', kind == ',', kind == ':':
	default:
		f.out.WriteByte(' ')
	}
	f.out.WriteString(text)
	f.last = kind
}

// comment writes the comment at the end of a line. The spaces before it stay, because they may align it with others.
func (f *formatter) comment() {
	before := f.text[:f.at]
	spaces := len(before) - len(bytes.TrimRight(before, " "))
	f.out.WriteString(strings.Repeat(" ", max(spaces, 1)))
	f.put(tokenComment, strings.TrimRight(f.take(f.lineEnd(f.at)), " \t"))
}

func (f *formatter) endLine() {
	f.out.WriteByte('\n')
	f.lines++
}

// flush writes the empty lines and comments before a line of a level. Before holds the blocks that were open until then.
func (f *formatter) flush(next indentLevel, before []indentLevel) {
	empty := f.out.Len() == 0 // a file begins with no empty line
	for _, p := range f.pending {
		if p.text == "" {
			if !empty {
				f.endLine()
			}
			empty = true
			continue
		}
		empty = false
		f.out.WriteString(strings.Repeat(" ", f.beside(p.column, next, before)))
		f.out.WriteString(p.text)
		f.seen = append(f.seen, p.text)
		f.endLine()
	}
	f.pending = nil
}

// beside returns the indentation of a comment: that of the next line or of an open block, if it stands at its column, or else
// that of the innermost one that is left of it.
func (f *formatter) beside(column int, next indentLevel, before []indentLevel) int {
	n := len(before)
	switch {
	case column == next.column:
		return next.shown
	case f.open && n > 0 && column > before[n-1].column:
		return before[n-1].shown + indentStep
	}
	best := indentLevel{column: -1}
	for _, l := range append(before[:n:n], next) {
		if l.column <= column && l.column >= best.column {
			best = l
		}
	}
	return best.shown
}
