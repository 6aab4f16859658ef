package scenario

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// Problem is one mistake in a scenario, with its position. The message includes the remedy.
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

// report collects the problems of a scenario. It knows which file each node comes from.
type report struct {
	file     string                // of the nodes that are not in files
	builtIn  bool                  // whether that is an embedded one
	files    map[*yaml.Node]origin // by node, of the scenarios that this one extends
	wrong    map[*yaml.Node]bool   // the nodes whose structure is invalid
	told     map[*yaml.Node]bool   // the nodes whose text was explained, so that their structure isn't
	sources  Files                 // what was read
	held     map[string][]byte     // the files among them that are extended, by name
	problems Problems
	nodes    map[int]*yaml.Node // at which the problems are, by their index; none for those with a position only

	extending bool            // whether the scenario extends another
	gone      map[string]bool // what scenarios removed of those that they extend, see merger
}

func newReport(file string) *report {
	return &report{file: file, files: map[*yaml.Node]origin{}, told: map[*yaml.Node]bool{}, held: map[string][]byte{}}
}

// add reports a problem at a node.
func (r *report) add(at *yaml.Node, format string, args ...any) {
	if r.nodes == nil {
		r.nodes = map[int]*yaml.Node{}
	}
	r.nodes[len(r.problems)] = at
	r.addAt(r.fileOf(at), at.Line, at.Column, format, args...)
}

// addAt reports a problem at a position.
func (r *report) addAt(file string, line, column int, format string, args ...any) {
	r.problems = append(r.problems, Problem{file, max(line, 1), max(column, 1), fmt.Sprintf(format, args...)})
}

// full reports whether further problems will be cut off, so that costly messages can be skipped.
func (r *report) full() bool { return len(r.problems) > maxProblems }

func (r *report) fileOf(n *yaml.Node) string { return r.originOf(n).file }

// origin is the scenario that a node comes from.
type origin struct {
	file    string // as in messages
	builtIn bool   // whether it is an embedded one
}

func (r *report) originOf(n *yaml.Node) origin {
	if from, ok := r.files[n]; ok {
		return from
	}
	return origin{r.file, r.builtIn}
}

// isWrong reports whether the structure of a node, or of one within it, is invalid.
func (r *report) isWrong(n *yaml.Node) bool {
	return r.wrong[n] || slices.ContainsFunc(n.Content, r.isWrong)
}

// err returns the problems, sorted and without duplicates, or nil. If there are too many, the last one says so.
func (r *report) err() error {
	if len(r.problems) == 0 {
		return nil
	}
	slices.SortFunc(r.problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column),
			cmp.Compare(a.Message, b.Message))
	})
	problems := slices.Compact(r.problems)
	if more := len(problems) - maxProblems; more > 0 {
		problems[maxProblems].Message = fmt.Sprintf("%d more problems from here on: solve those above first", more)
		problems = problems[:maxProblems+1]
	}
	return problems
}
