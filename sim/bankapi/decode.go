package bankapi

import (
	"bytes"
	"encoding/json"
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
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

const (
	mediaJSON = "application/json"
	mediaForm = "application/x-www-form-urlencoded"
)

// tokenTypeHint is a member of forms that RFC 7009 2.1 lets a server ignore.
const tokenTypeHint = "token_type_hint"

// mediaType returns the media type of the body, in lower case; empty where there is none that the simulator can read.
func (x *exchange) mediaType() string {
	media, parameters, err := mime.ParseMediaType(x.request.Header.Get("Content-Type"))
	if charset := parameters["charset"]; err != nil || charset != "" && !strings.EqualFold(charset, "utf-8") {
		return ""
	}
	return media
}

// decodeJSON reads a body that must be a JSON object into a struct. Unknown members are ignored; null stands for a member
// that is left out. What two parsers could read differently is refused (RFC 8259 4, choice).
func (x *exchange) decodeJSON(into any) error {
	if x.mediaType() != mediaJSON {
		return sim.Refuse(contract.MediaTypeUnknown, "header Content-Type must be %s", mediaJSON)
	}
	if x.content.err != nil {
		return x.content.err
	}
	err := wire.DecodeKnown(x.content.data, into)
	var wrong *wire.Error
	if errors.As(err, &wrong) && wrong.Kind == wire.Unknown {
		reflect.ValueOf(into).Elem().SetZero() // what was decoded until then
		x.restsOn(contract.EverywhereUnknownMembers)
		x.lintMembers()
		err = wire.Decode(x.content.data, into)
	}
	if err != nil {
		return refuseBody(err)
	}
	if hasNullMember(x.content.data, x.op.Request) {
		x.restsOn(contract.EverywhereNullMembers)
	}
	return nil
}

func refuseBody(err error) error {
	var wrong *wire.Error
	if !errors.As(err, &wrong) {
		return err
	}
	switch wrong.Kind {
	case wire.Mistyped:
		return sim.Refuse(contract.MemberMistyped, "%s must be %s", wrong.Member, typeName(wrong.Type))
	case wire.NotObject:
		return sim.Refuse(contract.MemberMistyped, "%s", wrong)
	case wire.Ambiguous, wire.Duplicate:
		return sim.Refuse(contract.BodyAmbiguous, "%s", wrong)
	}
	return sim.Refuse(contract.BodyMalformed, "%s", wrong)
}

// hasNullMember reports whether the text of an object has a member whose value is null, or a member that is such an
// object, unless the members of that are the caller's own.
func hasNullMember(text []byte, object *contract.Object) bool {
	if !bytes.Contains(text, []byte("null")) {
		return false
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(text, &members) != nil {
		return false
	}
	for name, value := range members {
		m, _ := object.Member(name)
		if value[0] == 'n' || value[0] == '{' && !m.Type.Object.IsFree() && hasNullMember(value, m.Type.Object) {
			return true
		}
	}
	return false
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

// form reads a form-urlencoded body, in which each member may stand once, without the members that the operation doesn't have.
func (x *exchange) form() (url.Values, error) {
	if x.content.err != nil {
		return nil, x.content.err
	}
	form, err := url.ParseQuery(string(x.content.data))
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
	unknown := slices.DeleteFunc(slices.Sorted(maps.Keys(form)), func(name string) bool {
		return x.op.Request.Has(name) || name == tokenTypeHint
	})
	for _, name := range unknown {
		form.Del(name)
	}
	if len(unknown) > 0 {
		x.restsOn(contract.EverywhereUnknownMembers)
		x.lintSpelling("member", unknown, x.op.Request.Names())
	}
	return form, nil
}

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
