package testkit

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
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
	v, err := b.verify(want)
	if err != nil {
		b.t.Fatalf("testkit: Verify: %v", err)
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
		b.t.Fatalf("testkit: VerifyInOrder: %v", err)
	}
	return b.conforms(v)
}

// conforms fails the test if the verdict is negative.
func (b *Bank) conforms(v journal.Verdict) bool {
	b.t.Helper()
	switch {
	case !v.Verified:
		b.t.Errorf("testkit: %s", v.Text)
	case v.Matched == 0:
		text := v.Text                            // what a check that there was nothing rests on
		if strings.HasPrefix(text, "verified:") { // there was no request at all
			text += b.strayRequest()
		}
		b.t.Logf("testkit: %s", text)
	}
	return v.Verified
}

// verify compares the requests that the test sees with an expectation.
func (b *Bank) verify(want Expect) (v journal.Verdict, err error) {
	r, err := want.toRequest()
	if err != nil {
		return v, err
	}
	err = b.call(context.Background(), http.MethodPost, "/journal/verify", struct {
		request
		After string `json:"after"`
	}{r, b.since}, &v)
	return v, err
}

// verifyInOrder looks for a request for each expectation, in their order.
func (b *Bank) verifyInOrder(wants []Expect) (v journal.Verdict, err error) {
	if len(wants) < 2 {
		return v, errors.New("it takes at least two expectations")
	}
	order := make([]request, len(wants))
	for i, want := range wants {
		if want.Times != (Count{}) {
			return v, fmt.Errorf("the expectation %d has Times: give it as often as it is meant", i+1)
		}
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

// Eventually waits until the bank had the requests that are expected, and reports whether that came about in time. If
// not, it marks the test as failed, as [Bank.Verify] does. With Exactly(2), it waits for two and doesn't look whether
// there are more later.
func (b *Bank) Eventually(within time.Duration, want Expect) bool {
	b.t.Helper()
	if c := want.Times; c.atMost != nil || c.exactly != nil && *c.exactly == 0 {
		b.t.Fatalf("testkit: Eventually waits for requests: to check that there are no more, use Verify")
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(b.t.Context()), within)
	defer cancel()
	verdict, err := b.await(ctx, want)
	switch {
	case verdict.Verified:
		return true
	case err != nil:
		b.t.Fatalf("testkit: Eventually: %v", err)
	}
	b.t.Errorf("testkit: within %v: %s", within, verdict.Text)
	return false
}

// await verifies an expectation, again after each exchange, until it holds, can't hold any more, or the context ends.
// It returns the last verdict. If the stream of exchanges breaks, await follows it again.
func (b *Bank) await(ctx context.Context, want Expect) (v journal.Verdict, err error) {
	for {
		v, err = b.verifyWhileStreaming(ctx, want)
		if err != nil || isSettled(want, v) {
			return v, err
		}
		select {
		case <-ctx.Done():
			return b.verify(want)
		case <-time.After(pauseBeforeStream):
		}
	}
}

// isSettled reports whether later requests can't change a verdict for the better.
func isSettled(want Expect, v journal.Verdict) bool {
	return v.Verified || want.Times.exactly != nil && v.Matched > *want.Times.exactly
}

// pauseBeforeStream is how long await waits after a stream that broke (choice).
const pauseBeforeStream = 50 * time.Millisecond

// verifyWhileStreaming verifies an expectation, again after each exchange, until it holds or the stream ends.
func (b *Bank) verifyWhileStreaming(ctx context.Context, want Expect) (v journal.Verdict, err error) {
	newest, err := b.newestExchange(context.WithoutCancel(ctx))
	if err != nil {
		return v, err
	}
	events, err := b.client.Open(ctx, http.MethodGet, api.SandboxPath(b.name, "/journal/stream?after="+newest), nil)
	var refusal *api.Refusal
	switch {
	case errors.As(err, &refusal):
		return v, plainly(err)
	case err != nil: // the context ends, or the simulator doesn't answer
		return b.verify(want)
	}
	defer func() { _ = events.Close() }()
	lines := bufio.NewScanner(events)
	lines.Buffer(nil, 4<<20)
	for {
		v, err = b.verify(want)
		if err != nil || isSettled(want, v) || !nextExchange(lines) {
			return v, err
		}
	}
}

// nextExchange reads a stream of the journal up to the next exchange, and reports whether there is one.
func nextExchange(lines *bufio.Scanner) bool {
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "event: exchange") {
			return true
		}
	}
	return false
}
