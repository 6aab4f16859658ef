package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/scenario"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

type validateCommand struct {
	Files  []string `arg:"" name:"file" help:"Scenario files, or names of built-in scenarios."`
	Format string   `default:"text" enum:"text,json,github" help:"Format of the findings: ${enum}. With github, they are workflow commands, which annotate the lines of a pull request."`
}

// errInvalid ends a validation that has reported problems. It is no wrong use: finding problems is what the command is for.
var errInvalid = reported{errors.New("a scenario is invalid")}

// verdict is the result of a validation.
type verdict struct {
	Files    []validFile    `json:"files"` // those without a problem, in the order of the arguments
	Problems []validProblem `json:"problems"`
}

type validFile struct {
	File             string `json:"file"`
	Name             string `json:"name"`
	Institutions     int    `json:"institutions"`
	Clients          int    `json:"clients"`
	Users            int    `json:"users"`
	Accounts         int    `json:"accounts"`
	Tokens           int    `json:"tokens"`
	Groups           int    `json:"groups"`
	AlertPreferences int    `json:"alertPreferences"`
	Faults           int    `json:"faults"`
}

type validProblem struct {
	File    string `json:"file"`
	Line    int    `json:"line"`   // from 1
	Column  int    `json:"column"` // from 1, in characters
	Message string `json:"message"`
}

// Run loads every file, reports the problems of all of them, and fails if there are any.
func (c validateCommand) Run(s streams) error {
	v := verdict{Files: []validFile{}, Problems: []validProblem{}}
	for _, file := range c.Files {
		if err := v.add(file, withProgress(s.err)); err != nil {
			return err
		}
	}
	v.sort()
	if err := v.print(s, c.Format); err != nil {
		return err
	}
	if len(v.Problems) > 0 {
		return errInvalid
	}
	return nil
}

// add loads a scenario and adds it, or its problems, to the verdict. A file that can't be read has that problem, so that
// it is reported together with those of the others. It returns errors that are no problem of the scenario.
func (v *verdict) add(file string, options ...scenario.Option) error {
	sc, err := scenario.Load(file, options...)
	var problems scenario.Problems
	var unreadable *fs.PathError
	var unknown *scenario.UnknownError
	switch {
	case err == nil:
		v.Files = append(v.Files, newValidFile(file, sc))
	case errors.As(err, &problems):
		for _, p := range problems {
			v.Problems = append(v.Problems, validProblem(p))
		}
	case errors.As(err, &unreadable):
		v.Problems = append(v.Problems, validProblem{file, 1, 1, fmt.Sprintf("the file can't be read (%v): correct its name, or make it readable", unreadable.Err)})
	case errors.As(err, &unknown):
		v.Problems = append(v.Problems, validProblem{file, 1, 1, fmt.Sprintf("%v (a file is named with its ending, .yaml or .yml)", err)})
	default:
		return err
	}
	return nil
}

func newValidFile(file string, sc *scenario.Scenario) validFile {
	n := sc.World.Counts()
	return validFile{file, sc.Name, n.Institutions, n.Clients, n.Users, n.Accounts, n.Tokens, n.Groups, n.AlertPreferences, len(sc.Faults)}
}

// sort sorts the problems by file, line and column. Those of a file that several scenarios extend stay once.
func (v *verdict) sort() {
	slices.SortFunc(v.Problems, func(a, b validProblem) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column),
			cmp.Compare(a.Message, b.Message))
	})
	v.Problems = slices.Compact(v.Problems)
}

// print writes the verdict to the output; in the text format, problems go to the error stream.
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
		for _, p := range v.Problems {
			_, _ = fmt.Fprintf(s.out, "::error file=%s,line=%d,col=%d::%s\n", githubProperty.Replace(p.File), p.Line, p.Column, githubData.Replace(p.Message))
		}
		return nil
	}
	for _, f := range v.Files {
		_, _ = fmt.Fprintln(s.out, f)
	}
	for _, p := range v.Problems {
		_, _ = fmt.Fprintln(s.err, scenario.Problem(p))
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
		count     int
		one, many string
	}{
		{f.Institutions, "institution", "institutions"},
		{f.Clients, "client", "clients"},
		{f.Users, "user", "users"},
		{f.Accounts, "account", "accounts"},
		{f.Tokens, "token", "tokens"},
		{f.Groups, "group", "groups"},
		{f.AlertPreferences, "alert preference", "alert preferences"},
		{f.Faults, "fault", "faults"},
	} {
		switch part.count {
		case 0:
		case 1:
			text += ", 1 " + part.one
		default:
			text += fmt.Sprintf(", %d %s", part.count, part.many)
		}
	}
	return text
}
