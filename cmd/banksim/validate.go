package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/scenario"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

type validateCommand struct {
	Files     []string `arg:"" name:"file" help:"Scenario files, folders of them, names of built-in scenarios, or - for standard input."`
	StdinName string   `env:"-" placeholder:"FILE" help:"The file that standard input holds, for messages and for what it extends."`
	Format    string   `default:"text" enum:"text,json,github" help:"Format of the findings: ${enum}. With github, they annotate a pull request."`
}

// Help says what of a folder is validated.
func (validateCommand) Help() string {
	return `Of a folder, all files below it that end in .yaml or .yml and have keys of scenarios are validated. Hidden files and folders ` +
		`and node_modules are left out; other files are listed. A file that others extend and that has no institutions is only a part of ` +
		`a scenario: it is validated with those that extend it.

The exit code is 0 without problems, 1 with problems, 2 for wrong use, and 130 if it was interrupted.`
}

// errInvalid ends a validation that has reported problems. It is no wrong use: finding problems is what the command is for.
var errInvalid = reported{errors.New("a scenario is invalid")}

// verdict is the result of a validation.
type verdict struct {
	Files    []validFile    `json:"files"`            // those without a problem, in the order of the arguments
	Others   []string       `json:"others,omitempty"` // of folders: the files that are no scenarios
	Problems []validProblem `json:"problems"`
	Doubts   []validProblem `json:"doubts"` // about the files without a problem

	seen map[string]bool // the files that are in it
}

type validFile struct {
	File string `json:"file"`
	scenario.Summary
}

type validProblem struct {
	File    string `json:"file"`
	Line    int    `json:"line"`   // from 1
	Column  int    `json:"column"` // from 1, in characters
	Message string `json:"message"`
}

// Run loads every file, reports the problems of all of them, and fails if there are any.
func (c validateCommand) Run(ctx context.Context, s streams) error {
	if c.StdinName != "" && !slices.Contains(c.Files, stdin) {
		return wrongUse{errors.New("--stdin-name names what standard input holds: add - to the files, or leave it out")}
	}
	v := verdict{Files: []validFile{}, Problems: []validProblem{}, Doubts: []validProblem{}, seen: map[string]bool{}}
	for _, name := range c.Files {
		var err error
		if info, missing := os.Stat(name); missing == nil && info.IsDir() {
			err = v.addFolder(ctx, name)
		} else {
			err = v.add(ctx, name, cmp.Or(c.StdinName, "<stdin>"))
		}
		if err != nil {
			return err
		}
	}
	slices.SortFunc(v.Problems, func(a, b validProblem) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column),
			cmp.Compare(a.Message, b.Message))
	})
	v.Problems = slices.Compact(v.Problems) // a file that several scenarios extend has its problems once
	if err := v.print(s, c.Format); err != nil {
		return err
	}
	if len(v.Problems) > 0 {
		return errInvalid
	}
	return nil
}

// addFolder adds the scenarios of a folder.
func (v *verdict) addFolder(ctx context.Context, folder string) error {
	files, others, err := scenariosIn(ctx, folder)
	if errors.Is(err, errEndedEarly) {
		return err
	}
	v.Others = append(v.Others, others...)
	switch {
	case err != nil:
		v.problem(folder, fmt.Sprintf("the folder can't be read: %v", err))
	case len(files) == 0:
		v.problem(folder, "no scenario is in the folder or below: name another one, or a file "+
			"(a scenario ends in .yaml or .yml and has keys such as institutions)")
	}
	for _, file := range files {
		if err := v.add(ctx, file, ""); err != nil {
			return err
		}
	}
	return nil
}

// add loads a scenario and adds it, or its problems. Standard input is taken for a file. A file that can't be read has that problem, so
// that it is reported together with those of the others.
func (v *verdict) add(ctx context.Context, name, stdinName string) error {
	sc, err := loadScenario(ctx, name, stdinName)
	file := name
	if name == stdin {
		file = stdinName
	}
	var problems scenario.Problems
	switch {
	case errors.Is(err, errEndedEarly):
		return err
	case errors.As(err, &problems):
		for _, p := range problems {
			v.Problems = append(v.Problems, validProblem(p))
		}
	case err != nil:
		v.problem(file, err.Error())
	case !v.seen[filepath.Clean(sc.File)]:
		v.seen[filepath.Clean(sc.File)] = true
		v.Files = append(v.Files, validFile{file, sc.Summary()})
		for _, doubt := range sc.Doubts {
			v.Doubts = append(v.Doubts, validProblem(doubt))
		}
	}
	return nil
}

func (v *verdict) problem(file, message string) {
	v.Problems = append(v.Problems, validProblem{file, 1, 1, message})
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
		annotate := func(kind string, p validProblem) {
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
		_, _ = fmt.Fprintln(s.err, scenario.Problem(p))
	}
	for _, p := range v.Doubts {
		_, _ = fmt.Fprintln(s.err, "doubt:", scenario.Problem(p))
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

// loadScenario loads a scenario that an argument names: a built-in one, a file or a pipe, or - for standard input, which is taken for the
// given file.
func loadScenario(ctx context.Context, name, stdinName string) (*scenario.Scenario, error) {
	file := stdinName
	if name != stdin {
		var err error
		if file, err = scenario.FileOf(name); err != nil {
			return nil, err
		}
		if file == "" {
			return scenario.Load(name)
		}
		name = file
	}
	source, err := readFile(ctx, name, scenario.MaxBytes)
	var unreadable *fs.PathError
	if errors.As(err, &unreadable) {
		err = fmt.Errorf("the file can't be read: %w", unreadable.Err)
	}
	if err != nil {
		return nil, err
	}
	return scenario.LoadFrom(file, source)
}

// usableScenario loads a scenario that a command needs. Its error ends the command.
func usableScenario(ctx context.Context, name string) (*scenario.Scenario, error) {
	sc, err := loadScenario(ctx, name, "<stdin>")
	if err != nil && !errors.Is(err, errEndedEarly) {
		err = wrongUse{err}
	}
	return sc, err
}
