package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/coverage"
)

// coverageFiles reads files of coverage, and those in directories. It reports all that can't be read together.
func coverageFiles(names []string) (files []coverage.File, err error) {
	var problems []error
	for _, name := range names {
		found, err := filesBelow(name)
		if err != nil {
			problems = append(problems, err)
		}
		for _, name := range found {
			f, err := coverage.ReadFile(name)
			if err != nil {
				problems = append(problems, err)
			}
			files = append(files, f)
		}
	}
	return files, errors.Join(problems...)
}

// filesBelow returns the name of a file or, if it is that of a directory, those of the files in it. None is an error: what was
// never written must not pass for what met nothing.
func filesBelow(name string) (found []string, err error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, unreadable(name, err)
	case !info.IsDir():
		return []string{name}, nil
	}
	err = filepath.WalkDir(name, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && strings.HasSuffix(entry.Name(), ".json") {
			found = append(found, path)
		}
		return err
	})
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("%s has no file of coverage (*.json): did the tests run with the directory in BANKSIM_COVERAGE, and not from the cache of go test (-count=1)?", name)
	}
	return found, err
}

// unreadable returns the error of a file, with its name first.
func unreadable(name string, err error) error {
	var of *fs.PathError
	if errors.As(err, &of) {
		err = of.Err
	}
	return fmt.Errorf("%s can't be read: %w", name, err)
}
