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
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
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
