package scenario

import (
	"regexp"
	"sort"
	"strconv"
	"unicode/utf8"
)

// explainSyntax returns where a source stops being YAML, and what to do about it. The library only says that it does, and often
// where a parser has noticed it: long after an open quote. So the source is scanned for what people do wrong.
func explainSyntax(source []byte, err error) (line, column int, message string) {
	text := string(source)
	m, ok := unprintable(text)
	if !ok {
		m, ok = scanMistake(text)
	}
	if !ok && len(source) > maxSearched {
		if match := libraryLine.FindStringSubmatch(err.Error()); match != nil {
			line, _ = strconv.Atoi(match[1])
		}
		return line, 1, notYAML
	}
	if !ok {
		m = mistake{offender(source, err), notYAML}
	}
	line, column = position(source, m.offset)
	return line, column, m.message
}

const notYAML = "this is not YAML: check the quotes, the brackets and the indentation here and in the lines above"

// maxSearched is the largest source in which the position of an error is searched that the scanner doesn't find: the search parses
// the source about twenty times. In a larger one, the library's line is used.
const maxSearched = 128 << 10

var (
	libraryLine   = regexp.MustCompile(`^yaml: line (\d+): `)
	libraryPrefix = regexp.MustCompile(`^yaml: (line \d+: )?`)
)

// stripped returns the library's message without its position.
func stripped(err error) string { return libraryPrefix.ReplaceAllString(err.Error(), "") }

// offender returns the offset of the character that completes an error in the source: the shortest prefix with the same error
// ends there.
func offender(source []byte, err error) int {
	message := stripped(err)
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
	text := source[start:ends[line]]
	length := sort.Search(len(text), func(i int) bool { return fails(start + i + 1) })
	offset := min(start+length, start+max(len(text)-1, 0), len(source)-1)
	for offset > start && !utf8.RuneStart(source[offset]) {
		offset--
	}
	return max(offset, 0)
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
