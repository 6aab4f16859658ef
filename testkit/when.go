package testkit

import (
	"errors"
	"fmt"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/fault"
)

// When limits a fault to some of the requests to its operation: [First], [Nth], [Every], [AfterFirst],
// [Beyond], [WithProbability], [During], [Matching]. The zero When stands for all.
//
// [During] and [Matching] say which requests match. The others count the matching requests, from 1, or draw for each.
type When struct {
	when    fault.When
	problem error
}

// First lets a fault fire for the first n matching requests.
func First(n int) When { return counting("First", n, fault.When{First: n}) }

// Nth lets a fault fire for the nth matching request alone.
func Nth(n int) When { return counting("Nth", n, fault.When{Nth: n}) }

// Every lets a fault fire for every nth matching request.
func Every(n int) When { return counting("Every", n, fault.When{Every: n}) }

// AfterFirst lets a fault fire for all matching requests but the first n.
func AfterFirst(n int) When { return counting("AfterFirst", n, fault.When{After: n}) }

func counting(name string, n int, w fault.When) When {
	if n < 1 {
		return When{problem: fmt.Errorf("%s(%d): it takes a number from 1", name, n)}
	}
	return When{when: w}
}

// Whose requests [Beyond] counts together.
const (
	ByClient = "client"
	ByUser   = "user"
	ByAll    = "all"
)

// Beyond lets a fault fire for the requests of a caller beyond n in a time of the bank's clock.
func Beyond(n int, per time.Duration, by string) When {
	w := counting("Beyond", n, fault.When{Rate: &fault.Rate{Requests: n, Per: fault.Duration(per), By: by}})
	if per <= 0 {
		w.problem = errors.Join(w.problem, fmt.Errorf("Beyond(%d, %v, %q): it takes a time above 0", n, per, by))
	}
	return w
}

// WithProbability lets a fault fire for matching requests at random, with a probability above 0, up to 1. The same seed
// gives the same failures.
func WithProbability(p float64) When {
	if p <= 0 || p > 1 {
		return When{problem: fmt.Errorf("WithProbability(%v): it takes a number above 0, up to 1", p)}
	}
	return When{when: fault.When{Probability: p}}
}

// During lets a fault fire in a window of the bank's time: it begins some time after the bank's start, and is open for
// length, or for ever if that is 0.
func During(begin, length time.Duration) When {
	window := fault.During{From: fault.Moment{Offset: fault.Duration(begin)}, For: fault.Duration(length)}
	if begin < 0 || length < 0 {
		return When{problem: fmt.Errorf("During(%v, %v): it takes times from 0", begin, length)}
	}
	return When{when: fault.When{During: &window}}
}

// And returns a When that fires where both do: [Matching] and [During] limit the requests that the other counts.
func (w When) And(other When) When {
	a, b := w.when, other.when
	both := errors.Join(w.problem, other.problem)
	combine := func(name string, isTwice bool) {
		if isTwice {
			both = errors.Join(both, fmt.Errorf("When has two of %s", name))
		}
	}
	combine("First", a.First*b.First != 0)
	combine("Nth", a.Nth*b.Nth != 0)
	combine("Every", a.Every*b.Every != 0)
	combine("AfterFirst", a.After*b.After != 0)
	combine("WithProbability", a.Probability*b.Probability != 0)
	combine("Beyond", a.Rate != nil && b.Rate != nil)
	combine("During", a.During != nil && b.During != nil)
	combine("Matching", a.Request != nil && b.Request != nil)
	a.First += b.First
	a.Nth += b.Nth
	a.Every += b.Every
	a.After += b.After
	a.Probability += b.Probability
	if a.Rate == nil {
		a.Rate = b.Rate
	}
	if a.During == nil {
		a.During = b.During
	}
	if a.Request == nil {
		a.Request = b.Request
	}
	return When{a, both}
}
