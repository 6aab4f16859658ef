package controlapi

import (
	"bytes"
	"net/http"
	"slices"
	"strconv"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/coverage"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
	"github.com/digitalbanking-sim/banksim/sim/report"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// getCoverage takes ?operation= and answers what was met since the start of the simulator, in all sandboxes.
func (a control) getCoverage(w http.ResponseWriter, r *http.Request) error {
	return a.replyCoverage(w, r, a.Sandboxes.Coverage())
}

// getSandboxCoverage takes ?operation= and answers what was met in a sandbox since its creation.
func (a control) getSandboxCoverage(w http.ResponseWriter, r *http.Request, sb *sandbox.Sandbox) error {
	return a.replyCoverage(w, r, sb.Coverage())
}

// replyCoverage answers 200 with a run.
func (a control) replyCoverage(w http.ResponseWriter, r *http.Request, c *coverage.Counter) error {
	operation, err := operationOf(r)
	if err != nil {
		return err
	}
	run := c.Run(a.Version)
	if operation != "" {
		run = run.Only(func(name string) bool { return name == operation })
	}
	return reply(w, coverage.File{Format: coverage.Format, Runs: []coverage.Run{run}})
}

// operationOf returns the operation that a call names in its query; empty: none.
func operationOf(r *http.Request) (string, error) {
	operation := r.URL.Query().Get("operation")
	if _, known := contract.Find(operation); !known && operation != "" {
		return "", refuse(http.StatusBadRequest, "there is no operation %s%s", phrase.Quote(operation),
			phrase.DidYouMean(operation, contract.Names(), "the operations are"))
	}
	return operation, nil
}

// defaultReport is the format of a report for which none is named: that of who opens it in a browser.
const defaultReport = "html"

// reportPolicy lets no report run anything in the origin of the control API, besides what the page's own policy says.
const reportPolicy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

// getReport takes ?format= and ?sandbox=, and answers with a report of what was met. 404 if there is no such sandbox.
func (a control) getReport(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	format := defaultReport
	if query.Has("format") {
		if format = query.Get("format"); !slices.Contains(report.Formats, format) {
			return refuse(http.StatusBadRequest, "there is no format %s of reports%s", phrase.Quote(format), phrase.DidYouMean(format, report.Formats, "the formats are"))
		}
	}
	counter := a.Sandboxes.Coverage()
	if query.Has("sandbox") {
		sb, err := a.sandbox(query.Get("sandbox"))
		if err != nil {
			return err
		}
		counter = sb.Coverage()
	}
	// It is made for the call, and large.
	release, err := a.takeRoom()
	if err != nil {
		return err
	}
	defer release()
	summary := coverage.Summarize(coverage.File{Format: coverage.Format, Runs: []coverage.Run{counter.Run(a.Version)}}, false)
	var page bytes.Buffer
	if err := report.Write(&page, report.Report{Version: a.Version, Coverage: &summary}, format); err != nil {
		return err
	}
	header := w.Header()
	header.Set("Content-Type", report.MediaType(format)+"; charset=utf-8")
	header.Set("Content-Security-Policy", reportPolicy)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Content-Length", strconv.Itoa(page.Len()))
	_, _ = w.Write(page.Bytes()) // it fails if the client has disconnected, and then nobody can be told
	return nil
}

// reportMedia returns the media types of reports.
func reportMedia() []string {
	all := make([]string, len(report.Formats))
	for i, format := range report.Formats {
		all[i] = report.MediaType(format)
	}
	return all
}
