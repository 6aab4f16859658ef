package traffic

import (
	"sync/atomic"
	"time"
)

// Kept is how many seconds a meter looks back at most (choice).
const Kept = 300

// slots is how many seconds a meter holds: those that it looks back at, the running one, and one that a clock may be ahead.
const slots = Kept + 2

// Meter counts requests by the second in which their answers were decided. The zero Meter has counted nothing. Its methods may
// be called by many goroutines.
//
// Each second has counters of its own, made by its first request: what is counted late is never counted to another second, and
// a simulator that nobody uses holds none.
type Meter struct {
	ring [slots]atomic.Pointer[counters]
}

// counters count the requests of one second, in about 1 KiB.
type counters struct {
	second  int64 // Unix time
	classes [classes]atomic.Uint32
	faults  atomic.Uint32
	most    atomic.Int64 // microseconds, of the slowest request
	took    histogram
}

// The classes of statuses: 1xx is none, and a lost answer has no status.
const classes = 6

// class returns the index of a status among the classes.
func class(status int) int {
	if status < 100 || status > 599 {
		return 0
	}
	return status / 100
}

// Request counts a request: when its answer was decided, with which status, or 0 if a fault lost it, and how long it takes until the
// answer is ready.
func (m *Meter) Request(at time.Time, status int, took time.Duration) {
	c := m.of(at)
	micros := max(took.Microseconds(), 0)
	c.classes[class(status)].Add(1)
	c.took[bucketOf(micros)].Add(1)
	for most := c.most.Load(); micros > most; most = c.most.Load() {
		if c.most.CompareAndSwap(most, micros) {
			return
		}
	}
}

// Faults counts faults that fired at a time.
func (m *Meter) Faults(at time.Time, count int) { m.of(at).faults.Add(uint32(count)) }

// of returns the counters of the second of a time.
func (m *Meter) of(at time.Time) *counters {
	second := at.Unix()
	slot := &m.ring[uint64(second)%slots]
	for {
		c := slot.Load()
		if c != nil && c.second == second {
			return c
		}
		if fresh := (&counters{second: second}); slot.CompareAndSwap(c, fresh) {
			return fresh
		}
	}
}

// find returns the counters of a second; nil: nothing was counted.
func (m *Meter) find(second int64) *counters {
	if c := m.ring[uint64(second)%slots].Load(); c != nil && c.second == second {
		return c
	}
	return nil
}

// Second is what was counted in one second.
type Second struct {
	At                       time.Time // its beginning
	Requests                 int
	Success, Redirect        int // by status: from 200, from 300
	ClientError, ServerError int // from 400, from 500
	Lost                     int // without a status: a fault lost the answer
	Faults                   int // that fired

	// Half and 95 of 100 requests took at most so long, up to the error of the histogram, and the slowest exactly so long.
	P50, P95, Max time.Duration
}

// Last returns the last count seconds before the running one, at most [Kept], the oldest first. It has seconds without
// requests, too.
func (m *Meter) Last(now time.Time, count int) []Second {
	running := now.Unix()
	count = min(max(count, 0), Kept)
	all := make([]Second, 0, count)
	for second := running - int64(count); second < running; second++ {
		s := Second{At: time.Unix(second, 0).UTC()}
		if c := m.find(second); c != nil {
			c.read(&s)
		}
		all = append(all, s)
	}
	return all
}

func (c *counters) read(into *Second) {
	of := func(class int) int { return int(c.classes[class].Load()) }
	into.Lost, into.Success, into.Redirect, into.ClientError, into.ServerError = of(0)+of(1), of(2), of(3), of(4), of(5)
	into.Requests = into.Lost + into.Success + into.Redirect + into.ClientError + into.ServerError
	into.Faults = int(c.faults.Load())
	into.Max = time.Duration(c.most.Load()) * time.Microsecond
	into.P50, into.P95 = c.took.below(50, into.Max), c.took.below(95, into.Max)
}
