package wire

import (
	"bytes"
	"encoding/json"
	"io"
	"iter"
)

// Stream writes a JSON value piece by piece, so that a large one is never in memory as a whole. The pieces are encoded as
// by [Encode]. Once writing has failed, the rest is skipped and Err returns the error.
type Stream struct {
	to      io.Writer
	one     bytes.Buffer // a piece
	encoder *json.Encoder
	err     error
}

// maxPiece is the size of a piece up to which its memory is kept for the next one, in bytes.
const maxPiece = 64 << 10

// NewStream returns a stream that writes each piece to w, in one call.
func NewStream(w io.Writer) *Stream {
	s := &Stream{to: w}
	s.encoder = json.NewEncoder(&s.one)
	s.encoder.SetEscapeHTML(false)
	return s
}

// Err returns the error that ended the stream, if any.
func (s *Stream) Err() error { return s.err }

// Text writes a text as it is, such as the braces and the names between values.
func (s *Stream) Text(text string) {
	if s.err == nil {
		_, s.err = io.WriteString(s.to, text)
	}
}

// Value writes a value.
func (s *Stream) Value(value any) {
	s.encode(value, "\n")
}

// Open writes a value that is an object and has members, and leaves it open: more members can follow, each after a comma.
// The caller closes it.
func (s *Stream) Open(value any) {
	s.encode(value, "}\n")
}

// encode writes a value without what its encoding ends with.
func (s *Stream) encode(value any, without string) {
	if s.err != nil {
		return
	}
	if s.one.Reset(); s.one.Cap() > maxPiece {
		s.one = bytes.Buffer{}
	}
	if s.err = s.encoder.Encode(value); s.err == nil {
		_, s.err = s.to.Write(asSent(bytes.TrimSuffix(s.one.Bytes(), []byte(without))))
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
