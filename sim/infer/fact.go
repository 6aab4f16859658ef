package infer

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"

	"gopkg.in/yaml.v3"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/lazy"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// fact is a row or a value that the bank had when the capture began.
type fact struct {
	// path is where a scenario has it: institutions/02688/users/1001/active. A list is followed by the id of a row.
	path  string
	value any   // as decoded from JSON; nil for a row
	from  []int // the numbers of the exchanges that show it
}

// at returns a path below another one.
func at(path string, segments ...string) string {
	for _, s := range segments {
		path = strings.TrimPrefix(path+"/"+url.PathEscape(s), "/")
	}
	return path
}

// facts are facts in their order, with one value for a path. But for add, they never change.
type facts struct {
	list  []fact
	paths map[string]bool
}

// with returns the facts together with others whose paths are new.
func (f facts) with(others []fact) facts {
	all := facts{slices.Clone(f.list), maps.Clone(f.paths)}
	if all.paths == nil {
		all.paths = map[string]bool{}
	}
	all.add(others)
	return all
}

// add adds facts whose paths are new, up to [maxFacts].
func (f *facts) add(others []fact) {
	for _, other := range others {
		if !f.paths[other.path] && len(f.list) < maxFacts {
			f.list, f.paths[other.path] = append(f.list, other), true
		}
	}
}

// firstNew returns the first of some lists of facts that has a new one.
func (f facts) firstNew(lists [][]fact) []fact {
	for _, list := range lists {
		if slices.ContainsFunc(list, func(other fact) bool { return !f.paths[other.path] }) {
			return list
		}
	}
	return nil
}

// without returns the facts but one, and but those below its path.
func (f facts) without(path string) facts {
	return facts{}.with(slices.DeleteFunc(slices.Clone(f.list), func(other fact) bool {
		return other.path == path || strings.HasPrefix(other.path, path+"/")
	}))
}

// idOf are the lists of a scenario whose rows have an id, and the member that has it. Where it is empty, a fact of its
// own gives the id.
var idOf = map[string]string{
	"institutions":                "institutionId",
	"clients":                     "sharedKey",
	"tokens":                      "accessToken",
	"users":                       "hostUserId",
	"accounts":                    "accountId",
	"disclosures":                 "institutionDisclosureName",
	"groups":                      "groupId",
	"jobs":                        "jobId",
	"errors":                      "",
	"alertPreferences":            "",
	"institutionAlertTypes":       "alertTypeName",
	"institutionDisclosures":      "institutionDisclosureName",
	"institutionAlertPreferences": "",
}

// unknownID begins the id of a row whose own id the capture doesn't show: the bank draws one.
const unknownID = "?"

// node is a value of a scenario, or what has other values: a list, a row of a list, or another mapping.
type node struct {
	key           string
	value         any
	from          []int
	inner         []*node
	isList, isRow bool
}

// tree returns the facts as a scenario has them.
func (f facts) tree() *node {
	top := &node{}
	nodes := make(map[string]*node, len(f.list)) // by their paths
	for _, fact := range f.list {
		n, end := top, 0
		for segment := range strings.SplitSeq(fact.path, "/") {
			end += len(segment)
			inner := nodes[fact.path[:end]]
			if inner == nil {
				key, _ := url.PathUnescape(segment) // at has escaped it
				_, isList := idOf[key]
				inRow := n == top || n.isRow // behavior.groups is no list
				inner = &node{key: key, from: fact.from, isRow: n.isList, isList: isList && inRow}
				n.inner, nodes[fact.path[:end]] = append(n.inner, inner), inner
			}
			n, end = inner, end+1
		}
		n.value = fact.value
	}
	return top
}

// rows returns how many rows there are in lists at and below a node.
func (n *node) rows() (count int) {
	if n.isList {
		count = len(n.inner)
	}
	for _, inner := range n.inner {
		count += inner.rows()
	}
	return count
}

// madeUp matches values that this package makes up beside masks.
var madeUp = lazy.Regexp(
	`^(app|secret|access|user|account)-of-|^unseen group \d+$|^group [0-9a-f-]{1,8}$|^\?|^00000$`,
)

// foundNames are the keys of values that are computed, not copied from the capture. Settings of the bank are computed,
// too.
var foundNames = []string{"expiresAt", "expiresIn", "scopes"}

// unmasked returns the members of a scenario that have texts of the capture, with how often.
func (f facts) unmasked(made map[string]bool) []string {
	all, counts := []string{}, map[string]int{}
	var count func(*node)
	count = func(n *node) {
		for _, inner := range n.inner {
			if n.key == "behavior" && inner.key != "cors" || slices.Contains(foundNames, inner.key) {
				continue
			}
			name, value := inner.key, inner.value
			if n.isList {
				name, value = idOf[n.key], inner.key
			}
			text, isText := value.(string)
			_, isNumber := value.(json.Number)
			_, isFlag := value.(bool)
			isOurs := isText && (made[text] || madeUp().MatchString(text) || interfaceWords()[text])
			if value != nil && name != "" && !isNumber && !isFlag && !isOurs {
				counts[name]++
			}
			count(inner)
		}
	}
	count(f.tree())
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		all = append(all, fmt.Sprintf("%s (%d)", name, counts[name]))
	}
	return all
}

// interfaceWords are the values that the interface lists for its members. They come from no person.
var interfaceWords = sync.OnceValue(func() map[string]bool {
	words := map[string]bool{"none": true}
	for _, name := range sim.DisclosureNames {
		words[name] = true
	}
	add := func(m contract.Member) {
		for _, word := range m.Type.Enum {
			words[word] = true
		}
	}
	for _, op := range contract.AllOperations() {
		for _, answer := range op.Answers {
			if answer.Body != nil {
				answer.Body.Walk(add)
			}
		}
		if op.Request != nil {
			op.Request.Walk(add)
		}
	}
	return words
})

// yaml returns what a scenario says about the facts, with the numbers of exchanges in comments. Groups are in the order
// of their ids.
func (f facts) yaml(groupOrder map[string]int) []byte {
	return encode(f.tree().mapping(groupOrder))
}

// encode returns a value as YAML, with escapes for what a terminal acts on. An escape needs double quotes.
func encode(value any) []byte {
	n, isNode := value.(*yaml.Node)
	var err error
	if !isNode {
		n = &yaml.Node{}
		err = n.Encode(value)
	}
	quoteUnprintable(n)
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	if err := errors.Join(err, encoder.Encode(n)); err != nil {
		panic("infer: a value can't be written: " + err.Error()) // it has texts, numbers and booleans alone
	}
	return []byte(wording.Printable(out.String()))
}

func quoteUnprintable(n *yaml.Node) {
	if wording.Printable(n.Value) != n.Value {
		n.Style = yaml.DoubleQuotedStyle
	}
	for _, inner := range n.Content {
		quoteUnprintable(inner)
	}
}

// mapping returns the node as a mapping: on one line if it has no lists.
func (n *node) mapping(groupOrder map[string]int) *yaml.Node {
	m := &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle}
	for _, inner := range n.inner {
		value := inner.yaml(groupOrder)
		if value.Style&yaml.FlowStyle == 0 && value.Kind != yaml.ScalarNode {
			m.Style = 0
		}
		m.Content = append(m.Content, scalar(inner.key), value)
	}
	if m.Style == yaml.FlowStyle {
		m.LineComment = n.comment()
		for _, inner := range m.Content {
			inner.LineComment = ""
		}
	}
	return m
}

// yaml returns the node as a value.
func (n *node) yaml(groupOrder map[string]int) *yaml.Node {
	switch {
	case n.isList:
		return n.list(groupOrder)
	case len(n.inner) > 0:
		return n.mapping(groupOrder)
	}
	value := scalar(n.value)
	value.LineComment = n.comment()
	return value
}

// list returns the node as a list whose rows have their id in a member.
func (n *node) list(groupOrder map[string]int) *yaml.Node {
	id, rows := idOf[n.key], slices.Clone(n.inner)
	if n.key == "groups" {
		place := func(n *node) int {
			if at, known := groupOrder[n.key]; known {
				return at
			}
			return len(groupOrder)
		}
		slices.SortStableFunc(rows, func(a, b *node) int { return cmp.Compare(place(a), place(b)) })
	}
	list := &yaml.Node{Kind: yaml.SequenceNode}
	for _, row := range rows {
		whole := *row
		if id != "" && !strings.HasPrefix(row.key, unknownID) {
			whole.inner = append([]*node{{key: id, value: row.key, from: row.from}}, row.inner...)
		}
		list.Content = append(list.Content, whole.mapping(groupOrder))
	}
	return list
}

// maxNamed is how many exchanges a comment names (choice).
const maxNamed = 10

// comment names the exchanges that the node is from.
func (n *node) comment() string {
	var numbers []int
	var collect func(*node)
	collect = func(n *node) {
		numbers = append(numbers, n.from...)
		for _, inner := range n.inner {
			collect(inner)
		}
	}
	collect(n)
	slices.Sort(numbers)
	more := ""
	if numbers = slices.Compact(numbers); len(numbers) == 1 {
		return fmt.Sprintf("from exchange %d", numbers[0])
	} else if left := len(numbers) - maxNamed; left > 0 {
		numbers, more = numbers[:maxNamed], fmt.Sprintf(", and %d more", left)
	}
	return "from exchanges " + strings.Trim(strings.ReplaceAll(fmt.Sprint(numbers), " ", ", "), "[]") + more
}

// scalar returns a value as YAML has it.
func scalar(value any) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode}
	switch value := value.(type) {
	case string:
		n.SetString(value)
		n.Style = 0
		return n
	case json.Number:
		n.Value = value.String()
		return n
	}
	if err := n.Encode(value); err != nil {
		panic("infer: a value can't be written: " + err.Error()) // it was decoded from JSON
	}
	if n.Kind != yaml.ScalarNode {
		n.Style = yaml.FlowStyle
	}
	return n
}
