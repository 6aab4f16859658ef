package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/infer"
	"github.com/digitalbanking-sim/banksim/sim/scratch"
)

// inferCommand is described at length in docs/infer.md.
type inferCommand struct {
	File  string `arg:"" help:"A capture of requests and answers: an HTTP archive (HAR), or - for stdin."`
	Stubs bool   `help:"Answer requests to other paths by stubs, with the bodies of the capture."`
}

// Run prints a scenario under which the simulator answers the requests of a capture as the service did. It reports what
// the scenario can't explain, and fails then.
func (c inferCommand) Run(ctx context.Context, s streams) error {
	in := s.in
	if c.File != stdin {
		if err := checkRegular(c.File); err != nil {
			return wrongUse{err}
		}
		file, err := os.Open(c.File)
		if err != nil {
			return wrongUse{err}
		}
		defer func() { _ = file.Close() }()
		in = file
	}
	capture, err := io.ReadAll(io.LimitReader(in, infer.MaxBytes+1))
	if err != nil {
		return err
	}
	base := filepath.Base(c.File)
	name := strings.TrimSuffix(base, filepath.Ext(base))
	if c.File == stdin {
		name = "capture"
	}
	options := infer.Options{Name: name, Stubs: c.Stubs, Progress: s.line.start("answering the capture")}
	found, err := infer.Infer(ctx, capture, scratch.Open, options)
	if err != nil {
		return err
	}
	if _, err := s.out.Write(found.YAML); err != nil {
		return err
	}
	if err := found.WriteText(s.err); err != nil {
		return err
	}
	if len(found.Unexplained) > 0 {
		return errReported
	}
	return nil
}
