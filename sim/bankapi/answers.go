package bankapi

import (
	"strconv"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
)

// answers are the counters of an operation's answers by status. Each is looked up once, because that takes longer than counting.
type answers struct {
	known atomic.Pointer[[]statusCounter] // replaced, never changed; nil: none
}

type statusCounter struct {
	status int
	prometheus.Counter
}

// counter returns the counter of answers with a status to requests like the exchange's.
func (x *exchange) counter(status int) prometheus.Counter {
	of := &x.refused
	if x.call.route != nil {
		of = x.call.route.answers
	}
	var known []statusCounter
	if list := of.known.Load(); list != nil {
		known = *list
	}
	for _, c := range known {
		if c.status == status {
			return c.Counter
		}
	}
	c := x.requests.WithLabelValues(x.call.operationName(), strconv.Itoa(status))
	list := append(known[:len(known):len(known)], statusCounter{status, c}) // where two do so at once, one of them looks it up again
	of.known.Store(&list)
	return c
}
