package controlapi

import (
	"context"
	"fmt"
	"net/http"
	"reflect"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/verdict"
)

// verdictCalls returns the call that judges a test.
func (c control) verdictCalls() []Call {
	return []Call{inSandbox(c, "GET", "/verdict", "getVerdict",
		"What a test has to fail with. Faults that it requires and that had no effect; notes don't fail it.",
		c.getVerdict)}
}

// VerdictQuery says what a verdict is about.
type VerdictQuery struct {
	After string `query:"after" minLength:"1" doc:"Only requests after the exchange with this id. Default: all."`
	Lints string `query:"lints" enum:"refuse" doc:"refuse: lints are findings, too."`
}

// VerdictOnEnd is the input of a call that ends something, and may answer with the last verdict.
type VerdictOnEnd struct {
	Verdict bool `query:"verdict" doc:"Whether to answer (200) with the verdict, and to forget the findings of removed faults."`
	VerdictQuery
}

// orVerdict describes a call that answers 204, or 200 with a verdict.
func (c Call) orVerdict() Call {
	c.Alternative = "Without ?verdict=true."
	c.Answers = []Form{{Media: jsonMedia, Of: reflect.TypeFor[verdict.Verdict]()}}
	return c
}

type verdictInput struct {
	SandboxPath
	VerdictQuery
}

func (c control) getVerdict(ctx context.Context, b bank, in *verdictInput) (verdict.Verdict, error) {
	return c.verdictOf(ctx, b, b.now.Faults, b.now.Faults.Findings(), in.VerdictQuery)
}

// verdictOf returns the verdict about faults with some findings, and the requests of a bank.
func (c control) verdictOf(
	ctx context.Context, b bank, faults *fault.Set, findings []fault.Finding, q VerdictQuery,
) (v verdict.Verdict, err error) {
	after, err := exchangeAfter(q.After)
	if err != nil {
		return v, err
	}
	return verdict.New(verdict.Case{
		Findings: findings, Faults: faults, Journal: b.now.Journal,
		After: after, RefuseLints: q.Lints != "", Stray: func() string { return c.strayRequest(ctx, b) },
	}), nil
}

// endWithVerdict ends something by a function. It answers with the verdict that the bank has before, if that is asked
// for.
func (c control) endWithVerdict(
	ctx context.Context, b bank, in VerdictOnEnd, end func() error,
) (stream, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	var v verdict.Verdict
	if in.Verdict {
		var err error
		if v, err = c.verdictOf(ctx, b, b.now.Faults, b.now.Faults.Findings(), in.VerdictQuery); err != nil {
			return nil, err
		}
	}
	return in.reply(v, end())
}

// check refuses (400) a query of a verdict that isn't asked for, and one that can't be read.
func (in VerdictOnEnd) check() error {
	if !in.Verdict && in.VerdictQuery != (VerdictQuery{}) {
		return refuse(http.StatusBadRequest, "after and lints go with verdict=true")
	}
	_, err := exchangeAfter(in.After)
	return err
}

func (in VerdictOnEnd) reply(v verdict.Verdict, err error) (stream, error) {
	switch {
	case err != nil:
		return nil, err
	case in.Verdict:
		return largeValue(v), nil
	}
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }, nil
}

// strayRequest returns a sentence about the newest request to the simulator that named no sandbox and came after this
// bank was created, or "". The request may have been meant for this bank.
func (c control) strayRequest(ctx context.Context, b bank) string {
	if b.Name() == sandbox.Default || !rightsIn(ctx).covers(sandbox.Default) {
		return ""
	}
	sb, err := c.Sandboxes.Find(ctx, sandbox.Default)
	if err != nil {
		return ""
	}
	query := journal.Query{Limit: 1, Newest: true}
	if c.NoDefault { // others name the sandbox default
		query.Search, _ = journal.ParseSearch(fmt.Sprint("status:", http.StatusMisdirectedRequest))
	}
	for x := range sb.Known().Journal.Select(query).Exchanges() {
		if !x.RealAt.Before(b.InfoAt(b.now).Created) && !strings.Contains(x.Request.URL, "/sandboxes/") {
			return "A request to the simulator named no bank: " + x.Request.Method + " " + x.Request.URL +
				": if it was meant for this bank, the app drops the path of its base URL"
		}
	}
	return ""
}
