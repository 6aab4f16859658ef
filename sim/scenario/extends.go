package scenario

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
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
		whole = merger{report: r, gone: r.gone}.mappings(nil, whole, l.root)
	}
	return whole
}

// over returns a scenario merged into what it extends, if that is anything.
func (r *report) over(base *yaml.Node, top *layer) *yaml.Node {
	if base == nil {
		return top.root
	}
	r.extending = true
	return merger{report: r, gone: r.gone}.mappings(nil, base, top.root)
}

// loader loads a scenario and those that it extends: the embedded ones and, for a scenario from a file, files.
type loader struct {
	report *report
	folder string            // of the scenario; empty: it is no file, and can extend embedded ones only
	held   map[string][]byte // the files, by name, if they were read before; nil: they are read now
	loaded map[string]*layer // by name; nil: it has problems
}

// load returns a scenario with those that it extends, or nil if that is impossible. The chain holds the names of the scenarios
// that led here, this one last: a file's is its path from the folder.
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

// find reads the scenario that an extends names. The name of the scenario in which it stands is where paths begin.
func (l *loader) find(extends *yaml.Node, in string) (found, bool) {
	name := extends.Value
	if !isFile(name) {
		source, err := Source(name)
		if err == nil {
			if _, again := l.loaded[name]; !again {
				l.report.sources.note(name+".yaml", source, nil, nil)
			}
			return found{file: name + ".yaml", name: name, source: source, builtIn: true}, true
		}
		if l.folder == "" {
			l.report.add(extends, "%s", err)
			return found{}, false
		}
	}
	f, err := l.file(name, in)
	if err != nil {
		l.report.add(extends, "%s", err)
	}
	return f, err == nil
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

// unknownName is the error for a name that is neither an embedded scenario's nor that of a file beside.
func unknownName(name string) error {
	if name == "" {
		return &UnknownError{}
	}
	return &UnknownError{Name: name, File: name + endings[0]}
}
