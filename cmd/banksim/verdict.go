package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/scenario"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// verdict is the result of a validation.
type verdict struct {
	Files    []validFile    `json:"files"`             // those without a problem, in the order of the arguments
	Parts    []partFile     `json:"parts,omitempty"`   // of folders: the files that were validated with others
	Skipped  []skippedFile  `json:"skipped,omitempty"` // of folders: the files that are no scenarios
	Problems []validProblem `json:"problems"`
	Warnings []validWarning `json:"warnings"` // of the files without a problem

	notes []string        // about schemas for editors, in the text format
	seen  map[string]bool // the files that are in it, or will be
	lint  lintFlags
}

// partFile is a file that is valid only together with what extends it.
type partFile struct {
	File string   `json:"file"`
	Of   []string `json:"of"`
}

// skippedFile is a file that is no scenario.
type skippedFile struct {
	File   string `json:"file"`
	Reason string `json:"reason"`
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
	Changes          string `json:"changes,omitzero"` // to what it extends, in a line
}

type validProblem struct {
	File    string `json:"file"`
	Line    int    `json:"line"`   // from 1
	Column  int    `json:"column"` // from 1, in characters
	Message string `json:"message"`
}

type validWarning struct {
	validProblem
	Code     string `json:"code"`
	Severity string `json:"severity"` // warning or error
}

// claim notes the files that are named themselves.
func (v *verdict) claim(names []string) {
	for _, name := range names {
		v.seen[filepath.Clean(asFile(name))] = true
	}
}

// again reports whether a file was in the verdict already, and notes that it is now.
func (v *verdict) again(file string) bool {
	seen := v.seen[filepath.Clean(file)]
	v.seen[filepath.Clean(file)] = true
	return seen
}

// add loads a scenario and adds it, or its problems, to the verdict. A file that can't be read has that problem, so that
// it is reported together with those of the others. It returns errors that are no problem of the scenario.
func (v *verdict) add(ctx context.Context, file string, load func() (*scenario.Scenario, error)) error {
	sc, err := loaded(ctx, load)
	var problems scenario.Problems
	var unreadable *fs.PathError
	var unknown *scenario.UnknownError
	switch {
	case err == nil:
		return v.addValid(file, sc)
	case errors.As(err, &problems):
		for _, p := range problems {
			v.Problems = append(v.Problems, validProblem(p))
		}
	case errors.As(err, &unreadable):
		v.Problems = append(v.Problems, validProblem{file, 1, 1, fmt.Sprintf("the file can't be read (%v): correct its name, or make it readable", unreadable.Err)})
	case errors.As(err, &unknown):
		v.Problems = append(v.Problems, validProblem{file, 1, 1, err.Error()})
	default:
		return err
	}
	return nil
}

// addValid adds a valid scenario, with its warnings.
func (v *verdict) addValid(file string, sc *scenario.Scenario) error {
	changes, err := sc.Changes()
	if err != nil {
		return err
	}
	warnings, err := sc.Warnings()
	if err != nil {
		return err
	}
	if note := noteOnSchema(asFile(file)); note != "" && !slices.Contains(v.notes, note) {
		v.notes = append(v.notes, note)
	}
	warnings = v.lint.without(warnings)
	for _, w := range warnings {
		v.Warnings = append(v.Warnings, validWarning{validProblem(w.Problem), w.Code, v.lint.severity()})
	}
	if v.lint.StrictLint && len(warnings) > 0 {
		return nil
	}
	n := sc.World.Counts()
	v.Files = append(v.Files, validFile{file, sc.Name, n.Institutions, n.Clients, n.Users, n.Accounts, n.Tokens, n.Groups, n.AlertPreferences, len(sc.Faults), changes})
	return nil
}

// sort sorts the problems by file, line and column. Those of a file that several scenarios extend stay once.
func (v *verdict) sort() {
	slices.SortFunc(v.Problems, func(a, b validProblem) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column),
			cmp.Compare(a.Message, b.Message))
	})
	v.Problems = slices.Compact(v.Problems)
	slices.SortFunc(v.Warnings, func(a, b validWarning) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Code, b.Code))
	})
	v.Warnings = slices.Compact(v.Warnings)
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
		for _, w := range v.Warnings {
			_, _ = fmt.Fprintf(s.out, "::%s file=%s,line=%d,col=%d,title=%s::%s\n", w.Severity, githubProperty.Replace(w.File), w.Line, w.Column, w.Code, githubData.Replace(w.Message))
		}
		if skipped := v.skipped(); skipped != "" {
			_, _ = fmt.Fprintf(s.out, "::notice::%s\n", githubData.Replace(skipped))
		}
		return nil
	}
	for _, f := range v.Files {
		_, _ = fmt.Fprintln(s.out, f)
	}
	for _, p := range v.Parts {
		_, _ = fmt.Fprintf(s.out, "%s: a part, validated with %s\n", p.File, listed(p.Of))
	}
	if skipped := v.skipped(); skipped != "" {
		_, _ = fmt.Fprintln(s.out, skipped)
	}
	for _, p := range v.Problems {
		_, _ = fmt.Fprintln(s.err, scenario.Problem(p))
	}
	for _, w := range v.Warnings {
		prefix := "warning: "
		if v.lint.StrictLint {
			prefix = ""
		}
		_, _ = fmt.Fprintln(s.err, prefix+scenario.Warning{Problem: scenario.Problem(w.validProblem), Code: w.Code}.String())
	}
	for _, note := range v.notes {
		_, _ = fmt.Fprintln(s.err, "note:", note)
	}
	return nil
}

// skipped says in a line which files are no scenarios, if there are some.
func (v *verdict) skipped() string {
	files := make([]string, len(v.Skipped))
	for i, f := range v.Skipped {
		files[i] = fmt.Sprintf("%s (%s)", f.File, f.Reason)
	}
	return others(files)
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
	if f.Changes != "" {
		text += "\n  " + f.Changes
	}
	return text
}
