package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

type fmtCommand struct {
	Files     []string `arg:"" name:"file" help:"Scenario files, folders of them, or - for standard input, which is formatted to standard output."`
	Check     bool     `env:"-" help:"Change nothing. Print the names of the files that would change, and exit with code 1 if there are any."`
	Diff      bool     `env:"-" help:"Change nothing. Print what would change."`
	StdinName string   `env:"-" placeholder:"FILE" help:"The file that standard input holds, for messages."`
}

// Help says what the normal form is.
func (fmtCommand) Help() string {
	return `Values, their order, quotes, comments and line breaks stay as they are. What changes is the space between them: two spaces for each level, with the items of a list below their key; one space after "-", ":" and ","; no space at the end of a line, no two empty lines in a row. A file is replaced in one step, and only if its new text has the same values and comments.

Of a folder, all scenarios below it are formatted, as validate finds them. A file that is not YAML is left as it is. The exit code is 0, or 1 if there is such a file or, with --check, one that would change.`
}

// The errors that end a run of the formatter, which has reported why.
var (
	errUnformatted   = reported{errors.New("a file can't be formatted")}
	errOtherwiseForm = reported{errors.New("a file is not in its normal form")}
)

// Run formats the files, and fails if there is one that can't be formatted.
func (c fmtCommand) Run(ctx context.Context, s streams) error {
	names, err := checkNames(c.Files, c.StdinName)
	if err != nil {
		return err
	}
	files, err := c.files(ctx, s, names)
	if err != nil {
		return err
	}
	failed, changing := false, false
	for _, file := range files {
		if ctx.Err() != nil {
			return errEndedEarly
		}
		changes, err := c.format(ctx, s, file)
		if errors.Is(err, errEndedEarly) {
			return err
		}
		if err != nil {
			failed = true
			_, _ = fmt.Fprintln(s.err, fileProblem(file, err))
		}
		changing = changing || changes
	}
	switch {
	case failed:
		return errUnformatted
	case changing && c.Check:
		return errOtherwiseForm
	}
	return nil
}

// files returns the files that the arguments name, those of folders included.
func (c fmtCommand) files(ctx context.Context, s streams, names []string) (files []string, err error) {
	v := verdict{seen: map[string]bool{}}
	v.claim(names)
	for _, name := range names {
		if name == stdin || !isFolder(name) {
			files = append(files, asFile(name))
			continue
		}
		below, err := readFolder(ctx, name)
		if err != nil {
			return nil, unusable(fmt.Errorf("%s: %w", name, err))
		}
		if countScenarios(below) == 0 {
			return nil, wrongUse{fmt.Errorf("%s: %s", name, noScenarios)}
		}
		for _, file := range below {
			switch {
			case v.again(file.name):
			case file.sketch.NoScenario != "":
				v.Skipped = append(v.Skipped, skippedFile{file.name, file.sketch.NoScenario})
			default:
				files = append(files, file.name)
			}
		}
	}
	if skipped := v.skipped(); skipped != "" {
		_, _ = fmt.Fprintln(s.err, skipped)
	}
	return files, nil
}

// format formats a file, or standard input, and reports whether its normal form is another one.
func (c fmtCommand) format(ctx context.Context, s streams, file string) (changes bool, err error) {
	shown, source := file, []byte(nil)
	if file == stdin {
		if shown = c.StdinName; shown == "" {
			shown = standardInput
		}
		source, err = readInput(ctx, s)
	} else {
		source, err = readScenarioFile(file)
	}
	if err != nil {
		return false, err
	}
	formatted, err := scenario.Format(shown, source)
	if err != nil {
		return false, err
	}
	changes = !bytes.Equal(formatted, source)
	switch {
	case c.Diff:
		if changes {
			_, err = s.out.Write(unifiedDiff(shown, source, formatted))
		}
		return changes, err
	case c.Check && changes:
		_, err = fmt.Fprintln(s.out, shown)
		return true, err
	case c.Check:
		return false, nil
	case file == stdin:
		_, err = s.out.Write(formatted)
		return changes, err
	case changes:
		if err := replaceSource(file, source, formatted); err != nil {
			return true, err
		}
		_, err = fmt.Fprintln(s.out, file)
	}
	return changes, err
}

// readScenarioFile reads a file that is to be replaced.
func readScenarioFile(name string) ([]byte, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("only files and folders can be formatted: name another one, or give its content to standard input, as in 'banksim fmt -'")
	case info.Size() > scenario.MaxBytes:
		return nil, scenario.Problems{{File: name, Line: 1, Column: 1, Message: "the file is larger than 1 MiB: split the scenario, or shorten it"}}
	}
	return os.ReadFile(name)
}

// replaceSource replaces the content of a file, or of the one that a link leads to, unless somebody else has changed it.
func replaceSource(name string, source, formatted []byte) error {
	name, err := filepath.EvalSymlinks(name)
	if err != nil {
		return err
	}
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	if info.Mode().Perm()&0o222 == 0 { // renaming would replace it all the same
		return errors.New("the file is read-only, and is left as it is: make it writable, or use --diff")
	}
	_, err = replaceFile(name, ".banksim-fmt-*", formatted, info.Mode().Perm(), func() error {
		if now, err := os.ReadFile(name); err != nil || !bytes.Equal(now, source) {
			return errors.New("the file has changed meanwhile, and is left as it is: format it again")
		}
		return nil
	})
	return err
}

// fileProblem returns why a file was not formatted, with its name.
func fileProblem(file string, err error) string {
	var problems scenario.Problems
	var failed *fs.PathError
	_, builtIn := scenario.Source(file)
	switch {
	case errors.As(err, &problems):
		return problems.Error()
	case errors.Is(err, fs.ErrNotExist) && builtIn == nil:
		return fmt.Sprintf("%s: a built-in scenario is no file: name a file or a folder (./%s, if it is one)", file, file)
	case errors.As(err, &failed):
		return fmt.Sprintf("%s: the file can't be formatted (%v): correct its name, or make it readable and its folder writable", file, failed.Err)
	}
	return fmt.Sprintf("%s: %v", file, err)
}
