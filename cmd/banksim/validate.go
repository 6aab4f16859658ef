package main

import "errors"

type validateCommand struct {
	Files  []string `arg:"" name:"file" help:"Scenario files, or names of built-in scenarios."`
	Format string   `default:"text" enum:"text,json,github" help:"Format of the findings: ${enum}. With github, they are workflow commands, which annotate the lines of a pull request."`
	lintFlags
}

// errInvalid ends a validation that has reported problems. It is no wrong use: finding problems is what the command is for.
var errInvalid = reported{errors.New("a scenario is invalid")}

// Run loads every file, reports the problems of all of them, and fails if there are any.
func (c validateCommand) Run(s streams) error {
	if err := c.lintFlags.check(); err != nil {
		return err
	}
	v := verdict{Files: []validFile{}, Problems: []validProblem{}, Warnings: []validWarning{}, lint: c.lintFlags}
	for _, file := range c.Files {
		if err := v.add(file, withProgress(s.err)); err != nil {
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
