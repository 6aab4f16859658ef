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

// layer is one scenario, as it was written, and those that it extends.
type layer struct {
	from    origin
	root    *yaml.Node
	extends *yaml.Node // nil: it extends nothing
	parents []parent
}

// parent is a scenario that another one extends.
type parent struct {
	name *yaml.Node // in extends
	*layer
}

// order returns the scenarios that make up one: each once, those that are extended before those that extend them, and otherwise
// in the order in which they are named. What several of them extend comes first, so that no one undoes what another changes.
func (l *layer) order() []*layer {
	var order []*layer
	var visit func(*layer)
	visit = func(l *layer) {
		if slices.Contains(order, l) {
			return
		}
		for _, p := range l.parents {
			visit(p.layer)
		}
		order = append(order, l)
	}
	visit(l)
	return order
}

// merged returns scenarios merged from left to right; nil: there are none.
func (r *report) merged(order []*layer) *yaml.Node {
	if len(order) == 0 {
		return nil
	}
	if r.gone == nil && len(order) > 1 {
		r.gone = map[string]bool{}
	}
	whole := order[0].root
	for _, l := range order[1:] {
		whole = merger{r, r.gone}.mappings(nil, whole, l.root)
	}
	return whole
}

// over returns a scenario merged into what it extends, if that is anything.
func (r *report) over(base *yaml.Node, top *layer) *yaml.Node {
	if base == nil {
		return top.root
	}
	r.extending = true
	return merger{r, r.gone}.mappings(nil, base, top.root)
}

// loader loads a scenario and those that it extends: the embedded ones and, for a scenario from a file, files.
type loader struct {
	report  *report
	inFiles bool              // whether the scenario can extend files
	held    map[string][]byte // the files, by name, if they were read before; nil: they are read now
	loaded  map[string]*layer // by name; nil: it has problems
}

// load returns a scenario with those that it extends, or nil if that is impossible. The chain holds the names of the scenarios
// that led here, this one last: a file's is its path.
func (l *loader) load(from origin, source []byte, chain []string) *layer {
	root := l.report.read(from.file, source)
	if root == nil {
		return nil
	}
	this := &layer{from: from, root: root, extends: valueOf(root, "extends")}
	if len(chain) > 1 {
		l.report.note(root, from)
		for _, key := range own {
			remove(root, key)
		}
	}
	if this.extends == nil {
		return this
	}
	if this.extends.Kind == yaml.SequenceNode && len(this.extends.Content) == 0 {
		l.report.add(this.extends, `extends is empty: name a scenario, such as "base", or remove the key`)
		return nil
	}
	names := namesIn(this.extends)
	if len(names) > maxExtended {
		l.report.add(names[maxExtended], tooManyExtended, maxExtended)
		return nil
	}
	failed := false
	for _, name := range names {
		if name.Tag != "!!str" || name.Value == "" {
			l.report.add(name, `extends must name a scenario, or list several: write "base", for example, or a file such as "shared.yaml"`)
			failed = true
			continue
		}
		extended := l.extended(name, chain)
		failed = failed || extended == nil
		this.parents = append(this.parents, parent{name, extended})
	}
	if failed {
		return nil
	}
	return this
}

// extended loads the scenario that an extends names.
func (l *loader) extended(extends *yaml.Node, chain []string) *layer {
	f, ok := l.find(extends, chain[len(chain)-1])
	if !ok {
		return nil
	}
	if at := slices.Index(chain, f.name); at >= 0 {
		l.report.add(extends, "extends is circular, %s: remove one of them", strings.Join(append(chain[at:], f.name), " -> "))
		return nil
	}
	if known, ok := l.loaded[f.name]; ok {
		return known
	}
	if len(l.loaded) == maxExtended {
		l.report.add(extends, tooManyExtended, maxExtended)
		return nil
	}
	l.loaded[f.name] = nil
	l.loaded[f.name] = l.load(origin{f.file, f.builtIn}, f.source, append(slices.Clip(chain), f.name))
	return l.loaded[f.name]
}

// find reads the scenario that an extends names. Paths begin at the folder of the file in which it stands.
func (l *loader) find(extends *yaml.Node, in string) (found, bool) {
	name := extends.Value
	if f, err := embedded(name); err == nil {
		if _, again := l.loaded[name]; !again {
			l.report.sources.note(f.file, f.source, nil, true)
		}
		return f, true
	}
	f, err := l.file(name, in)
	if err != nil {
		l.report.add(extends, "%s", err)
	}
	return f, err == nil
}

// file reads the file that an extends names, as it was held, or else as it is now.
func (l *loader) file(name, in string) (found, error) {
	switch {
	case !l.inFiles && isFile(name):
		return found{}, fmt.Errorf("extends %s: only a scenario that is a file itself can extend a file: name one of %s",
			phrase.Quote(name), phrase.Names(Names()))
	case !l.inFiles:
		return found{}, &UnknownError{Name: name}
	case strings.Contains(name, `\`):
		return found{}, fmt.Errorf("a path has slashes: write %s", phrase.Quote(strings.ReplaceAll(name, `\`, "/")))
	}
	path := filepath.FromSlash(name)
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(in), path)
	}
	for _, file := range []string{path, path + endings[0], path + endings[1]} {
		if source, ok := l.held[file]; ok {
			return found{file: file, name: file, source: source}, nil
		}
	}
	if l.held != nil {
		return found{}, fmt.Errorf("extends %s: the file was not there when the scenario was loaded", phrase.Quote(name))
	}
	file, err := fileAt(path)
	if err != nil {
		l.report.sources.note(path, nil, err, false)
		if !isFile(name) {
			return found{}, unknownName(name, path)
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
