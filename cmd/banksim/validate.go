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
)

type validateCommand struct {
	Files  []string `arg:"" name:"file" help:"Scenario files, folders of them, built-in scenarios, or - for standard input."`
	Format string   `default:"text" enum:"text,github" help:"Format of the findings: ${enum}, which annotates a pull request."`
}

// Run reports the problems of all files, and fails if there are any. It makes no rows.
func (c validateCommand) Run(ctx context.Context, s streams) error {
	_ = limitMemory() // as serve does: a scenario is valid here if it can be served here
	v := validation{streams: s, github: c.Format == "github", problems: map[scenario.Problem]bool{}}
	var all []candidate
	for _, name := range c.Files {
		if info, err := os.Stat(name); err == nil && info.IsDir() {
			all = append(all, v.inFolder(ctx, name)...)
		} else {
			all = append(all, newCandidate(ctx, name))
		}
	}
	all = withoutParts(all)
	progress := s.line.start("validating")
	for i, f := range all {
		if ctx.Err() != nil {
			return errEndedEarly
		}
		progress(i, len(all))
		v.validate(f)
	}
	if len(v.others) > 0 && !v.github {
		_, _ = fmt.Fprintf(v.out, "no scenarios: %s\n", strings.Join(v.others, ", "))
	}
	if len(v.problems) > 0 {
		return reported{errors.New("a scenario is invalid")} // no wrong use: finding problems is what the command is for
	}
	return nil
}

// candidate is a file that may be a scenario.
type candidate struct {
	source
	scenario.Outline
	path string // absolute
}

func newCandidate(ctx context.Context, name string) candidate {
	src := readSource(ctx, name)
	path, _ := filepath.Abs(src.file) // fails without a working directory, where no relative name can be read
	return candidate{src, scenario.OutlineOf(src.content), path}
}

// validation reports problems as it finds them.
type validation struct {
	streams
	github   bool
	problems map[scenario.Problem]bool // those that were reported
	others   []string                  // files of folders that are no scenarios
}

// inFolder returns the scenarios of a folder and of those below it: the files that end in .yaml or .yml and have a key
// of scenarios other than name and description. It leaves out hidden files and folders and node_modules.
func (v *validation) inFolder(ctx context.Context, folder string) (found []candidate) {
	top := filepath.Clean(folder) + string(filepath.Separator)
	err := filepath.WalkDir(top, func(file string, entry fs.DirEntry, err error) error {
		switch name := entry.Name(); {
		case err != nil:
			return err
		case ctx.Err() != nil:
			return errEndedEarly
		case file != top && entry.IsDir() && (strings.HasPrefix(name, ".") || name == "node_modules"):
			return fs.SkipDir
		case entry.IsDir() || strings.HasPrefix(name, ".") || !isYAML(name):
			return nil
		}
		if f := newCandidate(ctx, filepath.Clean(file)); f.IsScenario || f.content == nil && f.err != nil {
			found = append(found, f)
		} else {
			v.others = append(v.others, f.name)
		}
		return nil
	})
	switch {
	case errors.Is(err, errEndedEarly):
	case err != nil:
		v.failed(folder, fmt.Errorf("the folder can't be read: %w", err))
	case len(found) == 0:
		v.failed(folder, errors.New("no scenario is in the folder or below: name another one, or a file "+
			"(a scenario ends in .yaml or .yml and has keys such as institutions)"))
	}
	return found
}

// withoutParts returns the candidates that are scenarios of their own. A part of a scenario has no institutions, and
// another candidate extends it. A file that extends itself, directly or through others, is no part: its validation
// reports the circle.
func withoutParts(all []candidate) []candidate {
	extends := map[string][]string{} // by path
	for _, f := range all {
		extends[f.path] = nil
	}
	isExtended := map[string]bool{} // by another one
	for _, f := range all {
		for _, name := range f.Extends {
			if slices.Contains(scenario.Names(), name) {
				continue
			}
			path := filepath.FromSlash(name)
			if !filepath.IsAbs(path) {
				path = filepath.Join(filepath.Dir(f.path), path)
			}
			for _, ending := range []string{"", ".yaml", ".yml"} {
				if _, known := extends[path+ending]; known {
					extends[f.path] = append(extends[f.path], path+ending)
					isExtended[path+ending] = isExtended[path+ending] || path+ending != f.path
					break
				}
			}
		}
	}
	return slices.DeleteFunc(all, func(f candidate) bool {
		return !f.HasInstitutions && isExtended[f.path] && !reaches(extends, f.path, f.path, map[string]bool{})
	})
}

// reaches reports whether edges lead from a node to another one. It skips the nodes that were seen.
func reaches(edges map[string][]string, from, to string, seen map[string]bool) bool {
	return slices.ContainsFunc(edges[from], func(next string) bool {
		if seen[next] {
			return false
		}
		seen[next] = true
		return next == to || reaches(edges, next, to, seen)
	})
}

// validate checks a scenario, and reports its problems and warnings.
func (v *validation) validate(f candidate) {
	sc, err := f.load(scenario.WithoutWorld())
	var problems scenario.Problems
	switch {
	case errors.As(err, &problems):
		for _, p := range problems {
			v.problem(p)
		}
	case err != nil:
		v.failed(f.name, err)
	default:
		if !v.github {
			_, _ = fmt.Fprintf(v.out, "%s: ok%s\n", f.name, contents(sc.Summary))
		}
		for _, warning := range sc.Warnings {
			v.report("warning", "warning: ", warning)
		}
	}
}

// failed reports a file or folder that can't be read, together with the problems of the others.
func (v *validation) failed(name string, err error) {
	v.problem(scenario.Problem{File: name, Line: 1, Column: 1, Message: err.Error()})
}

// problem reports a problem once: several scenarios may extend the file that has it.
func (v *validation) problem(p scenario.Problem) {
	if !v.problems[p] {
		v.problems[p] = true
		v.report("error", "", p)
	}
}

// report writes a problem or a warning: a line for people, or a workflow command of a kind.
func (v *validation) report(kind, prefix string, p scenario.Problem) {
	if !v.github {
		_, _ = fmt.Fprintf(v.err, "%s%v\n", prefix, p)
		return
	}
	data := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property := strings.NewReplacer(":", "%3A", ",", "%2C")
	_, _ = fmt.Fprintf(v.out, "::%s file=%s,line=%d,col=%d::%s\n",
		kind, property.Replace(data.Replace(p.File)), p.Line, p.Column, data.Replace(p.Message))
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
		if part.count > 0 {
			text += fmt.Sprintf(", %d %s", part.count, part.what)
		}
		if part.count > 1 {
			text += "s"
		}
	}
	return text
}
