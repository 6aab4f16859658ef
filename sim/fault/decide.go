package fault

import (
	"hash/fnv"
	"maps"
	"math"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"
)

// Query is a request as the conditions of rules see it.
type Query struct {
	Operation string
	Dialect   string        // that the request is answered in
	Now       time.Time     // virtual
	Since     time.Duration // virtual, from the sandbox's start
	Header    http.Header
	Values    url.Values // of the query

	// These are called once at most, and only if a rule needs them. Nil: there is none.
	InstitutionID func() string // that the request belongs to
	HostUserID    func() string // that the request is about
	Body          func() any    // the body as match.Decode returns it; nil: it has none

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

// Decide counts the request with each rule that it matches and returns which of them fire. Every rule counts for itself,
// whatever the others do with the request.
func (s *Set) Decide(q *Query) Verdict {
	var v Verdict
	rules := s.all()
	if len(rules) == 0 && len(q.First) == 0 {
		return v
	}
	q = q.once()
	for _, r := range q.First {
		v.Fired = append(v.Fired, (&counter{matcher: newMatcher(r)}).decide(q, s.seed)...)
	}
	for _, c := range rules {
		v.Fired = append(v.Fired, c.decide(q, s.seed)...)
	}
	return v
}

// once returns a query that calls each of its functions at most once.
func (q *Query) once() *Query {
	asked := *q
	if q.InstitutionID != nil {
		asked.InstitutionID = sync.OnceValue(q.InstitutionID)
	}
	if q.HostUserID != nil {
		asked.HostUserID = sync.OnceValue(q.HostUserID)
	}
	if q.Body != nil {
		asked.Body = sync.OnceValue(q.Body)
	}
	return &asked
}

// decide counts the request, draws and fires, in one step; it returns one firing or none.
func (c *counter) decide(q *Query, seed uint64) []Firing {
	if !c.matches(q) {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.matched++
	n, w := c.matched, c.rule.When
	if w.First > 0 && n > uint64(w.First) || w.Nth > 0 && n != uint64(w.Nth) ||
		w.Every > 0 && n%uint64(w.Every) != 0 || n <= uint64(w.After) {
		return nil
	}
	var draw *rand.Rand
	if w.Probability > 0 || c.rule.Then.Delay != nil {
		draw = source(seed, c.rule.Name, n)
	}
	if w.Probability > 0 && draw.Float64() >= w.Probability {
		return nil
	}
	c.fired++
	f := Firing{Rule: &c.rule, Phase: c.rule.InPhase(), Number: n}
	if d := c.rule.Then.Delay; d != nil {
		f.Delay = d.length(draw)
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

// length returns how long the delay is this time, at most MaxDelay.
func (d *Delay) length(draw *rand.Rand) time.Duration {
	switch {
	case d.Uniform != nil:
		least, most := time.Duration(d.Uniform[0]), time.Duration(d.Uniform[1])
		return least + time.Duration(draw.Int64N(int64(most-least)+1))
	case d.Lognormal != nil:
		return d.Lognormal.length(draw)
	case d.Percentiles != nil:
		return d.Percentiles.lognormal().length(draw)
	}
	return time.Duration(d.Fixed)
}

func (l *Lognormal) length(draw *rand.Rand) time.Duration {
	length := float64(l.Median) * math.Exp(l.Sigma*draw.NormFloat64())
	return time.Duration(min(length, float64(MaxDelay)))
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
