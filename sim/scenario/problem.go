package scenario

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

// Problem is one mistake in a scenario, with its position. The message includes the remedy where it is certain.
type Problem struct {
	File    string
	Line    int // from 1
	Column  int // from 1, in characters
	Message string
}

// String returns the problem as file:line:column: message.
func (p Problem) String() string {
	return fmt.Sprintf("%s:%d:%d: %s", p.File, p.Line, p.Column, p.Message)
}

// Problems is the error for a bad scenario: all its mistakes, sorted by position.
type Problems []Problem

// Error returns the problems, one per line.
func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i, problem := range p {
		lines[i] = problem.String()
	}
	return strings.Join(lines, "\n")
}

// maxProblems is how many problems are reported together.
const maxProblems = 1000

// origin is the scenario that a node comes from.
type origin struct {
	file    string // as in messages
	builtIn bool   // whether it is an embedded one
}

// report collects the problems of a scenario. It knows which file each node comes from.
type report struct {
	origin                         // of the nodes that are not in files
	files    map[*yaml.Node]origin // by node, of the scenarios that this one extends
	wrong    map[*yaml.Node]bool   // the nodes that are invalid, or whose problem was reported
	removed  map[string]*yaml.Node // what scenarios removed of those that they extend, by its way from the root; see merger
	sources  Files                 // the files that were read besides the scenario itself
	texts    hash.Hash             // of all that was read
	problems Problems
	nodes    []*yaml.Node // at which the problems are; nil for those with a position only
	doubts   *report      // see checker.doubt
	compared int          // with how many names those of the file were compared
}

func newReport(from origin) *report {
	return &report{origin: from, files: map[*yaml.Node]origin{}, wrong: map[*yaml.Node]bool{},
		removed: map[string]*yaml.Node{}, texts: sha256.New()}
}

// version returns the version of the scenario: a digest of all that was read for it.
func (r *report) version() string { return hex.EncodeToString(r.texts.Sum(nil)[:8]) }

// add reports a problem at a node.
func (r *report) add(at *yaml.Node, format string, args ...any) {
	if !r.full() {
		r.addAt(r.originOf(at).file, at.Line, at.Column, format, args...)
		r.nodes[len(r.nodes)-1] = at
	}
}

// addWrong reports a problem at a node that is left out of further checks.
func (r *report) addWrong(at *yaml.Node, format string, args ...any) {
	r.add(at, format, args...)
	r.wrong[at] = true
}

// addAt reports a problem at a position. After the first that is too many, nothing is added.
func (r *report) addAt(file string, line, column int, format string, args ...any) {
	if !r.full() {
		r.nodes = append(r.nodes, nil)
		message := phrase.Message(fmt.Sprintf(format, args...))
		r.problems = append(r.problems, Problem{file, max(line, 1), max(column, 1), message})
	}
}

// full reports whether there are so many problems that the search for more ends.
func (r *report) full() bool { return len(r.problems) > maxProblems }

// maxCompared bounds the time in which near names are searched, of lists that may be long.
const maxCompared = 20_000

// didYouMean is [phrase.DidYouMean], until it has compared many names.
func (r *report) didYouMean(name string, known []string, list string) string {
	if r.compared += min(len(known), 2000); r.compared > maxCompared || r.full() {
		return ""
	}
	return phrase.DidYouMean(name, known, list)
}

func (r *report) originOf(n *yaml.Node) origin {
	if from, ok := r.files[n]; ok {
		return from
	}
	return r.origin
}

// where says where a node is, for messages about something in a file.
func (r *report) where(n, from *yaml.Node) string {
	if file := r.originOf(n).file; file != r.originOf(from).file {
		return fmt.Sprintf("in %s, line %d", file, n.Line)
	}
	return fmt.Sprintf("on line %d", n.Line)
}

// blame moves problems at inherited nodes to what has changed the mapping around them, unless what is inherited has them alone. What
// is built in never has.
func (r *report) blame(inherited, root, top *yaml.Node) {
	alone := newReport(r.origin)
	alone.files = r.files
	alone.document(inherited)
	changes := map[*yaml.Node]*yaml.Node{} // by node, what has changed the mapping around it
	var visit func(n, changed *yaml.Node)
	visit = func(n, changed *yaml.Node) {
		changes[n] = changed
		for _, inner := range n.Content {
			if n != root && r.originOf(inner) != r.originOf(n) {
				visit(inner, n)
			} else {
				visit(inner, changed)
			}
		}
	}
	visit(root, nil)
	for i, n := range r.nodes {
		if n == nil || n == root || r.originOf(n) == r.origin || !r.originOf(n).builtIn && slices.Contains(alone.nodes, n) {
			continue
		}
		p, to := &r.problems[i], cmp.Or(changes[n], valueOf(top, "extends"), top)
		message := fmt.Sprintf("%s (inherited from %s:%d, and changed here)", p.Message, p.File, p.Line)
		*p = Problem{r.originOf(to).file, to.Line, to.Column, message}
	}
}

// err returns the problems, sorted and without duplicates, or nil. If there are too many, the last one says so.
func (r *report) err() error {
	if len(r.problems) == 0 {
		return nil
	}
	full := r.full()
	slices.SortFunc(r.problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column),
			cmp.Compare(a.Message, b.Message))
	})
	r.nodes = nil
	problems := slices.Compact(r.problems)
	if full && len(problems) > maxProblems {
		problems[maxProblems].Message = "more problems from here on: solve those above first"
		problems = problems[:maxProblems+1]
	}
	return problems
}
