package testkit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/explore"
	"github.com/digitalbanking-sim/banksim/sim/journal"
)

// Limits of what is logged of a run.
const (
	loggedCalls       = 30
	loggedDifferences = 30
	loggedMessage     = 4000 // bytes
)

// verdict logs what a run came to, and fails its subtest if that is a finding.
func (x *exploration) verdict(t *testing.T, a *attempt, r explore.Result) {
	t.Helper()
	switch {
	case len(r.Findings) > 0:
		if t.Failed() && (r.Ended == explore.Hung || a.panicked == "") { // one that hangs may go on, and panic later
			a.bank.report()
		}
		t.Errorf("testkit: %s", x.finding(r))
	case r.Reaction == explore.DidNotNotice:
		t.Skipf("testkit: the failure did not reach the app: it didn't make the call in this run. Its calls: %s", strings.Join(r.Calls, ", "))
	default:
		t.Logf("testkit: %s: the app %s", r.Verdict, r.Reaction)
	}
}

// finding returns what is wrong with a run, and how to see it again.
func (x *exploration) finding(r explore.Result) string {
	var text strings.Builder
	text.WriteString(r.Name)
	for _, f := range r.Findings {
		text.WriteString("\n\t" + indented(shortMessage(f)))
	}
	fmt.Fprintf(&text, "\nverdict: %s; the app %s", r.Verdict, r.Reaction)
	if r.Ended == explore.Hung {
		fmt.Fprintf(&text, ": it did not end within %v", x.eachWithin)
	}
	said := strings.Join(r.Findings, "\n")
	if !strings.Contains(said, r.Message) {
		text.WriteString("\n\t" + indented(shortMessage(r.Message)))
	}
	list(&text, "its calls", r.Calls, loggedCalls)
	if r.Verdict != explore.NothingHappened {
		list(&text, "what differs from the undisturbed run", without(r.Differences, said), loggedDifferences)
	}
	list(&text, "to run it alone", []string{reproduction(x.name, r.Name)}, 1)
	list(&text, "the failure in another test", strings.Split("bank.Inject("+strings.TrimSpace(r.Go)+")", "\n"), loggedCalls)
	list(&text, "the failure in a scenario", strings.Split(strings.TrimSpace(r.YAML), "\n"), loggedCalls)
	return text.String()
}

// without returns the lines that a text doesn't have already.
func without(lines []string, text string) []string {
	return slices.DeleteFunc(slices.Clone(lines), func(line string) bool { return strings.Contains(text, line) })
}

// list writes lines under a title.
func list(text *strings.Builder, title string, lines []string, most int) {
	if len(lines) == 0 {
		return
	}
	fmt.Fprintf(text, "\n%s:", title)
	for _, line := range lines[:min(len(lines), most)] {
		text.WriteString("\n\t" + line)
	}
	if len(lines) > most {
		fmt.Fprintf(text, "\n\t… and %d more", len(lines)-most)
	}
}

func indented(text string) string { return strings.ReplaceAll(text, "\n", "\n\t") }

func shortMessage(text string) string {
	if len(text) > loggedMessage {
		return strings.ToValidUTF8(text[:loggedMessage], "") + " …"
	}
	return text
}

// conclude logs what the exploration came to, and writes its report.
func (x *exploration) conclude(t *testing.T) {
	t.Helper()
	report := x.Report()
	for i, r := range report.Results {
		report.Results[i].Run = reproduction(x.name, r.Name)
	}
	t.Log("testkit: " + summary(report))
	x.requireRuns(t, report)
	if x.reportTo != "" {
		if err := writeReport(x.reportTo, report); err != nil {
			t.Errorf("testkit: Explore: writing the report: %v", err)
		}
	}
}

// requireRuns fails a test that explored nothing, or less than it asked for by name: it would pass whatever the app does. What
// go test -run leaves out is left out on purpose.
func (x *exploration) requireRuns(t *testing.T, report explore.Report) {
	t.Helper()
	most, limited := failuresSelected(x.name, runFlag())
	switch elements, alternatives := patternElements(runFlag()); {
	case limited && !slices.ContainsFunc(report.Results, func(r explore.Result) bool { return len(r.Faults) == most }):
		t.Logf("testkit: no run has the name that go test -run selects (%s): the app doesn't make that call, or not any more", runFlag())
		return
	case alternatives || elements > strings.Count(x.name, "/")+1:
		return
	}
	for _, pattern := range x.patterns {
		if !x.matched[pattern] && report.Ended == "" {
			t.Errorf("testkit: OnlyFailures(%q) selects nothing: without a failure the app makes the calls %s", pattern, strings.Join(report.Calls, ", "))
		}
	}
	if nothing := report.Nothing(); nothing != "" && !t.Failed() {
		t.Errorf("testkit: Explore: %s", nothing)
	}
}

// summary returns what an exploration came to, in a few lines.
func summary(r explore.Report) string {
	var text strings.Builder
	verdicts := map[explore.Verdict]int{}
	var findings, unreached int
	for _, result := range r.Results {
		switch {
		case len(result.Findings) > 0:
			findings++
		case result.Reaction == explore.DidNotNotice:
			unreached++
		}
		if result.Reaction != explore.DidNotNotice {
			verdicts[result.Verdict]++
		}
	}
	fmt.Fprintf(&text, "explored %s in %d runs within %v", strings.Join(r.Calls, ", "), r.Runs, r.Took.Round(time.Millisecond))
	for _, v := range []explore.Verdict{explore.Completed, explore.NothingHappened, explore.HalfDone, explore.DoneTwice} {
		if verdicts[v] > 0 {
			fmt.Fprintf(&text, "\n\t%4d %s", verdicts[v], v)
		}
	}
	fmt.Fprintf(&text, "\n\t%4d with findings", findings)
	for _, line := range digest(r.Results) {
		text.WriteString("\n\t     " + line)
	}
	for _, line := range []struct {
		n    int
		text string
	}{
		{unreached, "in which the failure did not reach the app: they say nothing"},
		{r.SameAsAnother, "not made, because they can't differ from one that was"},
		{r.LeftOut, "not made, because they were not selected or a limit was reached"},
	} {
		if line.n > 0 {
			fmt.Fprintf(&text, "\n\t%4d %s", line.n, line.text)
		}
	}
	if r.Ended != "" {
		text.WriteString("\n\tit ended early: " + r.Ended)
	}
	if r.NotDeterministic != "" {
		text.WriteString("\n\tthe test is not deterministic: " + r.NotDeterministic)
	}
	return text.String()
}

// digested is how many kinds of findings the summary has at most.
const digested = 20

// digest returns what was found in a line for each kind of finding, with the first of the shortest runs that have it.
func digest(results []explore.Result) (lines []string) {
	counts, shortest := map[string]int{}, map[string]explore.Result{}
	var kinds []string
	for _, r := range results {
		if len(r.Findings) == 0 {
			continue
		}
		kind := fmt.Sprintf("%s after a failure of %s", problem(r), r.Faults[len(r.Faults)-1].Call.Operation)
		if counts[kind]++; counts[kind] == 1 {
			kinds, shortest[kind] = append(kinds, kind), r
		}
		if len(r.Faults) < len(shortest[kind].Faults) {
			shortest[kind] = r
		}
	}
	for _, kind := range kinds[:min(len(kinds), digested)] {
		lines = append(lines, fmt.Sprintf("%d %s: %s", counts[kind], kind, shortest[kind].Name))
	}
	return lines
}

// problem returns in a word what kind of finding a run has.
func problem(r explore.Result) string {
	switch {
	case r.Ended != explore.Passed:
		return string(r.Ended)
	case r.Verdict == explore.HalfDone || r.Verdict == explore.DoneTwice:
		return string(r.Verdict)
	}
	return "an invariant broken"
}

// requests returns the last requests of a run that came to nothing, in lines.
func requests(exchanges []journal.Exchange) string {
	if len(exchanges) == 0 {
		return " The bank had no request."
	}
	var text strings.Builder
	var lines []string
	for _, x := range exchanges[max(0, len(exchanges)-loggedCalls):] {
		lines = append(lines, fmt.Sprintf("%s %s: %d", x.Request.Method, cmp.Or(x.Operation, x.Request.Path), x.Response.Status))
	}
	list(&text, "its last requests", lines, loggedCalls)
	return text.String()
}
