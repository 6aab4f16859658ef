package testkit

import (
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"time"
	"unicode/utf8"

	"github.com/digitalbanking-sim/banksim/sim/fault"
)

// Effect says what happens to a request when a fault fires. The effects are the functions and variables that return
// one; [Effect.And] adds a delay or a header to another one.
type Effect struct {
	then    fault.Then
	problem error
}

// Effects on the connection, and on the token of the request.
var (
	Close     = onConnection(fault.Close{})     // the connection ends, and the answer is lost
	Reset     = onConnection(fault.Reset{})     // a TCP RST, and the answer is lost
	Malformed = onConnection(fault.Malformed{}) // a body that is not JSON, after the bank has changed
	Garbage   = onConnection(fault.Garbage{})   // bytes that are not HTTP, before the status line: likewise

	// ExpireToken lets the access token of the request expire for good. The operation then refuses it.
	ExpireToken = Effect{then: fault.Then{ExpireToken: true}}
)

func onConnection(k fault.Kind) Effect {
	return Effect{then: fault.Then{Connection: &fault.Connection{Kind: k}}}
}

// Status answers with a status from 400 to 599 and the error body of the operation's family.
func Status(status int) Effect {
	e := Effect{then: fault.Then{Status: status}}
	if status < 400 || status > 599 {
		e.problem = fmt.Errorf("Status(%d): it takes 400 to 599: for another status use Answer", status)
	}
	return e
}

// Error answers with a status, and with another code and message in the error body. An empty code is the one that fits
// the status best; an empty message is the one that goes with the code. Inject refuses a code that the operation
// doesn't have with the status: for such an answer use [Answer].
func Error(status int, code, message string) Effect {
	e := Status(status)
	e.then.Error = &fault.Error{Code: code, Message: message}
	return e
}

// Answer answers with a status and this body. It may have any bytes, such as those of a PDF.
func Answer(status int, body string) Effect {
	e := Effect{then: fault.Then{Status: status}}
	if utf8.ValidString(body) {
		e.then.Body = &fault.Body{Text: body}
	} else {
		e.then.BodyBase64 = base64.StdEncoding.EncodeToString([]byte(body))
	}
	if status < 200 || status > 599 {
		e.problem = fmt.Errorf("Answer(%d, …): it takes 200 to 599", status)
	}
	return e
}

// Forward sends the request to another service, to its path below a URL, and answers as that does. It goes with
// [Fault.Path].
func Forward(url string) Effect { return Effect{then: fault.Then{Forward: &fault.Forward{URL: url}}} }

// AnswerHeader sets a header of the answer, whether it is the fault's or the operation's own.
func AnswerHeader(name string, values ...string) Effect {
	return Effect{then: fault.Then{Headers: map[string]fault.HeaderValues{http.CanonicalHeaderKey(name): values}}}
}

// Delay makes the answer late. The delays of all faults that fire for a request are five minutes at most together; the
// time limit of [Bank.Client] is 30 seconds.
func Delay(d time.Duration) Effect { return delayed(fault.Delay{Fixed: fault.Duration(d)}) }

// DelayBetween makes answers late by a time between two, each as likely.
func DelayBetween(shortest, longest time.Duration) Effect {
	if shortest > longest {
		return Effect{problem: fmt.Errorf("DelayBetween(%v, %v): the first is longer", shortest, longest)}
	}
	return delayed(fault.Delay{Uniform: &[2]fault.Duration{fault.Duration(shortest), fault.Duration(longest)}})
}

// DelayPercentiles makes answers late like a busy service: half of the delays are shorter than p50, and 95 of 100 are
// shorter than p95.
func DelayPercentiles(p50, p95 time.Duration) Effect {
	return delayed(fault.Delay{P50: fault.Duration(p50), P95: fault.Duration(p95)})
}

func delayed(d fault.Delay) Effect { return Effect{then: fault.Then{Delay: &d}} }

// Stale answers a reading operation from the bank as it was some time ago.
func Stale(age time.Duration) Effect {
	e := Effect{then: fault.Then{Stale: fault.Duration(age)}}
	if age <= 0 {
		e.problem = fmt.Errorf("Stale(%v): it takes a time above 0", age)
	}
	return e
}

// Hang sends nothing for a time of up to five minutes, and then ends the connection.
func Hang(d time.Duration) Effect {
	e := onConnection(fault.Hang{For: fault.Duration(d)})
	if d <= 0 {
		e.problem = fmt.Errorf("Hang(%v): it takes a time above 0", d)
	}
	return e
}

// Truncate sends the whole Content-Length, but only so many bytes of the body. Without a status, the answer is the
// operation's: the bank has changed by then.
func Truncate(bytes int) Effect { return onConnection(fault.Truncate{Bytes: &bytes}) }

// Dribble sends the answer in pieces of so many bytes, one in each interval of up to a minute. Without a status, the
// answer is the operation's: the bank has changed by then.
func Dribble(bytes int, interval time.Duration) Effect {
	return onConnection(fault.Dribble{Bytes: bytes, Every: fault.Duration(interval)})
}

// And returns both effects together, such as Status(429).And(AnswerHeader("Retry-After", "2")). Inject refuses two
// effects that contradict each other.
func (e Effect) And(other Effect) Effect {
	a, b := e.then, other.then
	problem := errors.Join(e.problem, other.problem)
	switch {
	case a.Status != 0 && b.Status != 0:
		problem = errors.Join(problem, errors.New("two effects give the status"))
	case a.Forward != nil && b.Forward != nil:
		problem = errors.Join(problem, errors.New("two effects forward the request"))
	case a.Delay != nil && b.Delay != nil:
		problem = errors.Join(problem, errors.New("two effects give the delay"))
	case a.Stale != 0 && b.Stale != 0:
		problem = errors.Join(problem, errors.New("two effects give the age of the answer"))
	case a.Connection != nil && b.Connection != nil:
		problem = errors.Join(problem, errors.New("two effects are about the connection"))
	}
	if b.Status != 0 {
		a.Status, a.Error, a.Body, a.BodyBase64 = b.Status, b.Error, b.Body, b.BodyBase64
	}
	if b.Forward != nil {
		a.Forward = b.Forward
	}
	if b.Delay != nil {
		a.Delay = b.Delay
	}
	if b.Connection != nil {
		a.Connection = b.Connection
	}
	a.ExpireToken = a.ExpireToken || b.ExpireToken
	a.Stale = max(a.Stale, b.Stale)
	a.Headers = maps.Clone(a.Headers)
	for name, values := range b.Headers {
		if _, isTwice := a.Headers[name]; isTwice {
			problem = errors.Join(problem, fmt.Errorf("two effects give the header %s", name))
		}
		if a.Headers == nil {
			a.Headers = map[string]fault.HeaderValues{}
		}
		a.Headers[name] = values
	}
	return Effect{a, problem}
}
