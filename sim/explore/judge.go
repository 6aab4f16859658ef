package explore

import (
	"fmt"
	"strings"
)

// judge returns what a run came to.
func (e *Explorer) judge(r Run, o Observation, t trace) Result {
	verdict, differences := compare(e.base.rows, newRows(o.Changes, t))
	result := Result{
		Name: r.Name(), Faults: r.Faults, Verdict: verdict, Reaction: reaction(r, o, t, e.base.calls), Ended: o.Ended,
		Message: o.Message, Took: o.Took, Calls: t.report(), Differences: differences, YAML: r.yaml(),
		place: r.place,
	}
	if e.options.Again != nil {
		result.Run = e.options.Again(result.Name)
	}
	result.Findings = e.findings(afterFailures(r, o, t), o, result)
	return result
}

// findings says what is wrong with a run, each in a sentence, given after which failures. What it left says nothing about a failure
// that didn't reach it.
func (e *Explorer) findings(after string, o Observation, result Result) []string {
	findings := []string{}
	add := func(format string, args ...any) {
		findings = append(findings, after+fmt.Sprintf(format, args...))
	}
	reached := result.Reaction != DidNotNotice
	if o.Ended == Hung {
		add("it hung: it didn't end in its time.")
	}
	if o.Evicted > 0 {
		add("it made more requests than the bank's journal holds, which has lost the first %d of them: "+
			"limit how often it tries again.", o.Evicted)
	}
	if e.options.AllOrNothing && reached && result.Verdict == HalfDone {
		add("the change is left half done.")
	}
	if e.options.AllOrNothing && reached && result.Verdict == DoneTwice {
		add("it is done twice.")
	}
	for _, broken := range firstOf(o.Broken, maxDifferences) {
		add("the end breaks an invariant: %s", oneLine(broken))
	}
	if o.Ended == Failed && !e.options.MayFail {
		add("it failed: %s", oneLine(o.Message))
	}
	if e.options.MayFail && o.Ended == Passed && reached && result.Verdict != Completed && len(findings) == 0 {
		add("it ended with exit code 0, as if it had worked, but the bank says: %s.", result.Verdict)
	}
	return findings
}

// afterFailures says which calls failed and how, and which failures no call has met.
func afterFailures(r Run, o Observation, t trace) string {
	var met, unmet []string
	for i, a := range r.Faults {
		if t.fired(ruleName(i)) >= 0 || o.Evicted > 0 {
			met = append(met, a.Call.Name()+" failed with "+a.Failure.Name)
		} else {
			unmet = append(unmet, a.Name())
		}
	}
	switch {
	case len(unmet) == 0:
		return "After " + strings.Join(met, " and ") + ", "
	case len(met) == 0:
		return "Although no call met " + strings.Join(unmet, " and ") + ", "
	}
	return "After " + strings.Join(met, " and ") + ", and although no call met " + strings.Join(unmet, " and ") + ", "
}

// oneLine puts a text on one line that isn't too long.
func oneLine(text string) string { return short(strings.Join(strings.Fields(text), " ")) }
