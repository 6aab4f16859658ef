package testkit

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/wire"
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

// MarshalJSON encodes the expectation as the control API reads it.
func (e Expect) MarshalJSON() ([]byte, error) {
	switch body := e.Body.(type) {
	case string:
		e.Body = json.RawMessage(body)
	case []byte:
		e.Body = json.RawMessage(body)
	}
	if text, ok := e.Body.(json.RawMessage); ok && !json.Valid(text) {
		return nil, fmt.Errorf("the Body of an Expect is not valid JSON: %.60q", text)
	}
	return wire.Encode(struct {
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
	}{
		e.Operation, e.Status, e.Method, e.Path, nilIfAbsent(e.Header), nilIfAbsent(e.Query), e.Body,
		e.Times.exactly, e.Times.atLeast, e.Times.atMost,
	})
}

// Verify reports whether the bank had the requests that are expected. If not, it marks the test as failed and shows up
// to three near misses.
//
// An expectation that no request can fulfil ends the test: a misspelt operation, header, parameter or member, or a
// status that the operation can't answer with. Otherwise a check for no requests would pass by a slip. If the journal
// had no room for all exchanges and can't say the count, the test ends, too.
func (b *Bank) Verify(want Expect) bool {
	b.t.Helper()
	return b.judge("Verify", want)
}

// VerifyInOrder reports whether the bank had requests in this order: for each expectation one, after that for the
// expectation before. Other requests may come between. If not, it marks the test as failed.
func (b *Bank) VerifyInOrder(wants ...Expect) bool {
	b.t.Helper()
	return b.judge("VerifyInOrder", struct {
		InOrder []Expect `json:"inOrder"`
	}{wants})
}

func (b *Bank) judge(of string, want any) bool {
	b.t.Helper()
	var v journal.Verdict
	b.must(of, http.MethodPost, "/journal/verify", want, &v)
	switch {
	case !v.Verified:
		b.t.Errorf("testkit: %s", v.Text)
	case v.Matched == 0:
		b.t.Logf("testkit: %s", v.Text) // what a check that there was nothing rests on
	}
	return v.Verified
}

// Eventually waits until the bank had the requests that are expected, and reports whether that came about in time. If
// not, it fails the test as [Bank.Verify] does.
func (b *Bank) Eventually(within time.Duration, want Expect) bool {
	b.t.Helper()
	if c := want.Times; c.atMost != nil || c.exactly != nil && *c.exactly == 0 {
		b.t.Fatalf("testkit: Eventually waits for requests: to check that there are no more, use Verify")
	}
	ctx, cancel := context.WithTimeout(b.t.Context(), within)
	defer cancel()
	verdict, err := b.await(ctx, want)
	switch {
	case verdict.Verified:
		return true
	case verdict.Text == "":
		b.t.Fatalf("testkit: Eventually: %v", err)
	}
	b.t.Errorf("testkit: within %v: %s", within, verdict.Text)
	return false
}

// await verifies an expectation, again after each exchange, until it holds or the context ends. It returns the last
// verdict.
func (b *Bank) await(ctx context.Context, want Expect) (v journal.Verdict, err error) {
	var newest struct{ Exchanges []struct{ ID string } }
	if err := b.call(context.WithoutCancel(ctx), http.MethodGet, "/journal?limit=1", nil, &newest); err != nil {
		return v, err
	}
	after := "0"
	if len(newest.Exchanges) > 0 {
		after = newest.Exchanges[0].ID
	}
	verify := func() error { // a verdict on a request that came in time is not cut off
		return b.call(context.WithoutCancel(ctx), http.MethodPost, "/journal/verify", want, &v)
	}
	events, err := b.client.Open(ctx, http.MethodGet, api.SandboxPath(b.name, "/journal/stream?after="+after), nil)
	switch {
	case err != nil && ctx.Err() != nil:
		err = verify()
		return v, err
	case err != nil:
		return v, plainly(err)
	}
	defer func() { _ = events.Close() }()
	lines := bufio.NewScanner(events)
	lines.Buffer(nil, 4<<20)
	for {
		if err := verify(); err != nil || v.Verified {
			return v, err
		}
		if err := nextExchange(lines); err != nil {
			return v, err
		}
	}
}

// nextExchange reads a stream of the journal up to the next exchange.
func nextExchange(lines *bufio.Scanner) error {
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "event: exchange") {
			return nil
		}
	}
	return cmp.Or(lines.Err(), errors.New("the journal's stream ended"))
}
