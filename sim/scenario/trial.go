package scenario

import "gopkg.in/yaml.v3"

// spot is where a problem is.
type spot struct {
	origin
	line, column int
}

func (r *report) spot(n *yaml.Node) spot { return spot{r.originOf(n), n.Line, n.Column} }

// maxTried bounds the work of explaining the problems of a scenario, which anybody can post: the values that are checked.
const maxTried = 1_000_000

// trials checks trees that were never written, to find out what is to blame for a problem.
type trials struct {
	report *report
	values int // of the root
	left   int // how many values may still be checked
}

func newTrials(r *report, root *yaml.Node) *trials {
	return &trials{report: r, values: values(root), left: maxTried}
}

func values(n *yaml.Node) int {
	count := 1
	for _, inner := range n.Content {
		count += values(inner)
	}
	return count
}

// scratch returns a report that knows where nodes come from, for problems that nobody sees.
func (t *trials) scratch() *report {
	r := newReport(t.report.file)
	r.builtIn, r.files, r.extending = t.report.builtIn, t.report.files, true
	return r
}

// of returns the problems of a tree.
func (t *trials) of(root *yaml.Node) []located {
	t.left -= t.values
	r := t.scratch()
	if _, err := r.document(root); err != nil {
		return nil
	}
	var all []located
	for i, p := range r.problems {
		if at := r.nodes[i]; at != nil {
			all = append(all, located{at, p.Message})
		}
	}
	return all
}

// spots returns where problems are.
func (t *trials) spots(problems []located) map[spot]bool {
	spots := map[spot]bool{}
	for _, p := range problems {
		spots[t.report.spot(p.at)] = true
	}
	return spots
}

// try returns where the problems of a tree are, unless enough has been tried.
func (t *trials) try(root *yaml.Node) (map[spot]bool, bool) {
	if t.left < t.values {
		return nil, false
	}
	return t.spots(t.of(root)), true
}

// entryOf is an entry of a mapping, or an item of a list.
type entryOf struct {
	container *yaml.Node
	index     int // of the key or of the item
}

func (e entryOf) isItem() bool { return e.container.Kind == yaml.SequenceNode }

// key returns the key of an entry; nil for an item.
func (e entryOf) key() *yaml.Node {
	if e.isItem() {
		return nil
	}
	return e.container.Content[e.index]
}

func (e entryOf) value() *yaml.Node {
	if e.isItem() {
		return e.container.Content[e.index]
	}
	return e.container.Content[e.index+1]
}

// wayTo returns the way to a node of a tree, which is a value, a key or an item; nil: it isn't there, or it is the root.
func wayTo(root, to *yaml.Node) []entryOf {
	step := 1
	if root.Kind == yaml.MappingNode {
		step = 2
	}
	for i := 0; i+step <= len(root.Content); i += step {
		e := entryOf{root, i}
		value := e.value()
		if value == to || e.key() == to {
			return []entryOf{e}
		}
		if inner := wayTo(value, to); inner != nil {
			return append([]entryOf{e}, inner...)
		}
	}
	return nil
}
