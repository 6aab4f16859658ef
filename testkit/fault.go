package testkit

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/fault"
)

// Fault is a failure that a bank injects: into which operations, for which of their requests, and what happens then.
// Its members are those of a rule in a scenario's YAML, under faults; zero values are left out.
type Fault struct {
	Name      string    // names it in the journal; its draws depend on it, too. Default: fault-1 and so on
	Operation Operation // default: all
	Method    string    // with Path. Default: every method
	Path      string    // in place of Operation: a path that the interface doesn't have, for which the fault is a stub
	When      When      // default: every request
	Phase     Phase     // default: BeforeOperation, unless Then needs an answer of the operation's own
	Then      Then
	Optional  bool // whether the test passes though it never fires
}

// Operation names the operations of a fault: one by its name, all of a family ("groups.*") or all ("*"). [Operations] names
// several.
type Operation string

// Operations returns what names several operations: it joins their names, and those of families, with commas.
func Operations(names ...string) Operation { return Operation(strings.Join(names, separator)) }

const separator = ", "

// When limits a fault to some of the requests to its operations. All that is set has to hold.
//
// A request matches a fault if its operation, During and Request hold. First, Nth, Every and After count the matching
// requests from 1; Probability is drawn for each of them.
type When struct {
	First       int     // the first N
	Nth         int     // only the Nth
	Every       int     // every Nth
	After       int     // all after the Nth
	Probability float64 // above 0, up to 1; the same seed gives the same failures
	During      During
	Request     RequestMatcher
}

// During is a window of the bank's virtual time. It begins at From, counted from the bank's start, or at Begin. It ends
// after For, or at End; if neither is set, it has no end.
type During struct {
	From  time.Duration
	For   time.Duration
	Begin time.Time // on the bank's clock, in place of From
	End   time.Time // on the bank's clock, in place of For
}

type (
	// RequestMatcher describes the requests that a fault matches. A text that begins with "~" is a regular expression (RE2,
	// unanchored), nil stands for absence, and any other value for equality. See [Text].
	RequestMatcher = fault.Request
	// FaultError replaces the code or message of an injected error body. An empty code is the one that fits the status best, an
	// empty message the one that goes with the code.
	FaultError = fault.Error
	// Phase says whether a fault comes before or after the operation is carried out.
	Phase = fault.Phase
	// ConnectionKind names what happens to a connection.
	ConnectionKind string
)

// The phases.
const (
	BeforeOperation = fault.Before // the operation is not carried out
	AfterOperation  = fault.After  // its change is committed; the answer is late, lost or replaced
)

// The kinds. The first three lose the answer; the others deliver it, damaged or slowly.
const (
	ConnectionReset     ConnectionKind = "reset"     // a TCP RST
	ConnectionClose     ConnectionKind = "close"     // the connection ends
	ConnectionHang      ConnectionKind = "hang"      // nothing is sent for a while, then the connection ends
	ConnectionTruncate  ConnectionKind = "truncate"  // the whole Content-Length, but a part of the body
	ConnectionMalformed ConnectionKind = "malformed" // a body that is not JSON
	ConnectionDribble   ConnectionKind = "dribble"   // small pieces
	ConnectionGarbage   ConnectionKind = "garbage"   // bytes that are not HTTP, before the status line
)

// Then says what happens to a request for which a fault fires.
type Then struct {
	Status     int        // of the answer; from 400 to 599 with the error body of the operation's family
	Error      FaultError // another code or message in that body
	Body       *string    // the whole body, as it is; see Text
	Headers    map[string]string
	Delay      Delay
	Connection Connection
	// ExpireToken lets the access token of the request expire for good, before the operation, which then refuses it. It goes with
	// Delay alone.
	ExpireToken bool
}

// Delay is how long an answer is late: one of its members is set. The delays of all faults that fire for a request are five
// minutes at most together; see also the time limit of [Bank.Client].
type Delay struct {
	Fixed       time.Duration
	Uniform     [2]time.Duration // the shortest and the longest, each time between them as likely
	Lognormal   Lognormal
	Percentiles Percentiles
}

// Lognormal is a distribution of delays with a long tail, as of a busy service: half of them are shorter than Median,
// and Sigma is the standard deviation of their logarithm.
type Lognormal struct {
	Median time.Duration
	Sigma  float64
}

// Percentiles are a distribution of delays with a long tail. Half of the delays are shorter than P50, and 95 of 100 are
// shorter than P95.
type Percentiles struct {
	P50 time.Duration
	P95 time.Duration
}

// Connection is what happens to the connection of a request. The measure that belongs to its kind may be set.
type Connection struct {
	Kind     ConnectionKind
	Hang     time.Duration // of ConnectionHang: how long at most, up to 5m. Default: 30s
	Truncate *int          // of ConnectionTruncate: how many bytes of the body are sent. Default: half of them
	Dribble  Dribble       // of ConnectionDribble
}

// Dribble is how an answer is sent in small pieces. What is left after a minute is sent at once.
type Dribble struct {
	Bytes int           // in each piece. Default: 16
	Every time.Duration // from one piece to the next, up to 1m. Default: 100ms
}

// FaultCount says how many requests matched a fault of a bank, and for how many of them it fired.
type FaultCount struct {
	Name    string
	Matched int
	Fired   int
}

// Inject adds faults behind those that the bank has, up to 1,000 in all. They stay until [Bank.ClearFaults] or [Bank.Reset].
// One that has never fired by then, or by the end of the test, fails the test unless it is optional.
func (b *Bank) Inject(faults ...Fault) {
	b.t.Helper()
	rules := make([]fault.Rule, len(faults))
	for i, f := range faults {
		var err error
		if rules[i], err = f.rule(); err != nil {
			b.t.Fatalf("testkit: Inject: %v", err)
		}
	}
	var added api.Faults
	b.in(http.MethodPost, "/faults", rules, &added)
	for i, f := range added.Faults {
		b.unfired[f.Name] = !faults[i].Optional
	}
}

// requireFired fails the test if a fault that Inject has added never fired, unless it is optional or the test has failed anyway.
func (b *Bank) requireFired() {
	b.t.Helper()
	if len(b.unfired) == 0 || b.t.Failed() || b.attempt != nil {
		return
	}
	for _, f := range b.Faults() {
		if b.unfired[f.Name] && f.Fired == 0 {
			b.t.Errorf("testkit: the fault %s never fired: %d requests were its operation's, and like those it is for; if that is right, "+
				"set Optional", f.Name, f.Matched)
		}
	}
	clear(b.unfired)
}

// Faults returns what the faults of the bank came to, the scenario's included, in the order in which they are evaluated.
func (b *Bank) Faults() []FaultCount {
	b.t.Helper()
	var list api.Faults
	b.in(http.MethodGet, "/faults", nil, &list)
	var all []FaultCount
	for _, counted := range list.Faults {
		all = append(all, FaultCount{counted.Name, int(counted.Matched), int(counted.Fired)})
	}
	return all
}

// ClearFaults removes all faults, the scenario's included.
func (b *Bank) ClearFaults() {
	b.t.Helper()
	b.requireFired()
	b.in(http.MethodDelete, "/faults", nil, nil)
}

// rule returns a fault as the simulator has it.
func (f Fault) rule() (fault.Rule, error) {
	w, t := f.When, f.Then
	r := fault.Rule{
		Name: f.Name, Method: f.Method, Path: f.Path, Phase: f.Phase,
		When: fault.When{First: w.First, Nth: w.Nth, Every: w.Every, After: w.After, Probability: w.Probability},
		Then: fault.Then{Status: t.Status, Body: (*fault.Body)(t.Body), ExpireToken: t.ExpireToken},
	}
	for name, value := range t.Headers {
		if r.Then.Headers == nil {
			r.Then.Headers = map[string]fault.HeaderValues{}
		}
		r.Then.Headers[name] = fault.HeaderValues{value}
	}
	if f.Operation != "" {
		r.Operation = strings.Split(string(f.Operation), separator)
	}
	if d := w.During; d != (During{}) {
		if d.From != 0 && !d.Begin.IsZero() || d.For != 0 && !d.End.IsZero() {
			return r, errors.New("a During has one of From and Begin, and one of For and End")
		}
		from := fault.Moment{Offset: fault.Duration(d.From), At: d.Begin}
		r.When.During = &fault.During{From: from, Until: fault.Moment{At: d.End}, For: fault.Duration(d.For)}
	}
	if m := w.Request; m.Dialect+m.InstitutionID+m.HostUserID != "" || len(m.Header)+len(m.Query)+len(m.Body) > 0 {
		r.When.Request = &m
	}
	if t.Error != (FaultError{}) {
		r.Then.Error = &t.Error
	}
	if c := t.Connection; c != (Connection{}) {
		kind, err := c.kind()
		if err != nil {
			return r, err
		}
		r.Then.Connection = &fault.Connection{Kind: kind}
	}
	var delays []*fault.Delay
	if t.Delay.Fixed != 0 {
		delays = append(delays, &fault.Delay{Fixed: fault.Duration(t.Delay.Fixed)})
	}
	if least, most := t.Delay.Uniform[0], t.Delay.Uniform[1]; least != 0 || most != 0 {
		delays = append(delays, &fault.Delay{Uniform: &[2]fault.Duration{fault.Duration(least), fault.Duration(most)}})
	}
	if l := t.Delay.Lognormal; l != (Lognormal{}) {
		delays = append(delays, &fault.Delay{Lognormal: &fault.Lognormal{Median: fault.Duration(l.Median), Sigma: l.Sigma}})
	}
	if p := t.Delay.Percentiles; p != (Percentiles{}) {
		delays = append(delays, &fault.Delay{P50: fault.Duration(p.P50), P95: fault.Duration(p.P95)})
	}
	if len(delays) > 1 {
		return r, errors.New("a Delay has one of Fixed, Uniform, Lognormal and Percentiles, not several")
	}
	if len(delays) == 1 {
		r.Then.Delay = delays[0]
	}
	return r, nil
}

// kind returns the kind as the simulator has it, with the settings that belong to it.
func (c Connection) kind() (fault.Kind, error) {
	switch c.Kind {
	case ConnectionHang:
		return fault.Hang{For: fault.Duration(c.Hang)}, nil
	case ConnectionTruncate:
		return fault.Truncate{Bytes: c.Truncate}, nil
	case ConnectionDribble:
		return fault.Dribble{Bytes: c.Dribble.Bytes, Every: fault.Duration(c.Dribble.Every)}, nil
	}
	return fault.KindNamed(string(c.Kind))
}
