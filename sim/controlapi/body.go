package controlapi

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/memory"
	"github.com/digitalbanking-sim/banksim/sim/strictjson"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// maxBody is the maximum size of a request body, in bytes. A capture may be larger (control.bodyLimit).
const maxBody = 1 << 20

// bodyWeight is how much room a byte of a body takes: the buffer that it is read into grows in steps, and the call
// decodes it.
const bodyWeight = 3

// callTimeout is how long a client waits for the first bytes of an answer at most (choice). A call about a bank of many
// rows uses the store several times, and each use has a time limit of its own.
const callTimeout = 5 * time.Minute

// readBody reads the body of a request before the call. It refuses a body that is too large (413), breaks off (400) or
// has no room (429). Then it gives the call more time than the listener does: net/http would end the context of the
// call at the listener's time limit for reading.
//
// The content type doesn't matter: each call takes one format, and many tools name a wrong one. What a page in a
// browser may send without asking, such as text/plain, is kept out by control.guard instead.
func readBody(w http.ResponseWriter, r *http.Request) (body []byte, refused *refusal) {
	controller := http.NewResponseController(w)
	sent := r.Body
	if r.URL.Path == inferPath {
		sent = &timedBody{sent, controller, time.Now().Add(uploadGrace)}
	}
	body, err := io.ReadAll(sent)
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, refuse(http.StatusRequestEntityTooLarge, "the body is larger than %d bytes", tooLarge.Limit)
	case errors.Is(err, memory.ErrNoRoom):
		return nil, refuse(http.StatusTooManyRequests,
			"the requests under way leave no room for a body of this size: send it again later")
	case err != nil:
		return nil, refuse(http.StatusBadRequest, "the body could not be read to its end")
	}
	_ = controller.SetReadDeadline(time.Time{}) // a writer without deadlines needs none
	_ = controller.SetWriteDeadline(time.Now().Add(callTimeout))
	return body, nil
}

// BodyType is the type of a body. The function of the call decodes it.
type BodyType interface {
	// Holds returns the type whose JSON the body is. Without a type, it says what the body is.
	Holds() (of reflect.Type, about string)
	set(body []byte)
}

// raw is the unread body of a request.
type raw struct{ data []byte }

func (b *raw) set(data []byte) { b.data = data }

// AboutScenario describes a scenario as a body.
const AboutScenario = "A scenario. Its JSON Schema is what banksim print schema prints."

// yamlBody is a scenario in YAML.
type yamlBody struct{ raw }

// Holds implements [BodyType].
func (yamlBody) Holds() (of reflect.Type, about string) { return nil, AboutScenario }

// body is a request body that is a JSON object of the type T.
type body[T any] struct{ raw }

// Holds implements [BodyType].
func (body[T]) Holds() (of reflect.Type, about string) { return reflect.TypeFor[T](), "" }

// decode returns the object. It refuses (400) a member that T doesn't have. An empty body is an empty object.
func (b body[T]) decode() (T, error) {
	object, _, err := b.decodeWithMembers()
	return object, err
}

// decodeWithMembers is decode. It also returns the members of the body in JSON.
func (b body[T]) decodeWithMembers() (object T, members map[string]any, err error) {
	members, wrong := b.read(&object)
	if wrong != nil {
		return object, members, refuseObject(wrong, memberNames(reflect.TypeFor[T]()))
	}
	return object, members, nil
}

// read fills an object from the body. It returns the members of the body, and the first mistake in them.
func (b raw) read(object any) (members map[string]any, wrong *strictjson.Error) {
	if len(bytes.TrimSpace(b.data)) == 0 {
		return nil, nil
	}
	errors.As(strictjson.DecodeKnown(b.data, object), &wrong)
	_ = json.Unmarshal(b.data, &members) // wrong says what is wrong
	return members, wrong
}

// refuseObject returns the refusal of an object. It names members, and never holds a value: a value may be a secret.
func refuseObject(wrong *strictjson.Error, names []string) *refusal {
	detail, member := wrong.Error(), wording.Quote(wrong.Member)
	switch wrong.Kind {
	case strictjson.Duplicate:
		detail = "member " + member + " is given twice"
	case strictjson.Unknown:
		detail = "unknown member " + member + wording.DidYouMean(wrong.Member, names, "the members are")
	case strictjson.Mistyped:
		detail = "member " + member + " must be " + describe(wrong.Type)
	}
	return refuse(http.StatusBadRequest, "%s", detail)
}

// decodePatch returns a merge patch (RFC 7396). It refuses an empty patch, null, and an unknown status. Null would
// remove a member, and every member of the bank has a value. No member of a patch is a secret, so that a refusal shows
// the wrong value.
func (b body[T]) decodePatch() (patch T, err error) {
	names := memberNames(reflect.TypeFor[T]())
	members, wrong := b.read(&patch)
	switch {
	case wrong != nil && wrong.Kind == strictjson.Mistyped:
		return patch, refuse(http.StatusBadRequest, "%s must be %s, not %s",
			wrong.Member, describe(wrong.Type), shown(members[wrong.Member]))
	case wrong != nil:
		return patch, refuseObject(wrong, names)
	case len(members) == 0:
		return patch, refuse(http.StatusBadRequest, "the patch is empty, and changes nothing: give %s",
			strings.Join(names, " or "))
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		statuses := []string{sim.Accepted, sim.NotAccepted}
		text, isText := members[name].(string)
		switch {
		case members[name] == nil:
			return patch, refuse(http.StatusBadRequest, "%s can't be null: give it a value, or leave it out", name)
		case name == "disclosureStatus" && isText && !slices.Contains(statuses, text):
			return patch, refuse(http.StatusBadRequest, "%s can't be %s%s",
				name, wording.Quote(text), wording.DidYouMean(text, statuses, "it can be"))
		}
	}
	return patch, nil
}

// shown returns a scalar in JSON, cut if it is long, or the kind of another value.
func shown(value any) string {
	switch value.(type) {
	case map[string]any:
		return "an object"
	case []any:
		return "an array"
	}
	return wording.Shorten(string(strictjson.MustEncode(value)))
}

// memberNames returns the names of the members of a struct in JSON.
func memberNames(of reflect.Type) []string {
	var names []string
	for _, field := range reflect.VisibleFields(of) {
		if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "" && name != "-" {
			names = append(names, name)
		}
	}
	return names
}

// kindWords are what JSON has for the kinds of Go types.
var kindWords = map[reflect.Kind]string{
	reflect.Bool: "true or false", reflect.String: "a string", reflect.Slice: "an array",
	reflect.Uint64: "a whole number, 0 or more", reflect.Int: "a whole number", reflect.Int64: "a whole number",
}

// describe returns what JSON has for a Go type, with an article. The type is nil if it isn't known.
func describe(t reflect.Type) string {
	switch t {
	case reflect.TypeFor[time.Time]():
		return "a time such as 2026-01-15T09:00:00Z"
	case reflect.TypeFor[HeaderValues]():
		return "a string, or an array of strings"
	case nil:
		return "of another type"
	}
	return cmp.Or(kindWords[t.Kind()], "an object")
}

// duration parses a member of a body as a duration above 0.
func duration(name, text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, refuse(http.StatusBadRequest, "%s must be a duration above 0, such as 90s, 15m or 24h, not %s",
			name, wording.Quote(text))
	}
	return d, nil
}
