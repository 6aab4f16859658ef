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

	"github.com/digitalbanking-sim/banksim/sim/coverage"
	"github.com/digitalbanking-sim/banksim/sim/report"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

type coverageCommand struct {
	Files         []string `arg:"" optional:"" name:"file" help:"Files of coverage, or directories with such files. Default: a simulator."`
	Format        string   `default:"text" enum:"text,json,html,junit" env:"-" help:"Format of the report: ${enum}."`
	FailUnder     string   `env:"-" placeholder:"N|NAME,..." help:"Exit with 1 if fewer answers were met, or one of those named was not."`
	AllOperations bool     `env:"-" help:"Count the answers of operations that were never called, too."`

	// The simulator is not asked where files are named and it isn't, so its address has no variable that the parser reads.
	Control      string `env:"-" placeholder:"ADDRESS|URL" help:"Ask this simulator besides files. Default without any: 127.0.0.1:8081."`
	ControlToken string `placeholder:"TOKEN" help:"Token of the control API, if it needs one."`
	Sandbox      string `env:"-" placeholder:"NAME" help:"Ask for this sandbox. Default: all that there were since the simulator started."`
	controlTLSFlags
}

// maxCoverage limits files of coverage (choice). A run takes less than a hundredth of it.
const maxCoverage = 64 << 20

// Run prints a report of all that it reads, and fails if less was met than should be.
func (c coverageCommand) Run(ctx context.Context, s streams) error {
	runs, err := c.read(ctx)
	if err != nil {
		return err
	}
	summary := coverage.Summarize(coverage.File{Runs: runs}, c.AllOperations)
	all := report.Report{Version: version(), Coverage: &summary, FailUnder: c.FailUnder}
	if err := report.Write(s.out, all, c.Format); err != nil {
		return err
	}
	if shortfall := all.Shortfall(); shortfall != "" {
		return errors.New(shortfall)
	}
	return nil
}

// read returns the runs of the files and of the simulator. It reports all files that can't be read together.
func (c coverageCommand) read(ctx context.Context) (runs []coverage.Run, err error) {
	var problems []error
	for _, name := range c.Files {
		files, err := coverageFiles(name)
		problems = append(problems, err)
		for _, name := range files {
			var f coverage.File
			data, err := readFile(ctx, name, maxCoverage)
			if err == nil {
				f, err = coverage.Decode(data)
			}
			if err != nil {
				problems = append(problems, fmt.Errorf("%s can't be read as coverage: %w", name, err))
			}
			runs = append(runs, f.Runs...)
		}
	}
	if err := errors.Join(problems...); err != nil {
		return nil, wrongUse{err}
	}
	if len(c.Files) > 0 && c.Control == "" && c.Sandbox == "" {
		return runs, nil
	}
	flags := controlFlags{
		Control:         cmp.Or(c.Control, os.Getenv("BANKSIM_CONTROL"), "127.0.0.1:8081"),
		ControlToken:    c.ControlToken,
		Sandbox:         cmp.Or(c.Sandbox, sandbox.Default),
		controlTLSFlags: c.controlTLSFlags,
	}
	client, err := flags.client(ctx)
	if err != nil {
		return nil, err
	}
	path := "/v1/coverage"
	if c.Sandbox != "" {
		path += "?sandbox=" + url.QueryEscape(client.sandbox)
	}
	var running coverage.File
	err = client.Get(ctx, path, &running)
	return append(runs, running.Runs...), err
}

// coverageFiles returns the name of a file or, if it is that of a directory, those of the files in it. None is an error: what was
// never written must not pass for what met nothing.
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
		err = fmt.Errorf("%s has no file of coverage (*.json): did the tests run with the directory in BANKSIM_COVERAGE, "+
			"and not from the cache of go test (-count=1)?", name)
	}
	return files, err
}
