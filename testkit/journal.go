package testkit

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

type page = journal.Page

const pageLimit = 1000 // exchanges

// awaitTimeout limits how long Await waits if its context has no deadline.
const awaitTimeout = time.Minute

// Journal returns the last exchanges of an operation, at most a thousand, the newest last: "groups.*" stands for a
// family of operations, an empty name for all. A name that no operation has ends the test, with the one that was meant.
//
// The bank keeps the last 10,000 exchanges, and at most 64 KiB of each body. A simulator with little
// memory keeps less.
func (b *Bank) Journal(operation string) []Exchange {
	b.t.Helper()
	var page page
	b.in(http.MethodGet, fmt.Sprintf("/journal?limit=%d&operation=", pageLimit)+url.QueryEscape(operation), nil, &page)
	return page.Exchanges
}

// ClearJournal removes the exchanges that the bank had so far. Their numbers are not given again. After that
// [Bank.RequireNoLints] and [Bank.RequireDocumented] end the test, because they look at all exchanges.
func (b *Bank) ClearJournal() {
	b.t.Helper()
	b.in(http.MethodDelete, "/journal", nil, nil)
}

// all returns all exchanges that the bank had. It ends the test if some are gone, on behalf of the check of a name.
func (b *Bank) all(check string) []Exchange {
	b.t.Helper()
	whole, err := b.wholeJournal()
	switch {
	case err != nil:
		b.t.Fatalf("testkit: %v", err)
	case whole.Evicted+whole.Cleared > 0:
		b.t.Fatalf("testkit: %s can't look at all exchanges: the journal had no room for %d, and %d were cleared: call it earlier, "+
			"before ClearJournal for example", check, whole.Evicted, whole.Cleared)
	}
	return whole.Exchanges
}

// wholeJournal returns all exchanges that the journal holds, as if they were on its last page.
func (b *Bank) wholeJournal() (whole page, err error) {
	for next := "0"; next != "" && err == nil; next = whole.Next {
		earlier := whole.Exchanges
		whole = page{}
		err = b.try(http.MethodGet, api.SandboxPath(b.name, fmt.Sprintf("/journal?limit=%d&after=%s", pageLimit, next)), nil, &whole)
		whole.Exchanges = append(earlier, whole.Exchanges...)
	}
	return whole, err
}

// Await returns the first exchange, past or future, that a function accepts. The test ends if ctx does first or, if ctx has
// no deadline, after a minute. What the function compares is its own: one that accepts nothing fails then.
func (b *Bank) Await(ctx context.Context, accepts func(Exchange) bool) Exchange {
	b.t.Helper()
	if _, ok := ctx.Deadline(); !ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, awaitTimeout)
		defer cancel()
	}
	seen := 0
	x, err := b.await(ctx, func(x Exchange) bool { seen++; return accepts(x) })
	if err != nil {
		b.t.Fatalf("testkit: waiting for an exchange: %v: none of %d was accepted", err, seen)
	}
	return x
}

func (b *Bank) await(ctx context.Context, accepts func(Exchange) bool) (Exchange, error) {
	events, err := b.client.Open(ctx, http.MethodGet, api.SandboxPath(b.name, "/journal/stream?after=0"), nil)
	if err != nil {
		return Exchange{}, err
	}
	defer func() { _ = events.Close() }()
	lines := bufio.NewScanner(events)
	lines.Buffer(nil, 4<<20)
	for lines.Scan() {
		data, isData := strings.CutPrefix(lines.Text(), "data: ")
		var x Exchange
		if !isData || json.Unmarshal([]byte(data), &x) != nil || x.ID == "" {
			continue
		}
		if accepts(x) {
			return x, nil
		}
	}
	if ctx.Err() != nil {
		return Exchange{}, ctx.Err()
	}
	return Exchange{}, errors.Join(errors.New("the journal's stream ended"), lines.Err())
}

// Exchange is a request to a bank and its answer, with the decision behind it. It shows no secret: tokens and the like
// are fingerprints.
type Exchange = journal.Exchange

// Parts of an [Exchange].
type (
	Request     = journal.Request  // what the client sent
	Response    = journal.Response // what was sent to the client, after any fault
	Header      = journal.Header   // of a message, under the names as they were sent
	Decision    = journal.Decision // why an answer is what it is
	Lint        = journal.Lint     // something odd about a request that didn't influence its answer
	FaultReport = journal.Fault    // what the faults that fired did to an exchange
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
	// JSON text (a string, []byte or json.RawMessage), or a value that encoding/json encodes as an object, such as a map, a
	// struct or a pointer to one. Every member of a struct has to be in the request, also one with a zero value, unless its
	// tag has omitzero or omitempty.
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
	}
	if text, ok := e.Body.(json.RawMessage); ok && !json.Valid(text) {
		return nil, fmt.Errorf("the Body of an Expect is not valid JSON: %s", text)
	}
	return wire.Encode(plain(e))
}

// Verify reports whether the bank had the requests that are expected. If not, it fails the test, which continues, and
// shows up to three near misses, and the ids of up to ten matches.
//
// An expectation that no request can fulfil ends the test, because with AtMost or Exactly it would hold whatever the
// requests were: a misspelt operation, header, parameter or member, or a status that nothing answers with. The error says
// what was meant. So does one whose count exchanges could change that the journal had no room for, and one that takes
// more than five seconds to compare.
func (b *Bank) Verify(want Expect) bool {
	b.t.Helper()
	var v journal.Verdict
	b.in(http.MethodPost, "/journal/verify", want, &v)
	if v.Verified {
		return true
	}
	b.t.Errorf("testkit: %s", v.Text)
	return false
}

// RequireNoLints ends the test if a request of the bank had something odd about it, such as an id that was used before. It
// looks at all requests since the start, or the last [Bank.Reset]. It also ends the test if some are gone: the journal keeps
// the last 10,000 exchanges, until [Bank.ClearJournal].
func (b *Bank) RequireNoLints() {
	b.t.Helper()
	var text strings.Builder
	for _, x := range b.all("RequireNoLints") {
		for _, lint := range x.Lints {
			fmt.Fprintf(&text, "\n\texchange %s, %s: %s: %s", x.ID, cmp.Or(x.Operation, "no operation's path"), lint.Code, lint.Message)
		}
	}
	if text.Len() > 0 {
		b.t.Fatalf("testkit: the bank's journal has lints:%s", text.String())
	}
}

// RequireDocumented ends the test if it relied on an answer that the interface's document doesn't give: one whose basis
// is the published description, a convention or a choice of the simulator, or an injected one with an undocumented
// status. It looks at all requests, as [Bank.RequireNoLints] does.
func (b *Bank) RequireDocumented() {
	b.t.Helper()
	var text strings.Builder
	for _, x := range b.all("RequireDocumented") {
		undocumented := x.Fault != nil && x.Fault.Undocumented
		if x.Decision.Basis == "document" && !undocumented {
			continue
		}
		fmt.Fprintf(&text, "\n\texchange %s, %s: %d rests on %s",
			x.ID, cmp.Or(x.Operation, "no operation's path"), x.Response.Status, x.Decision.Basis)
		if len(x.Decision.Entries) > 0 {
			fmt.Fprintf(&text, " (%s)", x.Decision.Entries[0])
		}
		if undocumented {
			text.WriteString(", and its status is injected and undocumented")
		}
	}
	if text.Len() > 0 {
		b.t.Fatalf("testkit: the test relied on answers that the interface's document doesn't give:%s", text.String())
	}
}
