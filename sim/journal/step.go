package journal

import "time"

// Step says between which versions of its sandbox's world an exchange is. Versions number the worlds of a generation. A step is
// small, because a journal holds one for each exchange.
type Step struct {
	Before    uint64 // the world that the request found
	Committed bool   // whether it left another one, which is then the next
	Changed   bool   // whether rows of the two differ
	Running   bool   // whether the virtual clock was running
}

// After returns the version of the world that the request left.
func (s Step) After() uint64 {
	if s.Committed {
		return s.Before + 1
	}
	return s.Before
}

// Step returns the step of an exchange and the virtual time at which it was made; ok is false where the journal doesn't hold
// the exchange, or no longer.
func (j *Journal) Step(id string) (step Step, at time.Time, ok bool) {
	number, ok := ParseID(id)
	if !ok {
		return Step{}, time.Time{}, false
	}
	e := j.find(number)
	if e == nil {
		return Step{}, time.Time{}, false
	}
	return e.step, e.at, true
}
