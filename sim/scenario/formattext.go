package scenario

import "strings"

// scalar writes a text that may take several lines. Space at their ends means nothing in it, except after a backslash.
func (f *formatter) scalar(text string, indent int) {
	first, rest, more := strings.Cut(text, "\n")
	f.put(tokenText, trimmedEnd(first))
	for more {
		var line string
		line, rest, more = strings.Cut(rest, "\n")
		f.endLine()
		if line = trimmedEnd(strings.TrimLeft(line, " \t")); line != "" {
			f.out.WriteString(strings.Repeat(" ", indent))
			f.out.WriteString(line)
		}
	}
}

func trimmedEnd(line string) string {
	trimmed := strings.TrimRight(line, " \t")
	if strings.HasSuffix(trimmed, `\`) {
		return line
	}
	return trimmed
}

// blockText writes a text in the notation with | or >, whose lines keep their indentation among themselves.
func (f *formatter) blockText() {
	end := f.at + 1
	for f.has(end, "+-0123456789") {
		end++
	}
	header := f.take(end)
	f.put(tokenText, header)
	if f.skip(); f.has(f.at, "#") {
		f.comment()
	}
	f.at = min(f.lineEnd(f.at)+1, len(f.text))
	f.endLine()
	f.open = false

	parent := -1
	if n := len(f.levels); n > 0 {
		parent = f.levels[n-1].column
	}
	column, indent := f.textColumn(parent+1), max(f.inner(), indentStep)
	if digit := strings.IndexAny(header, "123456789"); digit >= 0 {
		column = max(parent, 0) + int(header[digit]-'0')
		indent = max(f.inner()-indentStep, 0) + int(header[digit]-'0')
	}
	empty, from := 0, f.at // the empty lines that end the text, and where they begin
	for !f.done() {
		line := string(f.text[f.at:f.lineEnd(f.at)])
		spaces := len(line) - len(strings.TrimLeft(line, " "))
		switch {
		case spaces == len(line) && spaces <= column: // an empty line
			empty++
			f.at = min(f.lineEnd(f.at)+1, len(f.text))
			continue
		case spaces < column:
			f.endText(header, empty, from)
			return
		}
		f.out.WriteString(strings.Repeat("\n", empty))
		f.out.WriteString(strings.Repeat(" ", indent))
		f.out.WriteString(line[column:])
		f.lines += empty
		f.endLine()
		f.unended = f.lineEnd(f.at) == len(f.text)
		f.at = min(f.lineEnd(f.at)+1, len(f.text))
		empty, from = 0, f.at
	}
	f.endText(header, empty, from)
}

// textColumn returns the column of the text that begins here: that of its first line that is not empty.
func (f *formatter) textColumn(least int) int {
	for start := f.at; start < len(f.text); start = f.lineEnd(start) + 1 {
		line := string(f.text[start:f.lineEnd(start)])
		if text := strings.TrimLeft(line, " "); text != "" {
			return max(len(line)-len(text), least, 1)
		}
	}
	return max(least, 1)
}

// endText ends a text with the empty lines that belong to it: under "+" all of them. Otherwise they stand between the text and
// what follows.
func (f *formatter) endText(header string, empty, from int) {
	if strings.Contains(header, "+") {
		f.out.WriteString(strings.Repeat("\n", empty))
		f.lines += empty
		return
	}
	f.at = from
}
