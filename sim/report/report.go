package report

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"

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
	switch format {
	case "text":
		return writeText(w, r)
	case "json":
		return writeJSON(w, r)
	case "html":
		return writePage(w, r)
	case "junit":
		return writeJUnit(w, r)
	}
	return errors.New("there is no format " + phrase.Quote(format) + " of reports: choose one of " + strings.Join(Formats, ", "))
}

// writeJSON writes the report in JSON. Lists without elements are written as such and not as null.
func writeJSON(w io.Writer, r Report) error {
	err := json.MarshalWrite(w, r, jsonv1.DefaultOptionsV1(), jsontext.EscapeForHTML(false),
		json.FormatNilSliceAsNull(false), jsontext.WithIndent("  "))
	if err == nil {
		_, err = io.WriteString(w, "\n")
	}
	return err
}

// maxNeverMet is how many answers are named that were never met, where fewer were met than should be (choice).
const maxNeverMet = 5

// Shortfall says in a line why fewer of the answers were met than FailUnder wants; empty: they were not. Where no operation was
// called, or none of their answers was possible, every threshold is missed.
func (r Report) Shortfall() string {
	c := r.Coverage
	switch {
	case c == nil || r.FailUnder == 0:
		return ""
	case called(c) == 0:
		return "no operation was called: does the app use the base URL of the simulator?"
	case c.Total.Possible == 0:
		return "no answer was possible: take the coverage again from the simulator, with GET /v1/coverage"
	case c.Total.PercentRounded >= r.FailUnder:
		return ""
	}
	var names []string
	for _, p := range c.NeverMet() {
		names = append(names, p.Operation+" "+label(p))
	}
	more := ""
	if n := len(names) - maxNeverMet; n > 0 {
		names, more = names[:maxNeverMet], fmt.Sprintf(" and %d more", n)
	}
	return fmt.Sprintf("%d %% of the answers were met (%d of %d), fewer than %d %%: never met were %s%s",
		c.Total.PercentRounded, c.Total.Met, c.Total.Possible, r.FailUnder, strings.Join(names, ", "), more)
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
