package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
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
// by [Encode]. Once writing has failed, the rest is skipped and Err returns the error.
type Stream struct {
	to  io.Writer
	err error
}

// NewStream returns a stream that writes each piece to w, in one call.
func NewStream(w io.Writer) *Stream { return &Stream{to: w} }

// Err returns the error that ended the stream, if any.
func (s *Stream) Err() error { return s.err }

// Text writes a text as it is, such as the braces and the names between values.
func (s *Stream) Text(text string) {
	if s.err == nil {
		_, s.err = io.WriteString(s.to, text)
	}
}

// Value writes a value.
func (s *Stream) Value(value any) { s.encode(value, "") }

// Open writes a value that is an object and has members, and leaves it open: more members can follow, each after a comma.
// The caller closes it.
func (s *Stream) Open(value any) { s.encode(value, "}") }

// encode writes a value without what its encoding ends with.
func (s *Stream) encode(value any, without string) {
	if s.err != nil {
		return
	}
	var data []byte
	if data, s.err = Encode(value); s.err == nil {
		_, s.err = s.to.Write(bytes.TrimSuffix(data, []byte(without)))
	}
}

// Array writes an array whose elements the function writes, one call for each.
func Array[T any](s *Stream, elements iter.Seq[T], element func(T)) {
	s.Text("[")
	comma := ""
	for e := range elements {
		if s.err != nil {
			return
		}
		s.Text(comma)
		comma = ","
		element(e)
	}
	s.Text("]")
}
