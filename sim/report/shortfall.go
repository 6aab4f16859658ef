package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/coverage"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// Shortfall says in a line which of the answers that FailUnder wants are not covered. It returns "" if they are.
// FailUnder is the least number of covered answers, or a list of answers by name, separated by commas. An operation's
// name stands for all its answers that a correct client can meet. Without a call of an operation, every FailUnder is
// missed.
func (r Report) Shortfall() string {
	c := r.Coverage
	least, err := strconv.Atoi(r.FailUnder)
	switch {
	case c == nil || r.FailUnder == "":
		return ""
	case !slices.ContainsFunc(c.Operations, func(o coverage.OperationSummary) bool { return o.Called }):
		return "no operation was called: does the app use the base URL of the simulator?"
	case c.Total.Possible == 0:
		return "no answer was possible: take the coverage again from the simulator, with GET /v1/coverage"
	case err != nil:
		return shortfallOf(c, strings.Split(r.FailUnder, ","))
	case c.Total.Covered >= least:
		return ""
	}
	return fmt.Sprintf("%d of %d answers were met, fewer than %d: never met were %s",
		c.Total.Covered, c.Total.Possible, least, firstOf(answerNames(c.NotCovered())))
}

// CheckFailUnder returns an error for a text that Report.FailUnder can't be: each name begins with an operation.
func CheckFailUnder(text string) error {
	if _, err := strconv.ParseUint(text, 10, 31); text == "" || err == nil {
		return nil
	}
	for name := range strings.SplitSeq(text, ",") {
		operation, _, _ := strings.Cut(strings.TrimSpace(name), " ")
		if contract.Document().Operation(operation) == nil {
			return fmt.Errorf("%s is neither a number nor an answer as the report has it: there is no operation %s%s",
				wording.Quote(text), wording.Quote(operation),
				wording.DidYouMean(operation, contract.Names(), "the operations are"))
		}
	}
	return nil
}

// answerNames returns the names of answers, such as "groups.create 400 2004 group-exists".
func answerNames(points []coverage.Point) (names []string) {
	for _, p := range points {
		names = append(names, p.Operation+" "+label(p))
	}
	return names
}

// shortfallOf says which of the named answers are not covered. It returns "" if all are.
func shortfallOf(c *coverage.Summary, wanted []string) string {
	var missed, unknown []string
	for _, name := range wanted {
		name = strings.TrimSpace(name)
		known := false
		for _, o := range c.Operations {
			for _, p := range possible(o) {
				answer := o.Operation + " " + label(p.Point)
				isNamed := answer == name || strings.HasPrefix(answer, name+" ")
				if isNamed && (name != o.Operation || p.IsAnswer()) {
					known = true
					if state(p) == never {
						missed = append(missed, answer)
					}
				}
			}
		}
		if !known {
			unknown = append(unknown, wording.Quote(name))
		}
	}
	switch {
	case len(unknown) > 0:
		return "no operation that was called has the answer " + strings.Join(unknown, ", ") +
			": name an operation, or an answer as the report has it"
	case len(missed) > 0:
		return "never met were " + firstOf(missed)
	}
	return ""
}

// maxNames bounds the names of a line (choice).
const maxNames = 5

// firstOf returns the first names, and says how many more there are.
func firstOf(names []string) string {
	more := ""
	if n := len(names) - maxNames; n > 0 {
		names, more = names[:maxNames], fmt.Sprintf(" and %d more", n)
	}
	return strings.Join(names, ", ") + more
}
