package testkit

import (
	"encoding/json"
	"fmt"
	"net/url"

	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// Expect describes the requests that a bank should have had, and how many. All that is set has to hold together; without
// a count there has to be at least one such request.
//
// A text that begins with "~" is a regular expression (RE2, unanchored); "~" alone matches any value that is present.
// Secrets are compared by their fingerprints: give the value itself; a regular expression sees the fingerprint. Each regular
// expression has at most 2,000 parts (characters, classes and operators, repeated ones as often), all together 20,000.
//
// A misspelt name would make a check for no requests pass, so [Bank.Verify] refuses names and statuses that can't occur. A
// header or a parameter of the app's own is fine, unless it is spelt almost like one of the interface. A member of a body
// that isn't the operation's can be looked for by Path instead of Operation.
type Expect struct {
	Operation string             `json:"operation,omitzero"` // a name, or the beginning of names and "*"
	Dialect   string             `json:"dialect,omitzero"`   // document or public: that the operation was answered in
	Status    int                `json:"status,omitzero"`    // of the answer
	Method    string             `json:"method,omitzero"`
	Path      string             `json:"path,omitzero"`    // the interface's, as it was sent
	Header    map[string]*string `json:"header,omitempty"` // any of the name's values; nil: absent; see Text
	Query     map[string]*string `json:"query,omitempty"`  // any of the name's values; nil: absent; see Text

	// Body is an object that the request's body, JSON or form, has to contain; null stands for an absent member. It is
	// JSON text (a string, []byte or json.RawMessage), the members of a form (url.Values), or a value that encoding/json
	// encodes as an object, such as a map, a struct or a pointer to one. Every member of a struct has to be in the request,
	// also one with a zero value, unless its tag has omitzero or omitempty.
	Body any `json:"body,omitzero"`

	Exactly *int `json:"exactly,omitzero"` // see Times
	AtLeast *int `json:"atLeast,omitzero"`
	AtMost  *int `json:"atMost,omitzero"`
}

// Times returns a count for an [Expect].
func Times(n int) *int { return &n }

// Text returns a text where nil means absence: of the headers and parameters of an [Expect] or a [RequestMatcher], and of
// the body of a [Then].
func Text(text string) *string { return &text }

// MarshalJSON encodes the expectation as the control API reads it.
func (e Expect) MarshalJSON() ([]byte, error) {
	type plain Expect
	switch body := e.Body.(type) {
	case string:
		e.Body = json.RawMessage(body)
	case []byte:
		e.Body = json.RawMessage(body)
	case url.Values:
		e.Body = formObject(body)
	}
	if text, ok := e.Body.(json.RawMessage); ok && !json.Valid(text) {
		return nil, fmt.Errorf("the Body of an Expect is not valid JSON: %s", text)
	}
	return wire.Encode(plain(e))
}

// formObject returns the members of a form as the control API compares them: one value as a text, several as an array.
func formObject(form url.Values) map[string]any {
	object := make(map[string]any, len(form))
	for name, values := range form {
		if object[name] = values; len(values) == 1 {
			object[name] = values[0]
		}
	}
	return object
}
