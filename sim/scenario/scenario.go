package scenario

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"sync/atomic"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/fault"
)

// Scenario is a loaded scenario: the initial state of sandboxes.
type Scenario struct {
	Name        string // as in the file, or else the file's name without its ending
	Description string
	File        string    // as in messages; "retail.yaml" for an embedded one
	Source      []byte    // the YAML as given, without what it extends
	Seed        uint64    // of the world's random ids and tokens; drawn, unless Seeded
	Start       time.Time // the virtual clock's start, in UTC; for clock.start: now, when the scenario was loaded
	Running     bool      // whether the virtual clock advances with real time
	Resets      sim.ResetTime
	World       *sim.World // or nil if it was loaded WithoutWorld. It is never modified: fork it
	Faults      []fault.Rule
	Version     string   // 16 hex digits of a digest of the YAML and of everything it extends
	Tag         string   // name, percent-encoded, and version, as a header of answers has them
	Warnings    Problems // what is valid, and probably not what the author meant
	Summary     Summary

	document  Document
	resolved  func() ([]byte, error)    // see Resolved
	merged    func() ([]byte, error)    // see Merged
	generated map[string]generatedUsers // by institution
	progress  func(done, total int)     // see WithProgress, or nil
	started   *atomic.Bool              // whether a sandbox has started from it: the first has the seed of the loading
}

// Option changes how a scenario is loaded.
type Option func(*options)

type options struct {
	withoutWorld bool
	progress     func(done, total int)
}

// WithoutWorld checks a scenario without making its rows. Its World is nil.
func WithoutWorld() Option { return func(o *options) { o.withoutWorld = true } }

// WithProgress has the loader report from time to time how many of the generated rows are made. A start that makes the
// rows anew reports, too.
func WithProgress(report func(done, total int)) Option {
	return func(o *options) { o.progress = report }
}

// Load loads an embedded scenario by its name, or a scenario from a file, whose ending .yaml or .yml may be left out.
// An embedded scenario hides a file of its name. The error for a bad scenario is [Problems].
func Load(nameOrFile string, opts ...Option) (*Scenario, error) {
	sc, _, err := LoadFile(nameOrFile, opts...)
	return sc, err
}

// LoadFile loads a scenario as [Load] does, and returns the files that it was read from. It returns them even if the
// scenario is bad or a file can't be read: one of them has to change before another try makes sense. It reads regular
// files only.
func LoadFile(nameOrFile string, opts ...Option) (*Scenario, Files, error) {
	if s, err := embedded(nameOrFile); err == nil {
		sc, _, err := load(s, opts)
		return sc, nil, err
	}
	file, looked, err := fileAt(nameOrFile, nameOrFile)
	if err != nil {
		return nil, looked, err
	}
	text, err := readRegular(file)
	files := Files{{file, digest(text, err)}}
	if err != nil {
		return nil, files, fmt.Errorf("reading the scenario: %w", err)
	}
	sc, extended, err := load(inFolder(file, text), opts)
	return sc, append(files, extended...), err
}

// LoadFrom loads a scenario as if a file held the YAML: it can extend the files in the file's folder.
func LoadFrom(file string, text []byte, opts ...Option) (*Scenario, error) {
	sc, _, err := load(inFolder(file, text), opts)
	return sc, err
}

// Parse loads a scenario from its YAML. The file is its name in messages. It can extend embedded scenarios only. The
// error for a bad scenario is [Problems].
func Parse(file string, text []byte, opts ...Option) (*Scenario, error) {
	sc, _, err := load(source{file: file, name: file, text: text}, opts)
	return sc, err
}

// load loads a scenario, and returns the files that it extends.
func load(from source, opts []Option) (*Scenario, Files, error) {
	var o options
	for _, opt := range opts {
		opt(&o)
	}
	d, found := newDraft(from)
	if len(found) > 0 {
		return nil, d.touched, found.problems(d.files)
	}
	s, err := d.scenario(o)
	return s, d.touched, err
}

// DrawSeed draws a seed. It is below 2^53, so that programs that read JSON numbers as floating point, such as
// JavaScript and jq, keep all its digits (RFC 8259 6). Seeds that somebody writes may be larger.
func DrawSeed() uint64 { return rand.Uint64N(1 << 53) }

// ClockStart says where the clock of a sandbox starts if its scenario names no time.
type ClockStart struct {
	Real    time.Time // for clock.start: now
	Default time.Time // for a scenario without clock.start, or the zero time for DefaultStart
}

// Seeded reports whether the file gives the seed.
func (s *Scenario) Seeded() bool { return s.document.Seed != nil }

// At returns the scenario as a sandbox starts from it. The given seed applies if the file has no seed. If it is nil,
// the first start has the seed that was drawn when the scenario was loaded, and each later start draws another one. At
// makes new rows if the seed or the start of the clock differs, or if s was loaded WithoutWorld.
func (s *Scenario) At(seed *uint64, otherwise ClockStart) *Scenario {
	isFirst := !s.started.Swap(true)
	if !s.Seeded() && seed == nil && !isFirst {
		drawn := DrawSeed()
		seed = &drawn
	}
	return s.startingAt(seed, otherwise)
}

// startingAt returns the scenario with rows for a start of the clock, and for a seed unless it is nil or the file
// gives one.
func (s *Scenario) startingAt(seed *uint64, otherwise ClockStart) *Scenario {
	next, start := s.Seed, s.document.Clock.Start.at(otherwise)
	if !s.Seeded() {
		next = orDefault(seed, s.Seed)
	}
	if s.World != nil && next == s.Seed && start.Equal(s.Start) {
		return s
	}
	started, err := s.withRows(next, start)
	if err != nil {
		panic(err) // a mistake in our code
	}
	return started
}

// WithClock returns the scenario with the rows for a start of the clock, and with the same seed. It is no start itself.
func (s *Scenario) WithClock(otherwise ClockStart) *Scenario {
	return s.startingAt(nil, otherwise)
}

// withRows returns a copy of the scenario with the rows for a seed and a start of the clock.
func (s Scenario) withRows(seed uint64, start time.Time) (*Scenario, error) {
	s.Seed, s.Start = seed, start
	var err error
	if s.World, err = s.document.build(seed, start, s.progress); err != nil {
		return nil, fmt.Errorf("scenario %s: %w", s.File, err)
	}
	return &s, nil
}

// StartsEqual reports whether two scenarios start equal banks, however they are written.
func (s *Scenario) StartsEqual(other *Scenario) bool {
	return s.Name == other.Name && s.Description == other.Description && s.Resets == other.Resets &&
		reflect.DeepEqual(s.Faults, other.Faults) && s.HasRowsOf(other)
}

// HasRowsOf reports whether two scenarios start banks with equal rows, clocks and switches: their names, their faults
// and the times of their resets may differ.
func (s *Scenario) HasRowsOf(other *Scenario) bool {
	was, is := s.document.Clock.Start, other.document.Clock.Start
	if s.Seeded() != other.Seeded() || s.Running != other.Running ||
		(was == startNow) != (is == startNow) || (was == "") != (is == "") {
		return false
	}
	var seed uint64
	s, other = s.startingAt(&seed, ClockStart{}), other.startingAt(&seed, ClockStart{})
	return s.Seed == other.Seed && s.Start.Equal(other.Start) && s.World.Equal(other.World)
}
