package scenario

import (
	"fmt"
	"strings"
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

var tooDeep = fmt.Sprintf("nested deeper than %d levels: flatten it", maxDepth)

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

func tooMany(bracket string) string {
	return fmt.Sprintf("a %q too many: remove it, or open the bracket that it closes", bracket)
}
