package main

import (
	"context"
	"errors"
	"io"

	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

type validateCommand struct {
	Files     []string `arg:"" name:"file" help:"Scenario files, folders of them, names of built-in scenarios, or - for standard input."`
	StdinName string   `env:"-" placeholder:"FILE" help:"The file that standard input holds, for messages and for what it extends."`
	Format    string   `default:"text" enum:"text,json,github" help:"Format of the findings: ${enum}. With github, they are workflow commands, which annotate the lines of a pull request."`
	lintFlags
}

// Help says what of a folder is validated.
func (validateCommand) Help() string {
	return `Of a folder, all files below it that end in .yaml or .yml and have keys of scenarios are validated. Hidden files and folders and node_modules are left out; other files, and links out of the folder, are listed. A file that others extend and that has no institutions is only a part of a scenario: it is validated with those that extend it.

The exit code is 0 without problems, 1 with problems, 2 for wrong use, and 130 if it was interrupted.`
}

// errInvalid ends a validation that has reported problems. It is no wrong use: finding problems is what the command is for.
var errInvalid = reported{errors.New("a scenario is invalid")}

// Run loads every file, reports the problems of all of them, and fails if there are any.
func (c validateCommand) Run(ctx context.Context, s streams) error {
	if err := c.lintFlags.check(); err != nil {
		return err
	}
	names, err := checkNames(c.Files, c.StdinName)
	if err != nil {
		return err
	}
	v := verdict{Files: []validFile{}, Problems: []validProblem{}, Warnings: []validWarning{}, seen: map[string]bool{}, lint: c.lintFlags}
	v.claim(names)
	for _, name := range names {
		if err := c.add(ctx, s, &v, name); err != nil {
			return err
		}
	}
	v.sort()
	if err := v.print(s, c.Format); err != nil {
		return err
	}
	if v.fails() {
		return errInvalid
	}
	return nil
}

// add validates what an argument names.
func (c validateCommand) add(ctx context.Context, s streams, v *verdict, name string) error {
	switch {
	case name == stdin:
		file := c.StdinName
		if file == "" {
			file = standardInput
		}
		return v.add(ctx, file, func() (*scenario.Scenario, error) { return scenario.LoadFrom(file, s.in, withProgress(s.err)) })
	case isFolder(name):
		return v.addFolder(ctx, s.err, name)
	}
	return v.add(ctx, name, func() (*scenario.Scenario, error) { return scenario.Load(name, withProgress(s.err)) })
}

// addFolder validates the scenarios of a folder, except those that are validated because they are named themselves.
func (v *verdict) addFolder(ctx context.Context, errs io.Writer, folder string) error {
	files, err := readFolder(ctx, folder)
	if errors.Is(err, errEndedEarly) {
		return err
	}
	if err != nil {
		v.Problems = append(v.Problems, validProblem{folder, 1, 1, err.Error()})
		return nil
	}
	for _, file := range files {
		switch {
		case v.again(file.name):
		case file.sketch.NoScenario != "":
			v.Skipped = append(v.Skipped, skippedFile{file.name, file.sketch.NoScenario})
		case len(file.of) > 0:
			v.Parts = append(v.Parts, partFile{file.name, file.of})
		default:
			if err := v.add(ctx, file.name, func() (*scenario.Scenario, error) { return scenario.Load(file.name, withProgress(errs)) }); err != nil {
				return err
			}
		}
	}
	if countScenarios(files) == 0 {
		v.Problems = append(v.Problems, validProblem{folder, 1, 1, noScenarios})
	}
	return nil
}
