package journal

import "time"

// Step says between which versions of its sandbox's world an exchange is. Versions number the worlds of a generation.
type Step struct {
	Before, After uint64 // the world that the request found, and the one that it left; equal: it found and left the same
	Changed       bool   // whether rows of the two differ
	Running       bool   // whether the virtual clock was running
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
