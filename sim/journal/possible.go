package journal

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/match"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

// Injects reports whether a fault could have given an operation's request an answer with a status.
type Injects func(operation string, status int) bool

// CheckQuery is [Query.Check], and also returns an error if the operation can't answer with the status.
func (j *Journal) CheckQuery(q Query, injects Injects) error {
	a, err := q.check()
	if err != nil {
		return err
	}
	a.entries, _ = j.snapshot()
	return a.status(q.Status, injects)
}

// CheckPossible returns an error if an expectation names an operation, a dialect, a status, a header, a query
// parameter or a member that no request has, such as a misspelt one: an expectation of no such request would hold
// whatever the requests were. What an exchange of the journal has is possible in any case.
//
// Clients may send any header, parameter and member, so an unknown name is refused only if it looks like a slip of
// one of the interface's own. But where the expectation names an operation, a body's members are the operation's.
// What is wrong with an expectation in itself is for [Journal.Verify] to report.
func (j *Journal) CheckPossible(e Expectation, injects Injects) error {
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
	a.entries, _ = j.snapshot()
	if err := a.status(e.Status, injects); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(e.Header)) {
		had := func(s *subject) bool { return len(s.header(name)) > 0 }
		if strings.HasPrefix(strings.ToLower(name), "x-") { // the app's own
			continue
		} else if err := a.slip("header", name, append(contract.RequestHeaders(),
			contract.FaultHeader), strings.EqualFold, had); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(e.Query)) {
		had := func(s *subject) bool { return len(s.parameter(name)) > 0 }
		if err := a.slip("query parameter", name, contract.QueryParameters(a.spoken), same, had); err != nil {
			return err
		}
	}
	body, _ := match.Decode(e.Body)
	return a.body(body, e.Operation != "" && !a.none)
}

// asked is the requests that are asked for.
type asked struct {
	operations []*contract.Operation
	spoken     []*contract.Operation // these, in the dialects that are asked for
	none       bool                  // whether requests are asked for, too, that are no operation's
	dialect    string                // empty: any
	entries    []*Entry              // of the journal
}

// askedFor returns the requests whose operations match. It refuses a pattern that matches none, and an unknown dialect.
func askedFor(pattern, dialect string, matches func(name string) bool) (*asked, error) {
	if err := checkDialect(dialect); err != nil {
		return nil, err
	}
	a := &asked{none: matches("") && dialect == "", dialect: dialect}
	for _, op := range contract.Document().Operations {
		if !matches(op.Name) {
			continue
		}
		a.operations = append(a.operations, op)
		for _, i := range contract.Interfaces() {
			if dialect == "" || dialect == string(i.Dialect) {
				a.spoken = append(a.spoken, i.Operation(op.Name))
			}
		}
	}
	known := contract.Patterns()
	near, isNear := phrase.Nearest(pattern, known)
	switch {
	case len(a.spoken) > 0 || a.none:
		return a, nil
	case len(a.operations) > 0:
		return nil, fmt.Errorf("dialect is %s, which no operation that is asked for is spoken in", dialect)
	case strings.HasPrefix(pattern, "~"):
		return nil, fmt.Errorf("operation matches no operation: the operations are %s", phrase.Names(contract.Names()))
	case isNear:
		return nil, fmt.Errorf("unknown operation %s: did you mean %s?", phrase.Quote(pattern), phrase.Quote(near))
	}
	return nil, fmt.Errorf("unknown operation: the operations are %s", phrase.Names(known)) // it may be a secret in the wrong place
}

// checkDialect refuses what is no dialect.
func checkDialect(d string) error {
	var known []string
	for _, i := range contract.Interfaces() {
		known = append(known, string(i.Dialect))
	}
	if d != "" && !slices.Contains(known, d) {
		return fmt.Errorf("unknown dialect %s%s", phrase.Quote(d), phrase.DidYouMean(d, known, "the dialects are"))
	}
	return nil
}

// status refuses a status that the operations don't answer with.
func (a *asked) status(status int, injects Injects) error {
	var statuses []int
	if a.none {
		statuses = contract.StatusesOfNone()
	}
	for _, op := range a.spoken {
		statuses = append(statuses, op.Statuses()...)
	}
	slices.Sort(statuses)
	statuses = slices.Compact(statuses)
	if status == 0 || slices.Contains(statuses, status) || a.hasExchange(func(s *subject) bool { return s.Status == status }) ||
		slices.ContainsFunc(a.operations, func(op *contract.Operation) bool { return injects(op.Name, status) }) {
		return nil
	}
	who := "no operation that is asked for answers with"
	if len(a.operations) == 1 && !a.none {
		who = a.operations[0].Name + " never answers with"
	}
	texts := strings.Trim(strings.ReplaceAll(fmt.Sprint(statuses), " ", ", "), "[]")
	return fmt.Errorf("status is %d, which %s, and no fault of the sandbox gave: the statuses are %s", status, who, texts)
}

func same(a, b string) bool { return a == b }

// slip refuses a name that is none of the known ones and looks like a slip of one of them, unless a request had it.
func (a *asked) slip(what, name string, known []string, equal func(a, b string) bool, had func(*subject) bool) error {
	if slices.ContainsFunc(known, func(k string) bool { return equal(k, name) }) {
		return nil
	}
	if near, ok := phrase.Slip(name, known); ok && !a.hasExchange(had) {
		return fmt.Errorf("no request had the %s %s: did you mean %s?", what, phrase.Quote(name), phrase.Quote(near))
	}
	return nil
}

// hasExchange reports whether a request that is asked for has something.
func (a *asked) hasExchange(something func(*subject) bool) bool {
	return slices.ContainsFunc(a.entries, func(e *Entry) bool {
		isOf := func(op *contract.Operation) bool { return op.Name == e.Operation }
		isAsked := a.none && e.Operation == "" || slices.ContainsFunc(a.operations, isOf)
		return isAsked && (a.dialect == "" || a.dialect == e.Dialect) && something(&subject{Entry: e})
	})
}

// body refuses the names of members that are slips of those of the operations or, if it must have theirs, no names of
// theirs.
func (a *asked) body(expected any, mustBeTheirs bool) error {
	var known []string
	var add func(of *contract.Object)
	add = func(of *contract.Object) {
		mustBeTheirs = mustBeTheirs && !of.IsFree()
		for _, m := range of.Members {
			if !slices.Contains(known, m.Name) {
				known = append(known, m.Name)
			}
			if m.Type.Object != nil {
				add(m.Type.Object)
			}
		}
	}
	for _, op := range a.spoken {
		if op.Request != nil {
			add(op.Request)
		}
	}
	for _, name := range namesIn(expected) {
		had := func(s *subject) bool { return bytes.Contains(s.RequestBody, []byte(name)) }
		if err := a.slip("member", name, known, same, had); err != nil {
			return err
		}
		if mustBeTheirs && !slices.Contains(known, name) && !a.hasExchange(had) {
			return fmt.Errorf("no request had the member %s: the members are %s; to look for one of the app's own, give path instead of "+
				"operation", phrase.Quote(name), phrase.Names(known))
		}
	}
	return nil
}

// namesIn returns the names of the members of a JSON value, at any depth.
func namesIn(value any) (names []string) {
	object, _ := value.(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(object)) {
		names = append(append(names, name), namesIn(object[name])...)
	}
	return names
}
