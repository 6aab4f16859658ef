package testkit

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/api"
)

// page is a part of a journal.
type page struct {
	api.Page
	Exchanges []Exchange `json:"exchanges"`
}

const pageLimit = 1000 // exchanges

const longestEvent = 4 << 20 // bytes

// awaitTimeout limits how long Await waits if its context has no deadline.
const awaitTimeout = time.Minute

// Journal returns the last exchanges of an operation, at most a thousand, the newest last: "groups.*" stands for a
// family of operations, an empty name for all. A name that no operation has ends the test, with the one that was meant.
//
// The bank keeps the last 10,000 exchanges, in at most 16 MiB, and at most 64 KiB of each body. A simulator with little
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
	var all []Exchange
	for next := "0"; next != ""; {
		var page page
		b.in(http.MethodGet, fmt.Sprintf("/journal?limit=%d&after=%s", pageLimit, next), nil, &page)
		if page.Evicted+page.Cleared > 0 {
			b.t.Fatalf("testkit: %s can't look at all exchanges: the journal had no room for %d, and %d were cleared: call it before that, "+
				"before ClearJournal for example", check, page.Evicted, page.Cleared)
		}
		all, next = append(all, page.Exchanges...), page.Next
	}
	return all
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
	lines.Buffer(nil, longestEvent)
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
