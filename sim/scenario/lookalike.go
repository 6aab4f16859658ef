package scenario

import (
	"fmt"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// lookalikes are the characters that look like others, or like nothing, by what YAML and ids need in their place.
var lookalikes = map[string]string{
	" ": "\u00a0\u202f\u2007\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2008\u2009\u200a\u205f\u3000",
	"":  "\u200b\u200c\u200d\u2060\ufeff\u00ad\u200e\u200f\u2028\u2029\u0085",
	`"`: "“”„‟«»",
	"'": "‘’‚‛´",
	"-": "‐\u2011‒–—―−•‣▪●◦·",
	"a": "аα",
	"b": "в",
	"c": "с",
	"e": "е",
	"i": "і",
	"j": "ј",
	"k": "к",
	"m": "м",
	"o": "оο",
	"p": "р",
	"s": "ѕ",
	"t": "т",
	"v": "ν",
	"x": "х",
	"y": "у",
	"A": "АΑ",
	"B": "ВΒ",
	"C": "С",
	"E": "ЕΕ",
	"H": "НΗ",
	"I": "ІΙ",
	"K": "КΚ",
	"M": "МΜ",
	"O": "ОΟ",
	"P": "РΡ",
	"T": "ТΤ",
	"X": "ХΧ",
}

// plainOf has what a keyboard types in place of each lookalike, or -1 for nothing.
var plainOf = sync.OnceValue(func() map[rune]rune {
	plain := map[rune]rune{}
	for meant, similar := range lookalikes {
		for _, character := range similar {
			plain[character] = -1
			for _, c := range meant {
				plain[character] = c
			}
		}
	}
	for c := '！'; c <= '～'; c++ { // the full-width forms of ASCII
		plain[c] = c - '！' + '!'
	}
	return plain
})

// oddCharacter describes the first character of a text that looks like another, or like nothing. Without such a
// character it returns an empty text. A letter counts only among Latin letters.
func oddCharacter(text string) string {
	isLatin := strings.ContainsFunc(text, func(c rune) bool { return c < utf8.RuneSelf && unicode.IsLetter(c) })
	for _, c := range text {
		switch meant, odd := plainOf()[c]; {
		case !odd || !isLatin && unicode.IsLetter(c) && c < '！':
		case meant <= ' ':
			return fmt.Sprintf("a space or a mark that can't be seen (U+%04X)", c)
		default:
			return fmt.Sprintf("a character that only looks like %c (%c, U+%04X)", meant, c, c)
		}
	}
	return ""
}

// plainly returns a text with what a keyboard types in place of lookalikes.
func plainly(text string) string {
	if oddCharacter(text) == "" {
		return text
	}
	return strings.Map(func(c rune) rune {
		if meant, odd := plainOf()[c]; odd {
			return meant
		}
		return c
	}, text)
}
