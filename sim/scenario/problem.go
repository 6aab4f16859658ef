package scenario

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/digitalbanking-sim/banksim/sim/lazy"
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

// Error returns the problems, one per line, as [Problems.Brief] does.
func (p Problems) Error() string {
	var lines []string
	for _, problem := range p.Brief() {
		lines = append(lines, problem.String())
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

// problems returns the findings with the names of their files, sorted and without doubles. If there are too many, the
// last problem says so.
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
	return all
}

// maxAlike is how many problems of a kind people read one by one. Of more, they see shownAlike.
const (
	maxAlike   = 10
	shownAlike = 3
)

var (
	// badValue matches a message about a value that doesn't fit. Such messages differ in the value and in the remedy.
	badValue = lazy.Regexp(`^([^"]* must be [^"]*).*$`)
	// firstName matches the first text in quotes of a message.
	firstName = lazy.Regexp(`"(?:[^"\\]|\\.)*"`)
)

// kind returns what equal mistakes have in common, and the name that differs, if there is one.
func (p Problem) kind() (kind, name string) {
	switch {
	case strings.HasPrefix(p.Message, "unknown key"): // which one it is matters
		return p.File + p.Message, ""
	case badValue().MatchString(p.Message):
		return p.File + badValue().ReplaceAllString(p.Message, "$1"), ""
	}
	name = firstName().FindString(p.Message)
	return p.File + strings.Replace(p.Message, name, "", 1), name
}

// Brief returns the problems with only the first ones of each kind, if there are many of it. The last of these says how
// many others there are, and names some.
func (p Problems) Brief() (few Problems) {
	alike := map[string]Problems{}
	for _, one := range p {
		kind, _ := one.kind()
		alike[kind] = append(alike[kind], one)
	}
	shown := map[string]int{}
	for _, one := range p {
		kind, _ := one.kind()
		shown[kind]++
		switch all := alike[kind]; {
		case len(all) <= maxAlike || shown[kind] < shownAlike:
		case shown[kind] > shownAlike:
			continue
		default:
			one.Message += all[shownAlike:].rest()
		}
		few = append(few, one)
	}
	return few
}

// rest says how many problems of a kind follow, where the last one is, and some of the names.
func (p Problems) rest() string {
	text := fmt.Sprintf(" (and %d more like this, up to line %d", len(p), p[len(p)-1].Line)
	var names []string
	for _, one := range p[:min(len(p), maxAlike)] {
		if _, name := one.kind(); name != "" {
			names = append(names, name)
		}
	}
	if len(names) > 0 {
		text += ": " + strings.Join(names, ", ")
	}
	return text + ")"
}

// didYouMean is [wording.DidYouMean], but only for the first findings: to compare many names with many takes too long.
func (f *findings) didYouMean(name string, known []string, list string) string {
	const comparisons = 20_000
	if f.full() || len(*f)*len(known) > comparisons {
		return ""
	}
	return wording.DidYouMean(name, known, list)
}
