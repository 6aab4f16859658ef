package journal

import (
	"errors"
	"fmt"
	"math"

	"github.com/go-json-experiment/json/jsontext"
)

// Expectation says which requests a journal should hold, and how many. What is given has to hold all together; with
// none of the counts, there must be at least one such request.
//
// A text that begins with "~" is a regular expression (RE2, unanchored); "~" alone stands for any value that is
// present. Where a secret is redacted, the expected value is compared by its [Fingerprint]; a regular expression
// sees the fingerprint.
type Expectation struct {
	Operation string             `json:"operation,omitzero"` // a name, the beginning of names and "*", or a "~" expression
	Status    int                `json:"status,omitzero"`    // of the answer
	Method    string             `json:"method,omitzero"`
	Path      string             `json:"path,omitzero"`    // the interface's, as it was sent
	Header    map[string]*string `json:"header,omitempty"` // of the request, any of the name's values; nil: absent
	Query     map[string]*string `json:"query,omitempty"`  // any of the name's values; nil: absent
	Body      jsontext.Value     `json:"body,omitzero"`    // an object that the request's body, JSON or form, has to contain; null: absent
	Exactly   *int               `json:"exactly,omitzero"` // of such requests
	AtLeast   *int               `json:"atLeast,omitzero"` // of such requests
	AtMost    *int               `json:"atMost,omitzero"`  // of such requests
}

// bounds returns how many matching requests fulfil the expectation, or says what is wrong with its counts.
func (e Expectation) bounds() (low, high int, err error) {
	for field, count := range map[string]*int{"exactly": e.Exactly, "atLeast": e.AtLeast, "atMost": e.AtMost} {
		if count != nil && *count < 0 {
			return 0, 0, fmt.Errorf("%s is %d: a count is 0 or more", field, *count)
		}
	}
	low, high = 0, math.MaxInt
	switch {
	case e.Exactly != nil && (e.AtLeast != nil || e.AtMost != nil):
		return 0, 0, errors.New("exactly is given together with atLeast or atMost: leave one of them out")
	case e.Exactly != nil:
		return *e.Exactly, *e.Exactly, nil
	case e.AtLeast == nil && e.AtMost == nil:
		return 1, high, nil
	}
	if e.AtLeast != nil {
		low = *e.AtLeast
	}
	if e.AtMost != nil {
		high = *e.AtMost
	}
	if low > high {
		return 0, 0, fmt.Errorf("atLeast is %d, more than atMost, %d: no count is both", low, high)
	}
	return low, high, nil
}

// isEmpty tells whether nothing at all is expected.
func (e Expectation) isEmpty() bool {
	return e.Operation == "" && e.Status == 0 && e.Method == "" && e.Path == "" &&
		len(e.Header) == 0 && len(e.Query) == 0 && len(e.Body) == 0 &&
		e.Exactly == nil && e.AtLeast == nil && e.AtMost == nil
}
