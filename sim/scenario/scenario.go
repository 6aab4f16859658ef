package scenario

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/fault"
)

// Scenario is a loaded scenario: the initial state of sandboxes.
type Scenario struct {
	Name        string // as in the file, or else the file's name without its ending
	Description string
	File        string     // as in messages; "retail.yaml" for an embedded one
	Source      []byte     // the YAML as given, without what it extends
	Seed        uint64     // of the world's random ids and tokens; drawn, unless Seeded
	Seeded      bool       // whether the file gives the seed
	Start       time.Time  // the virtual clock's start, in UTC; when the scenario was loaded, if StartsNow
	StartsNow   bool       // whether the file says that the clock starts at the real time of each start
	Running     bool       // whether the virtual clock advances with real time
	World       *sim.World // never modified: fork it; nil: see [Examine]
	Faults      []fault.Rule
	Version     string   // 16 hex digits of a digest of the YAML and of everything it extends
	Tag         string   // name, percent-encoded, and version, as a header of answers has them
	Doubts      Problems // what is legal, and probably not what the author meant
	Summary     Summary

	says      document
	resolved  func() ([]byte, error) // see Resolved
	generated map[string]filling     // by institution
	begun     *atomic.Bool           // whether there was a start: only the first has the seed that was drawn at loading
}

// Load loads an embedded scenario by its name, or a scenario from a file, see [FileOf]. An embedded scenario hides a
// file of its name. The error for a bad scenario is [Problems].
func Load(nameOrFile string) (*Scenario, error) {
	sc, _, err := LoadFile(nameOrFile)
	return sc, err
}

// LoadFile loads a scenario as [Load] does, and returns the files that it was read from. It returns them even if the
// scenario is bad or a file can't be read: one of them has to change before another try makes sense. It reads regular
// files only.
func LoadFile(nameOrFile string) (*Scenario, Files, error) {
	if f, err := embedded(nameOrFile); err == nil {
		sc, _, err := f.load()
		return sc, nil, err
	}
	file, looked, err := fileAt(nameOrFile, nameOrFile)
	if err != nil {
		return nil, looked, err
	}
	source, err := readRegular(file)
	files := Files{{file, digest(source, err)}}
	if err != nil {
		return nil, files, fmt.Errorf("reading the scenario: %w", err)
	}
	sc, extended, err := inFolder(file, source).load()
	return sc, append(files, extended...), err
}

// LoadFrom loads a scenario as if a file held the YAML: it can extend the files in the file's folder.
func LoadFrom(file string, source []byte) (*Scenario, error) {
	sc, _, err := inFolder(file, source).load()
	return sc, err
}

// Parse loads a scenario from its YAML. The file is its name in messages. It can extend embedded scenarios only. The
// error for a bad scenario is [Problems].
func Parse(file string, source []byte) (*Scenario, error) {
	sc, _, err := found{origin: origin{file: file}, source: source, name: file}.load()
	return sc, err
}

// found is the source of a scenario.
type found struct {
	origin
	source  []byte
	name    string // in a chain of scenarios that extend one another
	inFiles bool   // whether it can extend files
}

// embedded returns an embedded scenario.
func embedded(name string) (found, error) {
	source, err := Source(name)
	return found{origin: origin{file: name + ".yaml", builtIn: true}, source: source, name: name}, err
}

// inFolder returns a source as what a file holds.
func inFolder(file string, source []byte) found {
	return found{origin: origin{file: file}, source: source, name: filepath.Clean(file), inFiles: true}
}

// defaultName returns what a scenario without a name is called.
func (f found) defaultName() string {
	base := path.Base(filepath.ToSlash(f.file))
	return strings.TrimSuffix(base, path.Ext(base))
}

// load loads a scenario, and returns the files that it extends.
func (f found) load() (*Scenario, Files, error) {
	s, files, err := f.examined()
	if err != nil {
		return nil, files, err
	}
	if s.World, err = s.says.build(s.Seed, s.Start); err != nil {
		return nil, files, fmt.Errorf("scenario %s: %w", f.file, err)
	}
	return s, files, nil
}

// examined reads a scenario, and returns it without its world, and the files that it extends.
func (f found) examined() (*Scenario, Files, error) {
	_, d, r := f.read()
	if err := r.err(); err != nil {
		return nil, r.sources, err
	}
	s := &Scenario{
		Name:        cmp.Or(d.Name, f.defaultName()),
		Description: d.Description,
		File:        f.file,
		Source:      f.source,
		Seeded:      d.Seed != nil,
		StartsNow:   d.Clock.Start == startNow,
		Running:     orDefault(d.Clock.Run, true),
		Faults:      ruleList(d.Faults),
		Version:     r.version(),
		Summary:     d.summary(cmp.Or(d.Name, f.defaultName())),
		says:        d,
		generated:   map[string]filling{},
		begun:       new(atomic.Bool),
	}
	for _, i := range d.Institutions {
		if i.Generate != nil {
			s.generated[i.InstitutionID] = filling{*i.Generate, i.replacing()}
		}
	}
	s.Seed, s.Start = orDefault(d.Seed, DrawSeed()), s.startAt(ClockStart{Real: time.Now()})
	s.Tag = nameTag(s.Name, s.Version)
	s.resolved = sync.OnceValues(func() ([]byte, error) { return f.resolve(s.Version) })
	s.Doubts, _ = r.doubts.err().(Problems)
	return s, r.sources, nil
}

// DrawSeed draws a seed. It is below 2^53, so that programs that read JSON numbers as floating point, such as
// JavaScript and jq, keep all its digits (RFC 8259 6). Seeds that somebody writes may be larger.
func DrawSeed() uint64 { return rand.Uint64N(1 << 53) }

// ClockStart says where the clock of a sandbox starts if its scenario names no time.
type ClockStart struct {
	Real    time.Time // for clock.start: now
	Default time.Time // for a scenario without clock.start, or the zero time for DefaultStart
}

// startAt returns what the clock shows first.
func (s *Scenario) startAt(clock ClockStart) time.Time {
	switch {
	case s.StartsNow:
		return clock.Real.UTC().Truncate(time.Second)
	case !s.givesStart() && !clock.Default.IsZero():
		return clock.Default.UTC().Truncate(time.Second)
	}
	return timestamp(s.says.Clock.Start).or(DefaultStart)
}

// At returns the scenario as a sandbox starts from it. The given seed applies if the file has no seed. If it is nil,
// the first start has the seed that was drawn when the scenario was loaded, and each later start draws another one. At
// builds new rows if the seed or the start of the clock is another one than in s.
func (s *Scenario) At(seed *uint64, clock ClockStart) *Scenario {
	next, begun := s.Seed, s.begun.Swap(true)
	if !s.Seeded && (seed != nil || begun) {
		next = orDefault(seed, DrawSeed())
	}
	start := s.startAt(clock)
	if next == s.Seed && start.Equal(s.Start) {
		return s
	}
	return s.rebuilt(next, start)
}

// WithClock returns the scenario with the rows for a start of the clock, and with the same seed. It is no start itself.
func (s *Scenario) WithClock(clock ClockStart) *Scenario {
	if start := s.startAt(clock); !start.Equal(s.Start) {
		return s.rebuilt(s.Seed, start)
	}
	return s
}

// rebuilt returns a copy of the scenario with new rows.
func (s *Scenario) rebuilt(seed uint64, start time.Time) *Scenario {
	started := *s
	started.Seed, started.Start = seed, start
	var err error
	if started.World, err = started.says.build(started.Seed, started.Start); err != nil {
		panic(fmt.Sprintf("the scenario %s, whose rows were built before: %v", s.File, err))
	}
	return &started
}

// SaysAs reports whether two scenarios start equal banks, however they are written.
func (s *Scenario) SaysAs(other *Scenario) bool {
	if s.Name != other.Name || s.Description != other.Description || s.Seeded != other.Seeded ||
		s.Running != other.Running || s.StartsNow != other.StartsNow || s.givesStart() != other.givesStart() ||
		!reflect.DeepEqual(s.Faults, other.Faults) {
		return false
	}
	var seed uint64
	s, other = s.At(&seed, ClockStart{}), other.At(&seed, ClockStart{})
	return s.Seed == other.Seed && s.Start.Equal(other.Start) && s.World.Equal(other.World)
}

// givesStart reports whether the file says where the clock starts.
func (s *Scenario) givesStart() bool { return s.says.Clock.Start != "" }

// read returns the tree of a scenario with everything it extends merged in, the checked document, and the report, which
// knows the file of each node. The error of the report for a bad scenario is [Problems].
func (f found) read() (*yaml.Node, document, *report) {
	r := newReport(f.origin)
	l := loader{report: r, inFiles: f.inFiles, loaded: map[string]*yaml.Node{}}
	top := l.load(f, []string{f.name})
	if top == nil {
		return nil, document{}, r
	}
	tree := l.order[0]
	var inherited *yaml.Node
	for _, next := range l.order[1:] {
		inherited = tree
		tree = r.mergedMappings("", inherited, next)
	}
	d := r.document(tree)
	if inherited != nil && len(r.problems) > 0 {
		r.blame(inherited, tree, top)
	}
	return tree, d, r
}

// document returns what a merged tree says, and reports what is wrong with it.
func (r *report) document(tree *yaml.Node) (d document) {
	if r.decode(tree, false, &d); !r.full() {
		r.check(tree, d)
	}
	return d
}

// decode decodes a tree, or one that has nothing but faults. It reports what is wrong with the structure, and leaves it
// out.
func (r *report) decode(tree *yaml.Node, faultsOnly bool, into any) {
	switch {
	case r.builtIn: // a test validates it: reading the schema would take as long as loading it
	case faultsOnly:
		r.structure(place{at: valueOf(tree, "faults"), name: "faults"}, scenarioPart().Properties["faults"])
	default:
		r.structure(place{at: tree, name: "the scenario"}, scenarioPart())
	}
	if r.dropFaults(valueOf(tree, "faults")); r.full() {
		return // what was not looked at may not fit
	}
	if len(r.wrong) > 0 {
		tree = r.without(tree)
	}
	if err := tree.Decode(into); err != nil {
		r.add(tree, "decoding the tree: %s", err) // a mistake in our code, not in the document
	}
}

// Summary says what a scenario has, generated rows included.
type Summary struct {
	Name             string `json:"name"`
	Description      string `json:"description"`
	Institutions     int    `json:"institutions"`
	Clients          int    `json:"clients"`
	Users            int    `json:"users"`
	Accounts         int    `json:"accounts"`
	Tokens           int    `json:"tokens"`
	Groups           int    `json:"groups"`
	AlertPreferences int    `json:"alertPreferences"`
	Faults           int    `json:"faults"`
}

// Outline is what can be said of a file without loading it: enough to tell the scenarios of a folder from its other
// files.
type Outline struct {
	IsScenario      bool // whether it has a key of scenarios that files of other kinds hardly have
	HasInstitutions bool
	Extends         []string // as it names them
}

// outlineKeys are the keys that make a file a scenario, good or bad.
var outlineKeys = regexp.MustCompile(`(?m)^["']?(institutions|extends|faults|behavior)["']?\s*:`)

// OutlineOf returns the outline of a file.
func OutlineOf(source []byte) Outline {
	var keys struct {
		Institutions yaml.Node
		Extends      parents
	}
	if err := yaml.Unmarshal(source, &keys); err != nil {
		keys.Extends = nil
	}
	return Outline{outlineKeys.Match(source), keys.Institutions.Kind != 0, keys.Extends}
}

// Examine checks a scenario, as [Parse] does, without generating and adding its rows: it has no World. The error for a
// bad scenario is [Problems].
func Examine(file string, source []byte) (*Scenario, error) {
	s, _, err := found{origin: origin{file: file}, source: source, name: file}.examined()
	return s, err
}

// BuiltIn returns what the embedded scenarios have, sorted by name.
var BuiltIn = sync.OnceValue(func() []Summary {
	var all []Summary
	for _, name := range Names() {
		f, _ := embedded(name)
		examined, _, err := f.examined()
		if err != nil {
			panic(fmt.Sprintf("the embedded scenario %s: %v", name, err))
		}
		all = append(all, examined.Summary)
	}
	return all
})

// summary returns what a scenario has. A user that is written takes the place of a generated one, with its accounts.
func (d document) summary(name string) Summary {
	s := Summary{Name: name, Description: d.Description, Institutions: len(d.Institutions), Faults: len(d.Faults)}
	for _, i := range d.Institutions {
		s.Clients += len(i.Clients)
		s.Groups += len(i.Groups)
		s.AlertPreferences += len(i.AlertPreferences)
		for _, u := range i.Users {
			s.Users++
			s.Accounts += len(u.Accounts)
			s.AlertPreferences += len(u.AlertPreferences)
		}
		if i.Generate != nil {
			generated := i.Generate.Users - len(i.replacing())
			s.Groups += i.Generate.Groups
			s.Users += generated
			s.Accounts += generated * i.Generate.accountsPerUser()
		}
		for _, t := range i.Tokens {
			s.Tokens++
			if t.RefreshToken != "" {
				s.Tokens++
			}
		}
	}
	return s
}
