package testkit

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"github.com/digitalbanking-sim/banksim/sim/coverage"
)

// coverageVariable names the directory of coverage files. Without it a test binary writes none.
const coverageVariable = "BANKSIM_COVERAGE"

// binaryCoverage is the coverage of the test binary.
var binaryCoverage = suiteCoverage{runs: map[string]coverage.Run{}}

// suiteCoverage writes what the tests of a test binary covered. Package testing has no hook at the end of a binary, so
// each test writes the file again when it ends.
type suiteCoverage struct {
	mu   sync.Mutex // held from the question to the file: an older state must not replace a newer one
	runs map[string]coverage.Run
}

// write writes the file, if one is wanted, with what the simulator of a sandbox says now, and others said last.
func (c *suiteCoverage) write(h *handle) error {
	directory := os.Getenv(coverageVariable)
	switch {
	case directory == "":
		return nil
	case !filepath.IsAbs(directory): // it would be another one for each package
		return fmt.Errorf("%q is relative, and go test runs the tests of each package in a directory of their own: "+
			"name an absolute directory, such as \"$PWD/%s\"", directory, directory)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	defer h.client.Close() // the sandbox may be removed by now
	// The counts are those since the simulator started.
	answer, err := h.client.Read(context.Background(), http.MethodGet, "/v1/coverage", nil)
	var now coverage.File
	if err == nil {
		now, err = coverage.Decode(answer)
	}
	if err != nil {
		return fmt.Errorf("%w: the simulator has to be of this version of banksim", err)
	}
	for _, r := range now.Runs {
		c.runs[r.ID] = r
	}
	byID := func(a, b coverage.Run) int { return strings.Compare(a.ID, b.ID) }
	content, err := coverage.Encode(slices.SortedFunc(maps.Values(c.runs), byID))
	if err == nil {
		err = os.MkdirAll(directory, 0o755)
	}
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(directory, coverageName()), content, 0o644)
}

// coverageName returns the name of the test binary's file. It has the name of the package, so that the next run of its
// tests replaces the file.
func coverageName() string {
	path := os.Args[0]
	if info, ok := debug.ReadBuildInfo(); ok && info.Path != "" {
		path = info.Path // such as example.com/app/bank.test
	}
	path = url.PathEscape(strings.TrimSuffix(path, ".test"))
	return path[max(0, len(path)-200):] + ".json" // a name of a file has 255 bytes at most
}
