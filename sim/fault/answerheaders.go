package fault

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"unicode"

	"github.com/digitalbanking-sim/banksim/sim/match"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// AnswerHeader is a header to set in an answer.
type AnswerHeader struct {
	Name   string
	Values HeaderValues
}

// Render returns the headers to set in the answer to a request, under the names that they are sent with. They come from
// the firing that answers, and from each firing that has no status of its own. Render also returns the body of the
// firing that answers, or nil without such a body. It fails if one of them is too large.
func (v Firings) Render(q *Query) (headers []AnswerHeader, body []byte, err error) {
	for _, f := range v.Fired {
		if !v.sets(f) {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(f.Rule.Then.Headers)) {
			header := AnswerHeader{Name: sentName(name)}
			for _, t := range f.answer.headers[name] {
				value, failure := t.render(q)
				header.Values, err = append(header.Values, value), cmp.Or(err, failure)
			}
			headers = append(headers, header)
		}
	}
	if v.Answer != nil && v.Answer.Rule.Then.HasBody() {
		text, failure := v.Answer.answer.body.render(q)
		body, err = []byte(text), cmp.Or(err, failure)
	}
	return headers, body, err
}

// HeaderValues are the values of a header. Its JSON is a text if there is one value, and else a list of texts.
type HeaderValues []string

// MarshalJSON writes the values.
func (v HeaderValues) MarshalJSON() ([]byte, error) {
	if len(v) == 1 {
		return json.Marshal(v[0])
	}
	return json.Marshal([]string(v))
}

// UnmarshalJSON reads a value or a list of values.
func (v *HeaderValues) UnmarshalJSON(data []byte) error {
	if data[0] == '[' {
		return json.Unmarshal(data, (*[]string)(v))
	}
	*v = HeaderValues{""}
	return json.Unmarshal(data, &(*v)[0])
}

// lookedUp are the headers that net/http looks up in an answer before it adds a Content-Type of its own.
var lookedUp = []string{"Content-Type", "Content-Encoding"}

// sentName returns the name that a header is sent with. This is the name in the rule, unless net/http would not find
// the header under it.
func sentName(name string) string {
	if canonical := http.CanonicalHeaderKey(name); slices.Contains(lookedUp, canonical) {
		return canonical
	}
	return name
}

// framing are the headers that describe the message itself: the simulator sets them.
var framing = []string{
	"content-length", "transfer-encoding", "connection", "date", "trailer", "upgrade", "keep-alive",
}

// headers checks the headers to set in the answer.
func (c *check) headers(headers map[string]HeaderValues) {
	const at = "then.headers"
	names := map[string]string{} // as given, by the name in lower case
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		lower, shown := strings.ToLower(name), wording.Shorten(name)
		first, isTwice := names[lower]
		names[lower] = name
		values := strings.Join(headers[name], "")
		hasControl := strings.ContainsFunc(values, isControl)
		switch {
		case c.reject(!match.IsHeaderName(name), at, "%s can't be the name of a header: use letters, digits and dashes",
			wording.Quote(name)):
		case c.reject(isTwice, at, "%s and %s are the same header, because case doesn't count: remove one of them",
			wording.Quote(first), wording.Quote(name)):
		case c.reject(slices.Contains(framing, lower), at, "the simulator sets header %s itself: remove it", name):
		case c.reject(strings.ContainsAny(values, "\r\n"), at,
			"header %s must be one line: remove the line breaks", shown):
		case c.reject(hasControl, at, "header %s must have no control characters: remove them", shown):
		}
	}
}

// isControl reports whether the value of a header can't have a character (RFC 9110 5.5).
func isControl(r rune) bool { return unicode.IsControl(r) && r != '\t' }
