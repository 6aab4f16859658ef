package scenario

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/scenarios"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// endings end the names of scenario files.
var endings = []string{".yaml", ".yml"}

// isFile reports whether a name can only be the name of a file. Any other name may be an embedded scenario's, or a
// file's with or without its ending.
func isFile(name string) bool {
	return strings.ContainsAny(name, `/\`) || slices.Contains(endings, filepath.Ext(name))
}

// Names returns the names of the embedded scenarios, sorted.
func Names() []string {
	files, _ := scenarios.Files.ReadDir(".") // reading an embedded folder can't fail
	names := make([]string, len(files))
	for i, file := range files {
		names[i] = strings.TrimSuffix(file.Name(), ".yaml")
	}
	return names
}

// Source returns the YAML of an embedded scenario.
func Source(name string) ([]byte, error) {
	text, err := scenarios.Files.ReadFile(name + ".yaml")
	if err != nil {
		return nil, fmt.Errorf(
			"unknown scenario %s%s", wording.Quote(name), wording.DidYouMean(name, Names(), "the scenarios are"),
		)
	}
	return text, nil
}

// fileAt returns the file at a path, with or without its ending, for a name in messages. If no file is there, it
// returns the names that it tried, and an error that names a file that is there instead.
func fileAt(name, wanted string) (file string, looked Files, err error) {
	folder := false
	for _, file := range []string{wanted, wanted + endings[0], wanted + endings[1]} {
		info, err := os.Stat(file)
		switch {
		case err == nil && !info.IsDir():
			return file, nil, nil
		case err == nil:
			folder, err = true, errFolder
		case errors.Is(err, fs.ErrPermission):
			return "", nil, err
		}
		if target, err := os.Readlink(file); err == nil {
			return "", nil, fmt.Errorf(
				"%s is a link to %s, which doesn't exist", wording.Quote(file), wording.Quote(target),
			)
		}
		looked = append(looked, File{file, digest(nil, err)})
	}
	near, isThere := nearbyFile(wanted)
	switch {
	case folder:
		return "", looked, fmt.Errorf("%s %w", wording.Quote(wanted), errFolder)
	case isFile(name):
		return "", looked, fmt.Errorf("there is no file %s%s", wording.Quote(wanted),
			cmp.Or(near, ": banksim scenarios new makes one"))
	}
	if _, ok := wording.Nearest(name, Names()); near == "" || ok && !isThere {
		near = wording.DidYouMean(name, Names(), "the scenarios are")
	}
	return "", looked, fmt.Errorf("unknown scenario %s, and no file of this name%s", wording.Quote(name), near)
}

var errFolder = errors.New("is a folder: name a scenario file in it")

// nearbyFile returns the end of a message about a file that is missing: the one beside it whose name differs only by
// its ending or its case (isThere), or else nearly is the same.
func nearbyFile(wanted string) (hint string, isThere bool) {
	folder, base := filepath.Split(wanted)
	entries, err := os.ReadDir(filepath.Clean(folder))
	if err != nil {
		return ": there is no such folder", false
	}
	stem := strings.TrimSuffix(base, filepath.Ext(base))
	var names []string
	for _, entry := range entries {
		name := entry.Name()
		if !entry.IsDir() && strings.HasPrefix(strings.ToLower(name), strings.ToLower(stem)+".") {
			return ": " + wording.Quote(folder+name) + " is there", true
		}
		if other, ok := strings.CutSuffix(name, endings[0]); ok {
			names = append(names, other)
		}
	}
	if near, ok := wording.Nearest(stem, names); ok {
		return ": did you mean " + wording.Quote(folder+near+endings[0]) + "?", false
	}
	return "", false
}

// source is the text of a scenario, and where it is from.
type source struct {
	file          string // as in messages: "retail.yaml" for an embedded scenario
	name          string // tells scenarios that extend one another apart
	text          []byte
	builtIn       bool   // whether it is embedded
	storedVersion string // of a scenario that a store has kept, or ""
	root          string // the folder of the scenario that is loaded, if it can extend files
}

// embedded returns an embedded scenario.
func embedded(name string) (source, error) {
	text, err := Source(name)
	return source{file: name + ".yaml", name: "built-in " + name, text: text, builtIn: true}, err
}

// inFolder returns a text as what a file holds.
func inFolder(file string, text []byte) source {
	return source{file: file, name: filepath.Clean(file), text: text, root: filepath.Dir(file)}
}

// defaultName returns what a scenario without a name is called.
func (s source) defaultName() string {
	base := path.Base(filepath.ToSlash(s.file))
	return strings.TrimSuffix(base, path.Ext(base))
}
