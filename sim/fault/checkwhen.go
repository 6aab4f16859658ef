package fault

import (
	"maps"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

// when checks for which requests the rule fires.
func (c *check) when() {
	w := c.rule.When
	counts := true
	for _, count := range []struct {
		name  string
		value int
	}{{"first", w.First}, {"nth", w.Nth}, {"every", w.Every}, {"after", w.After}} {
		if count.value < 0 {
			c.add("when."+count.name, "%s must be at least 1, not %d", count.name, count.value)
			counts = false
		}
	}
	if counts {
		c.contradictions(w)
	}
	if p := w.Probability; !(p >= 0 && p <= 1) { // none that isn't a number either
		c.add("when.probability", "probability must be more than 0 and at most 1, not %v: 0.2 is one in five", p)
	}
	if w.During != nil {
		c.during(*w.During)
	}
	if w.Request != nil {
		c.request(w.Request)
	}
}

// contradictions reports counts that no request can fulfil together: all count the same requests.
func (c *check) contradictions(w When) {
	switch {
	case w.First > 0 && w.After >= w.First:
		c.add("when.first", "first %d ends before after %d begins, as both count from the first match: write first: %d for as many after that",
			w.First, w.After, w.After+w.First)
	case w.Nth > 0 && w.First > 0 && w.Nth > w.First:
		c.add("when.nth", "nth %d is not among the first %d: remove first", w.Nth, w.First)
	case w.Nth > 0 && w.After >= w.Nth:
		c.add("when.nth", "nth %d is not after %d, as both count from the first match: remove after, or write nth: %d", w.Nth, w.After, w.After+w.Nth)
	case w.Nth > 0 && w.Every > 0 && w.Nth%w.Every != 0:
		c.add("when.nth", "nth %d is not a multiple of every %d: remove every", w.Nth, w.Every)
	case w.First > 0 && w.Every > 0 && w.First/w.Every == w.After/w.Every:
		c.add("when.every", "no multiple of every %d is after %d and within the first %d: write first: %d, or remove every",
			w.Every, w.After, w.First, (w.After/w.Every+1)*w.Every)
	}
}

// request checks the conditions for a request.
func (c *check) request(r *Request) {
	if known := []string{string(sim.DialectDocument), string(sim.DialectPublic)}; r.Dialect != "" && !slices.Contains(known, r.Dialect) {
		c.add("when.request.dialect", "dialect must be %s, not %q", phrase.Names(known), r.Dialect)
	}
	if r.Dialect == "" && r.InstitutionID == "" && r.HostUserID == "" && len(r.Header)+len(r.Query)+len(r.Body) == 0 {
		c.add("when.request", "request says nothing: add dialect, institutionId, hostUserId, header, query or body")
	}
	for _, name := range slices.Sorted(maps.Keys(r.Header)) {
		c.headerName("when.request.header", name)
	}
	for _, mistake := range r.conditions().Mistakes {
		part, _, _ := strings.Cut(mistake.Field, ".")
		c.add("when.request."+part, "%v", mistake)
	}
}
