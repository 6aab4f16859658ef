package scenario

import (
	"fmt"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

// notAnItem blames a line at the column of a list that isn't an item of it.
func (s *scanner) notAnItem(first int, list block) bool {
	if m := s.markup(first); m != nil {
		return s.blame(m.offset, "%s", m.message)
	}
	return s.blame(first, `the line does not fit in the list above: start an item with "- " at the list's column, or indent a key as far as the item's first`)
}

// misplaced blames a line whose indentation fits no block above. The outermost of those that it leaves may be nil.
func (s *scanner) misplaced(first, indent int, left *block) bool {
	top := s.top()
	if m := s.markup(first); m != nil {
		return s.blame(m.offset, "%s", m.message)
	}
	dash := s.isDash(first)
	switch {
	case left == nil && top.indent == indent:
		return s.blame(first, `a list item can't start here: %s above has a value already, and the keys beside it have no "-"`, s.keyText(top.key))
	case left == nil:
		return s.tooFar(first, indent)
	case left.entries == 1 && (len(s.blocks) == 1 || left.indent%2 == 1 && indent%2 == 0):
		return s.blame(left.key, "the line is indented by %s, and those below by %d: indent them equally", spaces(left.indent), indent)
	}
	options := ""
	if left.list == dash {
		options = fmt.Sprintf("%d, like %s", left.indent, s.label(*left))
	}
	if top.indent >= 0 && top.list == dash && top.indent < indent {
		if options != "" {
			options += ", or by "
		}
		options += fmt.Sprintf("%d, like %s", top.indent, s.label(*top))
	}
	if options == "" {
		return s.blame(first, `the line is indented by %s and fits nothing above: start an item with "- " at the list's column, or indent a key like those beside it`, spaces(indent))
	}
	return s.blame(first, "the line is indented by %s and fits nothing above: indent it by %s", spaces(indent), options)
}

// label names the entries of a block.
func (s *scanner) label(b block) string {
	if b.list {
		return "the list above"
	}
	return s.keyText(b.key)
}

// spaces counts spaces in words.
func spaces(n int) string {
	if n == 1 {
		return "1 space"
	}
	return fmt.Sprintf("%d spaces", n)
}

// tooFar blames a line that is indented as if it belonged to a key that has a value already. Often it is the line above that is
// not what it was meant to be.
func (s *scanner) tooFar(first, indent int) bool {
	top := s.top()
	if top.indent < 0 && top.plain < 0 {
		return s.blame(first, "the scenario has ended above: remove this, or the brackets around what is above")
	}
	if top.entries > 0 {
		if m := s.markup(top.key); m != nil {
			return s.blame(m.offset, "%s", m.message)
		}
	}
	if top.plain >= 0 && (top.list || top.indent < 0 || s.lineNumber(top.plain) != s.lineNumber(top.key)) {
		if m := s.markup(top.plain); m != nil {
			return s.blame(m.offset, "%s", m.message)
		}
		return s.noColon(top.plain)
	}
	if s.stray != nil && s.strayBlock() {
		return s.blameExactly(s.stray.offset, "%s", s.stray.message)
	}
	if m, ok := oddInLine(s.text, top.key); ok {
		return s.blameExactly(m.offset, "%s", m.message)
	}
	if comment, ok := s.commentedKey(first); ok {
		return s.blame(comment, "a key is commented out, and the lines below that belong to it are not: write # before them, too, or remove this one")
	}
	if above, left := s.firstInLine(top.key); top.entries == 1 && left%2 == 1 && indent%2 == 0 {
		return s.blame(above, "the line is indented by %s, and does not fit those below: indent the lines of an item equally, and items by as much as their list", spaces(left))
	}
	return s.blame(first, "the line is indented by %s, as if it belonged to %s, which has a value already: indent it by %d", spaces(indent), s.keyText(top.key), top.indent)
}

// noteStray notes an item that belongs to an outer list, though the line above is a key that waits for a value: most likely, the
// item was meant to be that.
func (s *scanner) noteStray(first, indent int, innermost block) {
	if top := s.top(); innermost.open && !innermost.list && innermost.indent > indent && top.list && top.indent == indent && s.isDash(first) {
		s.stray = &mistake{first, fmt.Sprintf("the list item is indented by %s, left of %s above, to which it seems to belong: indent it by %d",
			spaces(indent), s.keyText(innermost.key), innermost.indent+2)}
	}
}

// strayBlock reports whether the scan is still in the stray item.
func (s *scanner) strayBlock() bool {
	for _, b := range s.blocks {
		if b.list && b.key == s.stray.offset {
			return true
		}
	}
	return false
}

// firstInLine returns the offset of the first character in the line of an offset that is not a space, and how many precede it.
func (s *scanner) firstInLine(offset int) (first, indent int) {
	return s.indentation(strings.LastIndexByte(s.text[:offset], '\n') + 1)
}

// commentedKey returns the offset of the line above, if it is a comment that looks like a key without a value.
func (s *scanner) commentedKey(first int) (offset int, ok bool) {
	end := strings.LastIndexByte(s.text[:first], '\n')
	if end < 0 {
		return 0, false
	}
	offset, _ = s.firstInLine(end)
	line := strings.TrimRight(s.text[offset:end], " \t\r")
	key := strings.TrimLeft(line, "#- ")
	return offset, strings.HasPrefix(line, "#") && strings.HasSuffix(key, ":") && !strings.Contains(key, " ")
}

// noColon blames a line that stands where a key must, and has no colon.
func (s *scanner) noColon(offset int) bool {
	line := strings.TrimRight(s.text[offset:s.lineEnd(offset)], " \t\r")
	word := 0
	for word < len(line) && (isAlphanumeric(line[word]) || line[word] == '_' || line[word] == '-') {
		word++
	}
	name, rest := line[:word], strings.TrimLeft(line[word:], " ")
	if s.top().open && s.isSecret(s.top().key) { // the line may be its value
		word = 0
	}
	switch {
	case s.is(offset, "]}"):
		return s.blame(offset, "%s", tooMany(line[:1]))
	case word > 0 && strings.HasPrefix(line[word:], ":"):
		return s.blame(offset+word+1, `write a space after the colon of %s`, phrase.Quote(name))
	case word > 0 && (strings.HasPrefix(rest, "=") || strings.HasPrefix(rest, ":=")):
		return s.blame(offset+len(line)-len(rest), `a key and its value are separated by ":": write %s`, phrase.Quote(name+": …"))
	}
	above := ""
	if top := s.top(); top.open && !top.list && top.indent >= 0 {
		above = fmt.Sprintf(", or indent the line if it is the value of %s", s.keyText(top.key))
	} else if top.plain >= 0 && top.plain != offset && !top.list {
		above = fmt.Sprintf(", or indent the line if it continues the text of %s", s.keyText(top.key))
	}
	return s.blame(offset, `a key without a colon: write "key: value"%s`, above)
}
