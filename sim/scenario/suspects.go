package scenario

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

const commentSign = `a comment starts with "#": write # at the start of each of its lines`

// markups are what other notations begin a line with, and what to do about it.
var markups = []struct {
	prefixes []string
	remedy   string
}{
	{[]string{"```", "~~~"}, "a Markdown fence isn't YAML: remove the line, and the fence at the other end"},
	{[]string{"//", "/*", "*/", "<!--", "-->", ";"}, commentSign},
	{[]string{"<<<<<<<", "=======", ">>>>>>>"}, "a merge conflict is left here: choose a side, and remove the lines with <<<<<<<, ======= and >>>>>>>"},
	{[]string{":"}, `a line can't start with ":": write the key before it, or remove it`},
	{[]string{"* ", "+ "}, `a list item starts with "- ": write "-" here`},
}

// markup returns what is wrong with a line that begins as another notation does, or with a key that no keyboard types.
func (s *scanner) markup(offset int) *mistake {
	line := s.text[offset:s.lineEnd(offset)]
	for _, m := range markups {
		for _, prefix := range m.prefixes {
			if strings.HasPrefix(line, prefix) {
				return &mistake{offset, m.remedy}
			}
		}
	}
	if s.is(offset, "-") && !s.blank(offset+1) && !s.is(offset+1, ".0123456789") {
		return &mistake{offset, `a list item starts with "- ": write a space after the "-"`}
	}
	key := line
	if colon := strings.Index(line, ": "); colon >= 0 {
		key = line[:colon+1]
	}
	if at, ok := findOdd(key); ok && !strings.ContainsAny(key[:at], `"'#{[|>`) {
		if m, ok := oddInLine(s.text, offset); ok && m.offset == offset+at {
			return &m
		}
	}
	return nil
}

// oddInLine finds a character in the line of an offset that stands where YAML needs one that looks like it: in the indentation,
// before an item, around a colon, or as a quote or bracket.
func oddInLine(text string, offset int) (mistake, bool) {
	start := strings.LastIndexByte(text[:offset], '\n') + 1
	line := text[start:]
	if end := strings.IndexByte(line, '\n'); end >= 0 {
		line = line[:end]
	}
	if _, ok := findOdd(line); !ok {
		return mistake{}, false
	}
	var quote, before rune // the open quote, and the last character that is no space
	inKey := true
	for i, c := range line {
		odd, isOdd := oddAt(c)
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case (c == '"' || c == '\'') && (before == 0 || strings.ContainsRune(":-[{,", before)):
			quote = c
		case c == '#' && (i == 0 || line[i-1] == ' '):
			return mistake{}, false
		case isOdd:
			if remedy := odd.misplaced(c, before, inKey, line[i+utf8.RuneLen(c):]); remedy != "" {
				return mistake{start + i, remedy}, true
			}
		}
		if c == ':' && (i+1 == len(line) || line[i+1] == ' ') {
			inKey = false
		}
		if !unicode.IsSpace(c) {
			before = c
		}
	}
	return mistake{}, false
}

// misplaced returns the remedy for an odd character, if what surrounds it says that YAML needs another one there.
func (o oddity) misplaced(c, before rune, inKey bool, rest string) string {
	name := oddName(c)
	switch {
	case o.instead == "-" && before == 0:
		return fmt.Sprintf(`%s starts the line: start a list item with "- "`, name)
	case o.instead == "..." && before == 0:
		return fmt.Sprintf("%s stands here: write what it stands for, or remove it", name)
	case o.instead == " " && before == 0:
		return fmt.Sprintf("%s is in the indentation: write spaces", name)
	case o.instead == " " && strings.ContainsRune(":-,", before), o.instead == "" && (before == 0 || before == ':'):
		return fmt.Sprintf("%s stands here: %s", name, o.remedy())
	case (o.instead == " " || o.instead == "") && inKey && strings.Contains(rest, ":"):
		return fmt.Sprintf("%s is in the key: %s", name, o.remedy())
	case strings.ContainsAny(o.instead, `"'`) && (before == 0 || strings.ContainsRune(":-[{,，：", before)):
		return fmt.Sprintf("%s starts the text: write %s, and the same at its end", name, o.instead)
	case len(o.instead) == 1 && strings.Contains(":,[]{}#", o.instead):
		return fmt.Sprintf("%s stands here: %s", name, o.remedy())
	}
	return ""
}

// remedy says what to write in place of the character.
func (o oddity) remedy() string {
	switch o.instead {
	case "":
		return "remove it"
	case " ":
		return "write a space"
	}
	return "write " + o.instead
}

const tooDeep = "nested deeper than 50 levels: flatten it"

// unprintable finds a control character.
func unprintable(text string) (mistake, bool) {
	for i, c := range text {
		if c < ' ' && c != '\t' && c != '\n' && c != '\r' || c >= 0x7f && c < 0xa0 && c != 0x85 || c == 0xfffe || c == 0xffff {
			return mistake{i, fmt.Sprintf("a control character (U+%04X) is in the file: remove it", c)}, true
		}
	}
	return mistake{}, false
}

// marker reports whether a line that isn't indented is one of those around documents: ---, ... or a directive.
func (s *scanner) marker(first int) bool {
	if first > 0 && s.text[first-1] != '\n' {
		return false
	}
	line := s.text[first:s.lineEnd(first)]
	return (strings.HasPrefix(line, "---") || strings.HasPrefix(line, "...")) && s.blank(first+3) || strings.HasPrefix(line, "%")
}

// document scans a line around documents.
func (s *scanner) document(first int) bool {
	begun := len(s.blocks) > 1 || !s.top().open
	switch line := s.text[first:s.lineEnd(first)]; {
	case strings.HasPrefix(line, "%YAML"):
		return s.blame(first, "the file asks for a version of YAML: remove the line")
	case strings.HasPrefix(line, "%"):
		return s.blame(first, `a line can't start with "%%": remove it`)
	case line[0] == '.':
		return s.blame(first, "this line ends the scenario: remove it")
	case begun:
		return s.blame(first, "%s", secondDocument)
	case !s.ends(first + 3):
		return s.value(first + 3)
	}
	return s.next(first)
}

const secondDocument = "a second document starts here: a file holds one scenario, so remove this line or move the rest to another file"

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
		return s.blame(above, "the line is indented by %s, and does not fit to those below: indent the lines of an item equally, and items by as much as their list", spaces(left))
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

func tooMany(bracket string) string {
	return fmt.Sprintf("a %q too many: remove it, or open the bracket that it closes", bracket)
}
