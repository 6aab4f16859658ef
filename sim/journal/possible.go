package journal

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/match"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// Bank tells the checks of an expectation about the bank.
type Bank struct {
	Injects  func(operation string, status int) bool // whether a fault could have given an answer with the status
	HasStub  func(path string) bool                  // whether a fault answers requests to a path of no operation
	Dialect  string                                  // the dialect of all answers, or "" if the path decides
	ValuesOf func(name string) []string              // see [match.Requests.Values]
}

// CheckPossible returns an error if no request can fulfil an expectation, such as one with a misspelt name: an
// expectation of no such request would hold whatever the requests were. What an exchange of the journal has is possible
// in any case.
//
// See [match.Requests.Mistakes] for the mistakes. Where the expectation names an operation, a body's members are the
// operation's. What is wrong with an expectation in itself is for [Journal.Verify] to report.
func (j *Journal) CheckPossible(e Expectation, bank Bank) error {
	conditions, err := e.conditions()
	if err != nil {
		return nil
	}
	matches := func(string) bool { return true }
	if e.Operation != "" {
		matches = func(name string) bool { return conditions.All[0].Holds(name) } // conditions has it first
	}
	a, err := askedFor(e.Operation, e.Dialect, matches)
	if err != nil {
		return err
	}
	a.entries, _ = j.snapshot(0)
	if err := a.status(e.Status, bank); err != nil {
		return err
	}
	isForced := bank.Dialect != ""
	inDialect := func(s *subject) bool { return s.Dialect == e.Dialect }
	if isForced && e.Dialect != "" && e.Dialect != bank.Dialect && !a.hasExchange(inDialect) {
		return fmt.Errorf("dialect is %s: the bank answers all requests in %s, see behavior.dialect",
			e.Dialect, bank.Dialect)
	}
	body, _ := match.Decode(e.Body)
	members, _ := body.(map[string]any)
	requests := match.Requests{
		Operations: a.operations, Outside: a.outside, AnyPath: isForced, OwnNames: e.Operation == "",
		Method: e.Method, Path: e.Path, Header: e.Header, Query: e.Query, Body: members, Values: bank.ValuesOf,
	}
	if a.outside && bank.HasStub(e.Path) {
		requests.Operations = nil
	}
	for _, mistake := range requests.Mistakes() {
		if !a.hasExchange(func(s *subject) bool { return conditions.IsRefutedBy(mistake, s) }) {
			return errors.New(mistake.Text)
		}
	}
	return nil
}

// asked is the requests that are asked for.
type asked struct {
	operations []*contract.Operation // the operations, in the dialects that are asked for
	outside    bool                  // whether requests to no operation are asked for, too
	dialect    string                // the dialect, or empty for any
	entries    []*Exchange           // the entries of the journal
}

// askedFor returns the requests whose operations match. It refuses a pattern without operations, and an unknown
// dialect.
func askedFor(pattern, dialect string, matches func(name string) bool) (*asked, error) {
	if err := checkDialect(dialect); err != nil {
		return nil, err
	}
	a := &asked{outside: pattern == "" && dialect == "", dialect: dialect}
	for _, op := range contract.AllOperations() {
		if matches(op.Name) && (dialect == "" || dialect == string(op.Dialect)) {
			a.operations = append(a.operations, op)
		}
	}
	known := contract.Patterns()
	near, isNear := wording.Nearest(pattern, known)
	switch {
	case len(a.operations) > 0:
		return a, nil
	case strings.HasPrefix(pattern, "~"):
		return nil, fmt.Errorf("operation matches no operation: the operations are %s", wording.Names(contract.Names()))
	case isNear:
		return nil, fmt.Errorf("unknown operation %s: did you mean %s?", wording.Quote(pattern), wording.Quote(near))
	}
	return nil, fmt.Errorf(
		"unknown operation: the operations are %s", wording.Names(known),
	) // it may be a secret in the wrong place
}

// checkDialect refuses an unknown dialect.
func checkDialect(d string) error {
	var known []string
	for _, i := range contract.Interfaces() {
		known = append(known, string(i.Dialect))
	}
	if d != "" && !slices.Contains(known, d) {
		return fmt.Errorf("unknown dialect %s%s", wording.Quote(d), wording.DidYouMean(d, known, "the dialects are"))
	}
	return nil
}

// status refuses a status that the operations don't answer with.
func (a *asked) status(status int, bank Bank) error {
	var statuses []int
	if a.outside {
		statuses = contract.StatusesOfNone()
	}
	for _, op := range a.operations {
		statuses = append(statuses, op.Statuses()...)
	}
	slices.Sort(statuses)
	statuses = slices.Compact(statuses)
	if status == 0 || slices.Contains(statuses, status) ||
		a.hasExchange(func(s *subject) bool { return s.Response.Status == status }) ||
		slices.ContainsFunc(a.operations, func(op *contract.Operation) bool { return bank.Injects(op.Name, status) }) {
		return nil
	}
	who := "no operation that is asked for answers with"
	other := func(op *contract.Operation) bool { return op.Name != a.operations[0].Name }
	if !slices.ContainsFunc(a.operations, other) {
		who = a.operations[0].Name + " never answers with"
	}
	texts := strings.Trim(strings.ReplaceAll(fmt.Sprint(statuses), " ", ", "), "[]")
	return fmt.Errorf(
		"status is %d, which %s, and no fault of the sandbox gave: the statuses are %s", status, who, texts,
	)
}

// hasExchange reports whether a request that is asked for has something.
func (a *asked) hasExchange(something func(*subject) bool) bool {
	return slices.ContainsFunc(a.entries, func(e *Exchange) bool {
		isOf := func(op *contract.Operation) bool { return op.Name == e.Operation }
		isAsked := a.outside && e.Operation == "" || slices.ContainsFunc(a.operations, isOf)
		return isAsked && (a.dialect == "" || a.dialect == e.Dialect) && something(&subject{Exchange: e})
	})
}
