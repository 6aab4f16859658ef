package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/coverage"
	"github.com/digitalbanking-sim/banksim/sim/explore"
)

// label returns what a report calls a point of an operation: the status, the code and the rule of an answer, such as
// "400 2004 group-name-taken", or what becomes of it, such as "reset after the change".
func label(p coverage.Point) string {
	words := []string{strconv.Itoa(p.Status), p.Code, p.Rule}
	if p.Connection != "" {
		words = []string{p.Connection}
		if p.Phase != "" {
			words = append(words, p.Phase+" the change")
		}
	}
	if p.Dialect != string(sim.DialectDocument) {
		words = append(words, "("+p.Dialect+")")
	}
	return Line(strings.Join(words, " ")) // which leaves no space for an empty word
}

// How a point was met, as the page's style names it.
const (
	never       = "never"
	onlyByFault = "fault"
	byBank      = "met"
	impossible  = ""
)

func state(m coverage.Met) string {
	switch {
	case m.ByBank > 0:
		return byBank
	case m.Injected > 0:
		return onlyByFault
	case m.Possible:
		return never
	}
	return impossible
}

// how says how often a point was met.
func how(m coverage.Met) string {
	if state(m) == never {
		return "never met"
	}
	return fmt.Sprintf("met: by the bank %d, by a fault %d", m.ByBank, m.Injected)
}

// possible returns the points of an operation that could be met, or were.
func possible(o coverage.OperationSummary) []coverage.Met {
	return slices.DeleteFunc(slices.Clone(o.Points), func(m coverage.Met) bool { return state(m) == impossible })
}

// counted returns the operations that count.
func counted(c *coverage.Summary) []coverage.OperationSummary {
	return slices.DeleteFunc(slices.Clone(c.Operations), func(o coverage.OperationSummary) bool { return !o.Called && !c.All })
}

// neverCalled returns the names of the operations that don't count.
func neverCalled(c *coverage.Summary) (names []string) {
	for _, o := range c.Operations {
		if !o.Called && !c.All {
			names = append(names, Line(o.Operation))
		}
	}
	return names
}

// plural returns a number with its noun, whose plural has an s.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprint(n) + " " + noun + "s"
}

// summary says how many of the possible points were met by requests, and how many only by faults.
func summary(s coverage.Share) string {
	text := fmt.Sprintf("%d of %d met", s.Met, s.Possible)
	if s.OnlyByFault > 0 {
		text += fmt.Sprintf(", %d only by a fault", s.OnlyByFault)
	}
	return text
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

// verdicts are all verdicts.
var verdicts = []explore.Verdict{explore.Completed, explore.NothingHappened, explore.HalfDone, explore.DoneTwice}

// unreached reports whether the failure of a run did not reach the app: then its verdict says nothing.
func unreached(r explore.Result) bool { return r.Reaction == explore.DidNotNotice }

// count returns how many runs of an exploration came to a verdict.
func count(e explore.Report, v explore.Verdict) int {
	return runsThat(e, func(r explore.Result) bool { return r.Verdict == v && !unreached(r) })
}

// runsThat returns for how many runs of an exploration a condition holds.
func runsThat(e explore.Report, has func(explore.Result) bool) (n int) {
	for _, r := range e.Results {
		if has(r) {
			n++
		}
	}
	return n
}

// severity is how much a run deserves a look, as the page's style names it.
func severity(r explore.Result) string {
	switch {
	case len(r.Findings) > 0:
		return "bad"
	case unreached(r): // which says nothing
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

// notes sum an exploration up, and say what to know before relying on it.
func notes(e explore.Report) []string {
	all := []string{fmt.Sprintf("%s in %s, %s.", plural(e.Runs, "run"), e.Took.Round(time.Millisecond), plural(e.Findings(), "finding"))}
	note := func(runs int, text string) {
		if runs > 0 {
			all = append(all, fmt.Sprintf("%s: %s.", plural(runs, "run"), text))
		}
	}
	if len(e.Calls) > 0 {
		all = append(all, "Undisturbed, it calls "+strings.Join(e.Calls, ", ")+".")
	}
	note(e.SameAsAnother, "not made because nothing in it can differ from another one")
	note(e.LeftOut, "left out because a bound was reached, or not selected")
	note(runsThat(e, unreached), "the failure did not reach the app, which says nothing")
	if e.Ended != "" {
		all = append(all, "It ended early: "+e.Ended+".")
	}
	if e.NotDeterministic != "" {
		all = append(all, "The undisturbed runs are not alike: "+e.NotDeterministic+".")
	}
	return all
}

// part is something about a run that is shown as it is.
type part struct{ Title, Text string }

// parts say what happened in a run, and how to see it again.
func parts(r explore.Result) []part {
	var all []part
	for _, p := range []part{
		{"the calls", strings.Join(r.Calls, "\n")},
		{"what differs from the undisturbed run", strings.Join(r.Differences, "\n")},
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

// maxSaid is how many bytes of the end of an app's message a story has (choice).
const maxSaid = 2000

// Story says what happened in a run, and how to see it again.
func Story(r explore.Result) string {
	if len(r.Message) > maxSaid {
		r.Message = "…" + r.Message[len(r.Message)-maxSaid:]
	}
	story := fmt.Sprintf("%s; %s.", r.Verdict, reaction(r))
	for _, p := range parts(r) {
		story += fmt.Sprintf("\n%s:\n  %s", p.Title, indented(p.Text))
	}
	return clean(story)
}

// maxWarnings is how many of the runs that are worth a look a summary names (choice).
const maxWarnings = 20

// Summary says in some lines what an exploration came to. Its findings are told one by one, see [Story].
func Summary(e explore.Report) string {
	lines := append([]string{"Exploration of " + Line(e.Name)}, notes(e)...)
	var counts []string
	for _, v := range verdicts {
		counts = append(counts, fmt.Sprintf("%s %d", v, count(e, v)))
	}
	lines = append(lines, "The bank's verdicts: "+strings.Join(counts, ", ")+".")
	more := -maxWarnings
	for _, r := range e.Results {
		if severity(r) != "warn" {
			continue
		}
		if more++; more <= 0 {
			lines = append(lines, fmt.Sprintf("Worth a look: %s: %s; %s.", Line(r.Name), r.Verdict, reaction(r)))
		}
	}
	if more > 0 {
		lines = append(lines, fmt.Sprintf("Worth a look: %d more.", more))
	}
	return clean(strings.Join(lines, "\n"))
}

// indented returns a text whose lines but the first are indented.
func indented(text string) string { return strings.ReplaceAll(text, "\n", "\n  ") }
