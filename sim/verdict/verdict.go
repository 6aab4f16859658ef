// Package verdict judges how a test has used its bank: whether the faults that it requires had an effect, and
// whether its requests were odd.
package verdict

import (
	"cmp"
	"fmt"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// Verdict is what a test has to fail with, and what a person may want to know.
type Verdict struct {
	Passed   bool            `json:"passed" doc:"Whether there are no findings."`
	Findings []fault.Finding `json:"findings" doc:"What the test has to fail with."`
	Notes    []fault.Finding `json:"notes" doc:"What may be meant so."`
	Requests int             `json:"requests" doc:"How many requests the sandbox had."`
}

// The kinds of findings and notes that aren't about faults: see package fault for those.
const (
	Lint           = "lint"
	NoRequest      = "no-request"
	ClientRepeated = "client-repeated"
)

// Case is what a verdict is about.
type Case struct {
	Findings    []fault.Finding // about faults that are required
	Faults      *fault.Set
	Journal     *journal.Journal
	After       uint64 // only requests after this exchange
	RefuseLints bool   // whether lints are findings
	// Stray returns a sentence about a request that may have been meant for the sandbox, or "".
	Stray func() string
}

// New returns the verdict of a case.
func New(c Case) Verdict {
	seen := c.Journal.Select(journal.Query{After: c.After})
	v := Verdict{Findings: append([]fault.Finding{}, c.Findings...), Notes: c.Faults.Unused()}
	lints, repeated := linter{}, repeats{}
	for x := range seen.Exchanges() {
		v.Requests++
		lints.look(x)
		repeated.look(x)
	}
	if c.RefuseLints {
		v.Findings = append(v.Findings, lints.findings(seen.Missed)...)
	}
	v.Requests += int(seen.Missed)
	if v.Requests == 0 {
		text := "the bank had no request"
		if stray := c.Stray(); stray != "" {
			text += ". " + stray
		}
		v.Notes = append(v.Notes, fault.Finding{Kind: NoRequest, Text: text})
	}
	v.Notes = append(v.Notes, repeated.notes...)
	v.Passed = len(v.Findings) == 0
	return v
}

// How many lints and repeated requests a verdict shows (choice).
const (
	maxLints   = 20
	maxRepeats = 3
)

// linter collects lints.
type linter struct {
	found []fault.Finding
	more  int
}

func (l *linter) look(x journal.Exchange) {
	for _, lint := range x.Lints {
		if len(l.found) == maxLints {
			l.more++
			continue
		}
		operation := cmp.Or(x.Operation, "no operation's path")
		l.found = append(l.found, fault.Finding{Kind: Lint, Name: lint.Code,
			Text: fmt.Sprintf("exchange %s, %s: %s: %s", x.ID, operation, lint.Code, lint.Message)})
	}
}

// findings returns the lints, given how many exchanges the journal no longer holds.
func (l *linter) findings(missed uint64) []fault.Finding {
	all := l.found
	if l.more > 0 {
		all = append(all, fault.Finding{Kind: Lint, Text: "and " + wording.Count(l.more, "more lint")})
	}
	if missed > 0 {
		all = append(all, fault.Finding{Kind: Lint, Text: fmt.Sprintf("the journal no longer holds %s, which may have "+
			"had lints: ask sooner", wording.Count(int(missed), "exchange"))})
	}
	return all
}

// repeatedWithin is how soon after a lost answer the same request counts as repeated by the HTTP client (choice).
const repeatedWithin = 2 * time.Second

// repeats looks for requests that came again after a fault had lost or broken off their answer.
type repeats struct {
	lost  map[request]journal.Exchange
	notes []fault.Finding
}

type request struct{ method, url, body string }

func (r *repeats) look(x journal.Exchange) {
	same := request{x.Request.Method, x.Request.URL, x.Request.Body}
	first, again := r.lost[same]
	delete(r.lost, same)
	later := x.RealAt.Sub(first.RealAt) - time.Duration(first.TookMicros)*time.Microsecond
	// A client that gives up a hang asks again before that would have ended: then nobody knows how soon.
	if again && later >= 0 && later <= repeatedWithin && len(r.notes) < maxRepeats {
		r.notes = append(r.notes, fault.Finding{Kind: ClientRepeated, Name: first.Fault.AnsweredBy, Text: fmt.Sprintf(
			"the client sent %s %s again %s after the fault %s had lost its answer (exchanges %s and %s): many HTTP "+
				"clients repeat a request by themselves", x.Request.Method, wording.Message(x.Request.Path),
			later.Round(time.Millisecond), first.Fault.AnsweredBy, first.ID, x.ID)})
	}
	if x.Fault == nil {
		return
	}
	if kind, err := fault.KindNamed(x.Fault.Connection); err == nil && !kind.Describe().Completes {
		if r.lost == nil {
			r.lost = map[request]journal.Exchange{}
		}
		r.lost[same] = x
	}
}
