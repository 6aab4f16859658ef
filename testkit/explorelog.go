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
	case len(r.Findings) > 0 && onTheWay(t.Name(), runFlag()):
		t.Logf("testkit: made because go test -run selects a run that follows from it; it has findings of its own: %s", strings.Join(r.Findings, "; "))
	case len(r.Findings) > 0:
		if a.panicked == "" && t.Failed() {
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
	fmt.Fprintf(&text, "\nthe app %s, and the change was: %s", r.Reaction, r.Verdict)
	if r.Ended == explore.Hung {
		fmt.Fprintf(&text, "\nit did not end within %v", x.eachWithin)
	}
	if r.Message != "" && !slices.ContainsFunc(r.Findings, func(f string) bool { return strings.Contains(f, r.Message) }) {
		text.WriteString("\n\t" + indented(shortMessage(r.Message)))
	}
	list(&text, "its calls", r.Calls, loggedCalls)
	list(&text, "what differs from the undisturbed run", r.Differences, loggedDifferences)
	list(&text, "to run it alone", []string{reproduction(x.name, r.Name)}, 1)
	list(&text, "the same failure in another test", strings.Split(strings.TrimSpace(r.Go), "\n"), loggedCalls)
	list(&text, "the same failure in a scenario", strings.Split(strings.TrimSpace(r.YAML), "\n"), loggedCalls)
	return text.String()
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
	if x.reportTo != "" {
		if err := writeReport(x.reportTo, report); err != nil {
			t.Errorf("testkit: Explore: writing the report: %v", err)
		}
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
