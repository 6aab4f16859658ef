package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/go-json-experiment/json/jsontext"
)

// Encode returns a value as JSON on one line. Unlike json.Marshal it doesn't escape <, > and &, because no browser
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

// MustEncode is Encode for values of our own types. It panics if a value can't be encoded: that is a mistake in the
// code.
func MustEncode(value any) []byte {
	data, err := Encode(value)
	if err != nil {
		panic(fmt.Sprintf("strictjson: a %T can't be encoded: %v", value, err))
	}
	return data
}

// AppendString appends a text as a JSON string.
func AppendString(b []byte, text string) []byte {
	b, _ = jsontext.AppendQuote(b, text) // it replaces invalid UTF-8, as Encode does
	return b
}

// Writer writes a JSON value piece by piece, so that a large one is never in memory as a whole. After a failed write it
// writes nothing more, because the reader is gone.
type Writer struct {
	encoder *jsontext.Encoder
	failed  bool
}

// NewWriter returns a writer of one JSON value. A line break follows the value.
func NewWriter(to io.Writer) *Writer {
	return &Writer{
		encoder: jsontext.NewEncoder(to, jsontext.AllowDuplicateNames(true), jsontext.PreserveRawStrings(true)),
	}
}

// Object writes an object whose members the function writes.
func (w *Writer) Object(members func()) {
	w.token(jsontext.BeginObject)
	members()
	w.token(jsontext.EndObject)
}

// Name writes the name of a member. Its value follows.
func (w *Writer) Name(name string) { w.token(jsontext.String(name)) }

// Value writes a value as [MustEncode] encodes it.
func (w *Writer) Value(value any) { w.raw(MustEncode(value)) }

// Member writes a member of an object.
func (w *Writer) Member(name string, value any) {
	w.Name(name)
	w.Value(value)
}

// Members writes all members of a value that is an object in JSON.
func (w *Writer) Members(of any) {
	d := jsontext.NewDecoder(bytes.NewReader(MustEncode(of)))
	for _, err := d.ReadToken(); err == nil && d.PeekKind() != '}'; {
		var part jsontext.Value
		part, err = d.ReadValue() // a name or a value
		w.raw(part)
	}
}

// WriteList writes a member that is a list. The function writes each element.
func WriteList[T any](w *Writer, name string, elements iter.Seq[T], write func(T)) {
	w.Name(name)
	w.token(jsontext.BeginArray)
	for e := range elements {
		if w.failed {
			return
		}
		write(e)
	}
	w.token(jsontext.EndArray)
}

func (w *Writer) token(t jsontext.Token) {
	if !w.failed {
		w.note(w.encoder.WriteToken(t))
	}
}

func (w *Writer) raw(v jsontext.Value) {
	if !w.failed {
		w.note(w.encoder.WriteValue(v))
	}
}

// note notes that a write has failed. It panics if the value can't be JSON: that is a mistake in the code.
func (w *Writer) note(err error) {
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) {
		panic(fmt.Sprintf("strictjson: a value is not JSON: %v", err))
	}
	w.failed = err != nil
}
