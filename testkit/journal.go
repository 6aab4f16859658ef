package testkit

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/verdict"
)

// Exchange is a request to a bank and its answer, with the decision behind it. It has no secret: tokens and the like
// are fingerprints.
type Exchange struct {
	ID        string    // its number in the bank, from 1
	Operation string    // or "" if no operation has the path
	At        time.Time // by the bank's clock
	Request   Request
	Response  Response
	Outcome   string   // accepted, refused, faulted or stubbed
	Rule      string   // that decided, such as disclosure-not-accepted, or the name of a fault
	Row       string   // that the rule looked at, such as users/02688/1002, or ""
	Reason    string   // in a sentence, or ""
	Basis     string   // of the answer: document, published, convention or choice
	Faults    []string // the names of the faults that fired
	Lints     []string // what was odd about the request, though it had no influence on the answer
}

// Request is what the client sent.
type Request struct {
	Method string
	URL    string // absolute, as the client used it
	Path   string // the interface's: without base URL and query
	Query  url.Values
	Header http.Header
	Body   string // its first 16 KiB
}

// Response is the answer as the client got it, after any fault.
type Response struct {
	Status int // 0 if a fault lost the answer
	Header http.Header
	Body   string // its first 16 KiB
}

// newExchange returns an exchange of the control API.
func newExchange(x journal.Exchange) Exchange {
	e := Exchange{
		ID: x.ID, Operation: x.Operation, At: x.At,
		Request: Request{
			x.Request.Method,
			x.Request.URL,
			x.Request.Path,
			x.Request.Query.Values(),
			canonical(x.Request.Headers),
			x.Request.Body,
		},
		Response: Response{x.Response.Status, canonical(x.Response.Headers), x.Response.Body},
		Outcome:  x.Decision.Outcome, Rule: x.Decision.Rule, Row: x.Decision.Row, Reason: x.Decision.Message,
		Basis: x.Decision.Basis,
	}
	if x.Fault != nil {
		e.Faults = x.Fault.Fired
	}
	for _, lint := range x.Lints {
		e.Lints = append(e.Lints, lint.Code+": "+lint.Message)
	}
	return e
}

// canonical returns headers under the names that http.Header.Get looks for.
func canonical(sent journal.Header) http.Header {
	h := http.Header{}
	for name, value := range sent.All() {
		h.Add(name, value)
	}
	return h
}

// pageLimit is how many exchanges a page of the journal has at most.
const pageLimit = 1000

// Journal returns the last exchanges of an operation, at most a thousand, the newest last: "groups.*" stands for a
// family of operations, an empty name for all. A name that no operation has ends the test. The bank keeps the last
// 10,000 exchanges, in a container 2,000, or fewer if they are large or memory is short.
func (b *Bank) Journal(operation string) []Exchange {
	b.t.Helper()
	last, err := b.lastExchanges(context.Background(), pageLimit, operation)
	if err != nil {
		b.fatalf("Journal: %v", err)
	}
	all := make([]Exchange, len(last))
	for i, x := range last {
		all[i] = newExchange(x)
	}
	return all
}

// lastExchanges returns the last exchanges of an operation that the test sees, the newest last.
func (b *Bank) lastExchanges(ctx context.Context, most int, operation string) ([]journal.Exchange, error) {
	var page journal.Page
	path := fmt.Sprintf("/journal?limit=%d", most)
	if operation != "" {
		path += "&q=" + url.QueryEscape("operation:"+operation)
	}
	if err := b.call(ctx, http.MethodGet, path, nil, &page); err != nil {
		return nil, err
	}
	isSeen := func(x journal.Exchange) bool { return number(x.ID) > number(b.since) }
	if i := slices.IndexFunc(page.Exchanges, isSeen); i >= 0 {
		return page.Exchanges[i:], nil
	}
	return nil, nil
}

// number returns the number that an id of an exchange is.
func number(id string) uint64 {
	n, _ := strconv.ParseUint(id, 10, 64)
	return n
}

// RequireNoLints ends the test if a request of the bank had something odd about it, such as an id that was used before.
// It looks at all requests that the test sees, and ends the test if the journal has not kept them all.
func (b *Bank) RequireNoLints() {
	b.t.Helper()
	var v verdict.Verdict
	b.must("RequireNoLints", http.MethodGet, "/verdict?lints=refuse&after="+b.since, nil, &v)
	var lints strings.Builder
	for _, f := range v.Findings {
		if f.Kind == verdict.Lint {
			lints.WriteString("\n\t" + f.Text)
		}
	}
	if lints.Len() > 0 {
		b.t.Fatalf("testkit: the bank's journal has lints:%s", lints.String())
	}
}

// wholeJournal returns all exchanges after one that the journal holds.
func (h *handle) wholeJournal(ctx context.Context, after string) (journal.Page, error) {
	whole, err := h.client.Journal(ctx, h.name, after)
	return whole, plainly(err)
}
