package testkit

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/api"
)

// Verify reports whether the bank had the requests that are expected. If not, it fails the test, which continues, and
// shows up to three near misses, and the ids of up to ten matches.
//
// An expectation that no request can fulfil ends the test, because with AtMost or Exactly it would hold whatever the
// requests were: a misspelt operation, header, parameter or member, or a status that nothing answers with. The error says
// what was meant. So does one whose count exchanges could change that the journal had no room for, and one that takes
// more than five seconds to compare.
func (b *Bank) Verify(want Expect) bool {
	b.t.Helper()
	var v api.Verdict
	b.in(http.MethodPost, "/journal/verify", want, &v)
	if v.Verified {
		return true
	}
	var text strings.Builder
	fmt.Fprintf(&text, "testkit: expected requests %s: the bank had %d such requests", inJSON(want), v.Matched)
	for _, id := range v.Matches {
		fmt.Fprintf(&text, "\n\tmatch: exchange %s", id)
	}
	for _, miss := range v.NearMisses {
		fmt.Fprintf(&text, "\n\tnear miss: exchange %s, %s", miss.ID, operationName(miss.Operation))
		for _, d := range miss.Differences {
			fmt.Fprintf(&text, "\n\t\t%s is %s, not %s", d.Field, inJSON(d.Got), inJSON(d.Want))
		}
	}
	b.t.Errorf("%s", text.String())
	return false
}

// RequireNoLints ends the test if a request of the bank had something odd about it, such as an id that was used before. It
// looks at all requests since the start, or the last [Bank.Reset]. It also ends the test if some are gone: the journal keeps
// the last 10,000 exchanges, in at most 16 MiB, until [Bank.ClearJournal].
func (b *Bank) RequireNoLints() {
	b.t.Helper()
	var text strings.Builder
	for _, x := range b.all("RequireNoLints") {
		for _, lint := range x.Lints {
			fmt.Fprintf(&text, "\n\texchange %s, %s: %s: %s", x.ID, operationName(x.Operation), lint.Code, lint.Message)
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
		fmt.Fprintf(&text, "\n\texchange %s, %s: %d rests on %s", x.ID, operationName(x.Operation), x.Response.Status, x.Decision.Basis)
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
