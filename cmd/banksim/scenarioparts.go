package main

import (
	"path/filepath"
	"slices"

	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// findParts finds the files that others extend and that have no institutions, not even inherited ones: they are valid only as
// parts of those others.
func findParts(files []scenarioFile) {
	extended := make([][]int, len(files)) // the files that each extends
	part := make([]bool, len(files))
	places := map[string]int{}
	for i, file := range files {
		places[file.name] = i
	}
	for i, file := range files {
		part[i] = file.sketch.NoScenario == "" && !file.sketch.Institutions
		for _, name := range file.sketch.Extends {
			if at, here := place(places, filepath.Dir(file.name), name); here {
				extended[i] = append(extended[i], at)
			} else {
				part[i] = false
			}
		}
	}
	for again := true; again; { // what extends a whole scenario is one
		again = false
		for i := range files {
			if part[i] && slices.ContainsFunc(extended[i], func(at int) bool { return !part[at] }) {
				part[i], again = false, true
			}
		}
	}
	for i, file := range files {
		if !part[i] && file.sketch.NoScenario == "" {
			for _, at := range reached(extended, i) {
				if part[at] {
					files[at].of = append(files[at].of, file.name)
				}
			}
		}
	}
}

// place finds the file that a scenario in a folder extends by a name.
func place(places map[string]int, folder, name string) (at int, here bool) {
	if slices.Contains(scenario.Names(), name) {
		return 0, false
	}
	file := filepath.FromSlash(name)
	if !filepath.IsAbs(file) {
		file = filepath.Join(folder, file)
	}
	for _, ending := range []string{"", ".yaml", ".yml"} {
		if at, here = places[file+ending]; here {
			return at, true
		}
	}
	return 0, false
}

// reached returns what a file extends, and what that extends, and so on, each once.
func reached(extended [][]int, from int) (all []int) {
	seen := map[int]bool{from: true}
	for next := []int{from}; len(next) > 0; next = next[1:] {
		for _, at := range extended[next[0]] {
			if !seen[at] {
				seen[at] = true
				all, next = append(all, at), append(next, at)
			}
		}
	}
	return all
}
