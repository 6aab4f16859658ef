package scenario

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"sort"

	"gopkg.in/yaml.v3"
)

// Warning is something in a valid scenario that is probably not what its author meant.
type Warning struct {
	Problem
	Code string // such as near-id: what a comment in the file names to silence it, see [WarningCodes]
}

// String returns the warning as file:line:column: message [code].
func (w Warning) String() string { return fmt.Sprintf("%s [%s]", w.Problem, w.Code) }

// Warnings returns what is legal and doubtful in the files of the scenario, without those of embedded scenarios and without what
// comments silence, sorted by position. It reads the scenario again, as it was when it was loaded, but generates nothing.
func (s *Scenario) Warnings() ([]Warning, error) {
	if s.found.builtIn {
		return hiddenByBuiltIn(s.found), nil
	}
	l := &linter{ignored: map[string]ignores{}}
	for _, f := range s.found.layers() {
		if err := l.layer(f); err != nil {
			return nil, err
		}
	}
	root, d, r, err := s.found.read()
	if err != nil {
		return nil, err
	}
	whole := wholeLinter{linter: l, report: r, root: root, behavior: behaviorOf(&d.Behavior), start: s.Start, running: s.Running}
	whole.lint(d)
	l.unusedIgnores(s.found.file)
	return l.sorted(), nil
}

// linter collects the warnings of a scenario.
type linter struct {
	ignored map[string]ignores // by file
	found   []Warning
}

// add adds a warning unless a comment silences it.
func (l *linter) add(code, file string, at *yaml.Node, format string, args ...any) {
	l.addAt(code, file, at.Line, at.Column, format, args...)
}

func (l *linter) addAt(code, file string, line, column int, format string, args ...any) {
	if l.ignored[file].silence(code, line) {
		return
	}
	l.found = append(l.found, Warning{Problem{file, max(line, 1), max(column, 1), fmt.Sprintf(format, args...)}, code})
}

// sorted returns the warnings by position, each once. If there are too many, the last one says so.
func (l *linter) sorted() []Warning {
	sort.Slice(l.found, func(i, k int) bool { // a generic sort would make the program larger
		a, b := l.found[i], l.found[k]
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column),
			cmp.Compare(a.Code, b.Code), cmp.Compare(a.Message, b.Message)) < 0
	})
	all := slices.Compact(l.found)
	if more := len(all) - maxProblems; more > 0 {
		all[maxProblems].Message = fmt.Sprintf("%d more warnings from here on: mend those above first", more)
		all = all[:maxProblems+1]
	}
	return all
}

// layers returns the files that a scenario was read from, each as a scenario of its own: those that it extends come first.
func (f found) layers() []found {
	var all []found
	for name, source := range f.held {
		if name != f.name {
			all = append(all, found{file: filepath.Join(f.folder, filepath.FromSlash(name)), source: source, name: name, folder: f.folder, held: f.held})
		}
	}
	return append(all, f)
}

// fileLinter collects the warnings of one file of a scenario, as it is written.
type fileLinter struct {
	*linter
	found
	lines  []string
	root   *yaml.Node // nil for nothing but what it extends
	parent *yaml.Node // what it extends, merged; nil: it extends nothing
	above  *report    // knows where the nodes of the parent come from
}

// layer collects the warnings that a file gives whoever extends it.
func (l *linter) layer(f found) error {
	r := newReport(f.file)
	root := r.read(f.file, f.source)
	if root == nil {
		return r.err()
	}
	one := fileLinter{linter: l, found: f, lines: linesOf(f.source), root: root}
	comments := commentsOf(one.lines, root)
	l.ignored[f.file] = ignoresOf(comments, one.lines)
	one.badIgnores()
	if extends := valueOf(root, "extends"); extends != nil {
		one.parent, one.above = f.inherited(extends)
	}
	one.hiddenFile()
	one.cutTexts(comments)
	one.characters("", root)
	one.nearIDs(one.parent, root)
	if one.parent != nil {
		one.same(root)
	}
	one.defaultSwitches()
	return nil
}

// inherited returns what a scenario extends, merged, and what knows where its nodes come from. It returns nil if there is
// nothing.
func (f found) inherited(extends *yaml.Node) (*yaml.Node, *report) {
	alone, err := yaml.Marshal(&yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{scalar("extends"), forWriting(extends, false)}})
	if err != nil {
		return nil, nil
	}
	f.source = alone
	root, _, r, _ := f.read() // what is extended may be a part, which is no scenario by itself
	return root, r
}

// idKey returns the key that identifies the items of a list; empty: they have none.
func idKey(list string) string { return idOf[list] }

// idIn returns the id of an item, or nil.
func idIn(item *yaml.Node, key string) *yaml.Node {
	if value := valueOf(item, key); isKind(value, yaml.ScalarNode) {
		return value
	}
	return nil
}

// itemWith returns the item of a list that has an id, or nil.
func itemWith(list *yaml.Node, key, id string) *yaml.Node {
	if !isKind(list, yaml.SequenceNode) {
		return nil
	}
	for _, item := range list.Content {
		if value := idIn(item, key); value != nil && value.Value == id {
			return item
		}
	}
	return nil
}
