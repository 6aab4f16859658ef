package scenario

import (
	"bytes"
	"fmt"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// explainSyntax returns where a source stops being YAML, and what is wrong there: in words of our own for what is certain, and
// otherwise for what the library says. Its line is where the parser has noticed it.
func explainSyntax(source []byte, err error) (line, column int, message string) {
	for i, c := range string(source) {
		if c < ' ' && c != '\t' && c != '\n' && c != '\r' || c >= 0x7f && c < 0xa0 && c != 0x85 || c == 0xfffe || c == 0xffff {
			line, column = position(source, i)
			return line, column, fmt.Sprintf("a control character (U+%04X) is in the file: remove it", c)
		}
	}
	match := libraryError.FindStringSubmatch(err.Error())
	if len(source) > maxSearched {
		line, _ = strconv.Atoi(match[1])
		return line, 1, inWords(match[2])
	}
	offset := offender(source, err)
	line, column = position(source, offset)
	start := bytes.LastIndexByte(source[:offset], '\n') + 1
	rest, _, _ := bytes.Cut(source[start:], []byte("\n"))
	indent := len(rest) - len(bytes.TrimLeft(rest, " "))
	begins := string(rest[indent:])
	switch {
	case strings.HasPrefix(begins, "\t"):
		return line, indent + 1, "a tab can't indent a line: use spaces"
	case strings.HasPrefix(begins, "```"), strings.HasPrefix(begins, "~~~"):
		return line, indent + 1, "a Markdown fence isn't YAML: remove the line, and the fence at the other end"
	case strings.HasPrefix(begins, "<<<<<<<"), strings.HasPrefix(begins, "======="), strings.HasPrefix(begins, ">>>>>>>"):
		return line, indent + 1, "a merge conflict is left here: choose a side, and remove the lines with <<<<<<<, ======= and >>>>>>>"
	case strings.HasPrefix(begins, "//"), strings.HasPrefix(begins, "/*"):
		return line, indent + 1, commentSign
	case source[offset] == '\t':
		return line, column, "a tab can't stand here: use spaces"
	}
	if strings.Contains(match[2], "cannot start any token") {
		return line, column, fmt.Sprintf("a value can't start with %q: put it in quotes", source[offset])
	}
	if name, ok := oddCharacter(strings.Map(noLetter, begins)); ok {
		return line, column, inWords(match[2]) + " (the line contains " + name + ")"
	}
	return line, column, inWords(match[2])
}

const commentSign = `a comment starts with "#": write # at the start of each of its lines`

// maxSearched is the largest source in which the position of an error is searched: the search parses the source about twenty times.
// In a larger one, the library's line is used.
const maxSearched = 128 << 10

// libraryError has the line, which may be missing, and the text of the library's error.
var libraryError = regexp.MustCompile(`(?s)^yaml: (?:line (\d+): )?(.*)$`)

// libraryWords has texts of the library's errors, and what they mean.
var libraryWords = []struct{ text, words string }{
	{"found unexpected end of stream", "a quote is opened here and never closed: close it at the end of the text"},
	{"found unexpected document indicator", "a quote is opened above and not closed before this line"},
	{"did not find expected ',' or ']'", `a list in [ ] is not complete: write "," between its items and "]" at its end`},
	{"did not find expected ',' or '}'", `a mapping in { } is not complete: write "," between its entries and "}" at its end`},
	{"did not find expected node content", "a value is missing here, or a bracket is not closed: write it, or put the value in quotes"},
	{"mapping values are not allowed", `a ":" can't stand here: put the value in quotes if it is a text; if this is a key, check its ` +
		`indentation, and that nothing follows the key above`},
	{"block sequence entries are not allowed", `a list item can't start here: check its indentation, and that nothing follows the key ` +
		`above`},
	{"did not find expected '-' indicator", `this line is no item of the list above: check its indentation, and that it starts with "- "`},
	{"did not find expected key", "this line doesn't fit those above: check its indentation, and that quotes and brackets above are " +
		"closed"},
	{"could not find expected ':'", `a ":" with a space after it is missing after the key, or a quote or bracket is not closed`},
	{"cannot start any token", "a value can't start with this character: put it in quotes"},
	{"expected alphabetic or numeric character", `a value that starts with "&" or "*" must be in quotes`},
	{"unknown anchor", `a value that starts with "*" must be in quotes, unless it is an alias, whose anchor must come before it`},
	{"unknown escape character", `"\" starts an escape in double quotes: write "\\", or put the text in single quotes`},
	{"escape code", `an escape in double quotes is not complete: write "\\" for a backslash, or put the text in single quotes`},
	{"hexdecimal number", `an escape in double quotes is not complete: write "\\" for a backslash, or put the text in single quotes`},
	{"comment or line break", `a text after "|" or ">" begins on the next line: put it there, or put the value in quotes`},
	{"exceeded max depth", tooDeep},
	{"did not find expected <document start>", "this line is outside of the document: remove it, or check the lines above"},
	{"directive", `a line can't start with "%": remove it`},
	{"incompatible YAML document", "the file asks for a version of YAML: remove the line"},
}

// inWords explains an error of the library. One that isn't known could show a secret, so that it isn't shown.
func inWords(text string) string {
	for _, known := range libraryWords {
		if strings.Contains(text, known.text) {
			return known.words
		}
	}
	return "this is not YAML: check the quotes, the brackets and the indentation here and in the lines above"
}

// noLetter takes letters out of a text.
func noLetter(c rune) rune {
	if unicode.IsLetter(c) {
		return -1
	}
	return c
}

// offender returns the offset of the character that completes an error in the source: the shortest prefix with the same error
// ends there.
func offender(source []byte, err error) int {
	message := libraryError.FindStringSubmatch(err.Error())[2]
	fails := func(end int) bool {
		_, err := decode(source[:end])
		return err != nil && libraryError.FindStringSubmatch(err.Error())[2] == message
	}
	var ends []int // the offset after each line
	for i, b := range source {
		if b == '\n' || i == len(source)-1 {
			ends = append(ends, i+1)
		}
	}
	line := sort.Search(len(ends)-1, func(i int) bool { return fails(ends[i]) })
	start := 0
	if line > 0 {
		start = ends[line-1]
	}
	text := source[start:ends[line]]
	offset := start + min(sort.Search(len(text), func(i int) bool { return fails(start + i + 1) }), len(text)-1)
	for offset > start && !utf8.RuneStart(source[offset]) {
		offset--
	}
	return offset
}
