package fault

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
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
	if d := w.During; d != nil {
		if d.From < 0 {
			c.add("when.during.from", "from must not be negative: it counts from the start of the sandbox, so write 0s or leave it out")
		}
		if d.For < 0 {
			c.add("when.during.for", "for must be longer than 0, not %s", time.Duration(d.For))
		}
		if *d == (During{}) {
			c.add("when.during", "during says nothing: add from or for")
		}
	}
	if w.Request != nil {
		c.request(*w.Request)
	}
}

// contradictions tells of counts that no request can fulfil together: all count the same requests.
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
		c.add("when.nth", "nth %d is none of every %d: remove every", w.Nth, w.Every)
	case w.First > 0 && w.Every > 0 && w.First/w.Every == w.After/w.Every:
		c.add("when.every", "none of every %d is after %d and among the first %d: write first: %d, or remove every",
			w.Every, w.After, w.First, (w.After/w.Every+1)*w.Every)
	}
}

// request checks what a request has to be like.
func (c *check) request(r Request) {
	if r.InstitutionID == "" && r.HostUserID == "" && len(r.Header)+len(r.Query)+len(r.Body) == 0 {
		c.add("when.request", "request says nothing: add institutionId, hostUserId, header, query or body")
	}
	c.expression("when.request.institutionId", r.InstitutionID)
	c.expression("when.request.hostUserId", r.HostUserID)
	for _, name := range slices.Sorted(maps.Keys(r.Header)) {
		if !token.MatchString(name) {
			c.add("when.request.header", "%s can't be the name of a header: remove what is no letter, digit or dash", shown(name))
		}
		if value := r.Header[name]; value != nil {
			c.expression("when.request.header", *value)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.Query)) {
		if value := r.Query[name]; value != nil {
			c.expression("when.request.query", *value)
		}
	}
	c.body("when.request.body", r.Body)
}

// body checks a wanted JSON value.
func (c *check) body(at string, want any) {
	switch want := want.(type) {
	case string:
		c.expression(at, want)
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(want)) {
			c.body(at, want[name])
		}
	case []any:
		for _, element := range want {
			c.body(at, element)
		}
	}
}

// expression checks a text that may be a regular expression. What it says may be a secret.
func (c *check) expression(at, text string) {
	expression, ok := strings.CutPrefix(text, "~")
	if !ok {
		return
	}
	if _, err := regexp.Compile(expression); err != nil {
		c.add(at, "what follows ~ in %s is no regular expression (RE2): correct it", at[strings.LastIndex(at, ".")+1:])
	}
}
