package scenario

import (
	"bytes"
	"strings"
)

// The notation that the formatter doesn't know.
const (
	noComplexKeys = `a key that is a list or a mapping, or that begins with "?", is not formatted: write the key as plain text`
	noDirectives  = `a line that begins with "%" is not formatted: remove it`
)

func (f *formatter) done() bool { return f.at >= len(f.text) }

// blankAt reports whether white space, or nothing, is at an offset.
func (f *formatter) blankAt(offset int) bool {
	return offset >= len(f.text) || f.text[offset] == ' ' || f.text[offset] == '\t' || f.text[offset] == '\n'
}

func (f *formatter) has(offset int, any string) bool {
	return offset < len(f.text) && strings.IndexByte(any, f.text[offset]) >= 0
}

// skip moves over spaces and tabs.
func (f *formatter) skip() {
	for f.has(f.at, " \t") {
		f.at++
	}
}

// lineEnd returns the offset at which the line of an offset ends.
func (f *formatter) lineEnd(offset int) int {
	if n := bytes.IndexByte(f.text[offset:], '\n'); n >= 0 {
		return offset + n
	}
	return len(f.text)
}

// take returns the text up to an offset, and moves there.
func (f *formatter) take(end int) string {
	text := string(f.text[f.at:end])
	f.at = end
	return text
}

// marker reports whether a document begins or ends at an offset, which is the start of a line.
func (f *formatter) marker(offset int) bool {
	rest := f.text[offset:]
	return (bytes.HasPrefix(rest, []byte("---")) || bytes.HasPrefix(rest, []byte("..."))) && f.blankAt(offset+3)
}

// quotedEnd returns the offset after a text in quotes.
func (f *formatter) quotedEnd(start int) int {
	quote := f.text[start]
	for i := start + 1; i < len(f.text); i++ {
		switch {
		case quote == '"' && f.text[i] == '\\':
			i++
		case quote == '\'' && f.text[i] == quote && f.has(i+1, "'"):
			i++
		case f.text[i] == quote:
			return i + 1
		}
	}
	return len(f.text)
}

// wordEnd returns the offset after an anchor, a tag or an alias.
func (f *formatter) wordEnd(start int) int {
	i := start + 1
	for !f.blankAt(i) && !(len(f.flow) > 0 && f.has(i, ",[]{}")) && !(f.text[start] == '*' && f.text[i] == ':') {
		i++
	}
	return i
}

// colonAt reports whether a ":" at an offset ends a key.
func (f *formatter) colonAt(offset int) bool {
	return f.has(offset, ":") && (f.blankAt(offset+1) || len(f.flow) > 0 && f.has(offset+1, ",[]{}"))
}

// plainLineEnd returns the offset after the part of a text without quotes that is on one line.
func (f *formatter) plainLineEnd(start int) int {
	end := start
	for i := start; i < len(f.text) && f.text[i] != '\n'; i++ {
		switch {
		case f.colonAt(i), f.text[i] == '#' && i > start && f.blankAt(i-1), len(f.flow) > 0 && f.has(i, ",[]{}"):
			return end
		case f.text[i] != ' ' && f.text[i] != '\t':
			end = i + 1
		}
	}
	return end
}

// plainEnd returns the offset after a text without quotes, which may go on in lines that are indented further than a column.
func (f *formatter) plainEnd(start, column int) int {
	end := f.plainLineEnd(start)
	for {
		next := end
		for f.has(next, " \t") {
			next++
		}
		if next >= len(f.text) || f.text[next] != '\n' {
			return end
		}
		line := next + 1
		for next < len(f.text) && f.blankAt(next) {
			if f.text[next] == '\n' {
				line = next + 1
			}
			next++
		}
		inFlow := len(f.flow) > 0
		switch {
		case next >= len(f.text), f.text[next] == '#', !inFlow && next-line <= column, next == line && f.marker(line),
			inFlow && (f.has(next, ",[]{}") || f.colonAt(next)):
			return end
		}
		end = f.plainLineEnd(next)
	}
}

// keyEnd returns where the key that begins at an offset ends, and whether there is one: a text on one line, with a colon after
// it.
func (f *formatter) keyEnd(start int) (end int, ok bool) {
	i := start
	for f.has(i, "&!") {
		i = f.wordEnd(i)
		for f.has(i, " \t") {
			i++
		}
	}
	switch {
	case f.has(i, `"'`):
		end = f.quotedEnd(i)
	case f.has(i, "*"):
		end = f.wordEnd(i)
	case f.has(i, "[{|>"):
		return 0, false
	default:
		end = f.plainLineEnd(i)
	}
	if end > f.lineEnd(i) {
		return 0, false
	}
	colon := end
	for f.has(colon, " \t") {
		colon++
	}
	return end, f.colonAt(colon)
}
