package scenario

import (
	"fmt"
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

// Scenario is a loaded scenario: a start for sandboxes.
type Scenario struct {
	Name        string // as the file says, or the file's name without its ending
	Description string
	File        string     // where it came from, as messages name it; "retail.yaml" for an embedded one
	Source      []byte     // the YAML as given, without what it extends
	Seed        uint64     // what the world draws ids and tokens from
	Start       time.Time  // the virtual clock's start, in UTC
	Running     bool       // whether the virtual clock runs along with real time
	World       *sim.World // never written to: fork it
	Faults      []fault.Rule
	Version     string // 16 hex digits of what the YAML and all it extends hold: equal for equal content
}

// Option says how a scenario is loaded.
type Option func(*loading)

type loading struct {
	progress func(done, total int)
	files    *Files
}

// WithProgress has the loader tell how many of the rows to be generated are done: at times, and once with done equal
// to total, at the end. A scenario that generates nothing tells nothing, and neither does a nil function.
func WithProgress(progress func(done, total int)) Option {
	return func(l *loading) { l.progress = progress }
}

// Load loads an embedded scenario by its name, or a scenario from a file: a name with a path separator or the
// ending .yaml or .yml. The error for a bad scenario is [Problems], that for a name that none has [*UnknownError].
func Load(nameOrFile string, options ...Option) (*Scenario, error) {
	f, err := find(nameOrFile)
	if err != nil {
		return nil, err
	}
	return load(f, options...)
}

// Parse loads a scenario from its YAML. The file is what messages call it. It can extend embedded scenarios
// only. The error for a bad scenario is [Problems].
func Parse(file string, source []byte, options ...Option) (*Scenario, error) {
	return load(found{file: file, source: source, name: file}, options...)
}

// found is the source of a scenario. In a chain of scenarios that extend one another it is called name, and files
// that it extends are in the folder.
type found struct {
	file   string // as messages name it
	source []byte
	name   string
	folder string // empty: it can extend embedded ones only
}

// find reads a scenario as [Load] names it.
func find(nameOrFile string) (found, error) {
	if !isFile(nameOrFile) {
		source, err := Source(nameOrFile)
		return found{file: nameOrFile + ".yaml", source: source, name: nameOrFile}, err
	}
	source, err := readPath(nameOrFile)
	if err != nil {
		return found{}, fmt.Errorf("reading the scenario: %w", err)
	}
	return found{nameOrFile, source, filepath.Base(nameOrFile), filepath.Dir(nameOrFile)}, nil
}

// Names returns the names of the embedded scenarios, sorted.
func Names() []string {
	files, _ := scenarios.Files.ReadDir(".") // an embedded folder can always be read
	names := make([]string, len(files))
	for i, file := range files {
		names[i] = strings.TrimSuffix(file.Name(), ".yaml")
	}
	return names
}

// UnknownError says that no embedded scenario has a name.
type UnknownError struct{ Name string }

func (e *UnknownError) Error() string {
	return fmt.Sprintf("unknown scenario %s%s", phrase.Quote(e.Name), phrase.DidYouMean(e.Name, Names(), "the scenarios are"))
}

// Source returns the YAML of an embedded scenario. The error for an unknown name says which there are.
func Source(name string) ([]byte, error) {
	source, err := scenarios.Files.ReadFile(name + ".yaml")
	if err != nil {
		return nil, &UnknownError{name}
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
		base := path.Base(filepath.ToSlash(f.file))
		s.Name = strings.TrimSuffix(base, path.Ext(base))
	}
	if s.World, err = d.build(s.Seed, s.Start, l.progress); err != nil {
		return nil, fmt.Errorf("scenario %s: %w", f.file, err)
	}
	return s, nil
}

// read returns the tree of a scenario, all it extends merged in, the checked document that it holds, and the report,
// which knows which file each part comes from. The error for a bad scenario is [Problems].
func (f found) read() (*yaml.Node, document, *report, error) {
	r := &report{file: f.file, files: map[*yaml.Node]string{}}
	l := library{report: r, folder: f.folder}
	root := l.load(f.file, f.source, []string{f.name})
	var d document
	if root == nil {
		return nil, d, r, r.err()
	}
	if err := r.decode(root, compiled().Schema, "the scenario", &d); err != nil {
		return nil, d, r, fmt.Errorf("scenario %s: %w", f.file, err)
	}
	r.check(root, d)
	return root, d, r, r.err()
}

// decode reads a tree, which messages call by the name, into a part of a document: all but what is wrong with its
// structure, which is added to the report.
func (r *report) decode(root *yaml.Node, as *jsonschema.Schema, name string, into any) error {
	if err := r.structure(root, as, name); err != nil {
		return err
	}
	_, faults := entry(root, "faults")
	r.dropFaults(faults)
	if len(r.wrong) > 0 {
		root = without(root, r.wrong)
	}
	if err := root.Decode(into); err != nil {
		return fmt.Errorf("decoding the tree: %w", err)
	}
	return nil
}
