package explore

import "slices"

// Reaction is what the app did after a failure.
type Reaction string

// The reactions. A retry is the same request again, but for its id.
const (
	GaveUp         Reaction = "gave up" // it made no more calls
	RetriedSameID  Reaction = "retried with the same request id"
	RetriedNewID   Reaction = "retried with a new request id"
	RetriedNoID    Reaction = "retried without a request id"
	WentOn         Reaction = "went on regardless"             // with the next call of the undisturbed run
	Compensated    Reaction = "did something else"             // such as a call that the undisturbed run doesn't make
	NotReached     Reaction = "was not reached by the failure" // the fault didn't fire
	HungAfterwards Reaction = "hung"
)

// reactionTo returns what the app did after the last failure of a run, given the calls of the undisturbed run.
func reactionTo(r Run, o Observation, t trace, undisturbed []tracedCall) Reaction {
	at := t.lastFired(len(r.Faults) - 1)
	switch {
	case o.Ended == Hung:
		return HungAfterwards
	case at < 0 && o.Evicted > 0: // the journal has lost the call that failed
		return Compensated
	case at < 0:
		return NotReached
	case at == len(t.calls)-1:
		return GaveUp
	}
	failed, later := t.calls[at], t.calls[at+1:]
	next := "" // asked for by the call that follows in the undisturbed run
	if rest := subtract(undisturbed, t.calls[:at+1], tracedCall.asks); len(rest) > 0 {
		next = rest[0].asks()
	}
	asksAgain := func(c tracedCall) bool { return c.asks() == failed.asks() }
	asksMore := slices.ContainsFunc(subtract(t.calls, undisturbed, tracedCall.asks), asksAgain)
	for i, c := range later {
		sameID := failed.requestID != "" && failed.requestID == c.requestID
		switch {
		case asksAgain(c) && (sameID || asksMore): // else the undisturbed run asks again, too
			return retryOf(failed, c)
		case c.asks() == next && i == 0:
			return WentOn
		case c.asks() == next:
			return Compensated
		}
	}
	return Compensated
}

// retryOf returns how a failed call was retried.
func retryOf(failed, again tracedCall) Reaction {
	switch again.requestID {
	case "":
		return RetriedNoID
	case failed.requestID:
		return RetriedSameID
	}
	return RetriedNewID
}
