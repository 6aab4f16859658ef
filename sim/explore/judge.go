package explore

import (
	"fmt"
	"strings"
)

// judge returns what a run came to.
func (e *Exploration) judge(r Run, o Observation, t trace) Result {
	c := compare(e.base.end, newEnd(o.Changes, t))
	result := Result{
		Name: r.Name(), Faults: r.Faults, Verdict: c.verdict, Reaction: reaction(r, o.Ended, t, e.base.trace.calls), Ended: o.Ended, Message: o.Message, Took: o.Took,
		Calls: t.names(), Differences: c.differences, Findings: []string{}, Go: goFaults(r), YAML: yamlFaults(r),
	}
	result.Findings = e.findings(r, o, result)
	return result
}

// findings says what is wrong with a run, each in a sentence.
func (e *Exploration) findings(r Run, o Observation, result Result) []string {
	found := []string{}
	add := func(format string, args ...any) {
		found = append(found, afterFailures(r)+fmt.Sprintf(format, args...))
	}
	if o.Ended == Hung {
		add("it hung: it didn't end in its time.%s", afterCalls(result.Calls))
	}
	if e.options.AllOrNothing {
		switch result.Verdict {
		case HalfDone:
			add("the change is left half done: %s.", left(result.Differences))
		case DoneTwice:
			add("it is done twice: %s.", left(result.Differences))
		}
	}
	for _, broken := range o.Broken {
		add("the end breaks an invariant: %s", short(broken))
	}
	if o.Ended == Failed && !e.options.MayFail {
		add("it failed: %s", short(o.Message))
	}
	return found
}

// afterFailures says which calls failed and how.
func afterFailures(r Run) string {
	names := make([]string, len(r.Faults))
	for i, a := range r.Faults {
		names[i] = a.Call.Name() + " failed with " + a.Failure.Name
	}
	return "After " + strings.Join(names, " and ") + ", "
}

// afterCalls says which call was the last one.
func afterCalls(calls []string) string {
	if len(calls) == 0 {
		return " It made no call."
	}
	return " Its last call: " + calls[len(calls)-1] + "."
}

// left says what a run left, in one line.
func left(differences []string) string {
	const most = 3
	if rest := len(differences) - most; rest > 0 {
		return strings.Join(differences[:most], "; ") + fmt.Sprintf("; and %d more", rest)
	}
	return strings.Join(differences, "; ")
}
