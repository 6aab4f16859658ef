package wire

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"iter"

	"github.com/go-json-experiment/json/jsontext"
)

// Encode returns a value as JSON on one line. Unlike json.Marshal it leaves <, > and & as they are, because no browser
// reads the bodies as HTML.
func Encode(value any) ([]byte, error) {
	data, err := encode(value, "")
	return bytes.TrimSuffix(data, []byte("\n")), err
}

// EncodeIndented is Encode, over several lines and with a line break at the end, for people.
func EncodeIndented(value any) ([]byte, error) { return encode(value, "  ") }

func encode(value any, indent string) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", indent)
	err := encoder.Encode(value)
	return b.Bytes(), err
}

// MustEncode is Encode for values of our own types. It panics where one can't be encoded, which is a mistake in the code.
func MustEncode(value any) []byte {
	data, err := Encode(value)
	if err != nil {
		panic(fmt.Sprintf("wire: a %T can't be encoded: %v", value, err))
	}
	return data
}

// AppendString appends a text as a JSON string.
func AppendString(b []byte, text string) []byte {
	b, _ = jsontext.AppendQuote(b, text) // it replaces invalid UTF-8, as Encode does
	return b
}

// Stream writes a JSON value piece by piece, so that a large one is never in memory as a whole. The pieces are encoded as
// by [MustEncode]. Once writing has failed, the rest is skipped and Flush returns the error.
type Stream struct{ *bufio.Writer }

// Text writes a text as it is, such as the braces and the names between values.
func (s Stream) Text(text string) { _, _ = s.WriteString(text) }

// Value writes a value.
func (s Stream) Value(value any) { _, _ = s.Write(MustEncode(value)) }

// Open writes a value that is an object and has members, and leaves it open: more members can follow, each after a comma.
// The caller closes it.
func (s Stream) Open(value any) { _, _ = s.Write(bytes.TrimSuffix(MustEncode(value), []byte("}"))) }

// Array writes an array whose elements the function writes, one call for each.
func Array[T any](s Stream, elements iter.Seq[T], element func(T)) {
	before := "["
	for e := range elements {
		if _, err := s.WriteString(before); err != nil {
			return
		}
		before = ","
		element(e)
	}
	if before == "[" {
		s.Text(before)
	}
	s.Text("]")
}
