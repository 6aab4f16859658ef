package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/explore"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// Summary returns some lines about an exploration, without its findings.
func Summary(e explore.Report) string { return execute("summary", e) }

// maxMessage bounds the end of an app's message in a story, in bytes (choice).
const maxMessage = 2000

// Story says what happened in a run, and how to see it again.
func Story(r explore.Result) string {
	if len(r.Message) > maxMessage {
		r.Message = "…" + r.Message[len(r.Message)-maxMessage:]
	}
	return execute("story", r)
}

var verdicts = []explore.Verdict{explore.Completed, explore.NothingHappened, explore.HalfDone, explore.DoneTwice}

// isUnreached reports whether the failure of a run did not reach the app. The verdict says nothing then.
func isUnreached(r explore.Result) bool { return r.Reaction == explore.NotReached }

// verdictCounts says how many runs came to each verdict.
func verdictCounts(e explore.Report) string {
	counts := make([]string, len(verdicts))
	for i, v := range verdicts {
		n := countRuns(e, func(r explore.Result) bool { return r.Verdict == v && !isUnreached(r) })
		counts[i] = fmt.Sprintf("%s %d", v, n)
	}
	return strings.Join(counts, ", ")
}

func countRuns(e explore.Report, isCounted func(explore.Result) bool) (n int) {
	for _, r := range e.Results {
		if isCounted(r) {
			n++
		}
	}
	return n
}

// severity says how much a run deserves a look. It is a class of the page's style.
func severity(r explore.Result) string {
	switch {
	case len(r.Findings) > 0:
		return "bad"
	case isUnreached(r):
		return ""
	case r.Verdict == explore.HalfDone, r.Verdict == explore.DoneTwice:
		return "warn"
	case r.Verdict == explore.Completed:
		return "good"
	}
	return ""
}

// reaction says what the app did, and how it ended.
func reaction(r explore.Result) string {
	return fmt.Sprintf("the app %s; its run %s", r.Reaction, r.Ended)
}

// worthALook returns the runs that left something half done or did it twice, without a finding.
func worthALook(e explore.Report) []explore.Result {
	return slices.DeleteFunc(slices.Clone(e.Results), func(r explore.Result) bool { return severity(r) != "warn" })
}

// sameAs returns the names of the runs with the same findings as a run.
func sameAs(e explore.Report, name string) (names []string) {
	for _, r := range e.Results {
		if r.SameAs == name {
			names = append(names, Line(r.Name))
		}
	}
	return names
}

// notes sum up an exploration, and say what to know before relying on it.
func notes(e explore.Report) []string {
	all := []string{fmt.Sprintf("%s in %s, %s.",
		wording.Count(e.Runs, "run"), e.Took.Round(time.Millisecond), wording.Count(e.Findings(), "finding"))}
	add := func(isTrue bool, format string, args ...any) {
		if isTrue {
			all = append(all, Line(fmt.Sprintf(format, args...)))
		}
	}
	add(len(e.Calls) > 0, "Undisturbed, it calls %s.", strings.Join(e.Calls, ", "))
	add(len(e.Refused) > 0, "Undisturbed, it is refused: %s.", strings.Join(e.Refused, ", "))
	add(e.SameAsAnother > 0, "%s: not made because nothing in it can differ from another one.",
		wording.Count(e.SameAsAnother, "run"))
	add(e.LeftOut > 0, "%s: left out because a bound was reached, or not selected.", wording.Count(e.LeftOut, "run"))
	unreached := countRuns(e, isUnreached)
	add(unreached > 0, "%s: the failure did not reach the app, which says nothing.", wording.Count(unreached, "run"))
	add(e.Ended != "", "It ended early: %s.", e.Ended)
	add(e.NotDeterministic != "", "The undisturbed runs are not alike: %s.", e.NotDeterministic)
	return all
}

// lines returns an app's texts, a line each.
func lines(texts []string) string {
	all := make([]string, len(texts))
	for i, text := range texts {
		all[i] = Line(text)
	}
	return strings.Join(all, "\n")
}

// part is a part of a story that keeps its lines.
type part struct{ Title, Text string }

// parts returns what happened in a run, and how to see it again, without empty parts.
func parts(r explore.Result) (all []part) {
	for _, p := range []part{
		{"the calls", lines(r.Calls)},
		{"what differs from the undisturbed run", lines(r.Differences)},
		{"what the app said", r.Message},
		{"this run alone", r.Run},
		{"the fault in a scenario", r.YAML},
	} {
		if p.Text = strings.Trim(p.Text, "\n"); p.Text != "" {
			all = append(all, p)
		}
	}
	return all
}
