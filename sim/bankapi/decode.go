package bankapi

import (
	"errors"
	"maps"
	"mime"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/strictjson"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

const mediaForm = "application/x-www-form-urlencoded"

// mediaType returns the media type of a Content-Type in lower case, or "" if the simulator can't read it.
func mediaType(contentType string) string {
	if contentType == "" {
		return ""
	}
	media, parameters, err := mime.ParseMediaType(contentType)
	if charset := parameters["charset"]; err != nil || charset != "" && !strings.EqualFold(charset, "utf-8") {
		return ""
	}
	return media
}

// requireMedia refuses a body with another media type than the wanted ones, and a body with a Content-Encoding.
func (r *request) requireMedia(wanted ...string) error {
	if encoding := r.header("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		return sim.Refuse(contract.MediaTypeUnknown,
			"header Content-Encoding is %s, and the simulator reads no encoded body: send it as it is",
			wording.Quote(encoding))
	}
	if slices.Contains(wanted, r.media) {
		return nil
	}
	return sim.Refuse(contract.MediaTypeUnknown,
		"header Content-Type must be %s%s", strings.Join(wanted, " or "), notMedia(r.header("Content-Type")))
}

// notMedia says which Content-Type was sent in place of a wanted one.
func notMedia(contentType string) string {
	if contentType == "" {
		return ", and it is missing"
	}
	return ", not " + wording.Quote(contentType)
}

// hasMark reports whether the body is JSON with a byte order mark before it.
func (r *request) hasMark() bool {
	return r.media == mediaJSON && len(r.content.withoutMark()) < len(r.content.data)
}

// decodeJSON reads a body that must be a JSON object into a struct. Members that the struct doesn't have are ignored. A
// member that is null counts as left out. What two parsers could read differently is refused (RFC 8259 4, choice).
func (c *call) decodeJSON(into any) error {
	if err := c.requireMedia(mediaJSON); err != nil {
		return err
	}
	if c.content.err != nil {
		return c.content.err
	}
	return refuseBody(strictjson.Decode(c.content.withoutMark(), into))
}

// refuseBody returns the refusal of a body that can't be decoded, or nil without an error.
func refuseBody(err error) error {
	if err == nil {
		return nil
	}
	var wrong *strictjson.Error
	if !errors.As(err, &wrong) {
		return err
	}
	switch wrong.Kind {
	case strictjson.Mistyped:
		return sim.Refuse(contract.MemberMistyped, "%s must be %s", wrong.Member, typeName(wrong.Type))
	case strictjson.NotObject:
		return sim.Refuse(contract.MemberMistyped, "%s", wrong)
	case strictjson.Ambiguous, strictjson.Duplicate:
		return sim.Refuse(contract.BodyAmbiguous, "%s", wrong)
	}
	return sim.Refuse(contract.BodyMalformed, "%s", wrong)
}

func typeName(t reflect.Type) string {
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

// has reports whether a member of the body is one of the operation in this dialect, and has a value.
func (c *call) has(name string, value *string) bool { return value != nil && c.op.Request.Has(name) }

// tokenTypeHint is a member of forms that RFC 7009 2.1 lets a server ignore.
const tokenTypeHint = "token_type_hint"

// form reads a form-urlencoded body. Each member may stand once. form leaves out members that the operation doesn't
// have.
func (c *call) form() (url.Values, error) {
	if c.content.err != nil {
		return nil, c.content.err
	}
	form, err := url.ParseQuery(string(c.content.data))
	if err != nil {
		return nil, sim.Refuse(contract.BodyMalformed, "the body is not form-urlencoded")
	}
	for name, values := range form {
		if len(values) > 1 {
			return nil, sim.Refuse(contract.BodyMalformed, "a member of the body is given twice")
		}
		if !utf8.ValidString(name) || !utf8.ValidString(values[0]) {
			return nil, sim.Refuse(contract.BodyMalformed, "the body is not valid UTF-8")
		}
	}
	for _, name := range slices.Collect(maps.Keys(form)) {
		if !c.op.Request.Has(name) {
			form.Del(name)
		}
	}
	return form, nil
}
