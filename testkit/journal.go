package testkit

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/digitalbanking-sim/banksim/sim/journal"
)

// Expect says which requests a bank should have had, and how many: see [journal.Expectation].
type Expect = journal.Expectation

// Exchange is a request and its answer, with the decision behind it.
type Exchange = journal.Exchange

// Times returns a count for an [Expect].
func Times(n int) *int { return &n }

// Is returns a text for the headers and parameters of an [Expect].
func Is(text string) *string { return &text }

// Journal returns the exchanges of an operation ("groups.*": of all such, empty: all), the newest last. It holds the
// last thousand.
func (b *Bank) Journal(operation string) []Exchange {
	b.t.Helper()
	var page journal.Page
	b.in(http.MethodGet, "/journal?limit=1000&operation="+url.QueryEscape(operation), nil, &page)
	return page.Exchanges
}

// Verify fails the test, which goes on, unless the bank had the requests that are expected. It tells what came closest.
func (b *Bank) Verify(want Expect) bool {
	b.t.Helper()
	var verdict journal.Verdict
	b.in(http.MethodPost, "/journal/verify", want, &verdict)
	if verdict.Verified {
		return true
	}
	var text strings.Builder
	fmt.Fprintf(&text, "testkit: %s: the bank had %d such requests", described(want), verdict.Matched)
	for _, id := range verdict.Matches {
		fmt.Fprintf(&text, "\n\tmatches: exchange %s", id)
	}
	for _, miss := range verdict.NearMisses {
		fmt.Fprintf(&text, "\n\tcame close: exchange %s, %s", miss.ID, operationName(miss.Operation))
		for _, d := range miss.Differences {
			fmt.Fprintf(&text, "\n\t\t%s is %s, not %s", d.Field, inJSON(d.Got), inJSON(d.Want))
		}
	}
	b.t.Errorf("%s", text.String())
	return false
}

// described tells what is expected.
func described(want Expect) string {
	count := "expected at least 1 request"
	switch {
	case want.Exactly != nil:
		count = fmt.Sprintf("expected exactly %d requests", *want.Exactly)
	case want.AtLeast != nil && want.AtMost != nil:
		count = fmt.Sprintf("expected %d to %d requests", *want.AtLeast, *want.AtMost)
	case want.AtLeast != nil:
		count = fmt.Sprintf("expected at least %d requests", *want.AtLeast)
	case want.AtMost != nil:
		count = fmt.Sprintf("expected at most %d requests", *want.AtMost)
	}
	want.Exactly, want.AtLeast, want.AtMost = nil, nil, nil
	return count + " " + inJSON(want)
}

func inJSON(value any) string {
	data, err := json.Marshal(value, json.Deterministic(true))
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(data)
}

func operationName(name string) string {
	if name == "" {
		return "no operation's path"
	}
	return name
}

// Await waits for an exchange, past or to come, that a function takes, and returns it. The test ends if ctx does first.
func (b *Bank) Await(ctx context.Context, takes func(Exchange) bool) Exchange {
	b.t.Helper()
	x, err := b.await(ctx, takes)
	if err != nil {
		b.t.Fatalf("testkit: no such exchange came: %v", err)
	}
	return x
}

func (b *Bank) await(ctx context.Context, takes func(Exchange) bool) (Exchange, error) {
	r, err := b.request(ctx, http.MethodGet, "/"+b.name+"/journal/stream?after=0", nil)
	if err != nil {
		return Exchange{}, err
	}
	stream := http.Client{Transport: b.client.Transport} // as long as ctx lets it
	res, err := stream.Do(r)
	if err != nil {
		return Exchange{}, err
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return Exchange{}, fmt.Errorf("the journal's stream answers %s", res.Status)
	}
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		data, isData := strings.CutPrefix(lines.Text(), "data: ")
		var x Exchange
		if !isData || json.Unmarshal([]byte(data), &x) != nil || x.ID == "" {
			continue
		}
		if takes(x) {
			return x, nil
		}
	}
	if ctx.Err() != nil {
		return Exchange{}, ctx.Err()
	}
	return Exchange{}, fmt.Errorf("the journal's stream ended: %v", lines.Err())
}

// RequireNoLints ends the test if a request had something odd about it, such as an id that was used before.
func (b *Bank) RequireNoLints() {
	b.t.Helper()
	var text strings.Builder
	for _, x := range b.Journal("") {
		for _, lint := range x.Lints {
			fmt.Fprintf(&text, "\n\texchange %s, %s: %s: %s", x.ID, operationName(x.Operation), lint.Code, lint.Message)
		}
	}
	if text.Len() > 0 {
		b.t.Fatalf("testkit: the bank noticed something odd:%s", text.String())
	}
}

// RequireDocumented ends the test if it leaned on an answer that the interface's document doesn't give: one that rests on
// the published description, a convention or a choice of the simulator's, or an injected one with an undocumented status.
func (b *Bank) RequireDocumented() {
	b.t.Helper()
	var text strings.Builder
	for _, x := range b.Journal("") {
		undocumented := x.Fault != nil && x.Fault.Undocumented
		if x.Decision.Basis == "document" && !undocumented {
			continue
		}
		fmt.Fprintf(&text, "\n\texchange %s, %s: %d rests on %s (%s)", x.ID, operationName(x.Operation), x.Response.Status, x.Decision.Basis, strings.Join(x.Decision.Entries[:min(1, len(x.Decision.Entries))], ""))
		if undocumented {
			text.WriteString(", and its status is injected and undocumented")
		}
	}
	if text.Len() > 0 {
		b.t.Fatalf("testkit: the test leaned on answers that the interface's document doesn't give:%s", text.String())
	}
}
