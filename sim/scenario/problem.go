package scenario

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

// Problem is one mistake in a scenario, with its position. The message includes the remedy.
type Problem struct {
	File    string `json:"file"`
	Line    int    `json:"line"`   // from 1
	Column  int    `json:"column"` // from 1, in characters
	Message string `json:"message"`
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
	removals  []removal       // what they removed it by

	structural  int // how many problems there were before the document was checked
	suggestions int // how many names were compared with others
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

// maxSuggestions is how many names are compared with the known ones: a file may have thousands of wrong ones.
const maxSuggestions = 100

// didYouMean returns the end of a message about a name that is none of the known ones, see [phrase.DidYouMean].
func (r *report) didYouMean(name string, known []string, list string) string {
	if r.suggestions++; r.suggestions > maxSuggestions {
		return ""
	}
	return phrase.DidYouMean(name, known, list)
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

// removal is what a scenario removes something inherited by.
type removal struct {
	by *yaml.Node
	id string // of what is removed; empty: it has none
}

// maxCauses is how many inherited places a problem names.
const maxCauses = 3

// nameCauses moves each problem that is at an inherited node, and is none of its structure alone, to what changes that, where its author
// can mend it: what removes the id that the message quotes, or else the innermost mapping or list that is written around it.
func (r *report) nameCauses(root *yaml.Node) {
	from := r.structural
	if from == len(r.problems) {
		return
	}
	around := map[*yaml.Node]*yaml.Node{} // by inherited node
	var visit func(n, changed *yaml.Node)
	visit = func(n, changed *yaml.Node) {
		around[n] = changed
		for _, inner := range n.Content {
			if from := r.originOf(n); n != root && !from.builtIn && from != r.originOf(inner) {
				visit(inner, n)
			} else {
				visit(inner, changed)
			}
		}
	}
	visit(root, nil)
	extends, _ := entry(root, "extends")
	type cause struct {
		at      *yaml.Node
		message string
	}
	var causes []cause
	places := map[cause][]string{}
	kept := slices.Clone(r.problems[:from])
	for i := from; i < len(r.problems); i++ {
		p, at := r.problems[i], around[r.nodes[i]]
		if at == nil && r.originOf(r.nodes[i]).builtIn {
			at = extends
		}
		for _, removed := range r.removals {
			if removed.id != "" && r.fileOf(removed.by) != p.File && !r.originOf(removed.by).builtIn && strings.Contains(p.Message, phrase.Quote(removed.id)) {
				at = removed.by
			}
		}
		if at == nil || r.fileOf(at) == p.File {
			kept = append(kept, p)
			continue
		}
		c := cause{at, p.Message}
		if len(places[c]) == 0 {
			causes = append(causes, c)
		}
		places[c] = append(places[c], fmt.Sprintf("%s:%d", p.File, p.Line))
	}
	r.problems, r.nodes = kept, nil
	for _, c := range causes {
		inherited := strings.Join(places[c][:min(len(places[c]), maxCauses)], ", ")
		if more := len(places[c]) - maxCauses; more > 0 {
			inherited += fmt.Sprintf(" and %d more", more)
		}
		r.addAt(r.fileOf(c.at), c.at.Line, c.at.Column, "%s (inherited from %s, and changed here)", c.message, inherited)
	}
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
