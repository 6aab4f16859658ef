package scenario

import (
	"bytes"
	"fmt"
	"strings"
)

// formatter writes a YAML text in its normal form. It goes through the text once, token by token, and knows of the structure
// only what decides the indentation: the blocks and brackets that are open.
type formatter struct {
	text []byte
	at   int // the offset of the next character
	out  bytes.Buffer

	levels  []indentLevel // the open blocks, the innermost last
	flow    []int         // for each open bracket, the written line on which it was opened
	base    int           // the indentation of the outermost of them
	pending []lineBetween // what stands before the next line
	open    bool          // whether a value may follow on the next lines

	lines   int      // how many were written
	last    byte     // the last token of the present line; 0: there is none yet
	indent  int      // of the present line
	unended bool     // whether the text ends within the text of a block, without a line feed, which would be a part of it
	seen    []string // all tokens
}

// indentLevel is a block: a mapping or a list that is not in brackets.
type indentLevel struct {
	column int  // in the text
	shown  int  // in its normal form
	list   bool // whether it is a list
}

// lineBetween is an empty line, or a line with nothing but a comment.
type lineBetween struct {
	column int
	text   string // empty for an empty line
}

// unformatted is what keeps a text from being formatted.
type unformatted struct {
	line    int
	message string
}

// indentStep is the indentation of a level.
const indentStep = 2

// Kinds of tokens, besides the brackets, colons, commas and dashes, which stand for themselves.
const (
	tokenWord    = 'w' // an anchor or a tag
	tokenAlias   = '*'
	tokenText    = 's'
	tokenComment = '#'
)

func (f *formatter) run() *unformatted {
	for !f.done() {
		if message := f.nextLine(); message != "" {
			return &unformatted{bytes.Count(f.text[:min(f.at, len(f.text))], []byte("\n")) + 1, message}
		}
	}
	for len(f.pending) > 0 && f.pending[len(f.pending)-1].text == "" {
		f.pending = f.pending[:len(f.pending)-1]
	}
	f.flush(indentLevel{column: -1}, f.levels)
	if f.unended {
		f.out.Truncate(f.out.Len() - 1)
	}
	return nil
}

// nextLine formats a line, and those on which its last token goes on.
func (f *formatter) nextLine() (message string) {
	start := f.at
	f.skip()
	switch {
	case f.done() || f.text[f.at] == '\n':
		f.at++
		f.pending = append(f.pending, lineBetween{})
		return ""
	case f.text[f.at] == '#':
		column := f.at - start
		f.pending = append(f.pending, lineBetween{column, strings.TrimRight(f.take(f.lineEnd(f.at)), " \t")})
		f.at++
		return ""
	}
	f.last = 0
	structural := true // whether a key or an item can begin here
	for !f.done() && f.text[f.at] != '\n' && message == "" {
		before := f.at
		switch {
		case f.text[f.at] == '#' && f.last != 0:
			f.comment()
		case len(f.flow) > 0:
			message = f.inFlow()
		case f.at == start && f.marker(start):
			f.levels = nil
			f.begin(0, indentLevel{})
			f.put(tokenWord, f.take(f.at+3))
		case f.at == start && f.text[start] == '%':
			return noDirectives
		case f.text[f.at] == '?' && f.blankAt(f.at+1):
			return noComplexKeys
		case structural && f.text[f.at] == '-' && f.blankAt(f.at+1):
			f.item(f.at - start)
		case structural && f.key(f.at-start):
			structural = false
		case f.has(f.at, "|>"):
			f.content(f.at - start)
			f.blockText()
			return ""
		default:
			structural = false
			message = f.value(f.at - start)
		}
		if f.at == before && message == "" {
			return "this notation is not formatted: write it in a simpler way"
		}
		if len(f.levels)+len(f.flow) > maxDepth || f.out.Len() > 2*maxBytes { // more indentation than text
			return fmt.Sprintf("nested deeper than %d levels, or too large once it is indented: flatten it", maxDepth)
		}
		f.skip()
	}
	if message == "" {
		f.at++
		f.endLine()
	}
	return message
}

// item formats the dash of an item.
func (f *formatter) item(column int) {
	before := append([]indentLevel(nil), f.levels...)
	f.begins(f.level(column, true), before)
	f.put('-', f.take(f.at+1))
	f.open = true
}

// key formats a key with its colon, if there is one.
func (f *formatter) key(column int) bool {
	end, ok := f.keyEnd(f.at)
	if !ok {
		return false
	}
	before := append([]indentLevel(nil), f.levels...)
	f.begins(f.level(column, false), before)
	for f.has(f.at, "&!") {
		f.put(tokenWord, f.take(f.wordEnd(f.at)))
		f.skip()
	}
	kind := byte(tokenText)
	if f.text[f.at] == '*' {
		kind = tokenAlias
	}
	f.put(kind, f.take(end))
	f.skip()
	f.put(':', f.take(f.at+1))
	f.open = true
	return true
}

// content begins a line with a value, unless something is on it already.
func (f *formatter) content(column int) {
	if f.last != 0 {
		return
	}
	before := append([]indentLevel(nil), f.levels...)
	for n := len(f.levels); n > 0 && f.levels[n-1].column >= column; n-- {
		f.levels = f.levels[:n-1]
	}
	f.begins(indentLevel{column: column, shown: f.inner()}, before)
}

// value formats a value, or the beginning of one, which is neither a key nor an item.
func (f *formatter) value(column int) (message string) {
	f.content(column)
	switch c := f.text[f.at]; {
	case c == '&' || c == '!':
		f.put(tokenWord, f.take(f.wordEnd(f.at)))
		return ""
	case c == '*':
		f.put(tokenAlias, f.take(f.wordEnd(f.at)))
	case c == '[' || c == '{':
		f.base = f.inner() - indentStep
		if n := len(f.levels); n == 0 || f.levels[n-1].list || f.last == 0 {
			f.base = f.inner()
		}
		f.bracket()
	case c == '"' || c == '\'':
		f.scalar(f.take(f.quotedEnd(f.at)), f.inner())
		f.skip()
		if f.has(f.at, ":") {
			return noComplexKeys
		}
	default:
		column := -1
		if n := len(f.levels); n > 0 {
			column = f.levels[n-1].column
		}
		f.scalar(f.take(f.plainEnd(f.at, column)), f.inner())
	}
	f.open = false
	return ""
}

// level returns the block with a key or an item at a column, which may be a new one, and closes those that end here.
func (f *formatter) level(column int, list bool) indentLevel {
	n := len(f.levels)
	for n > 0 && f.levels[n-1].column > column {
		n--
	}
	if n > 0 && f.levels[n-1].column == column && f.levels[n-1].list && !list {
		n-- // a list at the column of its key has ended
	}
	f.levels = f.levels[:n]
	if n == 0 || f.levels[n-1].column < column || f.levels[n-1].list != list {
		f.levels = append(f.levels, indentLevel{column, f.inner(), list})
	}
	return f.levels[len(f.levels)-1]
}

// inner returns the indentation within the innermost block.
func (f *formatter) inner() int {
	if n := len(f.levels); n > 0 {
		return f.levels[n-1].shown + indentStep
	}
	return 0
}

// begins begins a line at a level, unless something is on it already.
func (f *formatter) begins(at indentLevel, before []indentLevel) {
	if f.last == 0 {
		f.flush(at, before)
		f.indent = at.shown
	}
}

// begin begins a line with an indentation. What stands before it is at the level.
func (f *formatter) begin(indent int, at indentLevel) {
	for i := range f.pending {
		f.pending[i].column = at.column
	}
	f.flush(at, nil)
	f.indent = indent
}
