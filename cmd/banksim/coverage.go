package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/coverage"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
	"github.com/digitalbanking-sim/banksim/sim/report"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

type coverageCommand struct {
	Files         []string `arg:"" optional:"" name:"file" help:"Files of coverage, or directories with such files (*.json, also in directories below). Default: ask a running simulator."`
	Format        string   `default:"text" enum:"${reports}" env:"-" help:"Format of the report: ${enum}."`
	Output        string   `env:"-" placeholder:"FILE" help:"Write the report to this file. Default: print it."`
	MergeTo       string   `env:"-" placeholder:"FILE" help:"Write what was read, merged, to this file of coverage, too."`
	FailUnder     int      `env:"-" placeholder:"PERCENT" help:"Fail with exit code 1 if fewer of the answers were met."`
	AllOperations bool     `env:"-" help:"Count the answers of operations that were never called, too."`
	Operation     []string `env:"-" placeholder:"NAME" help:"Only this operation, such as ${operation}, or these, such as ${family}.*; repeat it for several."`

	// The simulator is not asked where files are named and it isn't, so its address has no variable that the parser reads.
	Control      string `env:"-" placeholder:"ADDRESS|URL" help:"Where the control API of a running simulator listens, which is asked besides the files. Default without a file: $BANKSIM_CONTROL, or 127.0.0.1:8081."`
	ControlToken string `placeholder:"TOKEN" help:"Token of the control API, if it needs one."`
	Sandbox      string `env:"-" placeholder:"NAME" help:"Ask for the coverage of this sandbox. Default: of all that there were since the simulator started."`
	controlTLSFlags
}

// Help says what the command is for.
func (coverageCommand) Help() string {
	return "Reports which of the documented answers a test suite has met, and which never: of a running simulator, of files that package testkit wrote because of BANKSIM_COVERAGE, or of both together."
}

// maxNeverMet is how many answers are named that were never met, where fewer were met than should be (choice).
const maxNeverMet = 5

// Run prints a report of all that it reads, and fails if less was met than should be.
func (c coverageCommand) Run(ctx context.Context, s streams) error {
	if err := c.check(); err != nil {
		return wrongUse{err}
	}
	merged, err := c.read(ctx)
	if err != nil {
		return err
	}
	if c.MergeTo != "" {
		if err := coverage.WriteFile(c.MergeTo, merged); err != nil {
			return fmt.Errorf("writing the merged coverage: %w", err)
		}
	}
	summary := c.summary(merged)
	reported := report.Report{Version: version(), Coverage: &summary, FailUnder: c.FailUnder}
	if err := c.write(s.out, reported); err != nil {
		return err
	}
	return c.verdict(reported)
}

// check refuses flags that make no sense.
func (c coverageCommand) check() error {
	switch {
	case c.FailUnder < 0 || c.FailUnder > 100:
		return fmt.Errorf("--fail-under %d is not a percentage from 0 to 100", c.FailUnder)
	case c.Sandbox != "" && c.Control == "" && len(c.Files) > 0:
		return errors.New("--sandbox is about a running simulator, and files are read instead of one: add --control, or leave it out")
	}
	for _, pattern := range c.Operation {
		if !slices.ContainsFunc(contract.Names(), func(name string) bool { return contract.Matches(pattern, name) }) {
			return fmt.Errorf("there is no operation %s%s", phrase.Quote(pattern), phrase.DidYouMean(pattern, contract.Patterns(), "the operations are"))
		}
	}
	return nil
}

// read returns the coverage of the files and of the simulator, merged.
func (c coverageCommand) read(ctx context.Context) (coverage.File, error) {
	files, err := coverageFiles(c.Files)
	if err != nil {
		return coverage.File{}, wrongUse{err}
	}
	if len(c.Files) == 0 || c.Control != "" {
		running, err := c.ask(ctx)
		if err != nil {
			return coverage.File{}, err
		}
		files = append(files, running)
	}
	return coverage.Merge(files...), nil
}

// ask returns the coverage of a running simulator.
func (c coverageCommand) ask(ctx context.Context) (answer coverage.File, err error) {
	flags := controlFlags{
		Control:         cmp.Or(c.Control, os.Getenv("BANKSIM_CONTROL"), "127.0.0.1:8081"),
		ControlToken:    c.ControlToken,
		Sandbox:         cmp.Or(c.Sandbox, sandbox.Default),
		controlTLSFlags: c.controlTLSFlags,
	}
	client, err := flags.client(ctx)
	if err != nil {
		return answer, err
	}
	path := "/v1/coverage"
	if c.Sandbox != "" {
		path = client.inSandbox("/coverage")
	}
	return answer, client.read(ctx, path, func(body io.Reader) error {
		answer, err = coverage.Read(body)
		return err
	})
}

// summary sums up what the flags select.
func (c coverageCommand) summary(merged coverage.File) coverage.Summary {
	if len(c.Operation) > 0 {
		merged = coverage.Only(merged, c.selects)
	}
	summary := coverage.Summarize(merged)
	if len(c.Operation) > 0 {
		summary.Operations = slices.DeleteFunc(summary.Operations, func(o coverage.OperationSummary) bool { return !c.selects(o.Operation) })
	}
	if c.AllOperations {
		summary = summary.CountAll()
	}
	return summary
}

// selects reports whether an operation is one of those that flags name.
func (c coverageCommand) selects(operation string) bool {
	return slices.ContainsFunc(c.Operation, func(pattern string) bool { return contract.Matches(pattern, operation) })
}

// write writes the report.
func (c coverageCommand) write(out io.Writer, r report.Report) error {
	var text bytes.Buffer // whole before any of it is written: a part of a report would pass for one
	if err := report.Write(&text, r, c.Format); err != nil {
		return err
	}
	if c.Output == "" {
		_, err := text.WriteTo(out)
		return err
	}
	if err := writeFile(c.Output, text.Bytes(), plainMode); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	return nil
}

// verdict returns an error if fewer answers were met than should be.
func (c coverageCommand) verdict(r report.Report) error {
	if !r.FallsShort() {
		return nil
	}
	s := r.Coverage
	called := slices.ContainsFunc(s.Operations, func(o coverage.OperationSummary) bool { return o.Called })
	switch {
	case !called:
		return fmt.Errorf("no operation was called, and --fail-under wants %d %% of the answers: does the app use the base URL of the simulator?", c.FailUnder)
	case s.Total.Possible == 0:
		return fmt.Errorf("no answer was possible, and --fail-under wants %d %% of them: take the coverage again from the simulator, with GET /v1/coverage", c.FailUnder)
	}
	return fmt.Errorf("%d %% of the answers were met (%d of %d), and --fail-under wants %d %%: never met were %s",
		s.Total.PercentRounded, s.Total.Met, s.Total.Possible, c.FailUnder, neverMet(s.NeverMet()))
}

// neverMet names the first points, and says how many more there are.
func neverMet(points []coverage.Point) string {
	var names []string
	for _, p := range points[:min(len(points), maxNeverMet)] {
		name := p.Operation + " " + report.Name(p)
		if p.Dialect != string(sim.DialectDocument) {
			name += " (" + p.Dialect + ")"
		}
		names = append(names, phrase.Shorten(report.Line(name)))
	}
	text := strings.Join(names, ", ")
	if more := len(points) - len(names); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
