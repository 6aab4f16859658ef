package scenario

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

const secondColon = `a second ":" in the value: put the value in quotes`

// value scans the value of the last key or dash, from an offset in its line, or in a line of its own.
func (s *scanner) value(offset int) bool {
	offset = s.skip(offset)
	top := s.top()
	if s.ends(offset) {
		return s.next(offset)
	}
	if m := s.start(offset, false); m != nil {
		return s.blame(m.offset, "%s", m.message)
	}
	switch {
	case s.is(offset, "&!"):
		end := offset + 1
		for !s.blank(end) {
			end++
		}
		if s.is(offset, "&") {
			s.anchors[s.text[offset+1:end]] = true
		}
		return s.value(end)
	case s.is(offset, "|>"):
		top.open = false
		return s.blockText(offset)
	}
	top.open = false
	end, ok := offset, true
	switch {
	case s.is(offset, "*"):
		end += 1 + len(s.name(offset+1))
	case s.is(offset, `"'`):
		end, ok = s.quoted(offset, top.indent, false)
	case s.is(offset, "[{"):
		end, ok = s.flow(offset, top.indent)
	default:
		return s.plain(offset)
	}
	if !ok {
		return false
	}
	if !s.ends(end) {
		return s.behind(offset, s.skip(end))
	}
	return s.next(end)
}

// start returns what is wrong with the first character of a value, or with the name after it.
func (s *scanner) start(offset int, inFlow bool) *mistake {
	switch {
	case strings.HasPrefix(s.text[offset:], "{{"), strings.HasPrefix(s.text[offset:], "{%"):
		return &mistake{offset, placeholder(s.text[offset : offset+2])}
	case s.is(offset, "&") && s.name(offset+1) == "", s.is(offset, "*") && s.name(offset+1) == "":
		return &mistake{offset, cantStart(s.text[offset : offset+1])}
	case s.is(offset, "*&"):
		name := s.name(offset + 1)
		if end := offset + 1 + len(name); !s.blank(end) && !(inFlow && s.is(end, ",]}:?")) {
			return &mistake{offset, cantStart(s.text[offset : offset+1])}
		}
		if s.is(offset, "*") && !s.anchors[name] {
			return &mistake{offset, s.noAnchor(offset, name)}
		}
	case strings.HasPrefix(s.text[offset:], "// "), strings.HasPrefix(s.text[offset:], "/* "):
		return &mistake{offset, commentSign}
	case s.is(offset, "]}"):
		return &mistake{offset, tooMany(s.text[offset : offset+1])}
	case s.is(offset, "%@`,"):
		return &mistake{offset, cantStart(s.text[offset : offset+1])}
	case s.isDash(offset):
		return &mistake{offset, `a list item can't start here: put it on a line of its own, below its key`}
	case s.is(offset, "?") && s.blank(offset+1):
		return &mistake{offset, cantStart("? ")}
	}
	return nil
}

func cantStart(text string) string {
	return "a value can't start with " + phrase.Quote(text) + ": put it in quotes"
}

// noAnchor explains an alias whose anchor is nowhere above: by its name, unless that may be a secret.
func (s *scanner) noAnchor(offset int, name string) string {
	line := s.text[strings.LastIndexByte(s.text[:offset], '\n')+1 : offset]
	for key := range secretKeys {
		if strings.Contains(line, key) {
			return cantStart("*")
		}
	}
	return fmt.Sprintf("alias %s has no anchor: put the value in quotes if it is a text, or set the anchor %s on a value above",
		phrase.Quote("*"+name), phrase.Quote("&"+name))
}

func placeholder(opening string) string {
	return phrase.Quote(opening) + " opens a placeholder that no template engine has filled in: write the value, or put it in quotes"
}

// behind blames what follows a value that is complete.
func (s *scanner) behind(value, rest int) bool {
	opening := s.text[value]
	switch {
	case strings.HasPrefix(s.text[rest:], "//"), strings.HasPrefix(s.text[rest:], "/*"):
		return s.blame(rest, "%s", commentSign)
	case opening == '*':
		return s.blame(value, "%s", cantStart("*"))
	case s.is(rest, ":") && s.blank(rest+1):
		return s.blame(rest, secondColon)
	case (opening == '[' || opening == '{') && s.is(rest, "]}"):
		return s.blame(rest, "%s", tooMany(s.text[rest:rest+1]))
	case opening == '[':
		return s.blame(value, "a value that starts with [ is a list, and text follows the ]: put the whole value in quotes")
	case opening == '{':
		return s.blame(value, "a value that starts with { is a mapping, and text follows the }: put the whole value in quotes")
	}
	return s.afterQuote(value, rest)
}

// plain scans a text without quotes.
func (s *scanner) plain(offset int) bool {
	end := s.lineEnd(offset)
	for at := offset; at < end; at++ {
		switch {
		case s.text[at] == ':' && s.blank(at+1):
			return s.blame(at, secondColon)
		case s.text[at] == '#' && s.blank(at-1):
			return s.next(at)
		}
	}
	s.top().plain = offset
	return s.next(offset)
}

// continued scans a line that continues a text without quotes. It can't have a key.
func (s *scanner) continued(first, indent int) bool {
	end := s.lineEnd(first)
	for at := first; at < end; at++ {
		switch {
		case s.text[at] == ':' && s.blank(at+1):
			return s.tooFar(first, indent)
		case s.text[at] == '#' && s.blank(at-1):
			s.top().plain = -1
			return s.next(first)
		}
	}
	return s.next(first)
}

// blockText scans a text that starts with | or >, and goes on in deeper lines.
func (s *scanner) blockText(offset int) bool {
	header := offset + 1
	for s.is(header, "+-0123456789") {
		header++
	}
	if !s.blank(header) || !s.ends(header) {
		sign := s.text[offset : offset+1]
		return s.blame(offset, "a value that starts with %s goes on in the lines below: put the value in quotes, or write nothing but %s in this line", sign, sign)
	}
	s.next(offset)
	indent := s.top().indent + 1
	for first := true; s.at < len(s.text); {
		start := s.at
		at := start
		for s.is(at, " ") {
			at++
		}
		switch {
		case at >= len(s.text) || s.is(at, "\r\n"):
		case at-start < indent && s.is(at, "\t"):
			return s.blame(at, "a tab can't indent a line: use spaces")
		case at-start < indent:
			return true
		case first:
			first = false
			if s.text[header-1] == '|' || s.text[header-1] == '>' || s.is(header-1, "+-") {
				indent = at - start
			}
		}
		s.next(at)
	}
	return true
}

// lastRune returns the character before an offset.
func (s *scanner) lastRune(offset int) rune {
	character, _ := utf8.DecodeLastRuneInString(s.text[:offset])
	return character
}
