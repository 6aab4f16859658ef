package infer

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// fact is a row or a value that the bank had when the capture began.
type fact struct {
	// place is where a scenario has it: institutions/02688/users/1001/active. A list is followed by the id of a row.
	place string
	value any // as decoded from JSON; nil: a row that has nothing but its id
	from  int // the number of the exchange that shows it
}

// at returns a place below another one.
func at(place string, segments ...string) string {
	for _, s := range segments {
		place = strings.TrimPrefix(place+"/"+url.PathEscape(s), "/")
	}
	return place
}

// facts are facts in their order, with one value for a place. They never change.
type facts struct {
	list   []fact
	places map[string]bool
}

// with returns the facts and those of others whose places are new.
func (f facts) with(others []fact) facts {
	all := facts{slices.Clone(f.list), maps.Clone(f.places)}
	if all.places == nil {
		all.places = map[string]bool{}
	}
	for _, other := range others {
		if !all.places[other.place] {
			all.list, all.places[other.place] = append(all.list, other), true
		}
	}
	return all
}

// without returns the facts but one, and but those below its place.
func (f facts) without(place string) facts {
	return facts{}.with(slices.DeleteFunc(slices.Clone(f.list), func(other fact) bool {
		return other.place == place || strings.HasPrefix(other.place, place+"/")
	}))
}

// idOf are the lists of a scenario whose rows have an id, and the member that has it. The id of an alert preference is
// deeper in the row: a fact of its own gives it.
var idOf = map[string]string{
	"institutions":           "institutionId",
	"clients":                "sharedKey",
	"tokens":                 "accessToken",
	"users":                  "hostUserId",
	"accounts":               "accountId",
	"disclosures":            "institutionDisclosureName",
	"groups":                 "groupId",
	"jobs":                   "jobId",
	"errors":                 "",
	"alertPreferences":       "",
	"institutionAlertTypes":  "alertTypeName",
	"institutionDisclosures": "institutionDisclosureName",

	"institutionAlertPreferences": "",
}

// drawnID begins the id of a row whose own id the bank draws.
const drawnID = "?"

// node is a mapping, a list or a value of a scenario.
type node struct {
	key   string
	value any
	from  int
	inner []*node
}

// child returns the node below n with a key. It makes one if there is none.
func (n *node) child(key string, from int) *node {
	if i := slices.IndexFunc(n.inner, func(c *node) bool { return c.key == key }); i >= 0 {
		return n.inner[i]
	}
	made := &node{key: key, from: from}
	n.inner = append(n.inner, made)
	return made
}

// yaml returns the facts as a scenario. The places of groups in their list are given by id.
func (f facts) yaml(name string, groupPlaces map[string]int) []byte {
	top := &node{}
	for _, fact := range f.list {
		n := top
		for segment := range strings.SplitSeq(fact.place, "/") {
			key, _ := url.PathUnescape(segment)
			n = n.child(key, fact.from)
		}
		n.value = fact.value
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "name: %s\ndescription: %s\n", quote(name), quote("A bank that answers a capture as the service did."))
	for _, block := range top.inner {
		block.write(&out, "", "", 0, groupPlaces)
	}
	return out.Bytes()
}

// write writes a node of a mapping. The comment of a line names the exchange, unless that is the one of the row.
func (n *node) write(out *bytes.Buffer, indent, first string, from int, groupPlaces map[string]int) {
	comment := ""
	if n.from != from {
		comment = fmt.Sprintf(" # from exchange %d", n.from)
	}
	id, isList := idOf[n.key]
	switch {
	case len(n.inner) == 0:
		fmt.Fprintf(out, "%s%s%s: %s%s\n", indent, first, key(n.key), flow(n.value), comment)
		return
	case !isList:
		fmt.Fprintf(out, "%s%s%s:\n", indent, first, key(n.key))
		for _, member := range n.inner {
			member.write(out, indent+strings.Repeat(" ", len(first)+2), "", n.from, groupPlaces)
		}
		return
	}
	fmt.Fprintf(out, "%s%s%s:\n", indent, first, key(n.key))
	rows := slices.Clone(n.inner)
	if n.key == "groups" {
		place := func(n *node) int { return cmp.Or(groupPlaces[n.key], math.MaxInt) }
		slices.SortStableFunc(rows, func(a, b *node) int { return cmp.Compare(place(a), place(b)) })
	}
	for _, row := range rows {
		row.writeRow(out, indent+strings.Repeat(" ", len(first)+2), id, groupPlaces)
	}
}

// writeRow writes a row of a list.
func (n *node) writeRow(out *bytes.Buffer, indent, id string, groupPlaces map[string]int) {
	first := "- "
	next := func() string {
		defer func() { first = "  " }()
		return first
	}
	if id != "" && !strings.HasPrefix(n.key, drawnID) {
		fmt.Fprintf(out, "%s%s%s: %s # from exchange %d\n", indent, next(), id, flow(n.key), n.from)
	}
	for _, member := range n.inner {
		from := n.from
		if first == "- " {
			from = 0
		}
		member.write(out, indent, next(), from, groupPlaces)
	}
}

var plainKey = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`)

// key returns the key of a mapping.
func key(text string) string {
	if plainKey.MatchString(text) {
		return text
	}
	return quote(text)
}

// quote returns a text in double quotes. Go's escapes are those of YAML.
func quote(text string) string { return strconv.QuoteToGraphic(strings.ToValidUTF8(text, "\ufffd")) }

// plainText matches texts that need no quotes in YAML.
var plainText = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]*([_.-][A-Za-z0-9]+)*( [A-Za-z0-9_.-]+)*$`)

// looksTyped are words that YAML doesn't read as texts.
var looksTyped = regexp.MustCompile(`(?i)^(true|false|yes|no|on|off|y|n|null)$`)

// flow returns a value on one line.
func flow(value any) string {
	switch value := value.(type) {
	case nil:
		return "null"
	case string:
		if plainText.MatchString(value) && !looksTyped.MatchString(value) {
			return value
		}
		return quote(value)
	case map[string]any:
		var members []string
		for _, name := range slices.Sorted(maps.Keys(value)) {
			members = append(members, key(name)+": "+flow(value[name]))
		}
		return "{" + strings.Join(members, ", ") + "}"
	case []any:
		var elements []string
		for _, element := range value {
			elements = append(elements, flow(element))
		}
		return "[" + strings.Join(elements, ", ") + "]"
	case json.Number:
		return value.String()
	}
	return fmt.Sprint(value)
}
