package fault

import (
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/match"
)

// Query is a request as the conditions of rules see it.
type Query struct {
	Operation string        // empty: the request is none's
	Method    string        // see Set.Stubs
	Path      string        // likewise
	Dialect   string        // that the request is answered in
	Now       time.Time     // virtual
	Since     time.Duration // virtual, from the sandbox's start
	Header    http.Header
	Values    url.Values // of the query

	// These are called for each rule that asks for what they return.
	Scope func() (institutionID, hostUserID string) // that the request belongs to, and that it is about; "": none
	Body  func() any                                // as match.Decode returns it; nil: it has none

	First []Rule // rules of this request alone, which come before the others
}

// Verdict is what was decided for a request.
type Verdict struct {
	Fired []Firing // in the order of the rules; nil: none
}

// Firing is a rule that fires for a request.
type Firing struct {
	Rule   *Rule
	Phase  Phase
	Number uint64        // of the request among those that matched the rule, from 1
	Delay  time.Duration // drawn, if the rule's delay is
}

// counter is a rule, what a request must be like to match it, and how many did.
type counter struct {
	rule    Rule
	request match.Conditions[*Query]
	*tally
}

// tally counts while requests come.
type tally struct {
	mu sync.Mutex
	count
}

func newCounter(r Rule) *counter { return &counter{r, r.When.Request.conditions(), &tally{}} }

// conditions returns the conditions for a request, with the mistakes in them.
func (r *Request) conditions() (c match.Conditions[*Query]) {
	if r == nil {
		return c
	}
	c.Text("dialect", r.Dialect, nil, func(q *Query) string { return q.Dialect })
	c.Text("institutionId", r.InstitutionID, nil, func(q *Query) string { id, _ := q.Scope(); return id })
	c.Text("hostUserId", r.HostUserID, nil, func(q *Query) string { _, id := q.Scope(); return id })
	c.Values("header", r.Header, nil, func(q *Query, name string) []string { return q.Header.Values(name) })
	c.Values("query", r.Query, nil, func(q *Query, name string) []string { return q.Values[name] })
	if len(r.Body) > 0 {
		c.Members(r.Body, match.AsSent, func(q *Query) any { return q.Body() })
	}
	return c
}

// Decide counts the request with each rule that it matches and returns which of them fire. Every rule counts for itself,
// whatever the others do with the request.
func (s *Set) Decide(q *Query) Verdict {
	var v Verdict
	for _, r := range q.First {
		v.Fired = append(v.Fired, newCounter(r).decide(q, s.seed)...)
	}
	for _, c := range *s.rules.Load() {
		v.Fired = append(v.Fired, c.decide(q, s.seed)...)
	}
	return v
}

// decide counts the request, draws and fires, in one step; it returns one firing or none.
func (c *counter) decide(q *Query, seed uint64) []Firing {
	w, then := c.rule.When, c.rule.Then
	if !c.rule.concerns(q) || w.During != nil && !w.During.includes(q) || !c.request.Fulfilled(q) {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.matched++
	n := c.matched
	if w.First > 0 && n > uint64(w.First) || w.Nth > 0 && n != uint64(w.Nth) ||
		w.Every > 0 && n%uint64(w.Every) != 0 || n <= uint64(w.After) {
		return nil
	}
	draw := source(seed, c.rule.Name, n)
	if w.Probability > 0 && draw.Float64() >= w.Probability {
		return nil
	}
	c.fired++
	f := Firing{Rule: &c.rule, Phase: c.rule.InPhase(), Number: n}
	if then.Delay != nil {
		f.Delay = then.Delay.length(draw)
	}
	return []Firing{f}
}

// source returns the random source for the n-th request of a rule. It depends on nothing else, so neither other rules nor
// the order in which requests arrive change what is drawn.
func source(seed uint64, name string, n uint64) *rand.Rand {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name))
	return rand.New(rand.NewPCG(seed^h.Sum64(), n))
}

// Answer returns the first firing whose rule answers, or nil.
func (v Verdict) Answer() *Firing {
	for i := range v.Fired {
		if v.Fired[i].Rule.Answers() {
			return &v.Fired[i]
		}
	}
	return nil
}

// Delay returns the sum of the delays in a phase, at most MaxDelay.
func (v Verdict) Delay(in Phase) time.Duration {
	var sum time.Duration
	for _, f := range v.Fired {
		if f.Phase == in {
			sum += f.Delay
		}
	}
	return min(sum, MaxDelay)
}

// Headers returns the headers to set in the answer: those of every firing that has no status of its own, and those of the
// one that answers.
func (v Verdict) Headers() [][2]string {
	var headers [][2]string
	answer := v.Answer()
	for i, f := range v.Fired {
		if f.Rule.Then.Status != 0 && answer != &v.Fired[i] {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(f.Rule.Then.Headers)) {
			headers = append(headers, [2]string{name, f.Rule.Then.Headers[name]})
		}
	}
	return headers
}
