package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/infer"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// inferCommand is described at length in docs/infer.md.
type inferCommand struct {
	File  string   `arg:"" help:"A capture of requests and answers: an HTTP archive (HAR), or - for stdin."`
	Stubs bool     `help:"Answer requests to other paths by stubs, with the bodies of the capture."`
	Host  []string `help:"Another host than the service's own whose requests become stubs, too. May be repeated."`
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
	options := infer.Options{
		Name: name, Stubs: c.Stubs, Hosts: c.Host, Progress: s.line.start("looking for the bank"),
	}
	if c.File != stdin {
		options.Files = os.DirFS(filepath.Dir(c.File))
	}
	result, err := infer.Infer(ctx, capture, options)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(s.out, result.YAML); err != nil {
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

// maxLeftOut is how many entries that were left out are named (choice).
const maxLeftOut = 20

// inferReport describes the found bank in words. The scenario is printed by itself.
func inferReport(r infer.Result) string {
	var out strings.Builder
	for _, note := range r.Notes {
		fmt.Fprintf(&out, "%s\n", wording.Line(note))
	}
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
			&out, "the search ended early: %s may not be needed, and a switch may be missing\n",
			wording.Count(r.Untried, "value"),
		)
	}
	if r.Stubs > 0 {
		fmt.Fprintf(&out, "%s, with paths and bodies of the capture\n", wording.Count(r.Stubs, "stub"))
	}
	if r.Faults > 0 {
		count := wording.Count(r.Faults, "fault")
		fmt.Fprintf(&out, "%s, switched off, for answers of a broken or busy service\n", count)
	}
	for i, o := range r.LeftOut {
		if i == maxLeftOut {
			fmt.Fprintf(&out, "and %d more were left out\n", len(r.LeftOut)-i)
			break
		}
		fmt.Fprintf(&out, "exchange %d, %s, was left out: %s\n", o.Exchange, o.Request, o.Reason)
	}
	if len(r.Others) > 0 {
		fmt.Fprintf(&out, "not the interface's: %s\n", wording.Line(strings.Join(r.Others, ", ")))
	}
	if len(r.Unmasked) > 0 {
		fmt.Fprintf(&out, "as they are in the capture, for you to look at: %s\n", wording.Line(strings.Join(r.Unmasked, ", ")))
	}
	return out.String()
}
