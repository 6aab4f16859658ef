package explore

import (
	"fmt"
	"slices"
	"strings"
)

// Verdict says how the end of a run compares with the end of the undisturbed run.
type Verdict string

// The verdicts.
const (
	Completed       Verdict = "completed"        // the same rows
	NothingHappened Verdict = "nothing happened" // the rows of the start
	HalfDone        Verdict = "left half done"   // other rows
	DoneTwice       Verdict = "done twice"       // the same rows, and some of them again
)

// judge returns the result of a run.
func (e *Explorer) judge(r Run, o Observation, t trace) Result {
	verdict, differences := compareRows(e.baseline.rows, newRows(o.Changes, t))
	result := Result{
		Name: r.Name(), Faults: r.Faults, Verdict: verdict, Reaction: reactionTo(r, o, t, e.baseline.calls),
		Ended: o.Ended, Message: o.Message, Took: o.Took, Calls: t.report(), Differences: differences,
		Findings: []string{}, YAML: r.yaml(), order: r.order,
	}
	if e.options.Reproduce != nil {
		result.Run = e.options.Reproduce(result.Name)
	}
	after := afterFailures(r, o, t)
	for _, finding := range e.options.findings(o, t, result) {
		result.Findings = append(result.Findings, after+finding)
		result.cause += finding + "\n"
	}
	if result.cause != "" {
		result.cause += strings.Join(differences, "\n")
	}
	return result
}

// findings returns a sentence for each thing that is wrong with a run. The end of the bank is no finding if the failure
// didn't reach the app.
func (options Options) findings(o Observation, t trace, result Result) (findings []string) {
	add := func(isFinding bool, format string, args ...any) {
		if isFinding {
			findings = append(findings, fmt.Sprintf(format, args...))
		}
	}
	reached := result.Reaction != NotReached
	differs := reached && result.Verdict != Completed
	add(o.Ended == Hung, "it hung: it didn't end in its time.")
	add(o.Evicted > 0, "it made more requests than the bank's journal holds, which has lost the first %d of them: "+
		"limit how often it tries again.", o.Evicted)
	retried := endlesslyRetried(t)
	add(retried != "", "it retries without end: it sent %s %d times, and each time it failed.", retried, stayingCalls)
	add(options.AllOrNothing && reached && result.Verdict == HalfDone, "the change is left half done.")
	add(options.AllOrNothing && reached && result.Verdict == DoneTwice, "it is done twice.")
	for _, broken := range firstOf(o.Broken, maxDifferences) {
		add(true, "the end breaks an invariant: %s", oneLine(broken))
	}
	add(o.Ended == Failed && !options.MayFail, "it failed: %s", oneLine(o.Message))
	add(options.MayFail && o.Ended == Passed && differs && len(findings) == 0,
		"it ended with exit code 0, as if it had worked, but the bank says: %s.", result.Verdict)
	add(o.Succeeded && differs && len(findings) == 0, "it reported success, but the bank says: %s.", result.Verdict)
	return findings
}

// endlesslyRetried returns the operation that a run has called with the same request until its failure stayed no
// longer, or "".
func endlesslyRetried(t trace) string {
	failed := map[string]int{}
	for _, c := range t.calls {
		if slices.Contains(c.fired, ruleName(0)) {
			failed[c.asks()]++
		}
		if failed[c.asks()] == stayingCalls {
			return c.Operation
		}
	}
	return ""
}

// afterFailures begins a finding. It says which calls failed and how, or which failure no call reached.
func afterFailures(r Run, o Observation, t trace) string {
	var failed []string
	for i, f := range r.Faults {
		if t.lastFired(i) < 0 && o.Evicted == 0 {
			return "Although no call reached " + f.Name() + ", "
		}
		failed = append(failed, f.Call.Name()+" failed with "+f.Failure.Name)
	}
	return "After " + strings.Join(failed, " and ") + ", "
}
