package explore

import (
	"iter"
	"strings"
)

// What a bank draws: ids, which are UUIDs, and tokens, of which the journal has fingerprints.
const (
	uuidLength  = 36
	tokenMark   = "tok_"
	tokenLength = len(tokenMark) + 12
)

// drawn yields the ids and the fingerprints of tokens in a text, with where they begin. It takes little time for each byte, because
// answers are long.
func drawn(text string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for i := 0; i < len(text); i++ {
			length := 0
			switch {
			case text[i] == '-' && i >= 8 && isUUID(text[i-8:]):
				i, length = i-8, uuidLength
			case text[i] == tokenMark[0] && strings.HasPrefix(text[i:], tokenMark) && isHex(text, i+len(tokenMark), i+tokenLength):
				length = tokenLength
			default:
				continue
			}
			if !yield(i, text[i:i+length]) {
				return
			}
			i += length - 1
		}
	}
}

// hasDrawn reports whether there is an id or a token in a text.
func hasDrawn(text string) bool {
	for range drawn(text) {
		return true
	}
	return false
}

// isUUID reports whether a text begins with a UUID, as the bank writes it.
func isUUID(text string) bool {
	if len(text) < uuidLength {
		return false
	}
	for i := range uuidLength {
		switch dash := i == 8 || i == 13 || i == 18 || i == 23; {
		case dash && text[i] != '-':
			return false
		case !dash && !isHex(text, i, i+1):
			return false
		}
	}
	return true
}

// isHex reports whether a part of a text is there, and is lower-case hexadecimal.
func isHex(text string, from, to int) bool {
	if to > len(text) {
		return false
	}
	for _, c := range []byte(text[from:to]) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
