package match

import (
	"iter"
	"strings"
)

// Words returns the words of a text. A word has letters and digits of ASCII, and single dashes between them: it may be
// an id or a token. A regular expression takes far longer for the many words of a body.
func Words(text string) (all []string) {
	for piece, isWord := range pieces(text) {
		if isWord {
			all = append(all, piece)
		}
	}
	return all
}

// ReplaceWords returns a text with another text in place of each word: see [Words].
func ReplaceWords(text string, replace func(word string) string) string {
	var b strings.Builder
	for piece, isWord := range pieces(text) {
		if isWord {
			piece = replace(piece)
		}
		b.WriteString(piece)
	}
	return b.String()
}

// pieces returns the words of a text and the text between them, in order.
func pieces(text string) iter.Seq2[string, bool] {
	return func(yield func(piece string, isWord bool) bool) {
		for text != "" {
			end := wordEnd(text)
			isWord := end > 0
			for !isWord && end < len(text) && !isWordByte(text[end]) {
				end++
			}
			if !yield(text[:end], isWord) {
				return
			}
			text = text[end:]
		}
	}
}

// wordEnd returns where the word at the beginning of a text ends, or 0 if there is none.
func wordEnd(text string) (end int) {
	for i := range len(text) {
		switch {
		case isWordByte(text[i]):
			end = i + 1
		case i == 0 || text[i] != '-' || end < i:
			return end
		}
	}
	return end
}

func isWordByte(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' }
