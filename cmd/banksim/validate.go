package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

type validateCommand struct {
	Files  []string `arg:"" name:"file" help:"Scenario files, folders of them, names of built-in scenarios, or - for standard input."`
	Format string   `default:"text" enum:"text,github" help:"Format of the findings: ${enum}, which annotates a pull request."`
}

// validation reports what it finds, as it goes.
type validation struct {
	streams
	github   bool
	problems map[scenario.Problem]bool // those that were reported
}

// Run loads every file, reports the problems of all of them, and fails if there are any. A file that others of them extend is a part of
// those, unless it has institutions.
func (c validateCommand) Run(ctx context.Context, s streams) error {
	_ = limitMemory() // as serve does: a scenario is valid here if it can be served here
	v := validation{streams: s, github: c.Format == "github", problems: map[scenario.Problem]bool{}}
	for _, name := range withoutParts(ctx, c.Files) {
		if info, err := os.Stat(name); err == nil && info.IsDir() {
			v.folder(ctx, name)
		} else {
			v.file(ctx, name)
		}
		if ctx.Err() != nil {
			return errEndedEarly
		}
	}
	if len(v.problems) > 0 {
		return reported{errors.New("a scenario is invalid")} // no wrong use: finding problems is what the command is for
	}
	return nil
}

// folder validates the scenarios of a folder.
func (v *validation) folder(ctx context.Context, name string) {
	files, others, err := scenariosIn(ctx, name)
	switch {
	case err != nil:
		err = fmt.Errorf("the folder can't be read: %w", err)
	case len(files) == 0:
		err = errors.New("no scenario is in the folder or below: name another one, or a file " +
			"(a scenario ends in .yaml or .yml and has keys such as institutions)")
	}
	if err != nil {
		v.problem(scenario.Problem{File: name, Line: 1, Column: 1, Message: err.Error()})
	}
	for _, file := range files {
		v.file(ctx, file)
	}
	if len(others) > 0 && !v.github {
		_, _ = fmt.Fprintf(v.out, "no scenarios: %s\n", strings.Join(others, ", "))
	}
}

// file validates a scenario. One that can't be read has that problem, so that it is reported together with those of the others.
func (v *validation) file(ctx context.Context, name string) {
	sc, err := loadScenario(ctx, name)
	if name == stdin {
		name = nameOfStdin
	}
	var problems scenario.Problems
	switch {
	case errors.Is(err, errEndedEarly):
	case errors.As(err, &problems):
		for _, p := range problems {
			v.problem(p)
		}
	case err != nil:
		v.problem(scenario.Problem{File: name, Line: 1, Column: 1, Message: err.Error()})
	default:
		if !v.github {
			_, _ = fmt.Fprintf(v.out, "%s: ok%s\n", name, contents(sc.Summary))
		}
		for _, doubt := range sc.Doubts {
			v.report("notice", "doubt: ", doubt)
		}
	}
}

// problem reports a problem once: several scenarios may extend the file that has it.
func (v *validation) problem(p scenario.Problem) {
	if !v.problems[p] {
		v.problems[p] = true
		v.report("error", "", p)
	}
}

// report writes a problem or a doubt: a line for people, or a workflow command of a kind.
func (v *validation) report(kind, prefix string, p scenario.Problem) {
	if !v.github {
		_, _ = fmt.Fprintf(v.err, "%s%v\n", prefix, p)
		return
	}
	data := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	_, _ = fmt.Fprintf(v.out, "::%s file=%s,line=%d,col=%d::%s\n",
		kind, property.Replace(p.File), p.Line, p.Column, data.Replace(p.Message))
}

// contents returns what a scenario has: ", 1 institution, 2 users".
func contents(s scenario.Summary) string {
	text := ""
	for _, part := range []struct {
		count int
		what  string
	}{
		{s.Institutions, "institution"},
		{s.Clients, "client"},
		{s.Users, "user"},
		{s.Accounts, "account"},
		{s.Tokens, "token"},
		{s.Groups, "group"},
		{s.AlertPreferences, "alert preference"},
		{s.Faults, "fault"},
	} {
		switch part.count {
		case 0:
		case 1:
			text += ", 1 " + part.what
		default:
			text += fmt.Sprintf(", %d %ss", part.count, part.what)
		}
	}
	return text
}
