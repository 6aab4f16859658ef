package scenario

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"gopkg.in/yaml.v3"

	"github.com/digitalbanking-sim/banksim/scenarios"
	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

// Scenario is a loaded scenario: the initial state of sandboxes.
type Scenario struct {
	Name        string // as in the file, or else the file's name without its ending
	Description string
	File        string     // as in messages; "retail.yaml" for an embedded one
	Source      []byte     // the YAML as given, without what it extends
	Seed        uint64     // of the world's random ids and tokens
	Start       time.Time  // the virtual clock's start, in UTC
	Running     bool       // whether the virtual clock advances with real time
	World       *sim.World // never modified: fork it
	Faults      []fault.Rule
	Version     string // 16 hex digits of a digest of the YAML and of everything it extends
	Tag         string // name and version, as a header of answers has them: see nameTag

	found        found              // from which it was loaded, with the files that it extends
	institutions []string           // their ids, in the order of the file
	generated    map[string]*filler // by institution, with seed and start
	replaced     map[[2]string]bool // the users that are written in place of generated ones, by institution and hostUserId
}

// Option configures how a scenario is loaded.
type Option func(*loading)

type loading struct {
	progress func(done, total int)
	files    *Files
}

// WithProgress calls a function now and then with the number of rows generated so far, and at the end with done equal to
// total. It is not called for a scenario that generates nothing, and may be nil.
func WithProgress(progress func(done, total int)) Option {
	return func(l *loading) { l.progress = progress }
}

// Load loads an embedded scenario by its name, or a scenario from a file: a name with a path separator or the ending
// .yaml or .yml, which may be left out. An embedded scenario hides a file of its name. The error for a bad scenario is
// [Problems], that for an unknown name [*UnknownError].
func Load(nameOrFile string, options ...Option) (*Scenario, error) {
	f, err := find(nameOrFile)
	if err != nil {
		return nil, err
	}
	return load(f, options...)
}

// Parse loads a scenario from its YAML. The file is its name in messages. It can extend embedded scenarios only. The
// error for a bad scenario is [Problems].
func Parse(file string, source []byte, options ...Option) (*Scenario, error) {
	return load(found{file: file, source: source, name: file}, options...)
}

// found is the source of a scenario.
type found struct {
	file   string // as in messages
	source []byte
	name   string // in a chain of scenarios that extend one another
	folder string // of the files that it can extend; empty: it can extend embedded scenarios only

	builtIn bool              // whether it is an embedded one
	held    map[string][]byte // the files that it extends, if they were read before
}

// find reads a scenario as [Load] names it.
func find(nameOrFile string) (found, error) {
	if source, err := Source(nameOrFile); err == nil {
		return found{file: nameOrFile + ".yaml", source: source, name: nameOrFile, builtIn: true}, nil
	}
	file, source, err := firstOf(candidates(nameOrFile), readPath)
	if err != nil {
		return found{}, notFound(nameOrFile, err)
	}
	return inFolder(file, source), nil
}

// notFound returns the error for a scenario whose files can't be read.
func notFound(nameOrFile string, err error) error {
	if !isFile(nameOrFile) && errors.Is(err, fs.ErrNotExist) {
		return unknownName(nameOrFile)
	}
	return fmt.Errorf("reading the scenario: %w", err)
}

// inFolder returns a source as what a file holds.
func inFolder(file string, source []byte) found {
	return found{file: file, source: source, name: filepath.Base(file), folder: filepath.Dir(file)}
}

// defaultName returns what a scenario without a name is called.
func (f found) defaultName() string {
	base := path.Base(filepath.ToSlash(f.file))
	return strings.TrimSuffix(base, path.Ext(base))
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

// UnknownError is the error for a name that no embedded scenario has.
type UnknownError struct {
	Name string
	File string // which would have been the scenario, but isn't there either; empty: no file was looked for
}

func (e *UnknownError) Error() string {
	file := ""
	if e.File != "" {
		file = ", and no file " + phrase.Quote(e.File)
	}
	return fmt.Sprintf("unknown scenario %s%s%s", phrase.Quote(e.Name), file, phrase.DidYouMean(e.Name, Names(), "the scenarios are"))
}

// Source returns the YAML of an embedded scenario. The error for an unknown name is [*UnknownError].
func Source(name string) ([]byte, error) {
	source, err := scenarios.Files.ReadFile(name + ".yaml")
	if err != nil {
		return nil, &UnknownError{Name: name}
	}
	return source, nil
}

func readPath(name string) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return readLimited(file)
}

// load loads a scenario.
func load(f found, options ...Option) (*Scenario, error) {
	var l loading
	for _, option := range options {
		option(&l)
	}
	_, d, r, err := f.read()
	if l.files != nil {
		*l.files = append(*l.files, r.sources...)
	}
	if err != nil {
		return nil, err
	}
	s := &Scenario{
		Name:        d.Name,
		Description: d.Description,
		File:        f.file,
		Source:      f.source,
		Seed:        orDefault(d.Seed, defaultSeed),
		Start:       d.Clock.Start.or(defaultStart),
		Running:     orDefault(d.Clock.Run, true),
		Faults:      ruleList(d.Faults),
		Version:     r.sources.version(f.source),
	}
	if s.Name == "" {
		s.Name = f.defaultName()
	}
	s.Tag = nameTag(s.Name, s.Version)
	s.found, s.generated, s.replaced = f, map[string]*filler{}, map[[2]string]bool{}
	s.found.held = r.held
	for _, i := range d.Institutions {
		s.institutions = append(s.institutions, i.InstitutionID)
		if i.Generate != nil {
			s.generated[i.InstitutionID] = i.Generate.pinned(s.Seed, s.Start)
			for _, u := range i.Users {
				if i.Generate.gives(u.HostUserID) {
					s.replaced[[2]string{i.InstitutionID, u.HostUserID}] = true
				}
			}
		}
	}
	if s.World, err = d.build(s.Seed, s.Start, l.progress); err != nil {
		return nil, fmt.Errorf("scenario %s: %w", f.file, err)
	}
	return s, nil
}

// read returns the tree of a scenario with everything it extends merged in, the checked document, and the report, which
// knows the file of each node. The error for a bad scenario is [Problems].
func (f found) read() (*yaml.Node, document, *report, error) {
	r := newReport(f.file)
	r.builtIn = f.builtIn
	top := f.layers(r)
	var d document
	if top == nil {
		return nil, d, r, r.err()
	}
	order := top.order()
	base := r.merged(order[:len(order)-1])
	root := r.over(base, top)
	merged := len(r.problems)
	d, err := r.document(root)
	if err != nil {
		return nil, d, r, fmt.Errorf("scenario %s: %w", f.file, err)
	}
	if len(r.problems) > merged && base != nil {
		r.blame(merged, order, root)
	}
	return root, d, r, r.err()
}

// layers loads a scenario and those that it extends; nil: it can't be merged.
func (f found) layers(r *report) *layer {
	l := loader{report: r, folder: f.folder, held: f.held, loaded: map[string]*layer{}}
	return l.load(origin{f.file, f.builtIn}, f.source, []string{f.name})
}

// document returns what a merged tree says, and reports what is wrong with it.
func (r *report) document(root *yaml.Node) (document, error) {
	var d document
	if err := r.decode(root, wholeScenario, "the scenario", &d); err != nil {
		return d, err
	}
	r.check(root, d)
	return d, nil
}

// decode decodes a tree, which messages call by the name, into a part of a document. It reports what is wrong with the
// structure, and leaves it out.
func (r *report) decode(root *yaml.Node, as func() *jsonschema.Schema, name string, into any) error {
	if err := r.structure(root, as, name); err != nil {
		return err
	}
	r.dropFaults(valueOf(root, "faults"))
	if len(r.wrong) > 0 {
		root = without(root, r.wrong)
	}
	if err := root.Decode(into); err != nil {
		return fmt.Errorf("decoding the tree: %w", err)
	}
	return nil
}
