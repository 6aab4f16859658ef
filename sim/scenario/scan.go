package scenario

import (
	"fmt"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

// mistake is a place where a text stops being YAML, and what to do about it.
type mistake struct {
	offset  int
	message string
}

// scanner walks through a text that isn't YAML, from the top, and stops at the first mistake. It knows what people mean by
// lines, indentation, keys, values, quotes, brackets and comments, where a parser only knows what it expected next. Its messages
// never contain values, which may be secret.
type scanner struct {
	text    string
	at      int     // where the next line begins
	blocks  []block // those that are open; the first one stands for the document
	anchors map[string]bool
	found   *mistake
	stray   *mistake // an item of an outer list that looks like one of the key above it
}

// block is a mapping or a list whose entries are lines.
type block struct {
	indent  int  // of its keys or dashes; -1: the document
	list    bool // otherwise a mapping
	entries int  // how many it has
	key     int  // the offset of its last key or dash
	open    bool // whether its last key or dash has no value yet: deeper lines are the value
	plain   int  // the offset of its last value, if that is a text without quotes that deeper lines continue; otherwise -1
}

// scanMistake returns the first mistake in a text that isn't YAML, if the scanner finds it.
func scanMistake(text string) (mistake, bool) {
	s := scanner{text: text, blocks: []block{{indent: -1, open: true, plain: -1}}, anchors: map[string]bool{}}
	for s.at < len(s.text) && s.line() {
	}
	if s.found == nil {
		return mistake{}, false
	}
	return *s.found, true
}

// blame reports a mistake, and ends the scan by returning false. If the line has a character that only looks like the one that
// is needed, it is that.
func (s *scanner) blame(offset int, format string, args ...any) bool {
	if odd, ok := oddInLine(s.text, offset); ok {
		offset, format, args = odd.offset, "%s", []any{odd.message}
	}
	s.found = &mistake{offset, fmt.Sprintf(format, args...)}
	return false
}

func (s *scanner) top() *block { return &s.blocks[len(s.blocks)-1] }

// next ends a line: the scan goes on after the line of an offset.
func (s *scanner) next(offset int) bool {
	s.at = s.lineEnd(offset) + 1
	return true
}

// lineEnd returns the offset of the line break that ends the line of an offset, or of the end of the text.
func (s *scanner) lineEnd(offset int) int {
	if length := strings.IndexByte(s.text[offset:], '\n'); length >= 0 {
		return offset + length
	}
	return len(s.text)
}

// is reports whether a character is at an offset.
func (s *scanner) is(offset int, characters string) bool {
	return offset < len(s.text) && strings.IndexByte(characters, s.text[offset]) >= 0
}

// blank reports whether a space, a tab, the end of a line or that of the text is at an offset.
func (s *scanner) blank(offset int) bool { return offset >= len(s.text) || s.is(offset, " \t\r\n") }

// skip returns the offset after the spaces and tabs at an offset.
func (s *scanner) skip(offset int) int {
	for s.is(offset, " \t") {
		offset++
	}
	return offset
}

// ends reports whether nothing but a comment follows in the line. The offset is not in the middle of a word.
func (s *scanner) ends(offset int) bool {
	offset = s.skip(offset)
	return offset >= len(s.text) || s.is(offset, "#\r\n")
}

// isDash reports whether a list item begins at an offset.
func (s *scanner) isDash(offset int) bool { return s.is(offset, "-") && s.blank(offset+1) }

// lineNumber returns the number of the line of an offset, from 1.
func (s *scanner) lineNumber(offset int) int { return strings.Count(s.text[:offset], "\n") + 1 }

// line scans the line that begins at s.at, with the quotes and brackets that are opened there.
func (s *scanner) line() bool {
	start := s.at
	for s.is(s.at, " ") {
		s.at++
	}
	first, indent := s.at, s.at-start
	switch {
	case s.is(first, "\t") && (s.top().plain < 0 || indent <= s.top().indent):
		return s.blame(first, "a tab can't indent a line: use spaces")
	case s.ends(first):
		return s.next(first)
	case indent == 0 && s.marker(first):
		return s.document(first)
	}
	innermost := *s.top()
	left := s.leave(first, indent)
	s.noteStray(first, indent, innermost)
	top := s.top()
	switch dash := s.isDash(first); {
	case top.indent == indent && top.list && !dash:
		return s.notAnItem(first, *top)
	case top.indent == indent && !top.list && dash && !top.open:
		return s.misplaced(first, indent, left)
	case top.indent == indent, top.open:
		return s.entry(first, indent)
	case top.plain >= 0:
		return s.continued(first, indent)
	}
	return s.misplaced(first, indent, left)
}

// leave closes the blocks that a line doesn't belong to, because it is indented less, and returns the outermost of them.
func (s *scanner) leave(first, indent int) (left *block) {
	for {
		top := *s.top()
		sameColumn := top.indent == indent && (!top.list || s.isDash(first) || s.blocks[len(s.blocks)-2].indent != indent)
		if top.indent < indent || sameColumn {
			return left
		}
		left = &top
		s.blocks = s.blocks[:len(s.blocks)-1]
	}
}

// enter notes an entry of the block at an indentation, which begins with it if there is none.
func (s *scanner) enter(offset, indent int, list bool) bool {
	if top := s.top(); top.indent != indent || top.list != list {
		top.open = false
		s.blocks = append(s.blocks, block{indent: indent, list: list, plain: -1})
	}
	if len(s.blocks) > maxDepth {
		return s.blame(offset, "%s", tooDeep)
	}
	top := s.top()
	top.entries, top.key, top.open, top.plain = top.entries+1, offset, true, -1
	return true
}

// entry scans a key with its value, an item of a list, or a value below its key.
func (s *scanner) entry(offset, indent int) bool {
	afterDash := false
	for s.isDash(offset) {
		if !s.enter(offset, indent, true) {
			return false
		}
		if s.ends(offset + 1) {
			return s.next(offset)
		}
		next := offset + 1
		for s.is(next, " ") {
			next++
		}
		if s.is(next, "\t") {
			return s.blame(next, `a tab follows the "-": write a space instead`)
		}
		indent += next - offset
		offset, afterDash = next, true
	}
	sibling := s.top().indent == indent && !s.top().list
	for _, suspect := range []*mistake{s.markup(offset), s.start(offset, false)} {
		if suspect != nil {
			return s.blame(suspect.offset, "%s", suspect.message)
		}
	}
	limit := s.top().indent
	if sibling || afterDash {
		limit = indent
	}
	key := offset
	for s.is(key, "&!") && !s.blank(key+1) { // an anchor or a tag of the key
		if s.is(key, "&") {
			s.anchors[s.name(key+1)] = true
		}
		for !s.blank(key) {
			key++
		}
		key = s.skip(key)
	}
	colon, ok := s.colon(key, limit)
	switch {
	case s.found != nil:
		return false
	case ok && !s.enter(offset, indent, false):
		return false
	case ok:
		return s.value(colon + 1)
	case sibling:
		return s.noColon(offset)
	}
	return s.value(offset)
}

// colon returns the offset of the colon after the key at an offset, if there is one in the line.
func (s *scanner) colon(offset, limit int) (int, bool) {
	switch {
	case s.is(offset, `"'`):
		end, ok := s.quoted(offset, limit, false)
		end = s.skip(end)
		return end, ok && s.is(end, ":") && s.blank(end+1)
	case s.is(offset, "{[|>"):
		return 0, false
	}
	for at := offset; at < len(s.text) && s.text[at] != '\n'; at++ {
		switch {
		case s.text[at] == ':' && s.blank(at+1):
			return at, true
		case s.text[at] == '#' && at > offset && s.blank(at-1):
			return 0, false
		}
	}
	return 0, false
}

// name returns the name of the anchor or alias at an offset.
func (s *scanner) name(offset int) string {
	end := offset
	for end < len(s.text) && (s.text[end] == '_' || s.text[end] == '-' || isAlphanumeric(s.text[end])) {
		end++
	}
	return s.text[offset:end]
}

func isAlphanumeric(b byte) bool {
	return b >= '0' && b <= '9' || b >= 'A' && b <= 'Z' || b >= 'a' && b <= 'z'
}

// keyText returns the key at an offset for a message, after a dash if that is there.
func (s *scanner) keyText(offset int) string {
	for s.isDash(offset) {
		offset = s.skip(offset + 1)
	}
	line := s.text[offset:s.lineEnd(offset)]
	if key, _, ok := strings.Cut(line, ":"); ok {
		return phrase.Quote(strings.Trim(strings.TrimSpace(key), `"'`))
	}
	return "the list item"
}
