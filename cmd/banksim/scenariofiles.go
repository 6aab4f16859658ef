package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// maxFiles is how many YAML files a folder may have (choice).
const maxFiles = 10_000

// stdin names standard input among files, and standardInput in messages.
const (
	stdin         = "-"
	standardInput = "<stdin>"
)

// scenarioFile is a YAML file of a folder.
type scenarioFile struct {
	name   string // with that of the folder
	sketch scenario.Sketch
	of     []string // the files that extend it, if it is only a part of them
}

// isFolder reports whether an argument names a folder. The name of a scenario doesn't, whether it is built in or a file beside,
// unless it has a separator.
func isFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir() && asFile(name) == name && !slices.Contains(scenario.Names(), name)
}

// asFile returns the file beside that a name without ending stands for, or else the name.
func asFile(name string) string {
	if strings.ContainsAny(name, `/\`) || name == stdin || slices.Contains(scenario.Names(), name) {
		return name
	}
	for _, ending := range []string{"", ".yaml", ".yml"} {
		if info, err := os.Stat(name + ending); err == nil && !info.IsDir() {
			return name + ending
		}
	}
	return name
}

// readFolder finds the YAML files of a folder, and which of them are scenarios. Hidden files and folders and node_modules
// are left out. What a link leads to outside the folder is no scenario.
func readFolder(ctx context.Context, name string) ([]scenarioFile, error) {
	var files []scenarioFile
	top := name + string(filepath.Separator) + "." // the folder, even if the name is that of a link
	err := filepath.WalkDir(top, func(file string, entry fs.DirEntry, err error) error {
		base := entry.Name()
		switch {
		case ctx.Err() != nil:
			return errEndedEarly
		case err != nil:
			return fmt.Errorf("the folder can't be read (%w)", err)
		case file != top && (strings.HasPrefix(base, ".") || base == "node_modules"):
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		case entry.IsDir() || filepath.Ext(base) != ".yaml" && filepath.Ext(base) != ".yml":
			return nil
		case len(files) == maxFiles:
			return fmt.Errorf("more than %d YAML files: name a folder below it, or the files", maxFiles)
		}
		files = append(files, scenarioFile{name: file, sketch: sketchOf(name, file, entry)})
		return nil
	})
	if err != nil {
		return nil, err
	}
	findParts(files)
	return files, nil
}

// noScenarios is the problem of a folder without scenarios.
const noScenarios = "no scenario is in the folder or below: name another one, or a file (a scenario ends in .yaml or .yml and has keys such as institutions)"

// countScenarios returns how many of the files of a folder are scenarios.
func countScenarios(files []scenarioFile) (count int) {
	for _, file := range files {
		if file.sketch.NoScenario == "" {
			count++
		}
	}
	return count
}

// sketchOf returns what a file of a folder is. One that can't be read is a scenario: why it can't is reported when it is loaded.
func sketchOf(folder, file string, entry fs.DirEntry) scenario.Sketch {
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() || entry.Type()&fs.ModeSymlink != 0 && !isWithin(folder, file) {
		return scenario.Sketch{NoScenario: "not a file, or a link out of the folder"}
	}
	opened, err := os.Open(file)
	if err != nil {
		return scenario.Sketch{}
	}
	defer opened.Close()
	source, err := io.ReadAll(io.LimitReader(opened, scenario.MaxBytes+1))
	if err != nil {
		return scenario.Sketch{}
	}
	return scenario.SketchOf(source)
}

// isWithin reports whether a file is in a folder or below it once all links are followed.
func isWithin(folder, file string) bool {
	var each [2]string
	for i, name := range []string{folder, file} {
		real, err := filepath.EvalSymlinks(name)
		if err != nil {
			return false
		}
		if each[i], err = filepath.Abs(real); err != nil {
			return false
		}
	}
	below, err := filepath.Rel(each[0], each[1])
	return err == nil && filepath.IsLocal(below)
}

// readInput reads standard input. It is as large as a scenario can be, and a little larger, which shows that it is too large.
func readInput(ctx context.Context, s streams) (source []byte, err error) {
	err = within(ctx, func() (err error) {
		source, err = io.ReadAll(io.LimitReader(s.in, scenario.MaxBytes+1))
		return err
	})
	return source, err
}

// checkNames refuses names that contradict each other, and returns each name once.
func checkNames(names []string, stdinName string) ([]string, error) {
	var each []string
	seen := map[string]bool{}
	for _, name := range names {
		if cleaned := filepath.Clean(asFile(name)); !seen[cleaned] {
			seen[cleaned] = true
			each = append(each, name)
		}
	}
	if stdinName != "" && !seen[stdin] {
		return nil, wrongUse{errors.New("--stdin-name names what standard input holds: add - to the files, or leave it out")}
	}
	return each, nil
}

// maxListed is how many names a line lists (choice).
const maxListed = 10

// listed returns names in a line, without those beyond a limit.
func listed(names []string) string {
	if more := len(names) - maxListed; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:maxListed], ", "), more)
	}
	return strings.Join(names, ", ")
}

// others says in a line which files of folders are no scenarios, if there are some.
func others(names []string) string {
	switch len(names) {
	case 0:
		return ""
	case 1:
		return "1 file is no scenario: " + names[0]
	}
	return fmt.Sprintf("%d files are no scenarios: %s", len(names), listed(names))
}
