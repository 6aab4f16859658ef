package scenario

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// oddity is a character that word processors, chats and web pages put in place of one that a keyboard types.
type oddity struct {
	name    string // such as "a non-breaking space"
	instead string // what YAML understands; empty: nothing
}

// oddities are the characters that look like others, or like nothing.
var oddities = map[rune]oddity{
	'\u00a0': {"a non-breaking space", " "}, '\u202f': {"a narrow non-breaking space", " "}, '\u2007': {"a figure space", " "},
	'\u2000': {"a wide space", " "}, '\u2001': {"a wide space", " "}, '\u2002': {"a wide space", " "}, '\u2003': {"a wide space", " "},
	'\u2004': {"a narrow space", " "}, '\u2005': {"a narrow space", " "}, '\u2006': {"a narrow space", " "}, '\u2008': {"a narrow space", " "},
	'\u2009': {"a thin space", " "}, '\u200a': {"a hair space", " "}, '\u205f': {"a narrow space", " "}, '\u3000': {"an ideographic space", " "},
	'\u200b': {"a zero-width space", ""}, '\u200c': {"a zero-width non-joiner", ""}, '\u200d': {"a zero-width joiner", ""},
	'\u2060': {"a zero-width word joiner", ""}, '\ufeff': {"a byte order mark", ""}, '\u00ad': {"a soft hyphen", ""},
	'\u200e': {"an invisible left-to-right mark", ""}, '\u200f': {"an invisible right-to-left mark", ""},
	'\u2028': {"a line separator", ""}, '\u2029': {"a paragraph separator", ""}, '\u0085': {"a next-line character", ""},
	'“': {"a typographic quote", `"`}, '”': {"a typographic quote", `"`}, '„': {"a typographic quote", `"`}, '‟': {"a typographic quote", `"`},
	'«': {"a typographic quote", `"`}, '»': {"a typographic quote", `"`},
	'‘': {"a typographic quote", `'`}, '’': {"a typographic quote", `'`}, '‚': {"a typographic quote", `'`}, '‛': {"a typographic quote", `'`},
	'´': {"an accent", `'`},
	'‐': {"a typographic hyphen", "-"}, '\u2011': {"a non-breaking hyphen", "-"}, '‒': {"a figure dash", "-"}, '–': {"an en dash", "-"},
	'—': {"an em dash", "-"}, '―': {"a long dash", "-"}, '−': {"a minus sign", "-"},
	'•': {"a bullet", "-"}, '‣': {"a bullet", "-"}, '▪': {"a bullet", "-"}, '●': {"a bullet", "-"}, '◦': {"a bullet", "-"}, '·': {"a middle dot", "-"},
	'…': {"an ellipsis", "..."},
}

// oddAt returns what is odd about a character. Full-width forms of ASCII are odd, too.
func oddAt(character rune) (oddity, bool) {
	if character >= '！' && character <= '～' {
		plain := string(character - '！' + '!')
		return oddity{"a full-width " + plain, plain}, true
	}
	odd, ok := oddities[character]
	return odd, ok
}

// oddCharacter names the first character of a text that looks like another, or like nothing: "a non-breaking space (U+00A0)", "an en dash (–, U+2013)".
func oddCharacter(text string) (name string, ok bool) {
	offset, ok := findOdd(text)
	if !ok {
		return "", false
	}
	character, _ := utf8.DecodeRuneInString(text[offset:])
	return oddName(character), true
}

// findOdd returns the offset of the first odd character of a text.
func findOdd(text string) (offset int, ok bool) {
	for i, character := range text {
		if character < utf8.RuneSelf {
			continue
		}
		if _, ok := oddAt(character); ok {
			return i, true
		}
	}
	return 0, false
}

// oddName names an odd character: those that can be seen are shown.
func oddName(character rune) string {
	odd, _ := oddAt(character)
	if odd.instead == "" || strings.TrimSpace(odd.instead) == "" || odd.instead == "-" && strings.HasSuffix(odd.name, "hyphen") {
		return fmt.Sprintf("%s (U+%04X)", odd.name, character)
	}
	return fmt.Sprintf("%s (%c, U+%04X)", odd.name, character, character)
}

// plainly returns a text with what a keyboard types in place of odd characters.
func plainly(text string) string {
	if _, ok := findOdd(text); !ok {
		return text
	}
	var plain strings.Builder
	for _, character := range text {
		if odd, ok := oddAt(character); ok {
			plain.WriteString(odd.instead)
		} else {
			plain.WriteRune(character)
		}
	}
	return plain.String()
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
