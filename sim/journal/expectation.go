package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/match"
	"github.com/digitalbanking-sim/banksim/sim/redact"
)

// Expectation says which requests a journal should hold, and how many. A request must fulfil all that is given; without
// a count, there must be at least one such request.
//
// [match] says how values are compared. Where a secret is redacted, the expected value is compared by its
// fingerprint; a regular expression sees the fingerprint.
type Expectation struct {
	Operation string             `json:"operation,omitzero" doc:"A name, the beginning of names with *, such as groups.*, or ~ and an expression."`
	Dialect   string             `json:"dialect,omitzero" enum:"document,public" doc:"The dialect of the answer."`
	Status    int                `json:"status,omitzero" doc:"The status of the answer."`
	Method    string             `json:"method,omitzero" doc:"The method of the request."`
	Path      string             `json:"path,omitzero" doc:"The path as it was sent, without base URL and query."`
	Header    map[string]*string `json:"header,omitempty" doc:"The value that each header must have, or ~ and an expression, or null if it must be absent."`
	Query     map[string]*string `json:"query,omitempty" doc:"Likewise for query parameters."`
	Body      json.RawMessage    `json:"body,omitzero" doc:"What the body, JSON or form, must contain. A member that is null must be absent."`
	Exactly   *int               `json:"exactly,omitzero" doc:"How many such requests there must be. Default: at least one."`
	AtLeast   *int               `json:"atLeast,omitzero" doc:"How many such requests there must be at least."`
	AtMost    *int               `json:"atMost,omitzero" doc:"How many such requests there may be at most."`
}

// bounds returns how many matching requests fulfil the expectation. It fails where the counts contradict each other.
func (e Expectation) bounds() (low, high int, err error) {
	for i, count := range []*int{e.Exactly, e.AtLeast, e.AtMost} {
		if count != nil && *count < 0 {
			field := []string{"exactly", "atLeast", "atMost"}[i]
			return 0, 0, fmt.Errorf("%s is %d: a count is 0 or more", field, *count)
		}
	}
	low, high = 0, math.MaxInt
	switch {
	case e.Exactly != nil && (e.AtLeast != nil || e.AtMost != nil):
		return 0, 0, errors.New("exactly is given together with atLeast or atMost: leave one of them out")
	case e.Exactly != nil:
		return *e.Exactly, *e.Exactly, nil
	case e.AtLeast != nil && *e.AtLeast == 0 && e.AtMost == nil:
		return 0, 0, errors.New("atLeast is 0, and any count is at least that: give exactly 0 for none")
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

// conditions returns the conditions of the expectation, in a fixed order. It fails where one can't be read.
func (e Expectation) conditions() (match.Conditions[*subject], error) {
	var c match.Conditions[*subject]
	c.Text("operation", e.Operation, contract.Matches, func(s *subject) string { return s.Operation })
	if err := checkDialect(e.Dialect); err != nil {
		return c, err
	}
	c.Text("dialect", e.Dialect, nil, func(s *subject) string { return s.Dialect })
	c.Text("method", e.Method, strings.EqualFold, func(s *subject) string { return s.Request.Method })
	c.Text("path", e.Path, nil, func(s *subject) string { return valid(s.Request.Path) })
	if e.Status != 0 {
		if e.Status < 100 || e.Status > 599 {
			return c, fmt.Errorf("status is %d: an HTTP status is a number from 100 to 599", e.Status)
		}
		status := match.Value{Shown: e.Status, Holds: func(got any) bool { return got == e.Status }}
		c.Add("status", status, func(s *subject) any { return s.Response.Status })
	}
	c.Values("header", e.Header, redact.Header, (*subject).header)
	c.Values("query", e.Query, redact.Parameter, (*subject).parameter)
	if len(e.Body) > 0 {
		body, _ := match.Decode(e.Body)
		members, ok := body.(map[string]any)
		if !ok {
			return c, errors.New("body is not a JSON object: give the members that the request's body has to contain")
		}
		c.Members(members, redact.Member, (*subject).body)
	}
	return c, c.Err()
}
