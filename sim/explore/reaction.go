package explore

import (
	"maps"
)

// reaction returns what the app did after the last failure of a run, given the calls of the undisturbed run.
func reaction(r Run, o Observation, t trace, usual []made) Reaction {
	at := t.fired(ruleName(len(r.Faults) - 1))
	if at < 0 && o.Evicted > 0 && o.Ended != Hung { // the call that failed is gone: the first that is left of those like it stands for it
		if at = t.like(r.Faults[len(r.Faults)-1].Call); at < 0 {
			return Compensated
		}
	}
	switch {
	case o.Ended == Hung:
		return HungAfterwards
	case at < 0:
		return DidNotNotice
	case at == len(t.calls)-1:
		return GaveUp
	}
	failed, then := t.calls[at], t.calls[at+1:]
	next := following(usual, t.calls[:at+1])
	for _, m := range then {
		switch {
		case m.asked() == failed.asked() && (next != m.asked() || isRetry(failed, m, t, usual)):
			return retried(failed, m)
		case m.asked() == next && m.asked() == then[0].asked():
			return WentOn
		case m.asked() == next:
			return Compensated
		}
	}
	return Compensated
}

// isRetry reports whether a call that asks for the same as the failed one retries it, where the undisturbed run asks for that once more
// in any case.
func isRetry(failed, again made, t trace, usual []made) bool {
	same := failed.requestID != "" && failed.requestID == again.requestID
	return same || multiset(t.calls)[failed.asked()] > multiset(usual)[failed.asked()]
}

// retried returns how a call was retried.
func retried(failed, again made) Reaction {
	switch again.requestID {
	case "":
		return RetriedNoID
	case failed.requestID:
		return RetriedSameID
	}
	return RetriedNewID
}

// following returns what the first call asks for that follows in the undisturbed run, after those that were made; empty: none does.
func following(usual, done []made) string {
	counts := maps.Clone(multiset(done))
	for _, m := range usual {
		if counts[m.asked()]--; counts[m.asked()] < 0 {
			return m.asked()
		}
	}
	return ""
}
