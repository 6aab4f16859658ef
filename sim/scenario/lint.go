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
	r := newReport(s.found.file)
	top := s.found.layers(r)
	if top == nil {
		return nil, r.err()
	}
	sources := map[string][]byte{s.found.file: s.found.source}
	for name, source := range s.found.held {
		sources[filepath.Join(s.found.folder, filepath.FromSlash(name))] = source
	}
	l := &linter{report: r, ignored: map[string]ignores{}}
	order := top.order()
	for _, one := range order {
		if !one.from.builtIn {
			l.layer(one, sources[one.from.file], s.found.folder != "")
		}
	}
	r.gone = nil
	root := r.over(r.merged(order[:len(order)-1]), top)
	d, err := r.document(root)
	if err != nil {
		return nil, err
	}
	whole := wholeLinter{linter: l, root: root, behavior: behaviorOf(&d.Behavior), start: s.Start, running: s.Running}
	whole.lint(d)
	l.unusedIgnores(s.found.file)
	return l.sorted(), nil
}

// linter collects the warnings of a scenario.
type linter struct {
	report  *report            // knows where nodes come from
	ignored map[string]ignores // by file
	found   []Warning
	more    int // warnings that are not kept
}

// maxWarnings is how many warnings are kept, of which the first [maxProblems] by position are reported.
const maxWarnings = 5 * maxProblems

// full reports whether further warnings will only be counted, so that costly messages can be skipped.
func (l *linter) full() bool { return len(l.found) >= maxWarnings }

// add adds a warning unless a comment silences it.
func (l *linter) add(code, file string, at *yaml.Node, format string, args ...any) {
	l.addAt(code, file, at.Line, at.Column, format, args...)
}

func (l *linter) addAt(code, file string, line, column int, format string, args ...any) {
	if l.ignored[file].silence(code, line) {
		return
	}
	if l.full() {
		l.more++
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
	if more := len(all) - maxProblems + l.more; len(all) > maxProblems {
		all[maxProblems].Message = fmt.Sprintf("%d more warnings from here on: mend those above first", more)
		all = all[:maxProblems+1]
	}
	return all
}

// fileLinter collects the warnings of one file of a scenario, as it is written.
type fileLinter struct {
	*linter
	file      string
	extends   *yaml.Node // nil: it extends nothing
	lines     []string
	root      *yaml.Node
	inherited *yaml.Node // what it extends, merged; nil: it extends nothing
}

// layer collects the warnings that a file gives whoever extends it. It may be one in a folder with others.
func (l *linter) layer(one *layer, source []byte, inFolder bool) {
	f := fileLinter{linter: l, file: one.from.file, extends: one.extends, lines: linesOf(source), root: one.root}
	comments := commentsOf(f.lines, f.root)
	l.ignored[f.file] = ignoresOf(comments, f.lines)
	f.badIgnores()
	order := one.order()
	l.report.gone = nil // what is removed matters only within one merge
	f.inherited = l.report.merged(order[:len(order)-1])
	if f.extends != nil && inFolder {
		f.hiddenFiles()
	}
	f.cutTexts(comments)
	f.characters("", f.root)
	f.nearIDs(f.inherited, f.root)
	if f.inherited != nil {
		f.same()
	}
	f.defaultSwitches()
}

// where says where a node is, for messages about a file.
func (l *linter) where(n *yaml.Node, file string) string {
	if from := l.report.fileOf(n); from != file {
		return fmt.Sprintf("%s, line %d", from, n.Line)
	}
	return fmt.Sprintf("line %d", n.Line)
}
