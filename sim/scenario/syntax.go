package scenario

import (
	"fmt"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	secondDocument = "a second document starts here: a file holds one scenario, so remove this line or move the rest to another file"
	commentSign    = `a comment starts with "#": write # at the start of each of its lines`
	tabIndents     = "a tab can't indent a line: use spaces"
	notYAML        = "this is not YAML: check the quotes, the brackets and the indentation here and in the lines above"
)

// markups are what other notations begin a line with, and what to do about it.
var markups = []struct {
	prefixes []string
	remedy   string
}{
	{[]string{"```", "~~~"}, "a Markdown fence isn't YAML: remove the line, and the fence at the other end"},
	{[]string{"//", "/*", "*/", "<!--", "-->", ";"}, commentSign},
	{[]string{"<<<<<<<", "=======", ">>>>>>>"},
		"a merge conflict is left here: choose a side, and remove the lines with <<<<<<<, ======= and >>>>>>>"},
	{[]string{"%YAML"}, "the file asks for a version of YAML: remove the line"},
	{[]string{"{%", "${"}, "a placeholder that no template engine has filled in: write the value, or put it in quotes"},
	{[]string{"..."}, "this line ends the scenario: remove it"},
	{[]string{"---"}, secondDocument},
}

// words say in words what the YAML library says of a source that it can't parse.
var words = []struct{ library, message string }{
	{"mapping values are not allowed", `a second ":" in the value, or a key that fits nothing above: put the value in quotes, or indent the key like those beside it`},
	{"did not find expected key", `the line fits nothing above: indent it like the lines that it belongs to, and check that quotes and brackets above are closed`},
	{"did not find expected '-'", `the line does not fit in the list above: start an item with "- " at the list's column, or indent a key as far as the item's first`},
	{"did not find expected ',' or ']'", `a list in [ ] is not complete: write "," between its items and "]" at its end`},
	{"did not find expected ',' or '}'", `a mapping in { } is not complete: write "," between its entries and "}" at its end`},
	{"could not find expected ':'", `a key without a colon: write "key: value", or indent the line if it continues the text above`},
	{"found unexpected end of stream", "a quote is opened here and never closed: close it at the end of the text"},
	{"found unknown escape character", `a \ in double quotes starts an escape that YAML doesn't know: write \\, or use single quotes`},
	{"block sequence entries are not allowed", `a list item can't start here: what is above has a value already, or no "-"`},
	{"did not find expected node content", "a value is missing here, or a bracket is not closed: write it, or put the value in quotes"},
	{"did not find expected alphabetic", `a value can't start with "*" or "&": put it in quotes`},
	{"mapping keys are not allowed", `a value can't start with "? ": put it in quotes`},
	{"did not find expected comment or line break", "a value that starts with | or > goes on in the lines below: put the value in quotes"},
	{"unknown anchor", "an alias without an anchor: put the value in quotes if it is a text, or set the anchor on a value above"},
	{"found undefined tag handle", `a value can't start with "!": put it in quotes`},
	{"exceeded max depth", "nested much too deep: flatten it"},
	{"document contains excessive aliasing", "aliases repeat too much: write the values out, or use extends"},
}

// maxSearched is the largest source in which the position of an error is searched, which parses the source about twenty times. In a
// larger one, the library's line is used.
const maxSearched = 128 << 10

var (
	libraryLine   = regexp.MustCompile(`^yaml: line (\d+): `)
	libraryPrefix = regexp.MustCompile(`^yaml: (line \d+: )?`)
)

// explainSyntax returns where a source stops being YAML, and what to do about it.
func explainSyntax(source []byte, err error) (line, column int, message string) {
	text := string(source)
	if offset := controlCharacter(text); offset >= 0 {
		line, column = position(source, offset)
		c, _ := utf8.DecodeRuneInString(text[offset:])
		return line, column, fmt.Sprintf("a control character (U+%04X) is in the file: remove it", c)
	}
	if len(source) > maxSearched {
		if match := libraryLine.FindStringSubmatch(err.Error()); match != nil {
			line, _ = strconv.Atoi(match[1])
		}
		return line, 1, inWords(err, "")
	}
	offset := offender(source, err)
	line, column = position(source, offset)
	start := strings.LastIndexByte(text[:offset], '\n') + 1
	if at, remedy, ok := misplaced(lineAt(text, start)); ok {
		return line, at, remedy
	}
	if above := strings.LastIndexByte(text[:max(start-1, 0)], '\n') + 1; start > 0 {
		if at, remedy, ok := misplaced(lineAt(text, above)); ok {
			return line - 1, at, remedy
		}
	}
	return line, column, inWords(err, text[offset:])
}

// inWords returns what an error of the library means, at the text in which it was found.
func inWords(err error, at string) string {
	said := stripped(err)
	if at != "" && strings.ContainsAny(at[:1], "]}") && !strings.Contains(said, "' or '") {
		return fmt.Sprintf("a %q too many: remove it, or open the bracket that it closes", at[:1])
	}
	if strings.HasPrefix(said, "found character that cannot start any token") && at != "" {
		if at[0] == '\t' {
			return tabIndents
		}
		c, _ := utf8.DecodeRuneInString(at)
		return fmt.Sprintf("a value can't start with %q: put it in quotes", string(c))
	}
	for _, w := range words {
		if strings.HasPrefix(said, w.library) {
			return w.message
		}
	}
	return notYAML
}

// misplaced finds in a line what YAML never has there: a tab in the indentation, what another notation begins a line with, or a
// character that looks like one of YAML's. The column counts from 1.
func misplaced(line string) (column int, remedy string, ok bool) {
	content := strings.TrimLeft(line, " ")
	indent := len(line) - len(content)
	if strings.HasPrefix(content, "\t") {
		return indent + 1, tabIndents, true
	}
	for _, m := range markups {
		for _, prefix := range m.prefixes {
			if strings.HasPrefix(content, prefix) {
				return indent + 1, m.remedy, true
			}
		}
	}
	if at := strings.Index(line, "{{"); at >= 0 {
		return utf8.RuneCountInString(line[:at]) + 1, placeholder, true
	}
	if at, ok := findOdd(line); ok {
		c, _ := utf8.DecodeRuneInString(line[at:])
		odd, _ := oddAt(c)
		return utf8.RuneCountInString(line[:at]) + 1, fmt.Sprintf("%s stands here: %s", oddName(c), odd.remedy()), true
	}
	return 0, "", false
}

// lineAt returns the line that starts at an offset, without its end.
func lineAt(text string, start int) string {
	line, _, _ := strings.Cut(text[start:], "\n")
	return line
}

// controlCharacter returns the offset of the first one that YAML doesn't allow, or -1.
func controlCharacter(text string) int {
	return strings.IndexFunc(text, func(c rune) bool {
		return c < ' ' && c != '\t' && c != '\n' && c != '\r' || c >= 0x7f && c < 0xa0 && c != 0x85 || c == 0xfffe || c == 0xffff
	})
}

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
