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

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// maxBody is the maximum size of a request body, in bytes.
const maxBody = 1 << 20

// callTimeout is how long a call may take (choice). A call about a bank of many rows uses the store several times, and
// each use has a time limit of its own.
const callTimeout = 5 * time.Minute

// readBody reads the body of a request before the call. It refuses a body that is too large (413) or breaks off
// (400). Then it gives the call more time than the listener does: net/http would end the context of the call at the
// listener's time limit for reading.
//
// The content type doesn't matter: each call takes one format, and many tools name a wrong one. What a page in a
// browser may send without asking, such as text/plain, is kept out by control.guard instead.
func readBody(ctx huma.Context, next func(huma.Context)) {
	r, w := humago.Unwrap(ctx)
	data, err := io.ReadAll(r.Body)
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		writeProblem(w, refuse(http.StatusRequestEntityTooLarge, "the body is larger than %d bytes", maxBody))
		return
	case err != nil:
		writeProblem(w, refuse(http.StatusBadRequest, "the body could not be read to its end"))
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(data))
	r.Header.Set("Content-Type", jsonMedia)
	controller := http.NewResponseController(w)
	_ = controller.SetReadDeadline(time.Time{}) // a writer without deadlines needs none
	_ = controller.SetWriteDeadline(time.Now().Add(callTimeout))
	next(ctx)
}

// format hands unread bodies to the calls, and writes answers as JSON.
var format = huma.Format{
	Marshal: writeBody,
	Unmarshal: func(data []byte, into any) error {
		into.(interface{ set([]byte) }).set(data)
		return nil
	},
}

// raw is the unread body of a request.
type raw struct{ data []byte }

// set keeps a copy, because huma uses the memory again.
func (b *raw) set(data []byte) { b.data = bytes.Clone(data) }

// yamlBody is a scenario in YAML.
type yamlBody struct{ raw }

// Schema implements huma.SchemaProvider.
func (yamlBody) Schema(huma.Registry) *huma.Schema { return anyObject(aboutScenario) }

// body is a request body that is a JSON object of the type T. The handler decodes it. If huma did, it would answer a
// wrong body with 422 and the whole text, and the text may hold a secret.
type body[T any] struct{ raw }

// Schema implements huma.SchemaProvider.
func (body[T]) Schema(r huma.Registry) *huma.Schema { return r.Schema(reflect.TypeFor[T](), true, "") }

// decode returns the object. It refuses (400) a member that T doesn't have. An empty body is an empty object.
func (b body[T]) decode() (T, error) {
	object, _, err := b.decodeGiven()
	return object, err
}

// decodeGiven is decode, and returns the members that are given, as JSON has them.
func (b body[T]) decodeGiven() (object T, given map[string]any, err error) {
	if len(bytes.TrimSpace(b.data)) == 0 {
		return object, nil, nil
	}
	err = wire.DecodeKnown(b.data, &object)
	var wrong *wire.Error
	if errors.As(err, &wrong) {
		err = refuseObject(wrong, memberNames(reflect.TypeFor[T]()))
	}
	_ = json.Unmarshal(b.data, &given) // it was decoded above, or is refused
	return object, given, err
}

// refuseObject returns the refusal of an object. It names members, and never holds a value: a value may be a secret.
func refuseObject(wrong *wire.Error, names []string) *refusal {
	detail, member := wrong.Error(), phrase.Quote(wrong.Member)
	switch wrong.Kind {
	case wire.Duplicate:
		detail = "member " + member + " is given twice"
	case wire.Unknown:
		detail = "unknown member " + member + phrase.DidYouMean(wrong.Member, names, "the members are")
	case wire.Mistyped:
		detail = "member " + member + " must be " + describe(wrong.Type)
	}
	return refuse(http.StatusBadRequest, "%s", detail)
}

// decodePatch returns a merge patch (RFC 7396), whose members are nil or empty if they are not given. It refuses an
// empty patch, an unknown status, and null: null would remove a member, and every member of the bank has a value.
func (b body[T]) decodePatch() (T, error) {
	names := memberNames(reflect.TypeFor[T]())
	patch, given, err := b.decodeGiven()
	var wrong *wire.Error
	if errors.As(wire.DecodeKnown(b.data, &patch), &wrong) && wrong.Kind == wire.Mistyped {
		value := phrase.Shorten(string(wire.MustEncode(given[wrong.Member])))
		err = refuse(http.StatusBadRequest, "%s must be %s, not %s", wrong.Member, describe(wrong.Type), value)
	}
	if err != nil {
		return patch, err
	}
	if len(given) == 0 {
		return patch, refuse(http.StatusBadRequest, "the patch is empty, and changes nothing: give %s",
			strings.Join(names, " or "))
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		statuses := []string{sim.Accepted, sim.NotAccepted}
		text, isText := given[name].(string)
		switch {
		case given[name] == nil:
			return patch, refuse(http.StatusBadRequest, "%s can't be null: give it a value, or leave it out", name)
		case name == "disclosureStatus" && isText && !slices.Contains(statuses, text):
			return patch, refuse(http.StatusBadRequest, "%s can't be %s%s",
				name, phrase.Quote(text), phrase.DidYouMean(text, statuses, "it can be"))
		}
	}
	return patch, nil
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
	case reflect.TypeFor[headerValues]():
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
			name, phrase.Quote(text))
	}
	return d, nil
}
