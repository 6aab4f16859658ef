package scenario

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// quoted scans a text in quotes, and returns the offset after it. Lines that are indented by the limit at most can't belong to
// it: if one looks like a key or an item, the quote was never closed.
func (s *scanner) quoted(offset, limit int, inFlow bool) (end int, ok bool) {
	quote := s.text[offset]
	structured := false // whether a line looks like a key or an item
	for at := offset + 1; at < len(s.text); at++ {
		switch c := s.text[at]; {
		case c == '\n':
			first, indent := s.indentation(at + 1)
			if s.structural(first, inFlow) {
				if indent <= limit {
					return 0, s.unclosed(offset)
				}
				structured = true
			}
		case c == '\\' && quote == '"':
			if !s.escape(at) {
				return 0, s.blame(at, `a \ in double quotes starts an escape that YAML doesn't know: write \\, or use single quotes`)
			}
			at++
			if at < len(s.text) && s.text[at] == '\n' {
				at--
			}
		case c == quote && quote == '\'' && s.is(at+1, "'"):
			at++
		case c == quote:
			if structured && !s.mayFollow(at+1, inFlow) {
				return 0, s.unclosed(offset)
			}
			return at + 1, true
		}
	}
	return 0, s.unclosed(offset)
}

// mayFollow reports whether what follows a value may do so.
func (s *scanner) mayFollow(offset int, inFlow bool) bool {
	next := s.skip(offset)
	return s.ends(next) || s.is(next, ":") || inFlow && s.is(next, ",]}")
}

// escape reports whether YAML knows the escape at an offset.
func (s *scanner) escape(offset int) bool {
	return offset+1 >= len(s.text) || s.is(offset+1, "0abt\tnvfre \"'/\\N_LPxuU\r\n")
}

// indentation returns the offset of the first character of a line that is not a space, and how many spaces precede it.
func (s *scanner) indentation(start int) (first, indent int) {
	first = start
	for s.is(first, " ") {
		first++
	}
	return first, first - start
}

// structural reports whether a line looks like an item, a key with its colon, or a comment.
func (s *scanner) structural(first int, inFlow bool) bool {
	if s.isDash(first) || s.is(first, "#") || s.marker(first) {
		return true
	}
	end := first
	if s.is(first, `"'`) {
		end++
	}
	word := end
	for end < len(s.text) && (isAlphanumeric(s.text[end]) || s.is(end, "_-.$")) {
		end++
	}
	if end == word {
		return false
	}
	if s.is(first, `"'`) {
		if !s.is(end, s.text[first:first+1]) {
			return false
		}
		end++
	}
	end = s.skip(end)
	return s.is(end, ":") && (s.blank(end+1) || inFlow && s.is(first, `"'`))
}

// unclosed blames a quote that is never closed. What looks like its end is named.
func (s *scanner) unclosed(offset int) bool {
	quote := rune(s.text[offset])
	rest := s.text[offset+1 : s.lineEnd(offset)]
	for i, c := range rest {
		odd, isOdd := oddAt(c)
		if c != '"' && c != '\'' && !isOdd {
			continue
		}
		after := strings.TrimLeft(rest[i+utf8.RuneLen(c):], " \t\r")
		switch isEnd := after == "" || strings.ContainsAny(after[:1], ",]}"); {
		case !isEnd || c == quote:
		case isOdd && strings.ContainsAny(odd.instead, `"'`):
			return s.blameExactly(offset, "the quote %c is opened here and closed by %s: close it by %c", quote, oddName(c), quote)
		case !isOdd && i > 0:
			return s.blameExactly(offset, "the quote %c is opened here and closed by %c, which is another one: use the same", quote, c)
		}
	}
	return s.blameExactly(offset, "a quote is opened here and never closed: write %c at the end of the text", quote)
}

// blameExactly blames a place whatever else is in its line.
func (s *scanner) blameExactly(offset int, format string, args ...any) bool {
	s.found = &mistake{offset, fmt.Sprintf(format, args...)}
	return false
}

// afterQuote blames text after a closing quote, or the quote that was opened before it.
func (s *scanner) afterQuote(opening, rest int) bool {
	closing := strings.LastIndexByte(s.text[:rest], s.text[opening])
	content := s.text[opening+1 : closing]
	before, after := s.lastRune(closing), rune(0)
	if rest == closing+1 {
		after, _ = utf8.DecodeRuneInString(s.text[rest:])
	}
	switch {
	case swallows(content):
		return s.unclosed(opening)
	case s.text[opening] == '\'' && unicode.IsLetter(before) && unicode.IsLetter(after):
		return s.blameExactly(closing, "an apostrophe ends a text in single quotes: write '' for it, or put the text in double quotes")
	case s.text[opening] == '"' && content == "":
		return s.blameExactly(opening, `the text has two quotes ("") at its start: write one`)
	}
	return s.blame(rest, `text right after a closing quote: put the whole value in quotes, and write %s for a quote in it`, escaped(s.text[opening]))
}

// escaped returns how a quote is written inside a text in the same quotes.
func escaped(quote byte) string {
	if quote == '"' {
		return `\"`
	}
	return `''`
}

// swallows reports whether the content of quotes ends as if the second quote were the opening one of another text: with a key and
// its colon, a comma or an opening bracket.
func swallows(content string) bool {
	trimmed := strings.TrimRight(content, " \t\r\n")
	return strings.HasSuffix(trimmed, ":") && (len(trimmed) < len(content)) ||
		strings.HasSuffix(trimmed, ",") || strings.HasSuffix(trimmed, "{") || strings.HasSuffix(trimmed, "[")
}
