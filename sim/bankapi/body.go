package bankapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/match"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

const (
	maxBody = 1 << 20 // bytes in a request body (choice)

	// maxBodies is how many bytes the bodies have together that are being read and answered, or an eighth of the memory limit, but not
	// less than minBodies, which is room for one of any kind (choice). One of smallBody takes no share; a larger one waits for bodyWait.
	maxBodies = 64 << 20
	minBodies = maxBody * multipartWeight
	smallBody = 4 << 10
	bodyWait  = 10 * time.Second

	// multipartWeight is how much more memory reading a multipart body takes than another one, about.
	multipartWeight = 8

	mediaJSON = "application/json"
	mediaForm = "application/x-www-form-urlencoded"
)

// content is a request's body. It is read before the sandbox is changed, because nothing is read under a lock; that it
// could not be read to its end is an error only when the body's turn comes.
type content struct {
	data []byte
	size int // of the whole body, of which data may be only the beginning
	err  error
}

// readContent reads the body of a request, when there is room for it. The caller gives the room back once it is done with
// the body, which is that of its length times a weight. A body whose length is too large is not read.
func (h *Handler) readContent(w http.ResponseWriter, r *http.Request, weight int64) (read content, giveBack func()) {
	none := func() {}
	tooLarge := sim.Refuse(contract.BodyTooLarge, "the body is larger than %d bytes", maxBody)
	if r.ContentLength > maxBody {
		return content{size: int(r.ContentLength), err: tooLarge}, none
	}
	room := r.ContentLength
	if room < 0 { // it is not known before the end
		room = maxBody
	}
	giveBack = none
	if room > smallBody {
		ctx, cancel := context.WithTimeout(r.Context(), bodyWait)
		defer cancel()
		if h.bodies.Acquire(ctx, room*weight) != nil {
			return content{size: int(room), err: sim.Refuse(contract.Overloaded,
				"too many large bodies are being read, and there was no room for this one within %s: send it again later", bodyWait)}, none
		}
		giveBack = func() { h.bodies.Release(room * weight) }
	}
	data, err := readAll(http.MaxBytesReader(w, r.Body, maxBody), r.ContentLength)
	var exceeded *http.MaxBytesError
	switch {
	case errors.As(err, &exceeded):
		err = tooLarge
	case err != nil:
		err = sim.Refuse(contract.BodyMalformed, "the body could not be read to its end")
	}
	return content{data: data, size: len(data), err: err}, giveBack
}

// readAll reads a body into memory of its length, -1 if that is not known.
func readAll(body io.Reader, length int64) ([]byte, error) {
	if length < 0 {
		return io.ReadAll(body)
	}
	data := make([]byte, length)
	n, err := io.ReadFull(body, data)
	return data[:n], err
}

// mediaType returns the media type of the body, in lower case; empty where there is none that the simulator can read.
func (c *call) mediaType() string {
	media, parameters, err := mime.ParseMediaType(c.request.Header.Get("Content-Type"))
	if charset := parameters["charset"]; err != nil || charset != "" && !strings.EqualFold(charset, "utf-8") {
		return ""
	}
	return media
}

// decodeJSON reads a body that must be a JSON object into a struct. Unknown members are ignored; null stands for a member
// that is left out. What two parsers could read differently is refused (RFC 8259 4, choice).
func (c *call) decodeJSON(into any) error {
	if c.mediaType() != mediaJSON {
		return sim.Refuse(contract.MediaTypeUnknown, "header Content-Type must be %s", mediaJSON)
	}
	if c.content.err != nil {
		return c.content.err
	}
	err := wire.DecodeKnown(c.content.data, into)
	var wrong *wire.Error
	if errors.As(err, &wrong) && wrong.Kind == wire.Unknown {
		reflect.ValueOf(into).Elem().SetZero() // what was decoded until then
		c.restsOn(contract.EverywhereUnknownMembers)
		err = wire.Decode(c.content.data, into)
	}
	if err != nil {
		return refuseBody(err)
	}
	if hasNullMember(c.content.data, c.Request) {
		c.restsOn(contract.EverywhereNullMembers)
	}
	return nil
}

// refuseBody returns the refusal of a body that can't be decoded.
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

// decodeForm reads a form-urlencoded body, in which each member may stand once.
func (c *call) decodeForm() (url.Values, error) {
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
	return form, nil
}

// parts reads a multipart body, whose parts are given once each.
func (c *call) parts() (map[string]wire.Part, error) {
	parts, isMultipart, err := wire.Parts(c.content.data, c.request.Header.Get("Content-Type"))
	switch {
	case !isMultipart:
		return nil, sim.Refuse(contract.NotMultipart, "header Content-Type must be multipart/form-data or multipart/mixed")
	case c.content.err != nil:
		return nil, c.content.err
	case err != nil:
		return nil, sim.Refuse(contract.PartsMalformed, "%s", err)
	}
	return parts, nil
}

// members returns the body's content as JSON; nil: it has none that can be read. A form is an object of texts, and so is a
// multipart body without its files.
func (c *call) members() any {
	if parts, ok := wire.PartTexts(c.content.data, c.request.Header.Get("Content-Type")); ok {
		return parts
	}
	if c.mediaType() == mediaForm {
		form, err := c.decodeForm()
		if err != nil {
			return nil
		}
		object := make(map[string]any, len(form))
		for name := range form {
			object[name] = form.Get(name)
		}
		return object
	}
	content, _ := match.Decode(c.content.data)
	return content
}
