package strictjson

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// maxDepth is how many objects and arrays a text may nest (choice).
const maxDepth = 64

// Kind is a kind of error in a text.
type Kind int

// The kinds.
const (
	Invalid   Kind = iota // not JSON
	Ambiguous             // JSON to lenient parsers: invalid UTF-8, data behind the value, or over maxDepth levels
	Duplicate             // a member is given twice
	NotObject             // JSON, but no object
	Mistyped              // a member is of another type
	Unknown               // a member that the Go type doesn't have
)

// Error is why a text was not decoded. It never holds a value of the text, because that may be a secret.
type Error struct {
	Kind   Kind
	Member string       // dotted path, such as alertPreferenceDetails.externalId, cut if long, or "" for the whole text
	Type   reflect.Type // of a mistyped member: the Go type, a pointer removed, or nil if it is not known
	text   string
}

func (e *Error) Error() string { return e.text }

// Decode reads a JSON object into a struct that is zero, and whose member names match exactly. It skips members that
// the struct doesn't have. Null sets a member to its zero value, and a number with an integral value is an [Integer].
// An error is an *Error; the struct may be half filled then.
func Decode(data []byte, into any) error { return decode(data, into) }

// DecodeKnown is Decode, but refuses a member that the struct doesn't have.
func DecodeKnown(data []byte, into any) error {
	return decode(data, into, json.RejectUnknownMembers(true))
}

func decode(data []byte, into any, options ...json.Options) error {
	if tooDeep(data) {
		return &Error{
			Kind: Ambiguous,
			text: fmt.Sprintf("the body has more than %d objects and arrays within one another", maxDepth),
		}
	}
	err := json.Unmarshal(data, into, options...)
	if isOfInteger(err) {
		if text, changed := withIntegers(data); changed {
			reflect.ValueOf(into).Elem().SetZero()
			err = json.Unmarshal(text, into, options...)
		}
	}
	if err == nil && jsontext.Value(data).Kind() == '{' {
		return nil
	}
	var syntax *jsontext.SyntacticError
	var semantic *json.SemanticError
	switch {
	case err == nil, errors.As(err, &semantic) && semantic.JSONPointer == "":
		return &Error{Kind: NotObject, text: "the body must be a JSON object"}
	case semantic != nil:
		name, goType := member(semantic.JSONPointer), semantic.GoType
		if errors.Is(err, json.ErrUnknownName) {
			return &Error{Unknown, name, nil, "unknown member " + name}
		} else if goType != nil && goType.Kind() == reflect.Pointer {
			goType = goType.Elem()
		}
		return &Error{Mistyped, name, goType, name + " is of another type"}
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF), !errors.As(err, &syntax):
		return &Error{text: "the body is not valid JSON: it is empty or ends early"}
	case errors.Is(err, jsontext.ErrDuplicateName):
		name := member(syntax.JSONPointer)
		return &Error{Duplicate, name, nil, name + " is given twice"}
	}
	wrong := &Error{text: fmt.Sprintf("the body is not valid JSON (at byte %d)", syntax.ByteOffset)}
	// A lenient parser replaces invalid UTF-8 and stops behind the first value.
	if _, err := jsontext.NewDecoder(bytes.NewReader(data), jsontext.AllowInvalidUTF8(true)).ReadValue(); err == nil {
		wrong.Kind = Ambiguous
	}
	return wrong
}

// isOfInteger reports whether an error is about a member that is an integer in Go.
func isOfInteger(err error) bool {
	var semantic *json.SemanticError
	if !errors.As(err, &semantic) || semantic.GoType == nil {
		return false
	}
	kind := semantic.GoType.Kind()
	if kind == reflect.Pointer {
		kind = semantic.GoType.Elem().Kind()
	}
	return reflect.Int <= kind && kind <= reflect.Uint64
}

// tooDeep reports whether a text nests deeper than maxDepth.
func tooDeep(data []byte) bool {
	if bytes.Count(data, []byte("{"))+bytes.Count(data, []byte("[")) <= maxDepth { // as almost always
		return false
	}
	decoder := jsontext.NewDecoder(bytes.NewBuffer(data),
		jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for decoder.StackDepth() <= maxDepth {
		if _, err := decoder.ReadToken(); err != nil {
			return false
		}
	}
	return true
}

// member writes a JSON pointer as the interface's documentation names members. It is cut if it is long.
func member(p jsontext.Pointer) string {
	return wording.Shorten(strings.Join(slices.Collect(p.Tokens()), "."))
}
