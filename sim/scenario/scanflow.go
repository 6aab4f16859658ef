package scenario

// bracket is a list in [ ] or a mapping in { } that is open.
type bracket struct {
	offset   int
	state    int // of its present entry
	plain    int // the offset of the text without quotes that goes on, or 0
	item     int // the offset of the key or value that was read last, or of its last line
	before   int // the offset of the key or value before the present line of a text
	previous int // the offset of the colon of the present entry
}

// The states of an entry in brackets.
const (
	wantsEntry = iota // after the bracket or a comma
	hasKey            // after a key or an item
	wantsValue        // after a colon
	hasValue          // after the value of a key
)

// flow scans what is in brackets, and returns the offset after them. Lines that are indented by the limit at most and look like
// keys or items of the block around them don't belong to it: a bracket was never closed.
func (s *scanner) flow(offset, limit int) (end int, ok bool) {
	open := []bracket{{offset: offset}}
	for at := offset + 1; at < len(s.text); {
		top := &open[len(open)-1]
		c := s.text[at]
		switch {
		case c == '\n':
			first, indent := s.indentation(at + 1)
			if indent <= limit && !s.is(first, "#") && !s.is(first, `"'`) && s.structural(first, true) {
				return 0, s.unclosedBracket(top.offset)
			}
			at++
		case s.is(at, " \t\r"):
			at++
		case c == '#':
			at = s.lineEnd(at)
		case c == ',':
			if top.state == wantsEntry {
				return 0, s.blame(at, `a value is missing before this ",": write one, or remove the ","`)
			}
			top.state, top.plain = wantsEntry, 0
			at++
		case c == ']' || c == '}':
			if (c == ']') != (s.text[top.offset] == '[') {
				return 0, s.mismatched(top.offset, at)
			}
			open = open[:len(open)-1]
			at++
			if len(open) == 0 {
				return at, true
			}
			s.filled(&open[len(open)-1], at-1)
		case c == ':' && s.indicates(at, top):
			switch top.state {
			case hasValue:
				return 0, s.secondInBrackets(top, at)
			case wantsEntry, wantsValue:
				return 0, s.blame(at, "%s", cantStart(":"))
			}
			top.state, top.plain, top.previous = wantsValue, 0, at
			at++
		case (top.state == hasKey || top.state == hasValue) && top.plain == 0:
			return 0, s.missingComma(top, at)
		default:
			if at, ok = s.token(&open, at, limit); !ok {
				return 0, false
			}
			if len(open)+len(s.blocks) > maxDepth {
				return 0, s.blame(at-1, "%s", tooDeep)
			}
		}
	}
	return 0, s.unclosedBracket(open[len(open)-1].offset)
}

// indicates reports whether the colon at an offset separates a key from its value.
func (s *scanner) indicates(offset int, in *bracket) bool {
	return in.plain == 0 || s.blank(offset+1)
}

// filled notes that a bracket has one more key or value.
func (s *scanner) filled(in *bracket, offset int) {
	in.item, in.plain, in.before = offset, 0, offset
	if in.state == wantsValue {
		in.state = hasValue
	} else if in.state == wantsEntry {
		in.state = hasKey
	}
}

// token scans a text, an alias, or an opening bracket, and returns the offset after it.
func (s *scanner) token(open *[]bracket, at, limit int) (end int, ok bool) {
	top := &(*open)[len(*open)-1]
	continues := top.plain > 0
	if !continues {
		if m := s.start(at, true); m != nil {
			return 0, s.blame(m.offset, "%s", m.message)
		}
		if s.is(at, "|>") {
			return 0, s.blame(at, "%s", cantStart(s.text[at:at+1]))
		}
	}
	switch {
	case s.is(at, "[{") && !continues:
		*open = append(*open, bracket{offset: at})
		return at + 1, true
	case s.is(at, "[{") && s.text[at-1] == ':':
		return 0, s.blame(at, "write a space after the colon, before the %s", s.text[at:at+1])
	case s.is(at, "[{"):
		return 0, s.missingComma(top, at)
	case s.is(at, `"'`) && !continues:
		end, ok := s.quoted(at, limit, true)
		if !ok {
			return 0, false
		}
		s.filled(top, at)
		if next := s.skip(end); !s.mayFollow(next, true) {
			if s.is(next, `"'`) || s.is(next, "[{") {
				return 0, s.missingComma(top, next)
			}
			return 0, s.afterQuote(at, next)
		}
		return end, true
	case s.is(at, "*") && !continues:
		s.filled(top, at)
		return at + 1 + len(s.name(at+1)), true
	case s.is(at, "&!") && !continues:
		for end = at + 1; !s.blank(end) && !s.is(end, ",]}"); end++ {
		}
		if s.is(at, "&") {
			s.anchors[s.text[at+1:end]] = true
		}
		return end, true
	}
	if s.is(at, "?") {
		return 0, s.blame(at, "%s", questionMark)
	}
	end = at
	for ; end < len(s.text) && s.text[end] != '\n' && !s.is(end, ",?[]{}"); end++ {
		if s.text[end] == ':' && s.blank(end+1) || s.text[end] == '#' && s.blank(end-1) {
			break
		}
	}
	if !continues {
		s.filled(top, at)
	}
	top.plain, top.item, top.before = at, at, top.item
	return max(end, at+1), true
}

const questionMark = `a "?" in [ ] or { } needs quotes: put the text in quotes`

// mismatched blames a bracket that is closed by one of the other kind.
func (s *scanner) mismatched(opening, closing int) bool {
	return s.blame(opening, "%s is opened here and not closed before the %s on line %d: write %s before it",
		s.text[opening:opening+1], s.text[closing:closing+1], s.lineNumber(closing), closer(s.text[opening]))
}

// closer returns the bracket that closes another.
func closer(opening byte) string {
	if opening == '[' {
		return "]"
	}
	return "}"
}

// unclosedBracket blames a bracket that is never closed.
func (s *scanner) unclosedBracket(offset int) bool {
	if s.text[offset] == '[' {
		return s.blame(offset, `a list in [ ] is not complete: write "," between its items and "]" at its end`)
	}
	return s.blame(offset, `a mapping in { } is not complete: write "," between its entries and "}" at its end`)
}

// missingComma blames a value that follows another.
func (s *scanner) missingComma(in *bracket, at int) bool {
	if s.leftOpen(in, at) {
		return s.unclosedBracket(in.offset)
	}
	return s.blame(at, `a "," is missing before this: write it between the %s of %s`, entriesOf(s.text[in.offset]), bothBrackets(s.text[in.offset]))
}

// secondInBrackets blames a second colon in an entry: a comma is missing before the key, or the value needs quotes.
func (s *scanner) secondInBrackets(in *bracket, colon int) bool {
	key := colon
	for key > in.item && !s.blank(key-1) {
		key--
	}
	if in.plain == 0 || key == in.item && s.lineNumber(in.previous) == s.lineNumber(colon) {
		return s.blame(colon, secondColon)
	}
	if s.leftOpen(in, key) {
		return s.unclosedBracket(in.offset)
	}
	return s.blame(key, `a "," is missing before this key, or the value before it needs quotes`)
}

// leftOpen reports whether a bracket was more likely never closed than a comma forgotten: all that it has is in the line in which it
// is opened, and what follows begins a line as a key or an item does.
func (s *scanner) leftOpen(in *bracket, next int) bool {
	first, _ := s.firstInLine(next)
	return first == next && s.structural(first, false) && s.lineNumber(in.offset) == s.lineNumber(in.before) && !s.is(first, `"'`)
}

func entriesOf(opening byte) string {
	if opening == '[' {
		return "items"
	}
	return "entries"
}

func bothBrackets(opening byte) string {
	if opening == '[' {
		return "[ ]"
	}
	return "{ }"
}
