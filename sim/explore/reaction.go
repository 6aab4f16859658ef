package explore

// reaction returns what the app did after the last failure of a run, given the calls of the undisturbed run.
func reaction(r Run, o Observation, t trace, usual []made) Reaction {
	at := t.fired(ruleName(len(r.Faults) - 1))
	switch {
	case o.Ended == Hung:
		return HungAfterwards
	case at < 0 && o.Evicted > 0: // the journal has lost the call that failed
		return Compensated
	case at < 0:
		return DidNotNotice
	case at == len(t.calls)-1:
		return GaveUp
	}
	failed, then := t.calls[at], t.calls[at+1:]
	next := following(usual, t.calls[:at+1])
	asksMore := multiset(t.calls)[failed.asked()] > multiset(usual)[failed.asked()]
	for i, m := range then {
		sameID := failed.requestID != "" && failed.requestID == m.requestID
		switch {
		// Where the undisturbed run asks for that once more in any case, it may be no retry.
		case m.asked() == failed.asked() && (next != m.asked() || sameID || asksMore):
			return retried(failed, m)
		case m.asked() == next && i == 0:
			return WentOn
		case m.asked() == next:
			return Compensated
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
	counts := multiset(done)
	for _, m := range usual {
		if counts[m.asked()]--; counts[m.asked()] < 0 {
			return m.asked()
		}
	}
	return ""
}
