package fault

import (
	"hash/fnv"
	"math/rand/v2"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/match"
)

// Query is a request as the conditions of rules see it.
type Query struct {
	Operation string        // "" for a request to a path that the interface doesn't have
	Method    string        // for stubs
	Path      string        // for stubs, escaped
	Dialect   string        // of the answer
	Now       time.Time     // in virtual time
	Since     time.Duration // virtual time from the sandbox's start
	Header    http.Header
	Values    url.Values // the query parameters

	// Scope returns the institution that the request belongs to and the user that it is about, each "" if unknown.
	// Decide calls it for each rule with a condition for one of them.
	Scope func() (institutionID, hostUserID string)

	// Client returns the client of the request, or "" if it is unknown. Decide calls it for each rule with a rate by
	// client.
	Client func() string

	// Body returns the body as match.Content returns it, or nil if the request has no body. Decide calls it for each
	// rule with a condition for the body.
	Body func() any

	First []Rule  // rules for this request alone; they come before the others
	Last  *Firing // of a rule that comes after the others, and only fires if it then forwards the request, or nil
}

// Firings are the rules that fire for a request.
type Firings struct {
	Fired   []*Firing // in the order of the rules, or nil if no rule fires
	Forward *Firing   // that forwards the request, or nil
	Answer  *Firing   // that answers or loses the answer, or nil. After Forward, it only deals with that answer
}

// Firing is a rule that fires for a request.
type Firing struct {
	Rule   *Rule
	Phase  Phase
	Number uint64        // of the request among those that matched the rule, from 1
	Wait   time.Duration // until another request of the caller passes, if the rule has a rate
	Delay  time.Duration // of this request

	Service func() (*Service, error) // that the request is forwarded to, or nil
	answer  answerTemplate
}

// compiledRule is a rule with its compiled conditions for a request.
type compiledRule struct {
	rule    Rule
	request match.Conditions[*Query]
	bytes   int // of its texts

	answer  answerTemplate
	service func() (*Service, error)
}

// compile compiles a rule. It reuses was, an earlier compiled rule of the same name or nil, as far as the rules are
// equal. It also returns whether they are equal but for Off.
func compile(r Rule, was *compiledRule) (c *compiledRule, same bool) {
	if was != nil && was.rule.isSame(r) {
		if was.rule.Off != r.Off {
			other := *was
			other.rule = r
			return &other, true
		}
		return was, true
	}
	c = &compiledRule{rule: r, request: r.When.Request.conditions(), bytes: r.bytes()}
	c.answer, _, _ = r.compileAnswer()
	if r.Then.Forward != nil {
		c.service = r.Then.Forward.service()
	}
	return c, false
}

// isSame reports whether two rules are equal but for Off.
func (r Rule) isSame(other Rule) bool {
	r.Off = other.Off
	return reflect.DeepEqual(r, other)
}

// conditions compiles the conditions for a request, and collects the mistakes in them.
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

// Decide returns which rules fire for the request, and the set after it has counted the request with each rule that it
// matches. It returns s itself if the request matches no rule. Every rule counts for itself, and the rules in q.First
// are not counted.
func (s *Set) Decide(q *Query) (Firings, *Set) {
	var v Firings
	for _, r := range q.First {
		if c, _ := compile(r, nil); c.matches(q) {
			var alone count
			v.add(c.fire(q, &alone, s.seed))
		}
	}
	next := s
	for i, c := range s.rules {
		if !c.matches(q) {
			continue
		}
		if next == s {
			copied := *s
			copied.counts = slices.Clone(s.counts)
			next = &copied
		}
		v.add(c.fire(q, &next.counts[i], s.seed))
	}
	if q.Last != nil && v.claim(q.Last) {
		v.Fired = append(v.Fired, q.Last)
	}
	return v, next
}

// add adds a firing, or does nothing with nil.
func (v *Firings) add(f *Firing) {
	if f != nil {
		v.Fired = append(v.Fired, f)
		v.claim(f)
	}
}

// claim lets a firing forward or answer the request, unless an earlier one does, and reports whether it does either. A
// firing that has forwarded leaves the answer to phase After.
func (v *Firings) claim(f *Firing) bool {
	isForwarded := v.Forward != nil
	if f.Rule.Then.Forward != nil && !isForwarded && (v.Answer == nil || v.Answer.Phase == After) {
		v.Forward = f
	}
	if f.Rule.Answers() && v.Answer == nil && (!isForwarded || f.Phase == After && f.Rule.Then.Forward == nil) {
		v.Answer = f
	}
	return v.Forward == f || v.Answer == f
}

// matches reports whether the rule counts the request.
func (c *compiledRule) matches(q *Query) bool {
	during := c.rule.When.During
	return c.rule.concerns(q) && (during == nil || during.includes(q)) && c.request.Fulfilled(q)
}

// fire counts a request that matches the rule, and draws. It returns nil if the rule does not fire.
func (c *compiledRule) fire(q *Query, counted *count, seed uint64) *Firing {
	w, then := c.rule.When, c.rule.Then
	counted.matched++
	n := counted.matched
	var wait time.Duration
	if w.Rate != nil {
		if counted.windows, wait = w.Rate.count(counted.windows, q); wait == 0 {
			return nil
		}
	}
	if w.First > 0 && n > uint64(w.First) || w.Nth > 0 && n != uint64(w.Nth) ||
		w.Every > 0 && n%uint64(w.Every) != 0 || n <= uint64(w.After) {
		return nil
	}
	draw := source(seed, c.rule.Name, n)
	if w.Probability > 0 && draw.Float64() >= w.Probability {
		return nil
	}
	counted.fired++
	f := &Firing{Rule: &c.rule, Phase: c.rule.InPhase(), Number: n, Wait: wait, Service: c.service, answer: c.answer}
	if then.Delay != nil {
		f.Delay = then.Delay.length(draw)
	}
	return f
}

// source returns the random source for the n-th request that matches a rule. It depends only on the seed, the name of
// the rule and n. Other rules and other requests do not change the draws.
func source(seed uint64, name string, n uint64) *rand.Rand {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name))
	return rand.New(rand.NewPCG(seed^h.Sum64(), n))
}

// Names returns the names of the rules that fire, in their order.
func (v Firings) Names() (names []string) {
	for _, f := range v.Fired {
		names = append(names, f.Rule.Name)
	}
	return names
}

// Delays returns the sums of the delays before the operation and after it. Together they are at most MaxDelay.
func (v Firings) Delays() (before, after time.Duration) {
	for _, f := range v.Fired {
		if f.Phase == Before {
			before = min(before+f.Delay, MaxDelay)
		} else {
			after = min(after+f.Delay, MaxDelay)
		}
	}
	return before, min(after, MaxDelay-before)
}

// Expires returns the rule that lets the request's access token expire, or "".
func (v Firings) Expires() string {
	for _, f := range v.Fired {
		if f.Rule.Then.ExpireToken {
			return f.Rule.Name
		}
	}
	return ""
}

// Stale returns the age of the data for a reading operation, and the rule with this age. Without such a rule both are
// zero.
func (v Firings) Stale() (age time.Duration, by string) {
	for _, f := range v.Fired {
		if stale := time.Duration(f.Rule.Then.Stale); stale > age {
			age, by = stale, f.Rule.Name
		}
	}
	return age, by
}
