package fault

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

// Problem is one thing that is wrong with rules.
type Problem struct {
	Path    []string // the keys and places (from 0) that lead to it from the list on: 2, when, probability
	Message string   // names what is wrong and the remedy
}

// Check returns all that is wrong with a list of rules.
func Check(rules []Rule) []Problem {
	var all []Problem
	names := map[string]int{}
	for i := range rules[:min(len(rules), MaxRules)] {
		c := &check{rule: &rules[i], path: []string{strconv.Itoa(i)}}
		c.name(names, i)
		c.operation()
		c.when()
		c.then()
		c.reachable(rules[:i])
		all = append(all, c.problems...)
	}
	if len(rules) > MaxRules {
		all = append(all, Problem{Path: []string{strconv.Itoa(MaxRules)}, Message: fmt.Sprintf("there are %d faults, more than %d: remove some", len(rules), MaxRules)})
	}
	return all
}

// check checks one rule.
type check struct {
	rule     *Rule
	path     []string
	problems []Problem
}

// unknown notes a name that is none of the known ones.
func (c *check) unknown(at, what, name string, known []string) {
	c.add(at, "unknown %s %s%s", what, phrase.Quote(name), phrase.DidYouMean(name, known, "there are"))
}

// add notes a problem at a path of keys, separated by dots.
func (c *check) add(at, format string, args ...any) {
	path := slices.Clone(c.path)
	if at != "" {
		path = append(path, strings.Split(at, ".")...)
	}
	c.problems = append(c.problems, Problem{Path: path, Message: fmt.Sprintf(format, args...)})
}

// goodName is compiled when a name is checked first: its 63 steps would take 60 kB of each start.
var goodName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$`)
})

func (c *check) name(taken map[string]int, place int) {
	name := c.rule.Name
	if name == "" {
		return
	}
	if !goodName().MatchString(name) {
		c.add("name", "name must be 1 to 63 letters, digits and . _ -, and begin with a letter or a digit")
	}
	if first, duplicate := taken[name]; duplicate {
		c.add("name", "duplicate name %q, first that of fault %d: change one of them", name, first+1)
		return
	}
	taken[name] = place
}

// operation checks the patterns. One that matches operations may still be none that a rule may have, such as gr*.
func (c *check) operation() {
	o := c.rule.Operation
	if o.List && len(o.Patterns) == 0 {
		c.add("operation", "operation is an empty list: list at least one, or leave it out for all")
	}
	for i, pattern := range o.Patterns {
		at := "operation"
		if o.List {
			at += "." + strconv.Itoa(i)
		}
		switch {
		case !slices.Contains(contract.Patterns(), pattern):
			c.unknown(at, "operation", pattern, contract.Patterns())
		case slices.Contains(o.Patterns[:i], pattern):
			c.add(at, "operation %s is listed twice: remove one of them", phrase.Quote(pattern))
		}
	}
}

// then checks what happens.
func (c *check) then() {
	if phase := c.rule.Phase; phase != "" && phase != Before && phase != After {
		c.add("phase", "phase must be before or after, not %s", phrase.Quote(string(phase)))
	}
	then := c.rule.Then
	if then.Status == 0 && then.Error == nil && then.Body == nil && len(then.Headers) == 0 && then.Delay == nil && then.Connection == nil {
		c.add("then", "then says nothing: add status, headers, delay or connection")
		return
	}
	c.status()
	c.headers()
	c.delay()
	c.connection()
}

func (c *check) status() {
	then := c.rule.Then
	switch {
	case then.Status == 0 && then.Error != nil:
		if status := c.statusOf(then.Error.Code); status != 0 {
			c.add("then.error", "error needs a status: add status: %d, which %s goes with", status, then.Error.Code)
			return
		}
		c.add("then.error", "error needs a status: add status: 500, for example")
		return
	case then.Status == 0 && then.Body != nil:
		c.add("then.body", "body needs a status: add status: 200, for example")
		return
	case then.Status == 0:
		return
	case then.Status < 200 || then.Status > MostError:
		c.add("then.status", "status must be from 200 to %d, not %d", MostError, then.Status)
		return
	}
	if then.Error != nil && then.Body != nil {
		c.add("then.body", "body is the whole body, and error a part of it: remove one of them")
	}
	if then.Error != nil && *then.Error == (Error{}) {
		c.add("then.error", "error says nothing: give it a code or a message")
	}
	if then.Error != nil {
		c.texts(then.Error)
	}
	noBody := then.Status == 204 || then.Status == 304
	if noBody && then.Body != nil && *then.Body != "" {
		c.add("then.body", "an answer with status %d has no body: remove it, or change the status", then.Status)
	}
	if noBody && then.Error != nil {
		c.add("then.error", "an answer with status %d has no body: remove error, or change the status", then.Status)
	}
	if then.Error != nil || then.Body != nil {
		return
	}
	if noBody {
		c.add("then.status", "an answer with status %d has no body: write body: \"\" beside it, or change the status", then.Status)
		return
	}
	if then.Status < LeastError {
		c.add("then.status", "status %d is no error, so there is no body that goes with it: add body, or choose a status from %d to %d",
			then.Status, LeastError, MostError)
	}
}

// statusOf returns the status that goes with a code in the operations of the rule; 0: none does, or several do.
func (c *check) statusOf(code string) int {
	status := 0
	for _, op := range c.rule.Operation.All() {
		for _, i := range op.Family.Injections() {
			switch {
			case i.Code != code || i.Status == status:
			case status != 0:
				return 0
			default:
				status = i.Status
			}
		}
	}
	return status
}

func (c *check) delay() {
	d := c.rule.Then.Delay
	if d == nil {
		return
	}
	length := func(at, name string, of Duration) {
		switch length := time.Duration(of); {
		case length <= 0:
			c.add(at, "%s must be longer than 0, not %s", name, length)
		case length > MaxDelay:
			c.add(at, "%s must be at most %s, not %s", name, MaxDelay, length)
		}
	}
	if several(d.Fixed != 0, d.Uniform != nil, d.Lognormal != nil, d.Percentiles != nil) {
		c.add("then.delay", "delay is more than one of a fixed time, uniform, lognormal, and p50 with p95: keep one of them")
		return
	}
	switch {
	case d.Uniform != nil:
		if d.Uniform[0] < 0 {
			c.add("then.delay.uniform", "uniform must not begin below 0: write 0s, for example")
		}
		length("then.delay.uniform", "the end of uniform", d.Uniform[1])
		if d.Uniform[0] > d.Uniform[1] {
			c.add("then.delay.uniform", "uniform begins after its end: swap the two")
		}
	case d.Lognormal != nil:
		length("then.delay.lognormal.median", "median", d.Lognormal.Median)
		if s := d.Lognormal.Sigma; !(s > 0 && s <= maxSigma) {
			c.add("then.delay.lognormal.sigma", "sigma must be more than 0 and at most %d, not %v: 0.6 gives a long tail", maxSigma, s)
		}
	case d.Percentiles != nil:
		c.percentiles(*d.Percentiles, length)
	default:
		length("then.delay", "delay", d.Fixed)
	}
}

// percentiles checks percentiles, whose lengths the function checks.
func (c *check) percentiles(p Percentiles, length func(at, name string, of Duration)) {
	length("then.delay.p50", "p50", p.P50)
	length("then.delay.p95", "p95", p.P95)
	switch {
	case p.P50 <= 0 || p.P95 <= 0:
	case p.P95 <= p.P50:
		c.add("then.delay.p95", "p95 must be longer than p50, as 95 of 100 delays are shorter than it: write more than %s", time.Duration(p.P50))
	case p.lognormal().Sigma > maxSigma:
		c.add("then.delay.p95", "p95 must be at most %d times as long as p50: shorten it, or lengthen p50", int(math.Exp(maxSigma*p95)))
	}
}

// several reports whether more than one of the conditions hold.
func several(conditions ...bool) bool {
	n := 0
	for _, holds := range conditions {
		if holds {
			n++
		}
	}
	return n > 1
}

func (c *check) connection() {
	fault, then := c.rule.Then.Connection, c.rule.Then
	if fault == nil {
		return
	}
	if !slices.Contains(Kinds, fault.Kind) {
		known := make([]string, len(Kinds))
		for i, kind := range Kinds {
			known[i] = string(kind)
		}
		c.unknown("then.connection", "kind of connection fault", string(fault.Kind), known)
		return
	}
	if fault.Kind == Hang && (fault.Hang < 0 || time.Duration(fault.Hang) > MaxHang) {
		c.add("then.connection.hang", "hang must be longer than 0 and at most %s, not %s", MaxHang, time.Duration(fault.Hang))
	}
	if fault.Truncate != nil && *fault.Truncate < 0 {
		c.add("then.connection.truncate", "truncate must be at least 0, not %d", *fault.Truncate)
	}
	if fault.Dribble.Bytes < 0 {
		c.add("then.connection.dribble.bytes", "bytes must be at least 1, not %d", fault.Dribble.Bytes)
	}
	if every := time.Duration(fault.Dribble.Every); every < 0 || every > MaxDribble {
		c.add("then.connection.dribble.every", "every must be longer than 0 and at most %s, not %s", MaxDribble, every)
	}
	if !fault.Kind.Delivers() {
		for _, part := range []struct {
			name  string
			given bool
		}{{"status", then.Status != 0}, {"error", then.Error != nil}, {"body", then.Body != nil}, {"headers", len(then.Headers) > 0}} {
			if part.given {
				c.add("then."+part.name, "%s sends no answer that could have %s: remove one of them", fault.Kind, part.name)
			}
		}
		return
	}
	if c.rule.Phase == Before && then.Status == 0 {
		c.add("phase", "%s needs an answer to deliver, and before the operation there is none: add a status, or write phase: after", fault.Kind)
	}
}

// reachable notes a rule that can never answer, because one before it always does.
func (c *check) reachable(earlier []Rule) {
	operations := c.rule.Operation.All()
	if !c.rule.Answers() || len(operations) == 0 {
		return
	}
	for i := range earlier {
		e := &earlier[i]
		if e.When != (When{}) || !e.Answers() {
			continue
		}
		covered := true
		for _, op := range operations {
			covered = covered && e.Operation.Include(op.Name)
		}
		if covered {
			c.add("", "this fault can never answer: fault %d before it always does; move it before that fault, or give that fault a when", i+1)
			return
		}
	}
}

var token = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$") // RFC 9110 5.6.2

// maxHeaderName is the longest name of a header, in bytes (choice).
const maxHeaderName = 256

// framing are the headers that describe the message itself: the simulator sets them.
var framing = []string{"content-length", "transfer-encoding", "connection", "date", "trailer", "upgrade", "keep-alive"}

func (c *check) headers() {
	for name, value := range c.rule.Then.Headers {
		switch at := "then.headers"; {
		case !c.headerName(at, name):
		case slices.Contains(framing, strings.ToLower(name)):
			c.add(at, "the simulator sets header %s itself: remove it", name)
		case strings.ContainsAny(value, "\r\n"):
			c.add(at, "header %s must be one line: remove the line breaks", name)
		case !utf8.ValidString(value):
			c.add(at, "header %s must be UTF-8: remove the other bytes", name)
		case hasControl(strings.ReplaceAll(value, "\t", " ")): // RFC 9110 5.5
			c.add(at, "header %s must have no control characters: remove them", name)
		}
	}
}

// texts checks the code and the message of the error.
func (c *check) texts(e *Error) {
	for _, text := range []struct{ name, value string }{{"code", e.Code}, {"message", e.Message}} {
		switch {
		case !utf8.ValidString(text.value):
			c.add("then.error."+text.name, "%s must be UTF-8: remove the other bytes", text.name)
		case hasControl(text.value):
			c.add("then.error."+text.name, "%s must have no control characters, such as a line break: write it on one line", text.name)
		}
	}
}

func hasControl(text string) bool { return strings.ContainsFunc(text, unicode.IsControl) }

// headerName reports whether a header can have the name, and notes it if not.
func (c *check) headerName(at, name string) bool {
	ok := len(name) <= maxHeaderName && token.MatchString(name)
	if !ok {
		c.add(at, "%s can't be the name of a header: use letters, digits and dashes", phrase.Quote(name))
	}
	return ok
}

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
