package journal

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

// Injects reports whether a fault could have given an operation's request an answer with a status.
type Injects func(operation string, status int) bool

// CheckQuery is [Query.Check], and also returns an error if the operation can't answer with the status.
func (j *Journal) CheckQuery(q Query, injects Injects) error {
	if err := q.Check(); err != nil {
		return err
	}
	entries, _ := j.snapshot()
	p := &possible{entries: entries, injects: injects, dialect: q.Dialect}
	if err := p.operation(q.Operation, func(name string) bool { return contract.Matches(q.Operation, name) }); err != nil {
		return err
	}
	return p.status(q.Status)
}

// CheckPossible returns an error if no exchange can match an expectation, such as one with a misspelt name: an expectation
// of no such request would hold whatever the requests were. What an exchange of the journal has is possible in any case.
//
// Clients may send any header, query parameter and member, so an unknown name is refused only if it looks like a slip of one
// of the interface's own. But a body's members are the operation's where the expectation names an operation: there, any
// other is refused. CheckPossible ends early with the context, and then returns the context's error. What is wrong with an
// expectation in itself is for [Journal.Verify] to report.
func (j *Journal) CheckPossible(ctx context.Context, e Expectation, injects Injects) error {
	conditions, err := e.conditions()
	if err != nil {
		return nil
	}
	entries, _ := j.snapshot()
	p := &possible{ctx: ctx, entries: entries, injects: injects, dialect: e.Dialect, patterned: e.Operation != ""}
	matches := func(string) bool { return true }
	if p.patterned {
		matches = func(name string) bool { return conditions.All[0].Holds(name) } // conditions has it first
	}
	if err := p.operation(e.Operation, matches); err != nil {
		return err
	}
	for _, check := range []func() error{
		func() error { return p.status(e.Status) },
		func() error { return p.method(e.Method) },
		func() error { return p.path(e.Path) },
		func() error { return p.headers(e.Header) },
		func() error { return p.query(e.Query) },
		func() error { return p.body(e.Body) },
	} {
		if err := check(); err != nil {
			return err
		}
	}
	return p.ended
}

// possible tells what exchanges can be like.
type possible struct {
	ctx        context.Context
	ended      error    // of the context, where it ended a look at the entries
	entries    []*entry // of the journal
	injects    Injects
	patterned  bool                  // whether an operation is asked for
	dialect    string                // that is asked for; empty: any
	operations []*contract.Operation // that are asked for
	spoken     []*contract.Operation // these, in the dialects that are asked for
	none       bool                  // whether requests are asked for, too, that are no operation's
}

// operation finds the operations that a pattern stands for. It refuses one that stands for none.
func (p *possible) operation(pattern string, matches func(name string) bool) error {
	if err := checkDialect(p.dialect); err != nil {
		return err
	}
	for _, op := range contract.Operations {
		if matches(op.Name) {
			p.operations = append(p.operations, op)
			p.speak(op)
		}
	}
	p.none = matches("") && p.dialect == ""
	switch {
	case len(p.spoken) > 0 || p.none:
		return nil
	case len(p.operations) > 0:
		return fmt.Errorf("dialect is %s, which no operation that is asked for is spoken in", p.dialect)
	case strings.HasPrefix(pattern, "~"):
		return fmt.Errorf("operation matches no operation: the operations are %s", phrase.Names(contract.Names()))
	}
	known := contract.Patterns()
	if near, ok := phrase.Nearest(pattern, known); ok {
		return fmt.Errorf("unknown operation %s: did you mean %s?", phrase.Quote(pattern), phrase.Quote(near))
	}
	// What is like no operation may be a secret in the wrong place.
	return fmt.Errorf("unknown operation: the operations are %s", phrase.Names(known))
}

// checkDialect refuses what is no dialect.
func checkDialect(d string) error {
	var known []string
	for _, dialect := range contract.Dialects {
		known = append(known, string(dialect))
	}
	if d != "" && !slices.Contains(known, d) {
		return fmt.Errorf("unknown dialect %s%s", phrase.Quote(d), phrase.DidYouMean(d, known, "the dialects are"))
	}
	return nil
}

// speak notes an operation in the dialects that are asked for.
func (p *possible) speak(op *contract.Operation) {
	for _, d := range contract.Dialects {
		if spoken := op.In(d); spoken != nil && (p.dialect == "" || p.dialect == string(d)) {
			p.spoken = append(p.spoken, spoken)
		}
	}
}

// asksFor reports whether an entry is of an operation that is asked for.
func (p *possible) asksFor(e *entry) bool {
	if p.dialect != "" && p.dialect != e.reason.dialect {
		return false
	}
	return p.none && e.reason.operation == "" || slices.ContainsFunc(p.operations, func(op *contract.Operation) bool { return op.Name == e.reason.operation })
}

func (p *possible) status(status int) error {
	if status == 0 {
		return nil
	}
	var statuses []int
	if p.none {
		statuses = contract.StatusesOfNone()
	}
	for _, op := range p.operations {
		if p.injects(op.Name, status) {
			return nil
		}
	}
	for _, op := range p.spoken {
		statuses = append(statuses, op.Statuses()...)
	}
	slices.Sort(statuses)
	statuses = slices.Compact(statuses)
	if slices.Contains(statuses, status) || slices.ContainsFunc(p.entries, func(e *entry) bool { return p.asksFor(e) && int(e.status) == status }) {
		return nil
	}
	texts := make([]string, len(statuses))
	for i, s := range statuses {
		texts[i] = strconv.Itoa(s)
	}
	who := "no operation that is asked for answers with"
	if len(p.operations) == 1 && !p.none {
		who = p.operations[0].Name + " never answers with"
	}
	return fmt.Errorf("status is %d, which %s, and no fault of the sandbox gave: the statuses are %s", status, who, strings.Join(texts, ", "))
}

func (p *possible) method(method string) error {
	if method == "" || strings.HasPrefix(method, "~") || p.none && p.patterned {
		return nil
	}
	if !p.patterned {
		known := []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodPatch, http.MethodHead, http.MethodOptions}
		return p.slip("method", method, known, strings.EqualFold, func(s *subject) bool { return strings.EqualFold(s.text(methodText), method) })
	}
	var methods []string
	for _, op := range p.operations {
		if op.Takes(strings.ToUpper(method)) {
			return nil
		}
		methods = append(methods, op.Name+" is "+op.Method)
	}
	return fmt.Errorf("method is another one than that of the operation: %s; leave method out", strings.Join(methods, ", "))
}

// slip refuses a name that is none of the known ones and looks like a slip of one of them, unless a request had it.
func (p *possible) slip(what, name string, known []string, equal func(a, b string) bool, had func(*subject) bool) error {
	if slices.ContainsFunc(known, func(k string) bool { return equal(k, name) }) {
		return nil
	}
	near, ok := phrase.Slip(name, known)
	if !ok || p.had(had) {
		return nil
	}
	return fmt.Errorf("no request had the %s %s: did you mean %s?", what, phrase.Quote(name), phrase.Quote(near))
}

// had reports whether a request that is asked for has something. If the context ends first, it may have.
func (p *possible) had(something func(*subject) bool) bool {
	for _, e := range p.entries {
		if p.ended = p.ctx.Err(); p.ended != nil || p.asksFor(e) && something(&subject{entry: e}) {
			return true
		}
	}
	return false
}
