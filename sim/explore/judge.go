package explore

import (
	"fmt"
	"strings"
)

// judge returns what a run came to.
func (e *Exploration) judge(r Run, o Observation, t trace) Result {
	c := compare(e.base.end, newEnd(o.Changes, t))
	result := Result{
		Name: r.Name(), Faults: r.Faults, Verdict: c.verdict, Reaction: reaction(r, o.Ended, t, e.base.trace.calls), Ended: o.Ended, Message: ending(o.Message), Took: o.Took,
		Calls: t.names(), Differences: c.differences, Findings: []string{}, Go: goFaults(r), YAML: yamlFaults(r),
	}
	result.Findings = e.findings(r, o, result, strings.Join(c.left, ", "))
	return result
}

// findings says what is wrong with a run, each in a sentence, given what it left.
func (e *Exploration) findings(r Run, o Observation, result Result, left string) []string {
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
			add("the change is left half done: %s.", left)
		case DoneTwice:
			add("it is done twice: %s.", left)
		}
	}
	for i, broken := range o.Broken {
		if i == maxDifferences {
			add("the end breaks %d more invariants", len(o.Broken)-maxDifferences)
			break
		}
		add("the end breaks an invariant: %s", short(oneLine(broken)))
	}
	if o.Ended == Failed && !e.options.MayFail {
		add("it failed: %s", short(oneLine(o.Message)))
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

// maxMessage is how much of what an app says a report keeps, in bytes: there may be thousands of runs.
const maxMessage = 4 << 10

// ending returns the end of a message that is too long to be kept.
func ending(message string) string {
	if len(message) <= maxMessage {
		return message
	}
	return "… " + strings.ToValidUTF8(message[len(message)-maxMessage:], "")
}

// oneLine puts a text on one line.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
