package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/scenario"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

type validateCommand struct {
	Files  []string `arg:"" name:"file" help:"Scenario files, folders of them, names of built-in scenarios, or - for standard input."`
	Format string   `default:"text" enum:"text,json,github" help:"Format of the findings: ${enum}, which annotates a pull request."`
}

// errInvalid ends a validation that has reported problems. It is no wrong use: finding problems is what the command is for.
var errInvalid = reported{errors.New("a scenario is invalid")}

// verdict is the result of a validation.
type verdict struct {
	Files    []validFile        `json:"files"`            // those without a problem, in the order of the arguments
	Others   []string           `json:"others,omitempty"` // of folders: the files that are no scenarios
	Problems []scenario.Problem `json:"problems"`
	Doubts   []scenario.Problem `json:"doubts"` // about the files without a problem

	seen map[scenario.Problem]bool // those that are in it
}

type validFile struct {
	File string `json:"file"`
	scenario.Summary
}

// Run loads every file, reports the problems of all of them, and fails if there are any.
func (c validateCommand) Run(ctx context.Context, s streams) error {
	v := verdict{Files: []validFile{}, Problems: []scenario.Problem{}, Doubts: []scenario.Problem{}, seen: map[scenario.Problem]bool{}}
	for _, name := range c.Files {
		if info, err := os.Stat(name); err == nil && info.IsDir() {
			v.addFolder(ctx, name)
		} else {
			v.add(ctx, name)
		}
		if ctx.Err() != nil {
			return errEndedEarly
		}
	}
	if err := v.print(s, c.Format); err != nil {
		return err
	}
	if len(v.Problems) > 0 {
		return errInvalid
	}
	return nil
}

// addFolder adds the scenarios of a folder.
func (v *verdict) addFolder(ctx context.Context, folder string) {
	files, others, err := scenariosIn(ctx, folder)
	switch {
	case err != nil:
		v.problem(folder, fmt.Sprintf("the folder can't be read: %v", err))
	case len(files) == 0:
		v.problem(folder, "no scenario is in the folder or below: name another one, or a file "+
			"(a scenario ends in .yaml or .yml and has keys such as institutions)")
	}
	v.Others = append(v.Others, others...)
	for _, file := range files {
		v.add(ctx, file)
	}
}

// add loads a scenario and adds it, or its problems: one that can't be read is such a problem, reported together with the others.
func (v *verdict) add(ctx context.Context, name string) {
	sc, err := loadScenario(ctx, name)
	if name == stdin {
		name = nameOfStdin
	}
	var problems scenario.Problems
	switch {
	case errors.As(err, &problems):
		for _, p := range problems {
			if !v.seen[p] { // by another scenario that extends the same file
				v.seen[p] = true
				v.Problems = append(v.Problems, p)
			}
		}
	case err != nil:
		v.problem(name, err.Error())
	default:
		v.Files = append(v.Files, validFile{name, sc.Summary()})
		v.Doubts = append(v.Doubts, sc.Doubts...)
	}
}

func (v *verdict) problem(file, message string) {
	v.Problems = append(v.Problems, scenario.Problem{File: file, Line: 1, Column: 1, Message: message})
}

// print writes the verdict to the output; in the text format, problems and doubts go to the error stream.
func (v *verdict) print(s streams, format string) error {
	switch format {
	case "json":
		encoded, err := wire.EncodeIndented(v)
		if err != nil {
			return err
		}
		_, err = s.out.Write(encoded)
		return err
	case "github":
		annotate := func(kind string, p scenario.Problem) {
			_, _ = fmt.Fprintf(s.out, "::%s file=%s,line=%d,col=%d::%s\n", kind, githubProperty.Replace(p.File), p.Line, p.Column,
				githubData.Replace(p.Message))
		}
		for _, p := range v.Problems {
			annotate("error", p)
		}
		for _, p := range v.Doubts {
			annotate("notice", p)
		}
		return nil
	}
	for _, f := range v.Files {
		_, _ = fmt.Fprintln(s.out, f)
	}
	if len(v.Others) > 0 {
		_, _ = fmt.Fprintf(s.out, "no scenarios: %s\n", strings.Join(v.Others, ", "))
	}
	for _, p := range v.Problems {
		_, _ = fmt.Fprintln(s.err, p)
	}
	for _, p := range v.Doubts {
		_, _ = fmt.Fprintln(s.err, "doubt:", p)
	}
	return nil
}

// Workflow commands have percent codes for the characters that separate their parts.
var (
	githubData     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	githubProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// String returns what the file has: "bank.yaml: ok, 1 institution, 2 users".
func (f validFile) String() string {
	text := f.File + ": ok"
	for _, part := range []struct {
		count int
		what  string
	}{
		{f.Institutions, "institution"},
		{f.Clients, "client"},
		{f.Users, "user"},
		{f.Accounts, "account"},
		{f.Tokens, "token"},
		{f.Groups, "group"},
		{f.AlertPreferences, "alert preference"},
		{f.Faults, "fault"},
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
