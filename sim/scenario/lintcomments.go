package scenario

import (
	"bytes"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

// ignoreMark begins the text of a comment that silences warnings: # banksim:ignore near-id, no-token -- the reason.
const ignoreMark = "banksim:ignore"

// comment is a comment of a file.
type comment struct {
	line   int    // from 1
	offset int    // of the # in the line, in bytes
	text   string // after the #
}

// linesOf returns the lines of a source without their line breaks. What breaks a line is what the YAML library counts.
func linesOf(source []byte) []string {
	text := string(bytes.TrimPrefix(source, []byte("\xef\xbb\xbf")))
	var lines []string
	for {
		at := strings.IndexAny(text, "\r\n\u0085\u2028\u2029")
		if at < 0 {
			return append(lines, text)
		}
		lines = append(lines, text[:at])
		_, size := utf8.DecodeRuneInString(text[at:])
		if strings.HasPrefix(text[at:], "\r\n") {
			size = 2
		}
		text = text[at+size:]
	}
}

// column returns the column, in characters from 1, of a byte of a line.
func column(line string, offset int) int { return utf8.RuneCountInString(line[:offset]) + 1 }

// commentsOf returns the comments of a file that was read as a tree. What is in quotes, or in a block of text, is none.
func commentsOf(lines []string, root *yaml.Node) []comment {
	texts := make([][][2]int, len(lines)) // the parts of each line that are texts
	markTexts(root, lines, texts, &columns{})
	var all []comment
	for i, line := range lines {
		parts := texts[i]
		sort.Slice(parts, func(a, b int) bool { return parts[a][0] < parts[b][0] })
		for from := 0; ; {
			at := strings.IndexByte(line[from:], '#')
			if at < 0 {
				break
			}
			at += from
			from = at + 1
			for len(parts) > 0 && parts[0][1] <= at {
				parts = parts[1:]
			}
			inText := len(parts) > 0 && parts[0][0] <= at
			if !inText && (at == 0 || line[at-1] == ' ' || line[at-1] == '\t') {
				all = append(all, comment{i + 1, at, line[at+1:]})
				break
			}
		}
	}
	return all
}

// markTexts notes the parts of lines that are in quotes or in blocks of text.
func markTexts(n *yaml.Node, lines []string, texts [][][2]int, in *columns) {
	const marked = yaml.DoubleQuotedStyle | yaml.SingleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
	if n.Kind == yaml.ScalarNode && n.Style&marked != 0 && n.Line >= 1 && n.Line <= len(lines) {
		line := lines[n.Line-1]
		node := in.offsetOf(line, n.Line, n.Column)
		from := node
		for from < len(line) && (line[from] == '&' || line[from] == '!') { // an anchor or a tag comes first
			from += len(line[from:]) - len(strings.TrimLeft(strings.TrimLeftFunc(line[from:], func(r rune) bool { return r != ' ' }), " "))
		}
		if n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0 {
			markQuoted(n.Line-1, from, lines, texts)
		} else {
			markBlock(n.Line-1, node, from, lines, texts)
		}
	}
	for _, inner := range n.Content {
		markTexts(inner, lines, texts, in)
	}
}

// markQuoted marks a text from its opening quote to the closing one.
func markQuoted(i, from int, lines []string, texts [][][2]int) {
	if from >= len(lines[i]) || lines[i][from] != '"' && lines[i][from] != '\'' {
		return // an alias
	}
	quote, at := lines[i][from], from+1
	for ; i < len(lines); i, from, at = i+1, 0, 0 {
		line := lines[i]
		for ; at < len(line); at++ {
			switch {
			case line[at] == '\\' && quote == '"':
				at++
			case line[at] != quote:
			case quote == '\'' && strings.HasPrefix(line[at+1:], "'"):
				at++
			default:
				texts[i] = append(texts[i], [2]int{from, at + 1})
				return
			}
		}
		texts[i] = append(texts[i], [2]int{from, len(line)})
	}
}

// markBlock marks the lines of a text that | or > begins: those that are indented as far as its first line, or as a digit says.
// The node begins at an offset of its line, and what begins the text comes after an anchor.
func markBlock(i, node, from int, lines []string, texts [][][2]int) {
	line := lines[i]
	if from >= len(line) || line[from] != '|' && line[from] != '>' {
		return // an alias
	}
	outer := len(line) - len(strings.TrimLeft(line, " -")) // of the key
	if outer == node {
		outer = strings.LastIndexByte(line[:node], '-')
	}
	indent := -1
	if digit := strings.Trim(line[from:min(from+3, len(line))], "|>+- #"); digit != "" && digit[0] >= '1' && digit[0] <= '9' {
		indent = outer + int(digit[0]-'0')
	}
	for i++; i < len(lines); i++ {
		text := strings.TrimLeft(lines[i], " ")
		if text == "" {
			continue
		}
		here := len(lines[i]) - len(text)
		if indent < 0 {
			indent = here
		}
		if here < indent || here <= outer {
			return
		}
		texts[i] = append(texts[i], [2]int{0, len(lines[i])})
	}
}

// ignores are the comments of a file that silence warnings.
type ignores struct {
	comments []*ignore
	byLine   map[int][]*ignore // by the line whose warnings they silence
}

// ignore is a comment that silences the warnings of a line.
type ignore struct {
	line, column int
	codes        []string
	used         map[string]bool
}

// ignoresOf returns the comments that silence warnings. One that stands alone is for the next line that is neither blank nor a comment.
func ignoresOf(comments []comment, lines []string) ignores {
	all := ignores{byLine: map[int][]*ignore{}}
	alone := map[int]bool{}
	for _, c := range comments {
		alone[c.line] = strings.TrimSpace(lines[c.line-1][:c.offset]) == ""
	}
	of := 0 // the line whose warnings the last of them silences
	for _, c := range comments {
		rest, ok := strings.CutPrefix(strings.TrimSpace(c.text), ignoreMark)
		if !ok || rest != "" && !strings.ContainsAny(rest[:1], " \t:") {
			continue
		}
		rest, _, _ = strings.Cut(strings.TrimPrefix(rest, ":"), " --")
		g := &ignore{line: c.line, column: column(lines[c.line-1], c.offset), used: map[string]bool{}}
		g.codes = strings.FieldsFunc(rest, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' })
		of = max(of, c.line) // since nothing but comments and blank lines is between the last one and its line
		for of <= len(lines) && (alone[of] || strings.TrimSpace(lines[of-1]) == "") {
			of++
		}
		all.comments = append(all.comments, g)
		all.byLine[of] = append(all.byLine[of], g)
	}
	return all
}

// silence reports whether a comment silences a code on a line.
func (g ignores) silence(code string, line int) bool {
	silent := false
	for _, one := range g.byLine[line] {
		if slices.Contains(one.codes, code) {
			one.used[code], silent = true, true
		}
	}
	return silent
}

// badIgnores warns of comments that name no code that there is.
func (l *fileLinter) badIgnores() {
	for _, g := range l.ignored[l.file].comments {
		if slices.Contains(g.codes, unusedIgnoreCode) {
			continue
		}
		if l.full() {
			return
		}
		if len(g.codes) == 0 {
			l.addAt(unusedIgnoreCode, l.file, g.line, g.column, "%s names no warning: add its code, such as # %s %s", ignoreMark, ignoreMark, nearIDCode)
		}
		for _, code := range g.codes {
			if _, known := warningCode(code); !known && !l.full() {
				l.addAt(unusedIgnoreCode, l.file, g.line, g.column, "there is no warning %s%s", phrase.Quote(code), phrase.DidYouMean(code, warningNames(), "there are"))
			}
		}
	}
}

// unusedIgnores warns of comments that silence nothing. In a file that is extended, one for what depends on the whole
// scenario may be for another scenario.
func (l *linter) unusedIgnores(top string) {
	for file, all := range l.ignored {
		for _, g := range all.comments {
			for _, name := range g.codes {
				code, known := warningCode(name)
				if known && !g.used[name] && (file == top || !code.whole) && !slices.Contains(g.codes, unusedIgnoreCode) {
					l.addAt(unusedIgnoreCode, file, g.line, g.column, "this silences nothing: there is no warning %s on the line: remove it from the comment", name)
				}
			}
		}
	}
}
