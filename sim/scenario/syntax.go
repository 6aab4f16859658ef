package scenario

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/lazy"
)

// syntaxError is where and why a text stops being YAML.
type syntaxError struct {
	lines        []string
	line, column int    // from 1
	library      string // the error of the YAML library, without a position
}

// syntaxHints recognize what people mistype. Each returns where it is and what to do, or an empty message. The first
// one that knows the mistake explains it.
var syntaxHints = []func(syntaxError) (line, column int, message string){
	tabIndents,
	leftovers,
	openQuote,
	apostrophe,
	dashWithoutSpace,
	textNotIndented,
	tabInLine,
	strayLine,
	wrongStart,
	lookalikeNearby,
}

// explainSyntax returns where a text stops being YAML, and explains the mistake. Read is how many bytes the YAML
// library has read before it returned the error.
func explainSyntax(text []byte, read int, err error) (line, column int, message string) {
	for i, c := range string(text) {
		if c < ' ' && c != '\t' && c != '\n' && c != '\r' || c >= 0x7f && c < 0xa0 && c != 0x85 || c == 0xfffe ||
			c == 0xffff {
			line, column = position(text, i)
			return line, column, fmt.Sprintf("a control character (U+%04X) is in the file: remove it", c)
		}
	}
	library := withoutLine(err)
	line, column = position(text, failure(text, read, library))
	e := syntaxError{strings.Split(string(text), "\n"), line, column, library}
	for _, hint := range syntaxHints {
		if line, column, message := hint(e); message != "" {
			return line, column, message
		}
	}
	return line, column, inWords(library)
}

// failure returns the offset of a mistake. The library's own line is where the list or mapping around the mistake
// begins, so the offset follows from how much it has read.
func failure(text []byte, read int, library string) (offset int) {
	ahead := 4 // how many bytes the library reads before it looks at the first
	if strings.Contains(library, "tab character that violates indentation") {
		ahead = 1 // it has looked at each
	}
	offset = max(read-ahead, 0)
	for range 2 { // it may have read on, to see whether a ":" makes a key of what comes next
		lineBefore := bytes.LastIndexByte(text[:offset], '\n')
		if lineBefore < 0 {
			break
		}
		_, err := decode(bytes.NewReader(text[:lineBefore+1]))
		if err == nil || withoutLine(err) != library {
			break
		}
		offset = lineBefore
	}
	return offset
}

// withoutLine returns the text of an error of the YAML library, without the line.
func withoutLine(err error) string {
	message := strings.TrimPrefix(err.Error(), "yaml: ")
	if rest, hasLine := strings.CutPrefix(message, "line "); hasLine {
		_, message, _ = strings.Cut(rest, ": ")
	}
	return message
}

// libraryWords explains the errors of the library. Each entry has a part of the error's text.
var libraryWords = []struct{ part, words string }{
	{"found unexpected end of stream", "a quote is opened here and never closed: close it at the end of the text"},
	{"found unexpected document indicator", "a quote is opened above and not closed before this line"},
	{
		"did not find expected ',' or ']'",
		`a list in [ ] is not complete: write "," between its items and "]" at its end`,
	},
	{"did not find expected ',' or '}'", `a mapping in { } is not complete: ` +
		`write "," between its entries and "}" at its end, and a value with { or } in quotes`},
	{
		"did not find expected node content",
		"a value is missing here, or a bracket is not closed: write it, or put the value in quotes",
	},
	{
		"mapping values are not allowed",
		`a ":" can't stand here: put the value in quotes if it is a text; if this is a key, check its ` +
			`indentation, and that nothing follows the key above`,
	},
	{
		"block sequence entries are not allowed",
		`a list item can't start here: check its indentation, and that nothing follows the key ` +
			`above`,
	},
	{
		"did not find expected '-' indicator",
		`this line is no item of the list above: check its indentation, and that it starts with "- "`,
	},
	{
		"did not find expected key",
		"this line doesn't fit those above: check its indentation, and that quotes and brackets above are " +
			"closed",
	},
	{
		"could not find expected ':'",
		`a ":" with a space after it is missing after the key, or a quote or bracket is not closed`,
	},
	{"tab character that violates indentation", "a tab can't indent a line: use spaces"},
	{"cannot start any token", "a value can't start with this character: put it in quotes"},
	{"expected alphabetic or numeric character", `a value that starts with "&" or "*" must be in quotes`},
	{
		"unknown anchor",
		`a value that starts with "*" must be in quotes, unless it is an alias, whose anchor must come before it`,
	},
	{"escape", `"\" starts an escape in double quotes: write "\\", or put the text in single quotes`},
	{
		"comment or line break",
		`a text after "|" or ">" begins on the next line: put it there, or put the value in quotes`,
	},
	{"exceeded max depth", tooDeep},
	{
		"did not find expected <document start>",
		"this line is outside of the document: remove it, or check the lines above",
	},
	{"incompatible YAML document", "the file asks for a version of YAML: remove the line"},
}

// inWords explains an error of the library. An unknown error isn't shown, because it could contain a secret.
func inWords(library string) string {
	for _, known := range libraryWords {
		if strings.Contains(library, known.part) {
			return known.words
		}
	}
	return "this is not YAML: check the quotes, the brackets and the indentation here and in the lines above"
}

// text returns a line, and how far it is indented.
func (e syntaxError) text(line int) (text string, indent int) {
	if line < 1 || line > len(e.lines) {
		return "", 0
	}
	text = strings.TrimLeft(e.lines[line-1], " ")
	return text, len(e.lines[line-1]) - len(text)
}

// tabIndents finds a tab at the beginning of the line.
func tabIndents(e syntaxError) (line, column int, message string) {
	if text, indent := e.text(e.line); strings.HasPrefix(text, "\t") {
		return e.line, indent + 1, "a tab can't indent a line: use spaces"
	}
	return 0, 0, ""
}

// leftovers finds lines that another tool or language has left behind.
func leftovers(e syntaxError) (line, column int, message string) {
	begins := func(text string, marks ...string) bool {
		return slices.ContainsFunc(marks, func(mark string) bool { return strings.HasPrefix(text, mark) })
	}
	for _, line := range []int{e.line, e.line - 1} {
		switch text, indent := e.text(line); {
		case begins(text, "//", "/*"):
			return line, indent + 1, "a comment begins with #: write # in its place"
		case strings.Contains(text, "{{") || strings.Contains(text, "{%"):
			return line, indent + 1, "a template is left here: fill it in before the scenario is loaded"
		case line < e.line:
		case begins(text, "```", "~~~"):
			return line, indent + 1, "a Markdown fence isn't YAML: remove the line, and the fence at the other end"
		case begins(text, "<<<<<<<", "=======", ">>>>>>>"):
			return line, indent + 1, "a merge conflict is left here: choose a side, and remove the lines with <<<<<<<, ======= and >>>>>>>"
		}
	}
	return 0, 0, ""
}

// openQuote finds a quote that is closed on a later line, or never.
func openQuote(e syntaxError) (line, column int, message string) {
	var quote byte
	closed := 0
	for i, text := range e.lines {
		if i >= e.line && quote == 0 {
			break
		}
		for j := 0; j < len(text); j++ {
			c := text[j]
			switch {
			case quote == 0 && c == '#' && (j == 0 || text[j-1] == ' '):
				j = len(text)
			case quote == 0 && (c == '"' || c == '\'') && startsValue(text[:j]):
				quote, line, column, closed = c, i+1, j+1, 0
			case quote == '"' && c == '\\':
				j++
			case quote == '\'' && strings.HasPrefix(text[j:], "''"):
				j++
			case quote != 0 && c == quote:
				quote, closed = 0, i+1
			}
		}
	}
	switch {
	case quote != 0 && line <= e.line:
		return line, column, "a quote is opened here and never closed: close it at the end of the text"
	case closed == e.line && line < e.line:
		return line, column, fmt.Sprintf(
			"a quote is opened here, and closed only on line %d: close it at the end of the text",
			closed,
		)
	}
	return 0, 0, ""
}

// startsValue reports whether a value starts after the beginning of a line.
func startsValue(before string) bool {
	trimmed := strings.TrimRight(before, " ")
	return trimmed == "" || strings.ContainsRune(",[{", rune(trimmed[len(trimmed)-1])) ||
		len(trimmed) < len(before) && strings.ContainsRune(":-", rune(trimmed[len(trimmed)-1]))
}

var textInSingleQuotes = lazy.Regexp(`(?:^|[\s,\[{])'[^']*'\pL`)

// apostrophe finds an apostrophe that ends a text in single quotes.
func apostrophe(e syntaxError) (line, column int, message string) {
	text, _ := e.text(e.line)
	if !textInSingleQuotes().MatchString(text) {
		return 0, 0, ""
	}
	return e.line, e.column, "an apostrophe ends a text in single quotes: write it twice, or put the text in double quotes"
}

var itemWithoutSpace = lazy.Regexp(`^-[\pL"']`)

// dashWithoutSpace finds an item of a list, on this line or above, whose "-" has no space after it.
func dashWithoutSpace(e syntaxError) (line, column int, message string) {
	for _, line := range []int{e.line, e.line - 1} {
		if text, indent := e.text(line); itemWithoutSpace().MatchString(text) {
			return line, indent + 1, `a list item starts with "- ": write a space after the "-"`
		}
	}
	return 0, 0, ""
}

var startsText = lazy.Regexp(`(?:^|[:\s-])[|>][+-]?\s*$`)

// textNotIndented finds a text after "|" or ">" that is not indented.
func textNotIndented(e syntaxError) (line, column int, message string) {
	for _, line := range []int{e.line, e.line - 1} {
		above, keyIndent := e.text(line - 1)
		if _, indent := e.text(line); startsText().MatchString(above) && indent <= keyIndent {
			return line, indent + 1, `a text after "|" or ">" is indented: write more spaces before this line than the key has`
		}
	}
	return 0, 0, ""
}

// tabInLine finds a tab where the parser stops.
func tabInLine(e syntaxError) (line, column int, message string) {
	if text := []rune(e.lines[e.line-1]); e.column <= len(text) && text[e.column-1] == '\t' {
		return e.line, e.column, "a tab can't stand here: use spaces"
	}
	return 0, 0, ""
}

// strayLine finds a line above that is no key, such as a title or the prompt of a shell: YAML reads it and the key
// below as one text.
func strayLine(e syntaxError) (line, column int, message string) {
	if !strings.Contains(e.library, "mapping values are not allowed") {
		return 0, 0, ""
	}
	for line := e.line - 1; line > 0; line-- {
		text, indent := e.text(line)
		switch {
		case strings.TrimSpace(text) == "" || strings.HasPrefix(text, "#"):
		case strings.Contains(text, ":") || strings.HasPrefix(text, "-"):
			return 0, 0, ""
		case strings.Contains(e.lines[e.line-1], ":"):
			message = `this line is no "key: value": remove it, or write # before it`
			if odd := oddCharacter(letters().ReplaceAllString(text, "")); odd != "" {
				message = `this line is no "key: value": it contains ` + odd
			}
			return line, indent + 1, message
		}
	}
	return 0, 0, ""
}

// wrongStart names a character that no value starts with.
func wrongStart(e syntaxError) (line, column int, message string) {
	text := []rune(e.lines[e.line-1])
	if !strings.Contains(e.library, "cannot start any token") || e.column > len(text) {
		return 0, 0, ""
	}
	return e.line, e.column, fmt.Sprintf("a value can't start with %q: put it in quotes", text[e.column-1])
}

// letters are no lookalikes in the text around a mistake: they may be of another script.
var letters = lazy.Regexp(`\pL`)

// lookalikeNearby names a character of this line, or of the line above, that looks like one that YAML knows.
func lookalikeNearby(e syntaxError) (line, column int, message string) {
	for _, line := range []int{e.line, e.line - 1} {
		text, _ := e.text(line)
		if name := oddCharacter(letters().ReplaceAllString(text, "")); name != "" {
			return e.line, e.column, fmt.Sprintf("%s (line %d contains %s)", inWords(e.library), line, name)
		}
	}
	return 0, 0, ""
}
