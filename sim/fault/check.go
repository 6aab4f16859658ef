package fault

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/match"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// Statuses that come with the error body of the operation's family.
const (
	LeastError = 400
	MostError  = 599
)

// Problem is a mistake in a list of rules.
type Problem struct {
	Path    []string // where it is in the list, as keys and indexes: 2, when, probability
	Message string   // the mistake and the remedy
}

// Check returns the problems with the meaning of a list of rules. Package scenario checks their form first, by the
// schema of scenarios: the types of the members, the limits of numbers and texts, and that a delay has one form.
func Check(rules []Rule) []Problem {
	var all []Problem
	names := map[string]int{}
	for i, r := range rules[:min(len(rules), MaxRules)] {
		c := &check{rule: r, place: strconv.Itoa(i)}
		c.name(names, i)
		c.operation()
		c.stub()
		c.when()
		c.then()
		c.reachable(rules[:i])
		all = append(all, c.problems...)
	}
	if len(rules) > MaxRules {
		tooMany := fmt.Sprintf("there are %d faults, more than %d: remove some", len(rules), MaxRules)
		all = append(all, Problem{[]string{strconv.Itoa(MaxRules)}, tooMany})
	}
	return all
}

// check collects the problems of one rule.
type check struct {
	rule     Rule
	place    string // the index in the list
	problems []Problem
}

// reject adds a problem if something is wrong, and returns wrong. The keys of the path at are separated by dots.
func (c *check) reject(wrong bool, at, format string, args ...any) bool {
	if wrong {
		c.problems = append(c.problems, Problem{c.keys(at), fmt.Sprintf(format, args...)})
	}
	return wrong
}

// keys returns the keys of a place in the rule. In at, dots separate them.
func (c *check) keys(at string) []string {
	return strings.Split(strings.Trim(c.place+"."+at, "."), ".")
}

// name checks that no earlier rule has the name.
func (c *check) name(taken map[string]int, place int) {
	name := c.rule.Name
	first, duplicate := taken[name]
	c.reject(duplicate, "name", "duplicate name %s, first that of fault %d: change one of them",
		wording.Quote(name), first+1)
	if !duplicate && name != "" {
		taken[name] = place
	}
}

// operation checks the patterns. Those that forms offer are allowed: gr* is refused, although it matches operations.
func (c *check) operation() {
	known := contract.Patterns()
	for i, pattern := range c.rule.Operation {
		at := "operation." + strconv.Itoa(i) // or operation alone, if it is a text
		c.reject(!slices.Contains(known, pattern), at, "%s", UnknownOperation(pattern))
	}
}

// wordsForAll are what people write for all operations.
var wordsForAll = []string{"all", "any", "every", "everything", "each", ".*", "**"}

// UnknownOperation says that there is no such operation, and what to write if that is certain.
func UnknownOperation(pattern string) string {
	remedy := wording.DidYouMean(pattern, contract.Patterns(), "there are")
	switch {
	case strings.Contains(pattern, ","):
		remedy = ": write a list: [" + wording.Shorten(pattern) + "]"
	case slices.Contains(wordsForAll, strings.ToLower(pattern)):
		remedy = `: write "*"`
	}
	return "unknown operation " + wording.Quote(pattern) + remedy
}

// when checks the conditions. All counts count the same requests, so some counts contradict each other.
func (c *check) when() {
	w := c.rule.When
	every := max(w.Every, 1)
	after := w.After
	if w.Rate != nil {
		after = max(after, w.Rate.Requests)
	}
	number := (after/every + 1) * every // the number of the first request for which the rule could fire
	if w.Nth > 0 {
		number = w.Nth
	}
	c.reject(number <= after || number%every != 0 || w.First > 0 && number > w.First, "when",
		"first, nth, every, after and rate all count from the first match, and no request fulfils those given: "+
			"change or remove one of them")
	if w.During != nil {
		c.during(*w.During)
	}
	if w.Request != nil {
		c.request(w.Request)
	}
}

// during checks a window.
func (c *check) during(d During) {
	late := d.From.isTime() && !d.From.At.Before(d.Until.At) || !d.Until.isTime() && d.From.Offset >= d.Until.Offset
	mixed := !d.From.IsZero() && d.From.isTime() != d.Until.isTime()
	const until = "when.during.until"
	open, closed, _ := strings.Cut(d.Daily, "-")
	c.reject(d.Daily != "" && open == closed, "when.during.daily", "daily has no hours: write two different times")
	c.reject(d.Zone != "" && d.Daily == "", "when.during.zone", "zone is for daily: add daily, or remove zone")
	switch {
	case c.reject(d == During{}, "when.during", "during says nothing: add from, until, for or daily"):
	case d.Until.IsZero():
	case c.reject(d.For != 0, "when.during.for", "for and until both say when the window ends: remove one of them"):
	case c.reject(mixed, until,
		"from and until must both be times, or both count from the start of the sandbox: "+
			"write until like from, or write for"):
	case c.reject(late, until, "until must be later than from: write a later one, or swap the two"):
	}
}

// request checks the conditions for a request.
func (c *check) request(r *Request) {
	const at = "when.request"
	nothing := r.Dialect+r.InstitutionID+r.HostUserID == "" && len(r.Header)+len(r.Query)+len(r.Body) == 0
	c.reject(nothing, at, "request says nothing: add dialect, institutionId, hostUserId, header, query or body")
	for _, mistake := range append(r.conditions().Mistakes, c.rule.Mistakes(nil)...) {
		path := append(c.keys(at), mistake.Field...) // a name in it may have dots
		c.problems = append(c.problems, Problem{path, mistake.Text})
	}
}

// Mistakes returns the conditions that no request can fulfil. See [match.Requests] for the values.
func (r *Rule) Mistakes(values func(name string) []string) []match.Mistake {
	request := r.When.Request
	if request == nil {
		return nil
	}
	asked := match.Requests{
		Outside: r.IsStub(), OwnNames: true, Values: values,
		Header: request.Header, Query: request.Query, Body: request.Body,
	}
	for _, op := range contract.AllOperations() {
		isIn := request.Dialect == "" || request.Dialect == string(op.Dialect)
		if !r.IsStub() && r.Operation.Include(op.Name) && isIn {
			asked.Operations = append(asked.Operations, op)
		}
	}
	return asked.Mistakes()
}

// then checks the effect of the rule.
func (c *check) then() {
	then := c.rule.Then
	nothing := len(then.answer()) == 0 && then.Delay == nil && then.Connection == nil && then.Forward == nil &&
		!then.ExpireToken && then.Stale == 0
	effects := "status, headers, delay, connection, expireToken or stale"
	if c.rule.IsStub() {
		effects = "status, forward, headers, delay or connection"
	}
	if c.reject(nothing, "then", "then says nothing: add %s", effects) {
		return
	}
	switch {
	case then.ExpireToken:
		hasBearer := func(op *contract.Operation) bool { return op.Security != contract.Basic }
		c.reject(!slices.ContainsFunc(c.rule.Operation.All(), hasBearer) && !c.rule.IsStub(), "then.expireToken",
			"expireToken is for operations with a bearer token, and these have none: name another one, such as %s",
			contract.EstatementsUpdateUser.Name)
		c.goesWithDelay(then, "expireToken")
	case then.Stale != 0:
		reads := func(op *contract.Operation) bool { return !op.Changes && c.rule.Operation.Include(op.Name) }
		c.reject(!slices.ContainsFunc(contract.AllOperations(), reads), "then.stale",
			"stale is for operations that read, and these change the bank: name one that reads, such as %s",
			contract.GroupsList.Name)
		c.goesWithDelay(then, "stale")
	case then.Forward != nil:
		c.forward(then)
	case then.Status == 0:
		c.bytes(then)
		c.reject(then.HasBody(), then.bodyAt(), "a body needs a status: add status: 200, for example")
		c.reject(then.Error != nil && !c.rule.IsStub(), "then.error",
			"error needs a status: add status: 500, for example")
	default:
		c.bytes(then)
		c.status(then)
	}
	c.headers(then.Headers)
	if then.Delay != nil {
		c.delay(*then.Delay)
	}
	if then.Connection != nil {
		c.connection(then.Connection, then)
	}
}

// goesWithDelay rejects everything beside an effect that would change the operation's own answer.
func (c *check) goesWithDelay(then Then, effect string) {
	const alone = "%s goes with delay alone, since the operation itself answers the request: remove %s"
	for _, name := range then.answer() {
		c.reject(true, "then."+name, alone, effect, name)
	}
	c.reject(then.Connection != nil, "then.connection", alone, effect, "connection")
	c.reject(then.Forward != nil, "then.forward", alone, effect, "forward")
	c.reject(then.ExpireToken && effect != "expireToken" || then.Stale != 0 && effect != "stale",
		"then."+effect, "expireToken and stale don't go together: remove one of them")
	c.reject(c.rule.Phase == After, "phase", alone, effect, "phase: after")
	c.reject(c.rule.IsStub(), "path", alone, effect, "path")
}

// answer returns the names of the present members that describe an answer.
func (t Then) answer() (names []string) {
	for _, member := range []struct {
		name  string
		given bool
	}{
		{"status", t.Status != 0}, {"error", t.Error != nil}, {"body", t.Body != nil},
		{"bodyBase64", t.BodyBase64 != ""}, {"bodyFile", t.BodyFile != ""}, {"headers", len(t.Headers) > 0},
	} {
		if member.given {
			names = append(names, member.name)
		}
	}
	return names
}

// status checks that the body fits the status.
func (c *check) status(then Then) {
	status, hasError, hasBody := then.Status, then.Error != nil, then.HasBody()
	noBody := status == 204 || status == 304
	c.reject(hasError && hasBody, then.bodyAt(),
		"this is the whole body, and error a part of one: remove one of them")
	if hasError {
		c.reject(*then.Error == (Error{}), "then.error", "error says nothing: give it a code or a message")
		c.reject(strings.ContainsFunc(then.Error.Code+then.Error.Message, unicode.IsControl), "then.error",
			"code and message must have no control characters, such as a line break: write each on one line")
	}
	const none = "an answer with status %d has no body: "
	hasContent := then.BodyBase64 != "" || then.Body != nil && then.Body.Text != ""
	c.reject(noBody && hasContent, then.bodyAt(), none+"remove it, or change the status", status)
	c.reject(noBody && hasError, "then.error", none+"remove error, or change the status", status)
	switch {
	case hasError, hasBody, c.rule.IsStub():
	case c.reject(noBody, "then.status", none+"write body: \"\" beside it, or change the status", status):
	case c.reject(status < LeastError, "then.status", "status %d is no error, so there is no body that goes with it: "+
		"add body, or choose a status from %d to %d", status, LeastError, MostError):
	}
}

// bodyAt returns where the whole body stands.
func (t Then) bodyAt() string {
	if t.BodyBase64 != "" {
		return "then.bodyBase64"
	}
	return "then.body"
}

// bytes checks a body that is given as bytes. A scenario's loader has read its bodyFile.
func (c *check) bytes(then Then) {
	const one = "body, bodyBase64 and bodyFile are each the whole body: keep one of them"
	several := then.Body != nil && then.BodyBase64 != ""
	switch {
	case c.reject(several, "then.bodyBase64", one):
	case c.reject(then.HasBody() && then.BodyFile != "", "then.bodyFile", one):
	case c.reject(then.BodyFile != "", "then.bodyFile",
		"only a scenario that is a file itself can send a file: write bodyBase64"):
	default:
		_, err := base64.StdEncoding.DecodeString(then.BodyBase64)
		c.reject(err != nil, "then.bodyBase64", "this is no base64: write what base64 -w0 FILE prints")
	}
}

// CheckCodes returns the problems with error codes that an operation doesn't have. If it has no code for a status, any
// code may go with it. Scenarios that were stored before this was checked are read without it.
func CheckCodes(rules []Rule) []Problem {
	var all []Problem
	for i, r := range rules[:min(len(rules), MaxRules)] {
		c := &check{rule: r, place: strconv.Itoa(i)}
		if e := r.Then.Error; e != nil && e.Code != "" && !r.IsStub() {
			c.code(r.Then.Status, e.Code)
		}
		all = append(all, c.problems...)
	}
	return all
}

func (c *check) code(status int, code string) {
	for _, op := range c.rule.Operation.All() {
		known := op.Codes(status)
		if len(known) > 0 && c.reject(!slices.Contains(known, code), "then.error.code",
			"%s has no code %s with status %d, only %s: for another answer write body in place of error",
			op.Name, wording.Quote(code), status, wording.Names(known)) {
			return
		}
	}
}

// reachable rejects a rule that can never answer or forward, because an earlier rule always does first.
func (c *check) reachable(earlier []Rule) {
	r, operations := c.rule, c.rule.Operation.All()
	if !r.Answers() && r.Then.Forward == nil || r.Off || len(operations) == 0 {
		return
	}
	for i, e := range earlier {
		missed := func(op *contract.Operation) bool { return !e.concerns(&Query{Operation: op.Name}) }
		always := !r.IsStub() && !slices.ContainsFunc(operations, missed)
		if r.IsStub() && (e.Method == "" || e.Method == r.Method) {
			always = e.IsStub() && match.Covers(e.Path, r.Path)
		}
		var both Firings
		both.claim(&Firing{Rule: &e, Phase: e.InPhase()})
		if e.When == (When{}) && !e.Off && always && !both.claim(&Firing{Rule: &r, Phase: r.InPhase()}) {
			c.reject(true, "", "this fault can never answer: fault %d before it always does; "+
				"move it before that fault, or give that fault a when", i+1)
			return
		}
	}
}
