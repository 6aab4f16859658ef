package testkit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/strictjson"
)

// Expect describes requests that a bank should have had. All that is set has to hold.
//
// A text that begins with "~" is a regular expression (RE2, unanchored); "~" alone matches any value that is present.
// Secrets are compared by their fingerprints: give the value itself.
type Expect struct {
	Operation string            // such as GroupsCreate, or a family: "groups.*"
	Status    int               // of the answer
	Method    string            // with Path
	Path      string            // the interface's, or a stub's, as it was sent
	Header    map[string]string // any of the name's values, or Absent
	Query     map[string]string // any of the name's values, or Absent

	// Body is an object that the request's body, JSON or form, has to contain; null stands for an absent member. It is
	// JSON text (a string, []byte or json.RawMessage), or a value that encoding/json encodes as an object. Every member
	// of a struct has to be in the request, unless its tag has omitzero or omitempty.
	Body any

	Times Count // default: at least once
}

// Count says how many requests an [Expect] means.
type Count struct{ exactly, atLeast, atMost *int }

// Exactly means n requests, no more and no fewer.
func Exactly(n int) Count { return Count{exactly: &n} }

// AtLeast means n requests or more.
func AtLeast(n int) Count { return Count{atLeast: &n} }

// AtMost means n requests or fewer.
func AtMost(n int) Count { return Count{atMost: &n} }

// request is an expectation as the control API reads it.
type request struct {
	Operation string             `json:"operation,omitzero"`
	Status    int                `json:"status,omitzero"`
	Method    string             `json:"method,omitzero"`
	Path      string             `json:"path,omitzero"`
	Header    map[string]*string `json:"header,omitempty"`
	Query     map[string]*string `json:"query,omitempty"`
	Body      any                `json:"body,omitzero"`
	Exactly   *int               `json:"exactly,omitzero"`
	AtLeast   *int               `json:"atLeast,omitzero"`
	AtMost    *int               `json:"atMost,omitzero"`
}

// toRequest returns the expectation as the control API reads it.
func (e Expect) toRequest() (request, error) {
	body, err := e.body()
	return request{
		Operation: e.Operation,
		Status:    e.Status,
		Method:    e.Method,
		Path:      e.Path,
		Header:    nilIfAbsent(e.Header),
		Query:     nilIfAbsent(e.Query),
		Body:      body,
		Exactly:   e.Times.exactly,
		AtLeast:   e.Times.atLeast,
		AtMost:    e.Times.atMost,
	}, err
}

// body returns the body as JSON values, with nil for Absent, or nil if the expectation has no body.
func (e Expect) body() (any, error) {
	var text []byte
	switch body := e.Body.(type) {
	case nil:
		return nil, nil
	case string:
		text = []byte(body)
	case []byte:
		text = body
	case json.RawMessage:
		text = body
	default:
		var err error
		if text, err = strictjson.Encode(body); err != nil {
			return nil, fmt.Errorf("the Body of an Expect can't be encoded: %w", err)
		}
	}
	var value any
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber() // keeps numbers exact
	if err := decoder.Decode(&value); err != nil || decoder.More() {
		return nil, fmt.Errorf("the Body of an Expect is not valid JSON: %.60q", text)
	}
	if members, ok := value.(map[string]any); ok && len(members) == 0 {
		return nil, errors.New(
			"the Body of an Expect has no members, so any request has it: does a struct export its fields?",
		)
	}
	return withoutAbsent(value), nil
}

// Verify reports whether the bank had the requests that are expected. If not, it marks the test as failed and shows up
// to three near misses.
//
// An expectation that no request can fulfil ends the test: a misspelt operation, header, parameter or member, or a
// status that the operation can't answer with. Otherwise a check for no requests would pass by a slip. If the journal
// had no room for all exchanges and can't say the count, the test ends, too.
func (b *Bank) Verify(want Expect) bool {
	b.t.Helper()
	v, err := b.verify(want, 0)
	if err != nil {
		b.fatalf("Verify: %v", err)
	}
	return b.conforms(v)
}

// VerifyInOrder reports whether the bank had requests in this order: one for each expectation, after the one for the
// expectation before. Other requests may come between. The expectations have no Times. If not, it marks the test as
// failed.
func (b *Bank) VerifyInOrder(wants ...Expect) bool {
	b.t.Helper()
	v, err := b.verifyInOrder(wants)
	if err != nil {
		b.fatalf("VerifyInOrder: %v", err)
	}
	return b.conforms(v)
}

// conforms fails the test if the bank hadn't what was expected.
func (b *Bank) conforms(v journal.Verification) bool {
	b.t.Helper()
	switch {
	case !v.Verified:
		if other := b.concurrent.Load(); other != nil {
			v.Text += "\n\t" + *other + " used the bank of the suite at the same time: its requests count, too"
		}
		b.t.Errorf("testkit: %s", v.Text)
	case v.Matched == 0:
		b.t.Logf("testkit: %s", v.Text) // what a check that there was nothing rests on
	}
	return v.Verified
}

// verify asks the bank whether the requests that the test sees are as expected. within is how long to wait for them.
func (b *Bank) verify(want Expect, within time.Duration) (v journal.Verification, err error) {
	r, err := want.toRequest()
	if err != nil {
		return v, err
	}
	var wait *string
	if within != 0 {
		text := within.String()
		wait = &text
	}
	if err := b.renew(context.Background()); err != nil {
		return v, err
	}
	client := b.client.Patient(within)
	err = client.Call(context.Background(), http.MethodPost, api.SandboxPath(b.name, "/journal/verify"), struct {
		request
		After  string  `json:"after"`
		Within *string `json:"within,omitzero"`
	}{r, b.since, wait}, &v)
	return v, plainly(err)
}

// verifyInOrder looks for a request for each expectation, in their order.
func (b *Bank) verifyInOrder(wants []Expect) (v journal.Verification, err error) {
	order := make([]request, len(wants))
	for i, want := range wants {
		if order[i], err = want.toRequest(); err != nil {
			return v, err
		}
	}
	err = b.call(context.Background(), http.MethodPost, "/journal/verify", struct {
		InOrder []request `json:"inOrder"`
		After   string    `json:"after"`
	}{order, b.since}, &v)
	return v, err
}

// Eventually waits until the bank had the requests that are expected, for up to two minutes, and reports whether that
// came about in time. If not, it marks the test as failed, as [Bank.Verify] does. With Exactly(2), it waits for two and
// doesn't look whether there are more later.
func (b *Bank) Eventually(within time.Duration, want Expect) bool {
	b.t.Helper()
	v, err := b.verify(want, within)
	if err != nil {
		b.fatalf("Eventually: %v", err)
	}
	return b.conforms(v)
}
