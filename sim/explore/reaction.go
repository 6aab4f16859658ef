package explore

import (
	"maps"
)

// reaction returns what the app did after the last failure of a run, given the calls of the undisturbed run.
func reaction(r Run, ended Ended, t trace, usual []made) Reaction {
	at := t.fired(ruleName(len(r.Faults) - 1))
	switch {
	case at < 0 && ended == Hung:
		return HungAfterwards
	case at < 0:
		return DidNotNotice
	case ended == Hung:
		return HungAfterwards
	case at == len(t.calls)-1:
		return GaveUp
	}
	failed, then := t.calls[at], t.calls[at+1:]
	next := following(usual, t.calls[:at+1])
	for _, m := range then {
		switch {
		case next != "" && m.asked() == next && next != failed.asked():
			if m.asked() == then[0].asked() {
				return WentOn
			}
			return Compensated
		case m.asked() == failed.asked():
			return retried(failed, m)
		}
	}
	return Compensated
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
