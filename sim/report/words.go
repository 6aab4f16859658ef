package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/digitalbanking-sim/banksim/sim/coverage"
	"github.com/digitalbanking-sim/banksim/sim/explore"
)

// Name returns what a report calls a point of an operation: the status, the code and the rule of an answer, such as
// "400 2004 group-name-taken", or what becomes of it, such as "reset after the change".
func Name(p coverage.Point) string {
	var words []string
	if p.Connection != "" {
		words = append(words, p.Connection)
		if p.Phase != "" {
			words = append(words, p.Phase+" the change")
		}
	} else {
		words = append(words, statusOf(p))
	}
	for _, word := range []string{p.Code, p.Rule} {
		if word != "" {
			words = append(words, word)
		}
	}
	return strings.Join(words, " ")
}

// statusOf returns the status of an answer. Where there were too many that no description lists, they are counted without it.
func statusOf(p coverage.Point) string {
	if p.Status == 0 {
		return "any other status"
	}
	return strconv.Itoa(p.Status)
}

// state is how a point was met.
type state int

const (
	impossible state = iota
	never
	onlyByFault
	naturally
)

func stateOf(m coverage.Met) state {
	switch {
	case m.Naturally > 0:
		return naturally
	case m.Injected > 0:
		return onlyByFault
	case m.Possible:
		return never
	}
	return impossible
}

// words says how often a point was met.
func (s state) words(m coverage.Count) string {
	switch s {
	case naturally:
		if m.Injected > 0 {
			return fmt.Sprintf("met %s, and %s by a fault", times(m.Naturally), times(m.Injected))
		}
		return "met " + times(m.Naturally)
	case onlyByFault:
		return "met only by a fault, " + times(m.Injected)
	case never:
		return "never met"
	}
	return "not possible under the switches"
}

func times(n uint64) string {
	switch n {
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return fmt.Sprint(n) + " times"
}

// dialects returns those in which points of an operation are possible or were met: the points of others would only repeat them.
func dialects(o coverage.OperationSummary) []string {
	var all []string
	for _, p := range o.Points {
		if stateOf(p) != impossible && !slices.Contains(all, p.Dialect) {
			all = append(all, p.Dialect)
		}
	}
	return all
}

// operations returns the operations that count, and the others.
func operations(c *coverage.Summary) (count, others []coverage.OperationSummary) {
	for _, o := range c.Operations {
		if o.Called || c.All {
			count = append(count, o)
		} else {
			others = append(others, o)
		}
	}
	return count, others
}

// plural returns a number with its noun.
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// summary says how many of the possible points were met.
func summary(s coverage.Share) string {
	text := fmt.Sprintf("%d of %d met", s.Met, s.Possible)
	if s.OnlyByFault > 0 {
		text += fmt.Sprintf(", %d only by a fault", s.OnlyByFault)
	}
	return text
}

// rounded returns a length of time as people read it.
func rounded(d time.Duration) string {
	switch {
	case d >= 10*time.Second:
		return d.Round(time.Second).String()
	case d >= time.Second:
		return d.Round(10 * time.Millisecond).String()
	case d >= time.Millisecond:
		return d.Round(time.Millisecond).String()
	}
	return d.Round(time.Microsecond).String()
}

// short is the word of a verdict in a narrow place.
func short(v explore.Verdict) string {
	switch v {
	case explore.NothingHappened:
		return "nothing"
	case explore.HalfDone:
		return "half done"
	case explore.DoneTwice:
		return "twice"
	}
	return string(v)
}

// reaction says what the app did, and how it ended.
func reaction(r *explore.Result) string {
	words := "the app " + cmp.Or(string(r.Reaction), "did something unknown")
	switch {
	case r.Ended == explore.Hung && r.Reaction == explore.HungAfterwards:
	case r.Ended != "":
		words += "; its run " + string(r.Ended)
	}
	return words
}

// aim splits the name of a fault of a run, such as groups.create#1/500_2001, into its call and its failure.
func aim(name string) (call, failure string) {
	call, failure, _ = strings.Cut(name, "/")
	return call, failure
}

// clean returns a text of an app, or of whoever names a test, as it may be shown: control characters, which move the cursor of a
// terminal and which XML doesn't have, those that turn the direction of the text around, and bytes that are no UTF-8 are replaced.
func clean(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r), r == 0xfffe, r == 0xffff:
			return utf8.RuneError
		}
		return r
	}, strings.ToValidUTF8(text, string(utf8.RuneError)))
}

// Line returns a text of an app, or of a file, as it may be shown in a terminal: in one line, and without what moves its cursor.
func Line(text string) string { return strings.Join(strings.Fields(clean(text)), " ") }

// verdicts are all verdicts, with a sign and what they mean.
var verdicts = []struct {
	verdict explore.Verdict
	sign    string
	about   string
}{
	{explore.Completed, "✓", "the bank ends as undisturbed"},
	{explore.NothingHappened, "–", "the bank ends as it began"},
	{explore.HalfDone, "½", "something in between"},
	{explore.DoneTwice, "2×", "rows are there twice"},
}

func signOf(v explore.Verdict) string {
	for _, known := range verdicts {
		if known.verdict == v {
			return known.sign
		}
	}
	return "?"
}

// unreached reports whether the failure of a run did not reach the app: then its verdict says nothing.
func unreached(r *explore.Result) bool { return r.Reaction == explore.DidNotNotice }

// severity is how much a run deserves a look.
func severity(r *explore.Result) markup {
	switch {
	case len(r.Findings) > 0:
		return "bad"
	case unreached(r):
		return "plain"
	case r.Verdict == explore.HalfDone, r.Verdict == explore.DoneTwice, r.Ended == explore.Hung:
		return "warn"
	case r.Verdict == explore.Completed:
		return "good"
	}
	return "plain"
}

// shortReaction says what the app did in a narrow place.
func shortReaction(r *explore.Result) string {
	switch r.Reaction {
	case explore.RetriedSameID:
		return "retried, same id"
	case explore.RetriedNewID:
		return "retried, new id"
	case explore.RetriedNoID:
		return "retried, no id"
	case explore.WentOn:
		return "went on"
	case explore.Compensated:
		return "did otherwise"
	case explore.DidNotNotice:
		return "not reached"
	}
	return string(r.Reaction)
}

// told returns the findings of a run, without its name, which is near them anyway.
func told(r *explore.Result) []string {
	all := make([]string, len(r.Findings))
	for i, finding := range r.Findings {
		all[i] = strings.TrimPrefix(finding, r.Name+": ")
	}
	return all
}

// explored sums an exploration up.
func explored(e explore.Report) string {
	text := plural(e.Runs, "run", "runs") + " in " + rounded(e.Took) + ", " + plural(findings(e), "finding", "findings") + "."
	if e.SameAsAnother > 0 {
		text += " " + plural(e.SameAsAnother, "run was", "runs were") + " not made because nothing in it can differ from another one."
	}
	return text
}

// notes are what to know before relying on an exploration.
func notes(e explore.Report) []string {
	var all []string
	if e.Ended != "" {
		all = append(all, "It ended early: "+e.Ended+".")
	}
	if e.LeftOut > 0 {
		all = append(all, plural(e.LeftOut, "run was", "runs were")+" left out: a bound was reached, or they were not selected.")
	}
	n := 0
	for i := range e.Results {
		if unreached(&e.Results[i]) {
			n++
		}
	}
	if n > 0 {
		all = append(all, "In "+plural(n, "run", "runs")+" the failure did not reach the app: that says nothing.")
	}
	if e.NotDeterministic != "" {
		all = append(all, "The undisturbed runs are not alike: "+e.NotDeterministic)
	}
	return all
}
