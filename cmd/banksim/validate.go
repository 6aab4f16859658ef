package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/scenario"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

type validateCommand struct {
	Files  []string `arg:"" name:"file" help:"Scenario files, folders, built-in scenarios, or - for stdin."`
	Format string   `default:"text" enum:"text,github" help:"text, or github for annotations of a pull request."`
}

// Run reports the problems of all files, and fails if there are any. It makes no rows.
func (c validateCommand) Run(ctx context.Context, s streams) error {
	_ = limitMemory() // as serve does: a scenario is valid here if it can be served here
	r := problemReport{streams: s, github: c.Format == "github", reported: map[scenario.Problem]bool{}}
	var names, others []string
	for _, name := range c.Files {
		if info, err := os.Stat(name); err != nil || !info.IsDir() {
			names = append(names, name)
			continue
		}
		scenarios, rest, err := scenariosBelow(ctx, name)
		if err != nil {
			r.problem(scenario.Problem{File: name, Line: 1, Column: 1, Message: err.Error()})
		}
		names, others = append(names, scenarios...), append(others, rest...)
	}
	progress := s.line.start("validating")
	all := make([]candidate, len(names))
	for i, name := range names {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		progress(i, len(names))
		all[i] = s.newCandidate(ctx, name)
	}
	for _, f := range all {
		if !f.isPart(all) {
			r.candidate(f)
		}
	}
	if len(others) > 0 && !r.github {
		_, _ = fmt.Fprintf(r.out, "no scenarios: %s\n", wording.Line(strings.Join(others, ", ")))
	}
	if len(r.reported) > 0 {
		return errReported
	}
	return nil
}

// scenariosBelow returns the scenarios in a folder and below it, and the other YAML files there. A scenario has a key
// of scenarios other than name and description. Hidden files and folders and node_modules are left out.
func scenariosBelow(ctx context.Context, folder string) (names, others []string, err error) {
	top := filepath.Clean(folder) + string(filepath.Separator)
	err = filepath.WalkDir(top, func(file string, entry fs.DirEntry, err error) error {
		switch name := entry.Name(); {
		case err != nil:
			return err
		case file != top && entry.IsDir() && (strings.HasPrefix(name, ".") || name == "node_modules"):
			return fs.SkipDir
		case entry.IsDir() || strings.HasPrefix(name, ".") || !isYAML(name):
			return nil
		}
		outline, err := outlineOf(ctx, file)
		if err != nil || outline.IsScenario {
			names = append(names, filepath.Clean(file))
		} else {
			others = append(others, filepath.Clean(file))
		}
		return nil
	})
	switch {
	case err != nil:
		err = fmt.Errorf("the folder can't be read: %w", err)
	case len(names) == 0:
		err = errors.New("no scenario is in the folder or below: name another one, or a file " +
			"(a scenario ends in .yaml or .yml and has keys such as institutions)")
	}
	return names, others, err
}

// candidate is what an argument names, loaded as a scenario.
type candidate struct {
	name            string // in messages
	scenario        *scenario.Scenario
	err             error
	paths           []string // of the files that were read, its own first
	hasInstitutions bool     // of its own
}

func (s streams) newCandidate(ctx context.Context, name string) (f candidate) {
	var files scenario.Files
	f.scenario, files, f.err = s.loadScenario(name, scenario.WithoutWorld())
	if f.name = name; name == stdin {
		f.name = nameOfStdin
	}
	for _, file := range files {
		path, _ := filepath.Abs(file.Name) // it fails without a working directory, where no relative name can be read
		f.paths = append(f.paths, path)
	}
	if len(f.paths) > 0 {
		outline, _ := outlineOf(ctx, f.paths[0]) // the error of loading says more
		f.hasInstitutions = outline.HasInstitutions
	}
	return f
}

// outlineOf reads the outline of a regular file. Other files of a folder, such as pipes, could block.
func outlineOf(ctx context.Context, file string) (scenario.Outline, error) {
	if err := checkRegular(file); err != nil {
		return scenario.Outline{}, err
	}
	text, err := readFile(ctx, file)
	return scenario.OutlineOf(text), err
}

// isPart reports whether a candidate is validated with another one that extends it: it has no institutions of its own.
// Candidates that extend each other are no parts: the validation of each reports the circle.
func (f candidate) isPart(all []candidate) bool {
	return !f.hasInstitutions && len(f.paths) > 0 && slices.ContainsFunc(all, func(other candidate) bool {
		return slices.Contains(other.paths, f.paths[0]) && !slices.Contains(f.paths, other.paths[0])
	})
}

// problemReport reports problems as it gets them.
type problemReport struct {
	streams
	github   bool
	reported map[scenario.Problem]bool
}

// candidate reports the problems and warnings of a candidate.
func (r problemReport) candidate(f candidate) {
	var problems scenario.Problems
	switch {
	case errors.As(f.err, &problems):
		for _, p := range problems.Brief() {
			r.problem(p)
		}
	case f.err != nil:
		r.problem(scenario.Problem{File: f.name, Line: 1, Column: 1, Message: f.err.Error()})
	default:
		if !r.github {
			_, _ = fmt.Fprintf(r.out, "%s: ok%s\n", wording.Line(f.name), contents(f.scenario.Summary))
		}
		for _, warning := range f.scenario.Warnings.Brief() {
			r.write("warning", "warning: ", warning)
		}
	}
}

// problem reports a problem once: several scenarios may extend the file that has it.
func (r problemReport) problem(p scenario.Problem) {
	if !r.reported[p] {
		r.reported[p] = true
		r.write("error", "", p)
	}
}

// write writes a problem or a warning: a line for people, or a workflow command of a kind.
func (r problemReport) write(kind, prefix string, p scenario.Problem) {
	if !r.github {
		_, _ = fmt.Fprintf(r.err, "%s%v\n", prefix, p)
		return
	}
	data := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property := strings.NewReplacer(":", "%3A", ",", "%2C")
	_, _ = fmt.Fprintf(r.out, "::%s file=%s,line=%d,col=%d::%s\n",
		kind, property.Replace(data.Replace(p.File)), p.Line, p.Column, data.Replace(p.Message))
}

// contents returns what a scenario has: ", 1 institution, 2 users".
func contents(s scenario.Summary) (text string) {
	nouns := []string{"institution", "client", "user", "account", "token", "group", "alert preference", "fault"}
	for i, n := range []int{
		s.Institutions, s.Clients, s.Users, s.Accounts, s.Tokens, s.Groups, s.AlertPreferences, s.Faults,
	} {
		if n > 0 {
			text += ", " + wording.Count(n, nouns[i])
		}
	}
	return text
}
