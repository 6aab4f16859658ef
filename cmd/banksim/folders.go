package main

import (
	"context"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// scenariosIn returns the scenarios of a folder and of those below it: the files that end in .yaml or .yml and have a key of scenarios
// other than name and description. Hidden files and folders and node_modules are left out. A file without institutions that
// others extend is no scenario but a part of them. Others are the files that are no scenarios.
func scenariosIn(ctx context.Context, folder string) (files, others []string, err error) {
	outlines := map[string]scenario.Outline{}
	top := filepath.Clean(folder) + string(filepath.Separator)
	err = filepath.WalkDir(top, func(file string, entry fs.DirEntry, err error) error {
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
		file = filepath.Clean(file)
		source, err := readFile(ctx, file, scenario.MaxBytes)
		if outline := scenario.OutlineOf(source); err != nil || outline.IsScenario {
			files, outlines[file] = append(files, file), outline
		} else {
			others = append(others, file)
		}
		return nil
	})
	parts := map[string]bool{}
	for file, outline := range outlines {
		for _, name := range outline.Extends {
			for _, ending := range []string{"", ".yaml", ".yml"} {
				parts[filepath.Join(filepath.Dir(file), filepath.FromSlash(name)+ending)] = true
			}
		}
	}
	files = slices.DeleteFunc(files, func(file string) bool { return parts[file] && !outlines[file].HasInstitutions })
	return files, others, err
}

func isYAML(name string) bool { return slices.Contains([]string{".yaml", ".yml"}, filepath.Ext(name)) }
