package report

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/coverage"
	"github.com/digitalbanking-sim/banksim/sim/explore"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

// Format names the format of reports in JSON.
const Format = "banksim-report/1"

// Report is what a test suite met, and what failures did to an app.
type Report struct {
	Format       string            `json:"format"`                // banksim-report/1; Write sets it
	Version      string            `json:"version"`               // of banksim
	Coverage     *coverage.Summary `json:"coverage,omitzero"`     // nil, left out: there is none
	Explorations []explore.Report  `json:"explorations,omitzero"` // by their names
	FailUnder    int               `json:"failUnder,omitzero"`    // the least percentage of answers that must be met; 0: any
}

// Formats are the names of what Write writes.
var Formats = []string{"text", "json", "html", "junit"}

// MediaType returns the media type of a format.
func MediaType(format string) string {
	switch format {
	case "json":
		return "application/json"
	case "html":
		return "text/html"
	case "junit":
		return "application/xml"
	}
	return "text/plain"
}

// Write writes the report in a format.
func Write(w io.Writer, r Report, format string) error {
	r.Format = Format
	var data []byte
	switch format {
	case "text":
		data = writeText(r)
	case "json":
		var err error
		if data, err = writeJSON(r); err != nil {
			return fmt.Errorf("the report in JSON: %w", err)
		}
	case "html":
		data = writePage(r)
	case "junit":
		return writeJUnit(w, r)
	default:
		return errors.New("there is no format " + phrase.Quote(format) + " of reports: choose one of " + strings.Join(Formats, ", "))
	}
	_, err := w.Write(data)
	return err
}

// maxNeverMet is how many answers are named that were never met, where fewer were met than should be (choice).
const maxNeverMet = 5

// Shortfall says in a line why fewer of the answers were met than FailUnder wants; empty: they were not. Where no operation was
// called, or none of their answers was possible, every threshold is missed.
func (r Report) Shortfall() string {
	switch c := r.Coverage; {
	case c == nil || r.FailUnder == 0:
		return ""
	case called(c) == 0:
		return "no operation was called: does the app use the base URL of the simulator?"
	case c.Total.Possible == 0:
		return "no answer was possible: take the coverage again from the simulator, with GET /v1/coverage"
	case c.Total.PercentRounded >= r.FailUnder:
		return ""
	}
	never, more := r.Coverage.NeverMet(), ""
	if n := len(never) - maxNeverMet; n > 0 {
		never, more = never[:maxNeverMet], fmt.Sprintf(" and %d more", n)
	}
	total := r.Coverage.Total
	return fmt.Sprintf("%d %% of the answers were met (%d of %d), fewer than %d %%: never met were %s%s",
		total.PercentRounded, total.Met, total.Possible, r.FailUnder, strings.Join(fullNames(never), ", "), more)
}

// fullNames returns the names of points with their operations.
func fullNames(points []coverage.Point) []string {
	names := make([]string, len(points))
	for i, p := range points {
		names[i] = Line(p.Operation + " " + Name(p))
		if p.Dialect != string(sim.DialectDocument) {
			names[i] += " (" + p.Dialect + ")"
		}
	}
	return names
}

// called returns how many operations were called.
func called(c *coverage.Summary) int {
	n := 0
	for _, o := range c.Operations {
		if o.Called {
			n++
		}
	}
	return n
}

// findings returns how many findings an exploration has.
func findings(e explore.Report) int {
	n := 0
	for _, result := range e.Results {
		n += len(result.Findings)
	}
	return n
}

// findings returns how many findings all explorations have.
func (r Report) findings() int {
	n := 0
	for _, e := range r.Explorations {
		n += findings(e)
	}
	return n
}
