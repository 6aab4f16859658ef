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
}

// Load loads an embedded scenario by its name, or a scenario from a file: a name with a path separator or the
// ending .yaml or .yml. The error for a bad scenario is [Problems].
func Load(nameOrFile string) (*Scenario, error) {
	if !isFile(nameOrFile) {
		source, err := Source(nameOrFile)
		if err != nil {
			return nil, err
		}
		return load(nameOrFile+".yaml", source, nameOrFile, "")
	}
	source, err := readPath(nameOrFile)
	if err != nil {
		return nil, fmt.Errorf("reading the scenario: %w", err)
	}
	return load(nameOrFile, source, filepath.Base(nameOrFile), filepath.Dir(nameOrFile))
}

// Parse loads a scenario from its YAML. The file is what messages call it. It can extend embedded scenarios
// only. The error for a bad scenario is [Problems].
func Parse(file string, source []byte) (*Scenario, error) {
	return load(file, source, file, "")
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

// Source returns the YAML of an embedded scenario. The error for an unknown name says which there are.
func Source(name string) ([]byte, error) {
	source, err := scenarios.Files.ReadFile(name + ".yaml")
	if err != nil {
		return nil, fmt.Errorf("unknown scenario %s%s", shown(name), didYouMean(name, Names(), "the scenarios are"))
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

// load loads a scenario. In a chain of scenarios that extend one another it is called name, and files that it
// extends are in the folder.
func load(file string, source []byte, name, folder string) (*Scenario, error) {
	r := &report{file: file, files: map[*yaml.Node]string{}}
	l := library{report: r, folder: folder}
	root := l.load(file, source, []string{name})
	if root == nil {
		return nil, r.err()
	}
	var d document
	r.requireInstitutions(root)
	if err := r.decode(root, compiled().Schema, "the scenario", &d); err != nil {
		return nil, fmt.Errorf("scenario %s: %w", file, err)
	}
	r.check(root, d)
	if err := r.err(); err != nil {
		return nil, err
	}
	s := &Scenario{
		Name:        d.Name,
		Description: d.Description,
		File:        file,
		Source:      source,
		Seed:        orDefault(d.Seed, defaultSeed),
		Start:       d.Clock.Start.or(defaultStart),
		Running:     orDefault(d.Clock.Run, true),
		Faults:      ruleList(d.Faults),
	}
	if s.Name == "" {
		base := path.Base(filepath.ToSlash(file))
		s.Name = strings.TrimSuffix(base, path.Ext(base))
	}
	world, err := d.build(s.Seed, s.Start)
	if err != nil {
		return nil, fmt.Errorf("scenario %s: %w", file, err)
	}
	s.World = world
	return s, nil
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
