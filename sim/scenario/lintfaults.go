package scenario

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

// farAway is from when on a window opens too late for a bank whose clock nobody moves (choice).
const farAway = 30 * 24 * time.Hour

// maxCounted is for how many requests the counts of two rules are compared.
const maxCounted = 1000

func (w *wholeLinter) faults(at place, rules []fault.Rule) {
	for n := range rules {
		here, rule := at.item(n), &rules[n]
		w.window(here, rule)
		w.answered(here, rule, at, rules[:n])
		if rule.When.Request != nil {
			w.request(here.key("when").key("request"), rule)
		}
	}
}

// window warns of a window that the clock doesn't reach.
func (w *wholeLinter) window(at place, rule *fault.Rule) {
	d := rule.When.During
	if d == nil {
		return
	}
	start, during := w.start, at.key("when").key("during")
	moment := func(m fault.Moment) time.Time {
		if m.At.IsZero() {
			return start.Add(time.Duration(m.Offset))
		}
		return m.At.UTC()
	}
	from, until, end := moment(d.From), moment(d.Until), "until"
	if d.For != 0 {
		until, end = from.Add(time.Duration(d.For)), "for"
	}
	show := func(t time.Time) string { return t.Format(time.RFC3339) }
	switch {
	case (!d.Until.IsZero() || d.For != 0) && !until.After(start):
		w.warn(neverFiresCode, "this window ends at %s, and the clock starts at %s: write a later one, or count from the start, as in from: 1m",
			[]any{show(until), show(start)}, during.key(end), during)
	case !w.running && from.After(start):
		w.warn(neverFiresCode, "this window opens at %s, and the clock stands still at %s until a test moves it: write an earlier one, or clock: {run: true}",
			[]any{show(from), show(start)}, during.key("from"), during)
	case !d.From.At.IsZero() && from.Sub(start) > farAway:
		w.warn(neverFiresCode, "this window opens %d days after the clock's start, %s, which is not today's date: write an earlier one, count from the start, as in from: 1m, or set clock.start",
			[]any{int(from.Sub(start).Hours() / 24), show(start)}, during.key("from"), during)
	}
}

// answered warns of a rule that never answers because one before it answers the same requests.
func (w *wholeLinter) answered(at place, rule *fault.Rule, list place, earlier []fault.Rule) {
	if !rule.Answers() {
		return
	}
	for n := range earlier {
		if e := &earlier[n]; e.Answers() && covers(e, rule) {
			first := list.item(n)
			name := fmt.Sprintf("fault %d", n+1)
			if e.Name != "" {
				name = "the fault " + e.Name
			}
			w.warn(neverFiresCode, "this fault never answers, as %s (%s) answers first whenever it could: change when in one of them, or their order",
				[]any{name, w.where(first.node, w.report.fileOf(at.node))}, at, first)
			return
		}
	}
}

// covers reports whether a rule fires for all requests for which another one fires.
func covers(e, rule *fault.Rule) bool {
	a, b := e.When, rule.When
	if a.Probability != 0 && a.Probability < 1 {
		return false
	}
	if !includesAll(e.Operation, rule.Operation) || a.During != nil && !reflect.DeepEqual(a.During, b.During) ||
		a.Request != nil && !reflect.DeepEqual(a.Request, b.Request) {
		return false
	}
	if a.First == 0 && a.Nth == 0 && a.Every <= 1 && a.After == 0 {
		return true
	}
	same := includesAll(rule.Operation, e.Operation) && reflect.DeepEqual(a.During, b.During) && reflect.DeepEqual(a.Request, b.Request)
	last := max(a.First, a.Nth, a.After, b.First, b.Nth, b.After)
	if !same || last > maxCounted || max(a.Every, 1) > maxCounted/max(b.Every, 1) {
		return false
	}
	for request := 1; request <= last+max(a.Every, 1)*max(b.Every, 1); request++ {
		if counts(b, request) && !counts(a, request) {
			return false
		}
	}
	return true
}

// includesAll reports whether all of some operations are among others.
func includesAll(these, others fault.Operations) bool {
	return !slices.ContainsFunc(others.All(), func(op *contract.Operation) bool { return !these.Include(op.Name) })
}

// counts reports whether the counts of a condition leave a request, numbered from 1 among those that match.
func counts(w fault.When, request int) bool {
	return (w.First == 0 || request <= w.First) && (w.Nth == 0 || request == w.Nth) &&
		(w.Every == 0 || request%w.Every == 0) && request > w.After
}

// request warns of conditions that no request fulfils.
func (w *wholeLinter) request(at place, rule *fault.Rule) {
	r := rule.When.Request
	asked, always := sim.Dialect(r.Dialect), w.behavior.Dialect
	spoken := func(d sim.Dialect) bool {
		return slices.ContainsFunc(rule.Operation.All(), func(op *contract.Operation) bool { return op.In(d) != nil })
	}
	switch {
	case asked == "":
	case always != sim.DialectByPath && always != asked:
		w.warn(neverFiresCode, "behavior.dialect lets all requests be answered in the dialect %s, so none is in %s: change one of the two, or remove this",
			[]any{always, asked}, at.key("dialect"))
	case !spoken(asked):
		w.warn(neverFiresCode, "no operation of this fault is spoken in the dialect %s: name another operation, or remove this", []any{asked}, at.key("dialect"))
	}
	query, header, body := w.known(rule)
	w.nearly(at, "query", "query parameter", query, false)
	w.nearly(at, "header", "header", header, true)
	w.nearly(at, "body", "body member", body, false)
}

// known returns the names of what requests to the operations of a rule may have.
func (w *wholeLinter) known(rule *fault.Rule) (query, header, body []string) {
	for _, op := range rule.Operation.All() {
		for _, dialect := range []sim.Dialect{sim.DialectDocument, sim.DialectPublic} {
			op := op.In(dialect)
			if op == nil {
				continue
			}
			for _, p := range op.Parameters {
				switch p.In {
				case "query":
					query = append(query, p.Name)
				case "header":
					header = append(header, p.Name)
				}
			}
			if op.Request != nil {
				for _, m := range op.Request.Members {
					body = append(body, m.Name)
				}
			}
		}
	}
	return query, header, body
}

// nearly warns of keys in a part of the conditions that are nearly what the requests have there.
func (w *wholeLinter) nearly(at place, part, what string, known []string, anyCase bool) {
	block := valueOf(at.node, part)
	for i := 0; block != nil && i < len(block.Content); i += 2 {
		key := block.Content[i]
		if slices.ContainsFunc(known, func(k string) bool { return k == key.Value || anyCase && strings.EqualFold(k, key.Value) }) {
			continue
		}
		if near, ok := phrase.Slip(key.Value, known); ok {
			w.warn(unknownParameterCode, "no operation of this fault has the %s %s: did you mean %s?",
				[]any{what, phrase.Quote(key.Value), phrase.Quote(near)}, place{key})
		}
	}
}
