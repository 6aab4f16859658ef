package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/infer"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// inferCommand is described at length in docs/infer.md.
type inferCommand struct {
	File  string `arg:"" help:"A capture of requests and answers: an HTTP archive (HAR), or - for stdin."`
	Stubs bool   `help:"Answer requests to other paths by stubs, with the bodies of the capture."`
}

// Run prints a scenario under which the simulator answers the requests of a capture as the service did. It reports what
// the scenario can't explain, and fails then.
func (c inferCommand) Run(ctx context.Context, s streams) error {
	base := filepath.Base(c.File)
	name := strings.TrimSuffix(base, filepath.Ext(base))
	read := func() ([]byte, error) { return readFile(ctx, c.File) }
	if c.File == stdin {
		name, read = "capture", func() ([]byte, error) {
			return await(ctx, func() ([]byte, error) { return io.ReadAll(io.LimitReader(s.in, maxFile+1)) })
		}
	}
	capture, err := read()
	if err != nil {
		return wrongUse{err}
	}
	options := infer.Options{Name: name, Stubs: c.Stubs, Progress: s.line.start("leaving out what no answer needs")}
	result, err := infer.Infer(ctx, capture, options)
	if err != nil {
		return err
	}
	if _, err := s.out.Write(result.YAML); err != nil {
		return err
	}
	if _, err := io.WriteString(s.err, inferReport(result)); err != nil {
		return err
	}
	if len(result.Unexplained) > 0 {
		return errReported
	}
	return nil
}

// inferReport describes the found bank in words. The scenario is printed by itself.
func inferReport(r infer.Result) string {
	var out strings.Builder
	fmt.Fprintf(&out, "a bank of %s; the same answers: %d of %d\n",
		wording.Count(r.Rows, "row"), r.Agree, r.Agree+len(r.Unexplained))
	for _, d := range r.Unexplained {
		fmt.Fprintf(&out, "exchange %d, %s\n", d.Exchange, d.Request)
		for _, place := range d.Places {
			fmt.Fprintf(&out, "  %s\n", place)
		}
		if d.Rule != "" {
			fmt.Fprintf(&out, "  the bank refuses it: %s\n", d.Rule)
		}
	}
	if r.Untried > 0 {
		fmt.Fprintf(
			&out, "%s may not be needed: the search ended before it tried without each\n",
			wording.Count(r.Untried, "value"),
		)
	}
	if r.Stubs > 0 {
		fmt.Fprintf(&out, "%s, with bodies of the capture\n", wording.Count(r.Stubs, "stub"))
	}
	if len(r.Others) > 0 {
		fmt.Fprintf(&out, "not the interface's: %s\n", wording.Line(strings.Join(r.Others, ", ")))
	}
	if len(r.Unmasked) > 0 {
		fmt.Fprintf(&out, "as they are in the capture, for you to look at: %s\n", wording.Line(strings.Join(r.Unmasked, ", ")))
	}
	return out.String()
}
