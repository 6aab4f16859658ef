package scenario

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

// own are the keys that a scenario doesn't inherit.
var own = []string{"name", "description", "extends"}

// maxExtended is how many scenarios one may extend, all together.
const maxExtended = 20

const tooManyExtended = "extends names more than %d scenarios, with those that they extend: join some of them"

// parents are the names in extends: one, or a list of them.
type parents []string

// UnmarshalYAML implements yaml.Unmarshaler.
func (p *parents) UnmarshalYAML(n *yaml.Node) error {
	for _, name := range namesIn(n) {
		*p = append(*p, name.Value)
	}
	return nil
}

// namesIn returns the names in an extends.
func namesIn(extends *yaml.Node) []*yaml.Node {
	if extends.Kind == yaml.SequenceNode {
		return extends.Content
	}
	return []*yaml.Node{extends}
}

// loader reads a scenario and those that it extends: the embedded ones and, for a scenario from a file, files.
type loader struct {
	report  *report
	inFiles bool                  // whether the scenario can extend files
	held    map[string][]byte     // the files, by name, if they were read before; nil: they are read now
	loaded  map[string]*yaml.Node // by name in a chain; nil: it has problems
	order   []*yaml.Node          // each once, those that are extended before those that extend them
}

// load reads a scenario with those that it extends, and adds them to the order. It returns nil if that is impossible. The chain
// holds the names of the scenarios that led here, this one last.
func (l *loader) load(f found, chain []string) *yaml.Node {
	tree := l.report.read(f.file, f.source)
	if tree == nil {
		return nil
	}
	extends := valueOf(tree, "extends")
	if len(chain) > 1 {
		l.report.note(tree, origin{f.file, f.builtIn})
		for _, key := range own {
			remove(tree, key)
		}
	}
	ok := true
	if extends != nil {
		names := namesIn(extends)
		if len(names) == 0 {
			l.report.add(extends, `extends is empty: name a scenario, such as "base", or remove the key`)
			return nil
		}
		if len(names) > maxExtended {
			l.report.add(names[maxExtended], tooManyExtended, maxExtended)
			return nil
		}
		for _, name := range names {
			ok = l.extended(name, f, chain) && ok
		}
	}
	if !ok {
		return nil
	}
	l.order = append(l.order, tree)
	return tree
}

// extended loads the scenario that an extends names in another one.
func (l *loader) extended(extends *yaml.Node, in found, chain []string) bool {
	if extends.Kind != yaml.ScalarNode || extends.Tag != "!!str" || extends.Value == "" {
		l.report.add(extends, `extends must name a scenario, or list several: write "base", for example, or a file such as "shared.yaml"`)
		return false
	}
	f, err := l.find(extends.Value, in)
	if err != nil {
		l.report.add(extends, "%s", err)
		return false
	}
	if at := slices.Index(chain, f.name); at >= 0 {
		l.report.add(extends, "extends is circular, %s: remove one of them", strings.Join(append(chain[at:], f.name), " -> "))
		return false
	}
	if known, again := l.loaded[f.name]; again {
		return known != nil
	}
	if len(l.loaded) == maxExtended {
		l.report.add(extends, tooManyExtended, maxExtended)
		return false
	}
	l.loaded[f.name] = nil
	l.loaded[f.name] = l.load(f, append(slices.Clip(chain), f.name))
	return l.loaded[f.name] != nil
}

// find reads the scenario that an extends names in another one: an embedded one, or a file, as it was held or as it is now. Paths begin
// at the folder of the file in which they stand.
func (l *loader) find(name string, in found) (found, error) {
	f, err := embedded(name)
	switch {
	case err == nil:
		if _, again := l.loaded[name]; !again {
			l.report.sources.note(f.file, f.source, nil, true)
		}
		return f, nil
	case !l.inFiles && isFile(name):
		return found{}, fmt.Errorf("extends %s: only a scenario that is a file itself can extend a file: name one of %s",
			phrase.Quote(name), phrase.Names(Names()))
	case !l.inFiles:
		return found{}, err
	case strings.Contains(name, `\`):
		return found{}, fmt.Errorf("a path has slashes: write %s", phrase.Quote(strings.ReplaceAll(name, `\`, "/")))
	}
	path := filepath.FromSlash(name)
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(in.file), path)
	}
	for _, file := range candidates(path) {
		if source, ok := l.held[file]; ok {
			return found{file: file, name: file, source: source}, nil
		}
	}
	if l.held != nil {
		return found{}, fmt.Errorf("extends %s: the file was not there when the scenario was loaded", phrase.Quote(name))
	}
	file, looked, err := fileAt(name, path)
	if err != nil {
		l.report.sources = append(l.report.sources, looked...)
		if !isFile(name) {
			return found{}, err
		}
		return found{}, fmt.Errorf("extends %s: %w", phrase.Quote(name), err)
	}
	source, err := readRegular(file)
	if _, again := l.loaded[file]; !again {
		l.report.sources.note(file, source, err, false)
	}
	if err != nil {
		return found{}, fmt.Errorf("extends %s: the file can't be read: %w", phrase.Quote(name), err)
	}
	l.report.held[file] = source
	return found{file: file, name: file, source: source}, nil
}

// note records where the nodes of a tree come from.
func (r *report) note(n *yaml.Node, from origin) {
	if _, noted := r.files[n]; noted {
		return
	}
	r.files[n] = from
	for _, inner := range n.Content {
		r.note(inner, from)
	}
}
