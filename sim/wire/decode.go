package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// MaxDepth is how many objects and arrays a text may nest (choice).
const MaxDepth = 64

// Kind says what is wrong with a text.
type Kind int

// The kinds.
const (
	Invalid   Kind = iota // not JSON
	EndsEarly             // not JSON: empty, or without its end
	Ambiguous             // JSON only to a lenient parser: invalid UTF-8, or data behind the value
	Duplicate             // a member is given twice
	TooDeep               // more than MaxDepth objects and arrays within one another
	NotObject             // JSON, but no object
	Mistyped              // a member is of another type
	Unknown               // a member that the Go type doesn't have
)

// Error is why a text was not decoded. It never holds a value of the text, which may be a secret.
type Error struct {
	Kind   Kind
	Member string       // dotted path, such as alertPreferenceDetails.externalId; empty: the whole text
	Type   reflect.Type // of a mistyped member: the Go type, pointers removed; nil: not known
	Offset int64        // of an invalid or ambiguous text: where, in bytes
}

func (e *Error) Error() string {
	switch e.Kind {
	case EndsEarly:
		return "the body is not valid JSON: it is empty or ends early"
	case Duplicate:
		return e.Member + " is given twice"
	case TooDeep:
		return fmt.Sprintf("the body has more than %d objects and arrays within one another", MaxDepth)
	case NotObject:
		return "the body must be a JSON object"
	case Mistyped:
		return e.Member + " is of another type"
	case Unknown:
		return "unknown member " + e.Member
	}
	return fmt.Sprintf("the body is not valid JSON (at byte %d)", e.Offset)
}

// Decode reads a JSON object into a struct, whose member names match exactly. It skips members that the struct doesn't
// have. Null sets a member to its zero value. An error is an *Error; the struct may be half filled then.
func Decode(data []byte, into any) error { return decode(data, into) }

// DecodeKnown is Decode, but refuses a member that the struct doesn't have.
func DecodeKnown(data []byte, into any) error {
	return decode(data, into, json.RejectUnknownMembers(true))
}

func decode(data []byte, into any, options ...json.Options) error {
	if tooDeep(data) {
		return &Error{Kind: TooDeep}
	}
	err := json.Unmarshal(data, into, options...)
	var syntax *jsontext.SyntacticError
	var semantic *json.SemanticError
	switch {
	case err == nil && !isObject(data): // null
		return &Error{Kind: NotObject}
	case err == nil:
		return nil
	case errors.Is(err, json.ErrUnknownName) && errors.As(err, &semantic):
		return &Error{Kind: Unknown, Member: member(semantic.JSONPointer)}
	case errors.As(err, &semantic) && semantic.JSONPointer == "":
		return &Error{Kind: NotObject}
	case errors.As(err, &semantic):
		return &Error{Kind: Mistyped, Member: member(semantic.JSONPointer), Type: pointee(semantic.GoType)}
	case errors.Is(err, jsontext.ErrDuplicateName) && errors.As(err, &syntax):
		return &Error{Kind: Duplicate, Member: member(syntax.JSONPointer)}
	case errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
		return &Error{Kind: EndsEarly}
	case errors.As(err, &syntax) && lenientlyJSON(data):
		return &Error{Kind: Ambiguous, Offset: syntax.ByteOffset}
	case errors.As(err, &syntax):
		return &Error{Kind: Invalid, Offset: syntax.ByteOffset}
	}
	return &Error{Kind: Invalid}
}

func isObject(data []byte) bool {
	text := bytes.TrimLeft(data, " \t\r\n")
	return len(text) > 0 && text[0] == '{'
}

// lenientlyJSON reports whether data is JSON to a parser that replaces invalid UTF-8 and stops behind the first value.
func lenientlyJSON(data []byte) bool {
	_, err := jsontext.NewDecoder(bytes.NewReader(data), jsontext.AllowInvalidUTF8(true)).ReadValue()
	return err == nil
}

// tooDeep reports whether a text nests deeper than MaxDepth. A text with few brackets needs no parsing.
func tooDeep(data []byte) bool {
	if bytes.Count(data, []byte("{"))+bytes.Count(data, []byte("[")) <= MaxDepth {
		return false
	}
	decoder := jsontext.NewDecoder(bytes.NewReader(data), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for {
		if _, err := decoder.ReadToken(); err != nil {
			return false
		}
		if decoder.StackDepth() > MaxDepth {
			return true
		}
	}
}

// member writes a JSON pointer as the interface's documentation names members.
func member(p jsontext.Pointer) string {
	var names []string
	for name := range p.Tokens() {
		names = append(names, name)
	}
	return strings.Join(names, ".")
}

func pointee(t reflect.Type) reflect.Type {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

// Valid reports whether data is one JSON value in valid UTF-8. Unlike Decode it accepts an object that has a member twice.
func Valid(data []byte) bool {
	return jsontext.Value(data).IsValid(jsontext.AllowDuplicateNames(true))
}
