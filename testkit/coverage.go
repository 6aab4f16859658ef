package testkit

import (
	"fmt"
	"hash/fnv"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/digitalbanking-sim/banksim/sim/coverage"
)

// coverageVariable names the directory to which a test binary writes what its tests met; empty: it writes nothing.
const coverageVariable = "BANKSIM_COVERAGE"

// coverageDirectory returns the directory. A relative one would be another one for each package, because go test runs a test
// binary in the directory of its package.
func coverageDirectory() (string, error) {
	directory := os.Getenv(coverageVariable)
	if directory != "" && !filepath.IsAbs(directory) {
		return "", fmt.Errorf("%s is %q, which is relative, and go test runs the tests of each package in a directory of their own: "+
			"name an absolute directory, such as \"$PWD/%[2]s\"", coverageVariable, directory)
	}
	return directory, nil
}

// suite is the coverage of the test binary.
var suite = suiteCoverage{tests: map[string]int{}, runs: map[string]coverage.Run{}}

// suiteCoverage writes what the tests of a test binary met to a file. Package testing has no hook at the end of a test binary, so
// it does whenever no test has a bank on a simulator any more. The last time is the end.
type suiteCoverage struct {
	mu    sync.Mutex
	tests map[string]int // how many banks tests have, by the control API's URL of their simulator

	writing sync.Mutex // held while the simulator is asked and the file written: an older state must not replace a newer one
	runs    map[string]coverage.Run
}

// begin counts a bank that a test has.
func (c *suiteCoverage) begin(b *Bank) {
	b.t.Helper()
	if owned(b.t) {
		c.mu.Lock()
		c.tests[b.simulator.control]++
		c.mu.Unlock()
	}
	if _, err := coverageDirectory(); err != nil {
		b.t.Fatalf("testkit: %v", err)
	}
}

// end counts a bank that a test doesn't have any more, and writes the file if it was the last one.
func (c *suiteCoverage) end(b *Bank) {
	if owned(b.t) && !c.last(b.simulator.control) {
		return
	}
	directory, err := coverageDirectory()
	if directory == "" || err != nil { // which the start of the bank has reported
		return
	}
	if err := c.write(b, directory); err != nil {
		b.t.Errorf("testkit: writing the coverage, because %s is set: %v", coverageVariable, err)
	}
}

// last reports whether a bank that ends was the last one on its simulator.
func (c *suiteCoverage) last(control string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tests[control]--
	if c.tests[control] > 0 {
		return false
	}
	delete(c.tests, control)
	return true
}

// owned reports whether a test has the bank, and not a test binary as a whole, see [Started].
func owned(t testing.TB) bool {
	_, none := t.(*noTest)
	return !none
}

// write writes the file, with what the simulator of a bank says now, and others said last.
func (c *suiteCoverage) write(b *Bank, directory string) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	now, err := b.readCoverage()
	if err != nil {
		return err
	}
	for _, r := range now.Runs {
		c.runs[r.ID] = r
	}
	var all []coverage.Run
	for _, id := range slices.Sorted(maps.Keys(c.runs)) {
		all = append(all, c.runs[id])
	}
	content, err := coverage.Encode(all)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(directory, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(directory, coverageName()), content, 0o644)
}

// readCoverage returns what was met on the simulator of the bank since it started.
func (b *Bank) readCoverage() (f coverage.File, err error) {
	if b.simulator.met != nil {
		return coverage.File{Runs: []coverage.Run{b.simulator.met()}}, nil
	}
	answer, err := b.read("/v1/coverage")
	if err == nil {
		f, err = coverage.Decode(answer)
	}
	if err != nil {
		return f, fmt.Errorf("%w: the simulator has to be of this version of banksim", err)
	}
	return f, nil
}

// coverageName returns the name of the test binary's file. It is that of the package, so that the next run of its tests replaces
// the file, and no other package does.
var coverageName = sync.OnceValue(func() string {
	path := os.Args[0]
	if info, ok := debug.ReadBuildInfo(); ok && info.Path != "" {
		path = info.Path // such as example.com/app/bank.test
	}
	path = strings.TrimSuffix(path, ".test")
	readable := strings.Map(func(r rune) rune {
		if r == '.' || r == '-' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			return r
		}
		return '-'
	}, path)
	readable = readable[max(0, len(readable)-100):] // a name of a file has 255 bytes at most
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(path)) // two paths may read the same
	return fmt.Sprintf("%s-%08x.json", strings.TrimLeft(readable, "-."), hash.Sum32())
})
