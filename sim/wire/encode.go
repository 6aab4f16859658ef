package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Encode returns a value as JSON on one line. Unlike json.Marshal it leaves <, > and & as they are, because no browser
// reads the bodies as HTML.
func Encode(value any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return asSent(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), nil
}

// asSent writes the line and paragraph separators U+2028 and U+2029 as they are: encoding/json always escapes them, for
// the sake of JavaScript.
func asSent(text []byte) []byte {
	const escape = `\u202`
	if !bytes.Contains(text, []byte(escape)) {
		return text
	}
	var b []byte
	for rest := text; len(rest) > 0; {
		n := 1
		switch {
		case bytes.HasPrefix(rest, []byte(escape+"8")):
			b, n = append(b, "\u2028"...), 6
		case bytes.HasPrefix(rest, []byte(escape+"9")):
			b, n = append(b, "\u2029"...), 6
		case rest[0] == '\\': // with the character that it escapes
			n = 2
			b = append(b, rest[:2]...)
		default:
			b = append(b, rest[0])
		}
		rest = rest[n:]
	}
	return b
}

// MustEncode is Encode for values of our own types. It panics where one can't be encoded, which is a mistake in the code.
func MustEncode(value any) []byte {
	data, err := Encode(value)
	if err != nil {
		panic(fmt.Sprintf("wire: a %T can't be encoded: %v", value, err))
	}
	return data
}

// EncodeIndented is Encode, over several lines and with a line break at the end, for people.
func EncodeIndented(value any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(value)
	return b.Bytes(), err
}

// AppendString appends a text as a JSON string.
func AppendString(b []byte, text string) []byte {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return append(b, MustEncode(text)...)
		}
	}
	return append(append(append(b, '"'), text...), '"')
}
