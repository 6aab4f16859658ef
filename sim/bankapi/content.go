package bankapi

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/digitalbanking-sim/banksim/sim"
)

const (
	maxBody  = 1 << 20 // bytes in a request body (choice)
	maxDepth = 64      // objects and arrays within one another in a JSON body (choice)

	mediaJSON = "application/json"
	mediaForm = "application/x-www-form-urlencoded"
)

// content is a request's body, read before the request is looked into, since nothing is read while a sandbox is
// being changed. That it could not be read to its end is told when the body's turn comes.
type content struct {
	data []byte
	err  error
}

func readContent(w http.ResponseWriter, r *http.Request) content {
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return content{data: data, err: sim.Refuse(bodyTooLarge, "the body is larger than %d bytes", maxBody)}
	case err != nil:
		return content{data: data, err: sim.Refuse(bodyMalformed, "the body could not be read to its end")}
	}
	return content{data: data}
}

// mediaType returns the media type of the body, in lower case; empty where there is none that we can read.
func (c *call) mediaType() string {
	media, parameters, err := mime.ParseMediaType(c.request.Header.Get("Content-Type"))
	if charset := parameters["charset"]; err != nil || charset != "" && !strings.EqualFold(charset, "utf-8") {
		return ""
	}
	return media
}

// decodeJSON reads a body that must be a JSON object into a struct. Unknown members are ignored; null is as good
// as a member left out. Anything that two parsers could read differently is refused: duplicate members, invalid
// UTF-8, data after the object, names in another case (RFC 8259 4, choice).
func (c *call) decodeJSON(into any) error {
	if c.mediaType() != mediaJSON {
		return sim.Refuse(mediaTypeUnknown, "header Content-Type must be %s", mediaJSON)
	}
	if c.content.err != nil {
		return c.content.err
	}
	err := decodeJSON(c.content.data, into, json.RejectUnknownMembers(true))
	if errors.Is(err, errUnknownMember) {
		reflect.ValueOf(into).Elem().SetZero() // of what was read until then
		c.lean("everywhere.unknown-members")
		err = decodeJSON(c.content.data, into)
	}
	if err == nil && hasNullMember(c.content.data) {
		c.lean("everywhere.null-members")
	}
	return err
}

// errUnknownMember is why a body is not decoded that is refused no member that the operation doesn't have.
var errUnknownMember = errors.New("the body has an unknown member")

func decodeJSON(data []byte, into any, options ...json.Options) error {
	if tooDeep(data) {
		return sim.Refuse(bodyAmbiguous, "the body has more than %d objects and arrays within one another", maxDepth)
	}
	err := json.Unmarshal(data, into, options...)
	var syntax *jsontext.SyntacticError
	var semantic *json.SemanticError
	switch {
	case err == nil && bytes.TrimLeft(data, " \t\r\n")[0] != '{': // null
		return sim.Refuse(memberMistyped, "the body must be a JSON object")
	case err == nil:
		return nil
	case errors.Is(err, json.ErrUnknownName):
		return errUnknownMember
	case errors.As(err, &semantic):
		if semantic.JSONPointer == "" {
			return sim.Refuse(memberMistyped, "the body must be a JSON object")
		}
		return sim.Refuse(memberMistyped, "%s must be %s", memberName(semantic.JSONPointer), typeName(semantic.GoType))
	case errors.Is(err, jsontext.ErrDuplicateName) && errors.As(err, &syntax):
		return sim.Refuse(bodyAmbiguous, "%s is given twice", memberName(syntax.JSONPointer))
	case errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
		return sim.Refuse(bodyMalformed, "the body is not valid JSON: it is empty or ends early")
	case errors.As(err, &syntax):
		code := bodyMalformed
		if lenientlyJSON(data) {
			code = bodyAmbiguous
		}
		return sim.Refuse(code, "the body is not valid JSON (at byte %d)", syntax.ByteOffset)
	default:
		return sim.Refuse(bodyMalformed, "the body is not valid JSON")
	}
}

// lenientlyJSON tells whether data is JSON to a parser that mends invalid UTF-8 and stops at the end of the first value.
func lenientlyJSON(data []byte) bool {
	_, err := jsontext.NewDecoder(bytes.NewReader(data), jsontext.AllowInvalidUTF8(true)).ReadValue()
	return err == nil
}

// hasNullMember tells whether a JSON object has a member whose value is null, or a member that is such an object. What
// is in additionalInfo is the caller's own.
func hasNullMember(object []byte) bool {
	if !bytes.Contains(object, []byte("null")) {
		return false
	}
	var members map[string]jsontext.Value
	if json.Unmarshal(object, &members) != nil {
		return false
	}
	for name, value := range members {
		if value.Kind() == 'n' || value.Kind() == '{' && name != "additionalInfo" && hasNullMember(value) {
			return true
		}
	}
	return false
}

// tooDeep tells whether a JSON text nests deeper than maxDepth. A text with few brackets needs no look.
func tooDeep(data []byte) bool {
	if bytes.Count(data, []byte("{"))+bytes.Count(data, []byte("[")) <= maxDepth {
		return false
	}
	decoder := jsontext.NewDecoder(bytes.NewReader(data), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for {
		if _, err := decoder.ReadToken(); err != nil {
			return false
		}
		if decoder.StackDepth() > maxDepth {
			return true
		}
	}
}

// memberName writes a JSON pointer as the documentation names members: alertPreferenceDetails.externalId.
func memberName(p jsontext.Pointer) string {
	var names []string
	for name := range p.Tokens() {
		names = append(names, name)
	}
	return strings.Join(names, ".")
}

func typeName(t reflect.Type) string {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == nil:
		return "of another type"
	case t.Kind() == reflect.String:
		return "a string"
	case t.Kind() == reflect.Bool:
		return "a boolean"
	case t.Kind() == reflect.Int64:
		return "an integer"
	default:
		return "an object"
	}
}

// decodeForm reads a form-urlencoded body, in which each member may stand once.
func (c *call) decodeForm() (url.Values, error) {
	if c.content.err != nil {
		return nil, c.content.err
	}
	form, err := url.ParseQuery(string(c.content.data))
	if err != nil {
		return nil, sim.Refuse(bodyMalformed, "the body is not form-urlencoded")
	}
	for name, values := range form {
		if len(values) > 1 {
			return nil, sim.Refuse(bodyMalformed, "a member of the body is given twice")
		}
		if !utf8.ValidString(name) || !utf8.ValidString(values[0]) {
			return nil, sim.Refuse(bodyMalformed, "the body is not valid UTF-8")
		}
	}
	return form, nil
}
