package conformance

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
	"github.com/digitalbanking-sim/banksim/sim/report"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// Report is what the replays have found.
type Report struct {
	BaseURL string   `json:"baseUrl"`
	Stopped string   `json:"stopped,omitzero"` // why the rest was not run; empty: the check came to its end
	Results []Result `json:"results"`          // by exchange
}

// Result is the outcome of one golden exchange.
type Result struct {
	Exchange   string   `json:"exchange"`
	Operation  string   `json:"operation"`
	About      string   `json:"about"`
	Skipped    string   `json:"skipped,omitzero"`    // the reason; empty: it was replayed
	Error      string   `json:"error,omitzero"`      // why it could not be finished, or not be undone
	Drifts     []Drift  `json:"drifts,omitzero"`     // none: the service answers as the simulator does
	Ignored    []Drift  `json:"ignored,omitzero"`    // drifts of entries that are to be ignored
	LeftBehind []string `json:"leftBehind,omitzero"` // what the replay made and could not undo
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
	data, err := wire.EncodeIndented(r)
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
	skipped := map[string]int{} // by reason
	for _, result := range r.Results {
		for _, d := range result.Drifts {
			fmt.Fprintf(&found, "DRIFT %s\n  %s (%s)\n  %s\n", d.Exchange, d.Entry, d.Source, d.Message)
		}
		for _, d := range result.Ignored {
			fmt.Fprintf(&found, "IGNORED %s\n  %s\n", d.Exchange, d.Message)
		}
		for _, left := range result.LeftBehind {
			fmt.Fprintf(&found, "LEFT BEHIND by %s: %s\n", result.Exchange, left)
		}
		switch {
		case result.Error != "":
			failed++
			fmt.Fprintf(&found, "ERROR %s\n  %s\n", result.Exchange, result.Error)
		case result.Skipped != "":
			skipped[result.Skipped]++
		case len(result.Drifts) > 0:
			drifted++
		default:
			passed++
		}
	}
	tried := passed + drifted + failed
	if len(r.Results) == 0 {
		fmt.Fprintf(&head, "nothing was compared at %s", r.BaseURL)
	} else {
		fmt.Fprintf(&head, "%d of %s tried at %s", tried, phrase.Count(len(r.Results), "exchange"), r.BaseURL)
	}
	if tried < len(r.Results) {
		head.WriteString("; the others:")
	}
	byCount := func(a, b string) int { return cmp.Or(cmp.Compare(skipped[b], skipped[a]), cmp.Compare(a, b)) }
	for _, reason := range slices.SortedFunc(maps.Keys(skipped), byCount) {
		fmt.Fprintf(&head, "\n  %d: %s", skipped[reason], reason)
	}
	if r.Stopped != "" {
		fmt.Fprintf(&found, "STOPPED: %s\n", r.Stopped)
	}
	_, err := fmt.Fprintf(w, "%s\n%s%d passed, %d drifted, %d failed\n", &head, &found, passed, drifted, failed)
	return err
}

// WriteJUnit writes the report as JUnit XML for CI systems: a suite for each operation, a case for each exchange.
func (r Report) WriteJUnit(w io.Writer) error {
	all := report.JUnitSuite{Name: "banksim check"}
	for _, result := range r.Results {
		if n := len(all.Suites); n == 0 || all.Suites[n-1].Name != result.Operation {
			all.Suites = append(all.Suites, report.JUnitSuite{Name: result.Operation})
		}
		suite := &all.Suites[len(all.Suites)-1]
		suite.Cases = append(suite.Cases, result.junit())
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
		c.Failure = report.NewJUnitMessage(fmt.Sprintf("%d drifts\n%s", len(result.Drifts), lines(result.Drifts)))
	case len(result.LeftBehind) > 0:
		c.Failure = report.NewJUnitMessage("it left something behind")
	}
	c.Output += lines(result.Ignored)
	for _, left := range result.LeftBehind {
		c.Output += "left behind: " + left + "\n"
	}
	return c
}

// lines describes drifts, each in a line.
func lines(drifts []Drift) string {
	text := ""
	for _, d := range drifts {
		text += fmt.Sprintf("%s (%s): %s\n", d.Entry, d.Source, d.Message)
	}
	return text
}
