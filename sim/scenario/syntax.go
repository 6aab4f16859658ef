package scenario

import (
	"bytes"
	"fmt"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

// syntaxMessages maps messages of the YAML library to our own, with the remedy. The first entry whose text the
// library's message contains applies.
var syntaxMessages = []struct{ library, ours string }{
	{"mapping values are not allowed", `a second ":" in the value, or a line indented too far: put the value in quotes, or indent the line like its neighbours`},
	{"could not find expected ':'", `a key without a colon: write "key: value"`},
	{"did not find expected key", `the line does not fit here: indent it like the keys that it belongs to`},
	{"did not find expected '-' indicator", `the line does not fit in the list above: start an item with "- " at the list's column, or indent a key as far as the item's first`},
	{"block sequence entries are not allowed", `a list item can't start here: put it on a line of its own, below its key`},
	{"did not find expected ',' or ']'", `a list in [ ] is not complete: write "," between its items and "]" at its end`},
	{"did not find expected ',' or '}'", `a mapping in { } is not complete: write "," between its entries and "}" at its end`},
	{"did not find expected node content", `a value is missing here: write one, or close the [ ] or { }`},
	{"unexpected end of stream", "a quote is opened here and never closed: close it"},
	{"unexpected document indicator", "a quote is opened and not closed before this document ends: close it"},
	{"unknown escape character", `a \ in double quotes starts an escape that YAML doesn't know: write \\, or use single quotes`},
	{"exceeded max depth", fmt.Sprintf("nested deeper than %d levels: flatten it", maxDepth)},
	{"incompatible YAML document", "the file asks for another version of YAML: remove the line that starts with %YAML"},
	{"tab", "a tab can't indent a line: use spaces"},
	{"control characters are not allowed", "a control character is in the file: remove it"},
}

// maxSearched is the largest source in which the position of an error is searched: the search parses the source about
// twenty times. In a larger one, the library's line is used.
const maxSearched = 128 << 10

var libraryLine = regexp.MustCompile(`^yaml: line (\d+): `)

var unknownAnchor = regexp.MustCompile(`unknown anchor '(.*)' referenced`)

// explainSyntax returns where a source stops being YAML, and why. The library reports no columns, and often the line
// where the surrounding block starts. So the position is found by parsing prefixes of the source: the shortest one with
// the same error ends at the offending character.
func explainSyntax(source []byte, err error) (line, column int, message string) {
	message = stripped(err)
	if match := unknownAnchor.FindStringSubmatch(message); match != nil {
		line, column = position(source, max(bytes.Index(source, []byte("*"+match[1])), 0))
		return line, column, fmt.Sprintf("alias %s has no anchor: set the anchor %s on a value above, or write the value out",
			phrase.Quote("*"+match[1]), phrase.Quote("&"+match[1]))
	}
	if len(source) > maxSearched {
		line = 1
		if match := libraryLine.FindStringSubmatch(err.Error()); match != nil {
			line, _ = strconv.Atoi(match[1])
		}
		return line, 1, inOurWords(message)
	}
	offset := offender(source, message)
	behindQuote := offset > 0 && bytes.IndexByte([]byte(`"'`), source[offset-1]) >= 0
	offset = refined(source, offset, message, behindQuote)
	line, column = position(source, offset)
	switch character, _ := utf8.DecodeRune(source[offset:]); {
	case strings.Contains(message, "cannot start any token") && character == '\t':
		return line, column, "a tab can't indent a line: use spaces"
	case strings.Contains(message, "did not find expected key") && behindQuote:
		return line, column, "text right after a closing quote: close the quote that was opened before it, or put the whole value in quotes"
	case strings.Contains(message, "cannot start any token"):
		return line, column, fmt.Sprintf("a value can't start with %s: put it in quotes", phrase.Quote(string(character)))
	}
	return line, column, inOurWords(message)
}

func inOurWords(message string) string {
	for _, m := range syntaxMessages {
		if strings.Contains(message, m.library) {
			return m.ours
		}
	}
	return "not YAML: " + message
}

var libraryPrefix = regexp.MustCompile(`^yaml: (line \d+: )?`)

// stripped returns the library's message without its position.
func stripped(err error) string { return libraryPrefix.ReplaceAllString(err.Error(), "") }

// offender returns the offset of the character that completes an error in the source.
func offender(source []byte, message string) int {
	fails := func(end int) bool {
		_, err := decode(source[:end])
		return err != nil && stripped(err) == message
	}
	ends := lineEnds(source)
	line := sort.Search(len(ends)-1, func(i int) bool { return fails(ends[i]) })
	start := 0
	if line > 0 {
		start = ends[line-1]
	}
	text := bytes.TrimRight(source[start:ends[line]], "\r\n")
	length := sort.Search(len(text), func(i int) bool { return fails(start + i + 1) })
	offset := min(start+length, start+max(len(text)-1, 0), len(source)-1)
	for offset > start && !utf8.RuneStart(source[offset]) {
		offset--
	}
	return max(offset, 0)
}

// refined moves the offset of an error to the place to correct: the start of a line that doesn't fit, or the bracket of
// an incomplete list or mapping.
func refined(source []byte, offset int, message string, behindQuote bool) int {
	start := bytes.LastIndexByte(source[:offset], '\n') + 1
	bracket := -1
	switch {
	case strings.Contains(message, "expected '-' indicator"), strings.Contains(message, "expected key") && !behindQuote:
		return start + len(source[start:]) - len(bytes.TrimLeft(source[start:], " "))
	case strings.Contains(message, "',' or ']'"):
		bracket = bytes.LastIndexByte(source[start:offset], '[')
	case strings.Contains(message, "',' or '}'"):
		bracket = bytes.LastIndexByte(source[start:offset], '{')
	}
	if bracket >= 0 {
		return start + bracket
	}
	return offset
}

// lineEnds returns the offset after each line.
func lineEnds(source []byte) []int {
	var ends []int
	for i, b := range source {
		if b == '\n' && i < len(source)-1 {
			ends = append(ends, i+1)
		}
	}
	return append(ends, len(source))
}
