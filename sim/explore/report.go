package explore

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

// Verdict is the bank's judgement on the end of a run, compared with that of the undisturbed run, up to generated ids,
// tokens and times.
type Verdict string

// The verdicts.
const (
	Completed       Verdict = "completed"        // the same state
	NothingHappened Verdict = "nothing happened" // the state of the start
	HalfDone        Verdict = "left half done"   // neither
	DoneTwice       Verdict = "done twice"       // the same state, and rows of it again
)

// Reaction is what the app did after a failure.
type Reaction string

// The reactions.
const (
	GaveUp         Reaction = "gave up"                          // it made no more calls
	RetriedSameID  Reaction = "retried with the same request id" // the same request
	RetriedNewID   Reaction = "retried with a new request id"    // the same request
	RetriedNoID    Reaction = "retried without a request id"     // the same request
	WentOn         Reaction = "went on regardless"               // with the call that follows in the undisturbed run
	Compensated    Reaction = "did something else"               // a call that the undisturbed run doesn't make
	DidNotNotice   Reaction = "was not reached by the failure"   // the fault didn't fire
	HungAfterwards Reaction = "hung"                             // it didn't end in its time
)

// Result is what a run came to.
type Result struct {
	Name     string        `json:"name"`
	Faults   []Aimed       `json:"faults"`
	Verdict  Verdict       `json:"verdict"`
	Reaction Reaction      `json:"reaction"` // to the last fault
	Ended    Ended         `json:"ended"`
	Message  string        `json:"message,omitzero"`
	Took     time.Duration `json:"took"` // nanoseconds
	// Calls are the names of the calls that the run made, with the statuses of their answers, such as "groups.create#1 500".
	Calls []string `json:"calls"`
	// Differences are the rows in which the end differs from that of the undisturbed run, each in a line.
	Differences []string `json:"differences"`
	// Findings say what is wrong, each in a sentence. None: nothing is.
	Findings []string `json:"findings"`
	SameAs   string   `json:"sameAs,omitzero"` // a run with fewer failures, or before it, whose findings and differences are the same
	YAML     string   `json:"yaml"`            // the faults of a scenario
	Run      string   `json:"run"`             // the command that makes this run alone

	place []int  // in the report
	cause string // the findings and differences, without the failures that led to them
}

// Report is what an exploration found.
type Report struct {
	Name  string   `json:"name"`
	Calls []string `json:"calls"` // of the undisturbed run, by their names
	// NotDeterministic names the first difference between the two undisturbed runs; empty: there is none.
	NotDeterministic string        `json:"notDeterministic,omitzero"`
	Results          []Result      `json:"results"` // in the order of the calls and failures
	Runs             int           `json:"runs"`
	SameAsAnother    int           `json:"sameAsAnother"`  // runs that were not made: calls, changes and failure were those of one that was
	LeftOut          int           `json:"leftOut"`        // runs that were not made because a bound was reached, or that were not selected
	Ended            string        `json:"ended,omitzero"` // which bound or interruption ended it early; empty: none
	Took             time.Duration `json:"took"`           // nanoseconds
}

// Findings returns how many findings there are.
func (r Report) Findings() int {
	n := 0
	for _, result := range r.Results {
		n += len(result.Findings)
	}
	return n
}

// Nothing says why the exploration says nothing about what the app does when a call fails, or which pattern selects no failure; empty:
// it says something.
func (e *Explorer) Nothing() string {
	r := e.Report()
	for _, pattern := range e.options.Only {
		if !e.matched[pattern] && r.Ended == "" {
			return fmt.Sprintf("%s selects no failure of the calls %s",
				phrase.Quote(pattern), strings.Join(r.Calls, ", "))
		}
	}
	switch {
	case len(r.Results) == 0:
		return "no run with a failure was made: " + cmp.Or(r.Ended, "all of them were skipped")
	case !slices.ContainsFunc(r.Results, func(result Result) bool { return result.Reaction != DidNotNotice }):
		return fmt.Sprintf("none of the %d failures reached the app: no call met them, or the bank has lost them", len(r.Results))
	}
	return ""
}

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
	after := afterFailures(r, o, t)
	result.Findings = e.findings(after, o, result, withoutEnd(t))
	for _, f := range result.Findings {
		result.cause += strings.TrimPrefix(f, after) + "\n"
	}
	if result.cause != "" {
		result.cause += strings.Join(differences, "\n")
	}
	return result
}

// findings says what is wrong with a run, each in a sentence, given after which failures. What it left says nothing about a failure
// that didn't reach it. An operation may have been retried without end.
func (e *Explorer) findings(after string, o Observation, result Result, retried string) []string {
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
	if retried != "" {
		add("it retries without end: it sent %s %d times, and each time it failed.", retried, stays)
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
	if o.Succeeded && reached && result.Verdict != Completed && len(findings) == 0 {
		add("it reported success, but the bank says: %s.", result.Verdict)
	}
	return findings
}

// withoutEnd returns the operation that a run has called with the same request until its failure stayed no longer; empty: none.
func withoutEnd(t trace) string {
	failed := map[string]int{}
	for _, m := range t.calls {
		if slices.Contains(m.fired, ruleName(0)) {
			failed[m.asked()]++
		}
		if failed[m.asked()] == stays {
			return m.Operation
		}
	}
	return ""
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
	next := "" // what the call asks for that follows in the undisturbed run, after those that were made; empty: none does
	if rest := subtract(usual, t.calls[:at+1], made.asked); len(rest) > 0 {
		next = rest[0].asked()
	}
	asksMore := slices.ContainsFunc(subtract(t.calls, usual, made.asked), func(m made) bool { return m.asked() == failed.asked() })
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
