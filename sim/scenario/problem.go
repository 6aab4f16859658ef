package scenario

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// Problem is one mistake in a scenario, with its position. The message includes the remedy where it is certain.
type Problem struct {
	File    string
	Line    int // from 1
	Column  int // from 1, in characters
	Message string
}

// String returns the problem as file:line:column: message, on one line.
func (p Problem) String() string {
	return wording.Line(fmt.Sprintf("%s:%d:%d: %s", p.File, p.Line, p.Column, p.Message))
}

// Problems is the error for a bad scenario: all its mistakes, sorted by position. The warnings of a good scenario have
// the same form.
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

// finding is something to say about a node.
type finding struct {
	at      *yaml.Node
	message string
}

// findings are what one step of loading has found.
type findings []finding

// add adds a finding, unless there are too many already.
func (f *findings) add(at *yaml.Node, format string, args ...any) {
	if !f.full() {
		*f = append(*f, finding{at, wording.Message(fmt.Sprintf(format, args...))})
	}
}

// full reports whether there are so many findings that the search for more ends.
func (f *findings) full() bool { return len(*f) > maxProblems }

// problems returns the findings with the names of their files, sorted and without doubles. Of many that are alike, the
// first ones stay, and the last of these says how many there are. If there are too many, the last problem says so.
func (f findings) problems(files []source) Problems {
	var all Problems
	for _, one := range f {
		all = append(
			all, Problem{files[fileOf(one.at)].file, max(lineOf(one.at), 1), max(one.at.Column, 1), one.message},
		)
	}
	slices.SortFunc(all, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column),
			cmp.Compare(a.Message, b.Message))
	})
	all = slices.Compact(all)
	if len(all) > maxProblems {
		all = all[:maxProblems+1]
		all[maxProblems].Message = "more problems from here on: solve those above first"
	}
	return all.withoutRepetition()
}

// maxAlike is how many problems of a kind are reported one by one. Of more, the first shownAlike are.
const (
	maxAlike   = 10
	shownAlike = 3
)

// particulars matches what differs in messages of the same kind: texts in quotes, and numbers.
var particulars = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|\d+`)

// withoutRepetition returns the problems with only the first ones of each kind, if there are many of it.
func (p Problems) withoutRepetition() (few Problems) {
	kind := func(one Problem) string {
		if strings.HasPrefix(one.Message, "unknown key") { // the key in quotes is what matters
			return one.File + ":" + one.Message
		}
		return one.File + ":" + particulars.ReplaceAllString(one.Message, "")
	}
	counts, shown, lastLine := map[string]int{}, map[string]int{}, map[string]int{}
	for _, one := range p {
		counts[kind(one)]++
		lastLine[kind(one)] = one.Line
	}
	for _, one := range p {
		k := kind(one)
		shown[k]++
		switch count := counts[k]; {
		case count <= maxAlike || shown[k] < shownAlike:
		case shown[k] > shownAlike:
			continue
		default:
			one.Message += fmt.Sprintf(" (and %d more like this, up to line %d)", count-shownAlike, lastLine[k])
		}
		few = append(few, one)
	}
	return few
}

// didYouMean is [wording.DidYouMean], but only for the first findings: to compare many names with many takes too long.
func (f *findings) didYouMean(name string, known []string, list string) string {
	const comparisons = 20_000
	if f.full() || len(*f)*len(known) > comparisons {
		return ""
	}
	return wording.DidYouMean(name, known, list)
}
