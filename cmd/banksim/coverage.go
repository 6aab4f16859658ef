package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/digitalbanking-sim/banksim/sim/coverage"
	"github.com/digitalbanking-sim/banksim/sim/report"
)

// coverageCommand is the command that docs/exploring.md describes. If files are named, the simulator is asked only if a
// flag names it, so Control doesn't come from a variable by itself.
type coverageCommand struct {
	Files         []string `arg:"" optional:"" name:"file" help:"Files of coverage, or directories with such files. Default: a simulator."`
	Format        string   `default:"text" enum:"text,json,html,junit" help:"Format of the report: ${enum}."`
	FailUnder     string   `placeholder:"N|NAME,..." help:"Exit with 1 if fewer answers were met, or one of those named was not."`
	AllOperations bool     `help:"Count the answers of operations that were never called, too."`
	Control       string   `env:"-" placeholder:"ADDRESS|URL" help:"Ask this simulator besides files. Without any, the default is $$BANKSIM_CONTROL or 127.0.0.1:8081."`
	ControlToken  string   `placeholder:"TOKEN" help:"Token of the control API, if it needs one."`
	Sandbox       string   `placeholder:"NAME" help:"Ask for this sandbox. Default: all that there were since the simulator started."`
	controlTLSFlags
}

// Validate refuses flags about a simulator that isn't asked.
func (c coverageCommand) Validate(kctx *kong.Context) error {
	if len(c.Files) == 0 || c.Control != "" || c.Sandbox != "" {
		return nil
	}
	return refuseUseless(kctx, "without --control or --sandbox where files are named", controlFlagNames...)
}

// Run prints the report, and fails if less is covered than --fail-under wants.
func (c coverageCommand) Run(ctx context.Context, s streams) error {
	if err := report.CheckFailUnder(c.FailUnder); err != nil {
		return wrongUse{fmt.Errorf("--fail-under: %w", err)}
	}
	runs, err := readCoverage(ctx, c.Files)
	if err != nil {
		return wrongUse{err}
	}
	if len(c.Files) == 0 || c.Control != "" || c.Sandbox != "" {
		running, err := c.ask(ctx, s.lookup)
		if err != nil {
			return err
		}
		runs = append(runs, running.Runs...)
	}
	summary := coverage.Summarize(coverage.File{Runs: runs}, c.AllOperations)
	r := report.Report{Version: version(), Coverage: &summary, FailUnder: c.FailUnder}
	if err := report.Write(s.out, r, c.Format); err != nil {
		return err
	}
	if shortfall := r.Shortfall(); shortfall != "" {
		return errors.New(shortfall)
	}
	return nil
}

// ask returns the coverage of a running simulator or of one of its sandboxes.
func (c coverageCommand) ask(ctx context.Context, lookup lookupEnv) (f coverage.File, err error) {
	fromVariable, _ := lookup("BANKSIM_CONTROL")
	client, err := controlFlags{
		Control:         cmp.Or(c.Control, fromVariable, "127.0.0.1:8081"),
		ControlToken:    c.ControlToken,
		controlTLSFlags: c.controlTLSFlags,
	}.client(ctx, c.Sandbox)
	if err != nil {
		return f, err
	}
	path := "/v1/coverage"
	if c.Sandbox != "" {
		path += "?sandbox=" + url.QueryEscape(c.Sandbox)
	}
	err = client.Get(ctx, path, &f)
	return f, withSandboxRemedy(err)
}

// readCoverage returns the runs of coverage files and directories. The error names all files that can't be read.
func readCoverage(ctx context.Context, names []string) (runs []coverage.Run, err error) {
	var problems []error
	for _, name := range names {
		files, err := coverageFiles(name)
		problems = append(problems, err)
		for _, file := range files {
			var f coverage.File
			data, err := readFile(ctx, file)
			if err == nil {
				f, err = coverage.Decode(data)
			}
			if err != nil {
				problems = append(problems, fmt.Errorf("%s can't be read as coverage: %w", file, err))
			}
			runs = append(runs, f.Runs...)
		}
	}
	return runs, errors.Join(problems...)
}

// coverageFiles returns the names of the files in a directory, or the given name if it is a file's. An empty directory
// is an error, because tests that wrote nothing must not pass for tests that cover nothing.
func coverageFiles(name string) (files []string, err error) {
	if info, err := os.Stat(name); err != nil || !info.IsDir() {
		return []string{name}, nil
	}
	err = fs.WalkDir(os.DirFS(name), ".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && strings.HasSuffix(path, ".json") {
			files = append(files, filepath.Join(name, path))
		}
		return err
	})
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("%s has no file of coverage (*.json): did the tests run with the directory in "+
			"BANKSIM_COVERAGE, and not from the cache of go test (-count=1)?", name)
	}
	return files, err
}
