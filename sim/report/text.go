package report

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/digitalbanking-sim/banksim/sim/coverage"
	"github.com/digitalbanking-sim/banksim/sim/explore"
)

// width is that of the text, in characters. What people have named and said may be longer.
const width = 100

// text is a report for the terminal in the making.
type text struct{ strings.Builder }

func (t *text) line(format string, values ...any) { fmt.Fprintf(t, format+"\n", values...) }

// writeText returns the report for the terminal. Findings come last, where they are still seen.
func writeText(r Report) []byte {
	t := &text{}
	if r.Coverage != nil {
		t.coverage(r)
	}
	for i := range r.Explorations {
		if t.Len() > 0 {
			t.line("")
		}
		t.exploration(&r.Explorations[i])
	}
	return []byte(t.String())
}

func (t *text) coverage(r Report) {
	c := r.Coverage
	count, others := operations(c)
	if called(c) == 0 && !c.All {
		t.line("Coverage: no operation was called, in %s.", plural(c.Runs, "run", "runs"))
		return
	}
	share := "none of"
	if c.Total.Possible > 0 {
		share = fmt.Sprintf("%d %% of", c.Total.PercentRounded)
	}
	t.line("Coverage: %s the answers of %s: %s. %s.", share,
		plural(len(count), "operation", "operations"), summary(c.Total), plural(c.Runs, "run", "runs"))
	if r.Shortfall() != "" {
		t.line("That is fewer than %d %%.", r.FailUnder)
	}
	longest := len("operation")
	for _, o := range count {
		longest = max(longest, utf8.RuneCountInString(o.Operation))
	}
	t.line("")
	t.line("%-*s  %-40s  %s", longest, "operation", "answers", "connection failures")
	for _, o := range count {
		t.line("%-*s  %3d %%  %-33s  %s", longest, Line(o.Operation), o.Answers.PercentRounded, summary(o.Answers), summary(o.Connections))
	}
	t.neverMet(count)
	if len(others) > 0 {
		names := make([]string, len(others))
		for i, o := range others {
			names[i] = Line(o.Operation)
		}
		t.line("")
		t.wrapped("never called: ", names)
	}
	if len(c.Entries) > 0 {
		answers := uint64(0)
		for _, e := range c.Entries {
			answers += e.Answers
		}
		t.line("")
		t.line("The answers rested on %s of the ledger.", plural(len(c.Entries), "entry", "entries"))
	}
}

// neverMet lists the answers that were never met, then what becomes of answers, and what was met only by a fault.
func (t *text) neverMet(operations []coverage.OperationSummary) {
	for _, list := range []struct {
		title string
		has   func(coverage.Met) bool
	}{
		{"never met", func(m coverage.Met) bool { return stateOf(m) == never && m.Connection == "" }},
		{"connection failures never met", func(m coverage.Met) bool { return stateOf(m) == never && m.Connection != "" }},
		{"met only by a fault", func(m coverage.Met) bool { return stateOf(m) == onlyByFault }},
	} {
		begun := false
		for _, o := range operations {
			if names := namesOf(o, list.has); len(names) > 0 {
				if !begun {
					t.line("\n%s", list.title)
					begun = true
				}
				t.wrapped("  "+Line(o.Operation)+": ", names)
			}
		}
	}
}

// namesOf returns the names of the points of an operation that a condition holds for.
func namesOf(o coverage.OperationSummary, has func(coverage.Met) bool) []string {
	var names []string
	several := len(dialects(o)) > 1
	for _, m := range o.Points {
		if !has(m) {
			continue
		}
		name := Line(Name(m.Point))
		if several {
			name += " (" + Line(m.Dialect) + ")"
		}
		names = append(names, name)
	}
	return names
}

// wrapped writes names that follow a word, in lines that aren't too long.
func (t *text) wrapped(first string, names []string) {
	now := first
	for i, name := range names {
		if i < len(names)-1 {
			name += ","
		}
		if i > 0 && utf8.RuneCountInString(now+name) > width {
			t.line("%s", strings.TrimRight(now, " "))
			now = strings.Repeat(" ", 4)
		}
		now += name + " "
	}
	t.line("%s", strings.TrimRight(now, " "))
}

func (t *text) exploration(e *explore.Report) {
	t.line("Exploration of %s: %s", Line(e.Name), explored(*e))
	for _, note := range notes(*e) {
		t.line("%s", clean(note))
	}
	calls := slices.Clone(e.Calls)
	counts := map[string]map[explore.Verdict]int{}
	for i := range e.Results {
		call := callsOf(e.Results[i].Name)
		if counts[call] == nil {
			counts[call] = map[explore.Verdict]int{}
			if !slices.Contains(calls, call) {
				calls = append(calls, call)
			}
		}
		if !unreached(&e.Results[i]) {
			counts[call][e.Results[i].Verdict]++
		}
	}
	t.verdicts(calls, counts)
	t.doubtful(e)
	n := 0
	for i := range e.Results {
		if r := &e.Results[i]; len(r.Findings) > 0 {
			n++
			t.line("\nFinding %d: %s", n, Line(r.Name))
			for _, finding := range told(r) {
				t.line("  %s", indented(finding, "  "))
			}
			t.line("%s", "  "+indented(story(r), "  "))
		}
	}
}

// callsOf returns the calls that the faults of a run were aimed at.
func callsOf(name string) string {
	var calls []string
	for fault := range strings.SplitSeq(name, "+") {
		call, _ := aim(fault)
		calls = append(calls, Line(call))
	}
	return strings.Join(calls, ", ")
}

// verdicts is a table of calls, and of how many runs in which they failed came to a verdict.
func (t *text) verdicts(calls []string, counts map[string]map[explore.Verdict]int) {
	if len(counts) == 0 {
		return
	}
	longest := len("the call that failed")
	for _, call := range calls {
		longest = max(longest, utf8.RuneCountInString(call))
	}
	t.line("")
	heading := fmt.Sprintf("%-*s", longest, "the call that failed")
	for _, v := range verdicts {
		heading += fmt.Sprintf("  %*s", len(v.verdict), v.verdict)
	}
	t.line("%s", heading)
	for _, call := range calls {
		if counts[call] == nil {
			continue
		}
		row := fmt.Sprintf("%-*s", longest, call)
		for _, v := range verdicts {
			number := "-"
			if n := counts[call][v.verdict]; n > 0 {
				number = fmt.Sprint(n)
			}
			row += fmt.Sprintf("  %*s", len(v.verdict), number)
		}
		t.line("%s", row)
	}
}

// doubtful lists the runs that are no findings but left something behind: whoever wants all or nothing makes them findings.
func (t *text) doubtful(e *explore.Report) {
	begun := false
	for i := range e.Results {
		r := &e.Results[i]
		if len(r.Findings) > 0 || severity(r) != "warn" {
			continue
		}
		if !begun {
			t.line("\nworth a look")
			begun = true
		}
		t.line("  %s: %s; %s", Line(r.Name), string(r.Verdict), reaction(r))
	}
}

// said is how many of the last lines of an app's message the text has.
const said = 20

// story says what happened in a run, and how to see it again.
func story(r *explore.Result) string {
	var s strings.Builder
	part := func(title, content string) {
		if content = strings.Trim(clean(content), "\n"); content != "" {
			fmt.Fprintf(&s, "\n%s:\n  %s", title, indented(content, "  "))
		}
	}
	fmt.Fprintf(&s, "%s; %s.", string(r.Verdict), reaction(r))
	part("the calls", strings.Join(r.Calls, "\n"))
	part("what differs from the undisturbed run", strings.Join(r.Differences, "\n"))
	part("what the app said", lastLines(r.Message, said))
	part("this run alone", r.Run)
	part("the fault in Go", r.Go)
	part("the fault in a scenario", r.YAML)
	return s.String()
}

// lastLines returns the end of a text, with a first line that says so if something is missing.
func lastLines(text string, most int) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if left := len(lines) - most; left > 0 {
		return fmt.Sprintf("(%s before)\n", plural(left, "line", "lines")) + strings.Join(lines[left:], "\n")
	}
	return strings.Join(lines, "\n")
}

// indented returns a text whose lines but the first begin with an indent.
func indented(text, indent string) string {
	return strings.ReplaceAll(clean(text), "\n", "\n"+indent)
}
