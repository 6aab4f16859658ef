package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/digitalbanking-sim/banksim/sim/explore"
	"github.com/digitalbanking-sim/banksim/sim/report"
)

// exploredFiles are the files of a report, by the format of each.
var exploredFiles = map[string]string{"html": "explore.html", "json": "explore.json", "junit": "explore.xml"}

// report returns what was found so far, with the answers that the runs have met.
func (e *exploring) report(ctx context.Context) (r report.Report, err error) {
	found := e.engine.Report()
	for i, result := range found.Results {
		found.Results[i].Run = e.again(result.Name)
	}
	if ctx.Err() != nil {
		found.Ended = fmt.Sprintf("interrupted after %d of %d runs with failures", e.made, e.made+e.left)
	}
	r = report.Report{Format: report.Format, Version: version(), Explorations: []explore.Report{found}}
	r.Coverage, err = e.banks.coverage(ctx)
	return r, err
}

// verdict returns an error if there are findings, or if the exploration was interrupted.
func (e *exploring) verdict(ctx context.Context) error {
	switch {
	case ctx.Err() != nil:
		return interrupted{fmt.Errorf("interrupted after %d of %d runs with failures; findings: %d", e.made, e.made+e.left, e.findings)}
	case e.findings == 1:
		return errors.New("there is 1 finding")
	case e.findings > 0:
		return fmt.Errorf("there are %d findings", e.findings)
	}
	return nil
}

// reportFolder is the directory of a report.
type reportFolder string

// newReportFolder creates the directory, and checks that files can be written there: nobody wants to hear at the end that they
// can't. An empty name: there is no report but the text.
func newReportFolder(name string) (reportFolder, error) {
	if name == "" {
		return "", nil
	}
	if err := os.MkdirAll(name, 0o755); err != nil {
		return "", fmt.Errorf("--report: %w", err)
	}
	draft, err := os.CreateTemp(name, ".explore-*")
	if err != nil {
		return "", fmt.Errorf("--report: %w", err)
	}
	return reportFolder(name), errors.Join(draft.Close(), os.Remove(draft.Name()))
}

// write writes a report to the files, and as text. It gives up the text when now closes: it may be that nobody reads it. The
// answers that were met are where they don't hide the findings, and where none of them counts as a test that was skipped.
func (f reportFolder) write(r report.Report, out io.Writer, now <-chan struct{}) error {
	findings := r
	findings.Coverage = nil
	var failed error
	if f != "" {
		failed = errors.Join(f.writeFile(r, "html"), f.writeFile(r, "json"), f.writeFile(findings, "junit"))
	}
	written := make(chan error, 1)
	go func() {
		var text bytes.Buffer // at once, for others may write there, too
		err := report.Write(&text, findings, "text")
		_, unwritten := text.WriteTo(out)
		written <- errors.Join(err, unwritten)
	}()
	select {
	case err := <-written:
		return errors.Join(failed, err)
	case <-now:
		return failed
	}
}

func (f reportFolder) writeFile(r report.Report, format string) error {
	name := filepath.Join(string(f), exploredFiles[format])
	var content bytes.Buffer
	err := report.Write(&content, r, format)
	if err == nil {
		err = writeFile(name, content.Bytes(), plainMode)
	}
	if err != nil {
		return fmt.Errorf("--report: %s: %w", name, err)
	}
	return nil
}
