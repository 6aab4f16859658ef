package conformance

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/report"
	"github.com/digitalbanking-sim/banksim/sim/strictjson"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// Report is what the replays have found.
type Report struct {
	BaseURL string   `json:"baseUrl"`
	Stopped string   `json:"stopped,omitzero"` // why the rest was not run, or "" if the check came to its end
	Seed    uint64   `json:"seed,omitzero"`    // of the journeys, or 0 if there are none
	Results []Result `json:"results"`          // by exchange, and then by journey
}

// Result is the outcome of one golden exchange or one journey.
type Result struct {
	Exchange   string   `json:"exchange"`
	Operation  string   `json:"operation"`
	About      string   `json:"about"`               // of a journey, its steps
	Skipped    string   `json:"skipped,omitzero"`    // the reason, or "" if it was replayed
	Error      string   `json:"error,omitzero"`      // why it could not be finished, or not be undone
	Drifts     []Drift  `json:"drifts,omitzero"`     // empty if the service answers as the simulator does
	Ignored    []Drift  `json:"ignored,omitzero"`    // drifts of entries that are to be ignored
	LeftBehind []string `json:"leftBehind,omitzero"` // what the replay made and could not undo

	isJourney bool
}

// Drift is a difference between the simulator and the service.
type Drift struct {
	Exchange string         `json:"exchange"`
	Entry    string         `json:"entry"` // of the ledger
	Basis    contract.Basis `json:"basis"`
	Source   string         `json:"source"`
	Place    string         `json:"place"` // a status that was answered, a header, a member, or a preceding request
	Message  string         `json:"message"`
}

// Drifts returns all drifts but ignored ones.
func (r Report) Drifts() []Drift {
	var all []Drift
	for _, result := range r.Results {
		all = append(all, result.Drifts...)
	}
	return all
}

// Errors returns why exchanges could not be finished or undone.
func (r Report) Errors() []string {
	var all []string
	for _, result := range r.Results {
		if result.Error != "" {
			all = append(all, result.Exchange+": "+result.Error)
		}
	}
	return all
}

// LeftBehind returns what the check made and could not undo.
func (r Report) LeftBehind() []string {
	var all []string
	for _, result := range r.Results {
		all = append(all, result.LeftBehind...)
	}
	return all
}

// WriteJSON writes the report as JSON.
func (r Report) WriteJSON(w io.Writer) error {
	data, err := strictjson.EncodeIndented(r)
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	return err
}

// WriteText writes the report for people. It begins with the number of exchanges that were tried, and why others were
// not.
func (r Report) WriteText(w io.Writer) error {
	var head, found strings.Builder
	var passed, drifted, failed int
	exchanges, journeys := newTally(), newTally()
	for _, result := range r.Results {
		for _, d := range result.Drifts {
			fmt.Fprintf(&found, "DRIFT %s\n  %s (%s)\n  %s\n", d.Exchange, d.Entry, d.Source, d.Message)
		}
		if len(result.Drifts) > 0 {
			found.WriteString(result.steps())
		}
		for _, d := range result.Ignored {
			fmt.Fprintf(&found, "IGNORED %s\n  %s\n", d.Exchange, d.Message)
		}
		for _, leftover := range result.LeftBehind {
			fmt.Fprintf(&found, "LEFT BEHIND by %s: %s\n", result.Exchange, leftover)
		}
		tally := exchanges
		if result.isJourney {
			tally = journeys
		}
		tally.all++
		switch {
		case result.Error != "":
			failed++
			fmt.Fprintf(&found, "ERROR %s\n  %s\n", result.Exchange, result.Error)
		case result.Skipped != "":
			tally.skipped++
			tally.reasons[result.Skipped]++
		case len(result.Drifts) > 0:
			drifted++
		default:
			passed++
		}
	}
	switch {
	case len(r.Results) == 0:
		fmt.Fprintf(&head, "nothing was compared at %s", r.BaseURL)
	case exchanges.all > 0:
		exchanges.write(&head, wording.Count(exchanges.all, "exchange")+" tried at "+r.BaseURL)
	}
	if journeys.all > 0 {
		journeys.write(&head, fmt.Sprintf("%s of seed %d tried", wording.Count(journeys.all, "journey"), r.Seed))
	}
	if r.Stopped != "" {
		fmt.Fprintf(&found, "STOPPED: %s\n", r.Stopped)
	}
	_, err := fmt.Fprintf(w, "%s\n%s%d passed, %d drifted, %d failed\n", &head, &found, passed, drifted, failed)
	return err
}

// tally counts exchanges or journeys.
type tally struct {
	all, skipped int
	reasons      map[string]int // why they were skipped
}

func newTally() *tally { return &tally{reasons: map[string]int{}} }

// write writes how many were tried, and why others were not.
func (t *tally) write(head *strings.Builder, whole string) {
	if head.Len() > 0 {
		head.WriteString("\n")
	}
	fmt.Fprintf(head, "%d of %s", t.all-t.skipped, whole)
	if t.skipped > 0 {
		head.WriteString("; the others:")
	}
	byCount := func(a, b string) int { return cmp.Or(cmp.Compare(t.reasons[b], t.reasons[a]), cmp.Compare(a, b)) }
	for _, reason := range slices.SortedFunc(maps.Keys(t.reasons), byCount) {
		fmt.Fprintf(head, "\n  %d: %s", t.reasons[reason], reason)
	}
}

// WriteJUnit writes the report as JUnit XML for CI systems: a suite for each operation, a case for each exchange.
func (r Report) WriteJUnit(w io.Writer) error {
	all := report.JUnitSuite{Name: "banksim check"}
	for _, result := range r.Results {
		at := slices.IndexFunc(all.Suites, func(s report.JUnitSuite) bool { return s.Name == result.Operation })
		if at < 0 {
			at, all.Suites = len(all.Suites), append(all.Suites, report.JUnitSuite{Name: result.Operation})
		}
		all.Suites[at].Cases = append(all.Suites[at].Cases, result.junit())
	}
	return report.WriteJUnit(w, all)
}

func (result Result) junit() report.JUnitCase {
	c := report.JUnitCase{Class: result.Operation, Name: strings.TrimPrefix(result.Exchange, result.Operation+"/")}
	switch {
	case result.Error != "":
		c.Error = report.NewJUnitMessage(result.Error)
		c.Output = lines(result.Drifts)
	case result.Skipped != "":
		c.Skipped = report.NewJUnitMessage(result.Skipped)
	case len(result.Drifts) > 0:
		found := lines(result.Drifts) + result.steps()
		c.Failure = report.NewJUnitMessage(fmt.Sprintf("%d drifts\n%s", len(result.Drifts), found))
	case len(result.LeftBehind) > 0:
		c.Failure = report.NewJUnitMessage("it left something behind")
	}
	c.Output += lines(result.Ignored)
	for _, leftover := range result.LeftBehind {
		c.Output += "left behind: " + leftover + "\n"
	}
	return c
}

// steps lists the steps of a journey. It returns "" for an exchange.
func (result Result) steps() string {
	if !result.isJourney {
		return ""
	}
	return "  the steps:\n    " + strings.ReplaceAll(result.About, "\n", "\n    ") + "\n"
}

// lines describes drifts, each in a line.
func lines(drifts []Drift) string {
	text := ""
	for _, d := range drifts {
		text += fmt.Sprintf("%s (%s): %s\n", d.Entry, d.Source, d.Message)
	}
	return text
}
