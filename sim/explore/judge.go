package explore

import (
	"fmt"
	"strings"
)

// judge returns what a run came to.
func (e *Exploration) judge(r Run, o Observation, t trace) Result {
	c := compare(e.base.end, newEnd(o.Changes, t, e.base.loose))
	result := Result{
		Name: r.Name(), Faults: r.Faults, Verdict: c.verdict, Reaction: reaction(r, o, t, e.base.trace.calls), Ended: o.Ended, Message: ending(o.Message), Took: o.Took,
		Calls: t.names(), Differences: c.differences, Findings: []string{}, Go: goFaults(r), YAML: yamlFaults(r),
	}
	result.Findings = e.findings(afterFailures(r, o, t), o, result, strings.Join(c.left, ", "))
	return result
}

// findings says what is wrong with a run, each in a sentence, given after which failures and what it left. What it left says nothing
// about a failure that didn't reach it.
func (e *Exploration) findings(after string, o Observation, result Result, left string) []string {
	found := []string{}
	add := func(format string, args ...any) {
		found = append(found, after+fmt.Sprintf(format, args...))
	}
	if o.Ended == Hung {
		add("it hung: it didn't end in its time.%s", afterCalls(result.Calls))
	}
	if o.Evicted > 0 {
		add("it made more requests than the bank's journal holds, which has lost the first %d of them: limit how often it tries again.", o.Evicted)
	}
	if e.options.AllOrNothing && result.Reaction != DidNotNotice {
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
	worked := o.Ended == Passed && result.Reaction != DidNotNotice
	if e.options.MayFail && worked && result.Verdict != Completed && len(found) == 0 {
		add("it ended with exit code 0, as if it had worked, but the bank says: %s.", result.Verdict)
	}
	return found
}

// afterFailures says which calls failed and how, and which failures no call has met.
func afterFailures(r Run, o Observation, t trace) string {
	var met, unmet []string
	for i, a := range r.Faults {
		if t.fired(ruleName(i)) >= 0 || o.Evicted > 0 {
			met = append(met, a.Call.Name()+" failed with "+a.Failure.Name)
			continue
		}
		unmet = append(unmet, a.Name())
	}
	var parts []string
	if len(met) > 0 {
		parts = append(parts, "after "+strings.Join(met, " and "))
	}
	if len(unmet) > 0 {
		parts = append(parts, "although no call met "+strings.Join(unmet, " and "))
	}
	return sentence(strings.Join(parts, ", and ")) + ", "
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
