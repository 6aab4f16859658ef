package scenario

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

// A scenario may extend others. Before anything is validated, they are merged from left to right, and it into them, by these
// rules:
//
//   - Mappings merge key by key, recursively.
//   - Lists of things that are told apart (see [keyed]) merge item by item. An item with the identity of an inherited one merges into
//     that, which keeps its place; with remove: true, which has nothing but the keys that identify it beside it, it removes it. Other
//     items are appended, and so is a further one with the identity of an item above.
//   - A list whose first item is nothing but replace: true takes the place of the inherited list.
//   - Any other list or value replaces that of the extended scenario.
//   - null removes the value of the extended scenario, so that the default applies.
//   - name, description and extends are not inherited.

// merged returns a value merged into the inherited one. Both are values of the key. Neither is modified.
func (r *report) merged(at, key string, inherited, given *yaml.Node) *yaml.Node {
	switch _, isKeyed := keyed[key]; {
	case inherited.Kind == yaml.MappingNode && given.Kind == yaml.MappingNode:
		return r.mergedMappings(at, inherited, given)
	case inherited.Kind == yaml.SequenceNode && given.Kind == yaml.SequenceNode && isKeyed && !strings.Contains(at, separator+freeForm):
		return r.mergedList(at, key, inherited, given)
	}
	return given
}

// separator stands before each step of the way to a value: a key, or the identity of an item.
const separator = "\x00"

func (r *report) mergedMappings(at string, inherited, given *yaml.Node) *yaml.Node {
	merged := r.emptied(given)
	merged.Content = make([]*yaml.Node, 0, len(inherited.Content)+len(given.Content))
	changes, inherits := indexOf(given), indexOf(inherited)
	for i := 0; i < len(inherited.Content); i += 2 {
		key, value := inherited.Content[i], inherited.Content[i+1]
		change, changed := changes[key.Value]
		switch {
		case at == "" && slices.Contains(own, key.Value):
			delete(inherits, key.Value)
		case !changed:
			merged.Content = append(merged.Content, key, value)
		case isNull(given.Content[change+1]):
			r.removed[at+separator+key.Value] = given.Content[change+1]
		default:
			value = r.merged(at+separator+key.Value, key.Value, value, given.Content[change+1])
			merged.Content = append(merged.Content, given.Content[change], value)
		}
	}
	for i := 0; i < len(given.Content); i += 2 {
		key, value := given.Content[i], given.Content[i+1]
		_, inherited := inherits[key.Value]
		wasRemoved := r.removed[at+separator+key.Value] != nil
		switch {
		case inherited:
		case !isNull(value):
			if wasRemoved { // so that its marks have nothing to remove or to replace
				value = r.merged(at+separator+key.Value, key.Value, &yaml.Node{Kind: value.Kind}, value)
			}
			merged.Content = append(merged.Content, key, value)
		case !wasRemoved:
			r.add(value, "%s: null removes nothing, the extended scenario doesn't have it: remove it", phrase.Shorten(key.Value))
		}
	}
	return merged
}

// emptied returns a copy of a container without its content.
func (r *report) emptied(n *yaml.Node) *yaml.Node {
	empty := *n
	empty.Content = nil
	if from, noted := r.files[n]; noted {
		r.files[&empty] = from
	}
	return &empty
}

// listMerger merges a list into the inherited one.
type listMerger struct {
	report   *report
	at       string
	identity identity
	result   []*yaml.Node   // the inherited items as they are changed, nil for those that are removed, and those that are new
	places   map[string]int // in it, of the inherited items, by identity; of the one that an item without a key is about, by ""
	claimed  map[int]bool   // the places that an item was about
	names    []string       // of the inherited items
}

func (r *report) mergedList(at, key string, inherited, given *yaml.Node) *yaml.Node {
	merged := r.emptied(given)
	switch {
	case len(given.Content) > 0 && replacesList(given.Content[0]):
		r.removed[at] = given.Content[0]
		merged.Content = given.Content[1:]
		return merged
	case len(given.Content) == 0 && len(inherited.Content) > 0:
		shown := phrase.Shorten(key)
		r.add(given, "%s: [] changes nothing, the %s of %s stay: write %s: null to remove them, or remove the line",
			shown, shown, r.originOf(inherited.Content[0]).file, shown)
		return inherited
	}
	l := listMerger{report: r, at: at, identity: keyed[key], result: slices.Clone(inherited.Content), places: map[string]int{},
		claimed: map[int]bool{}}
	for i, item := range slices.Backward(inherited.Content) { // of several with one identity, the first counts
		ids := l.identity.of(item)
		for _, id := range ids {
			l.places[id.key] = i
		}
		if len(ids) > 0 && ids[0].text != "" {
			l.names = append(l.names, ids[0].text)
		}
		if l.identity.sole && (len(ids) == 0 || len(inherited.Content) == 1) {
			l.places[""] = i
		}
	}
	slices.Reverse(l.names)
	for _, item := range given.Content {
		l.item(item, len(inherited.Content))
	}
	merged.Content = slices.DeleteFunc(l.result, func(item *yaml.Node) bool { return item == nil })
	return merged
}

// item merges one item into a list of which so many are inherited.
func (l *listMerger) item(given *yaml.Node, inherited int) {
	var id itemID
	if ids := l.identity.of(given); len(ids) > 0 {
		id = ids[0]
	}
	place, known := l.places[id.key]
	known = known && !l.claimed[place]
	switch {
	case !known && id.key == "" && l.identity.sole && inherited > 1:
		l.report.add(given,
			"it is unclear which inherited %s this changes: add %s, one of %s", l.identity.what, l.identity.needs(), phrase.Names(l.names))
	case marked(given, removeKey):
		l.remove(given, id)
	case known:
		l.result[place] = l.report.merged(l.at+separator+id.key, "", l.result[place], given)
		l.claimed[place] = true
	default:
		l.result = append(l.result, given)
	}
}

// remove removes the inherited item that a marked one names. Removing it once more is no mistake.
func (l *listMerger) remove(given *yaml.Node, id itemID) {
	place, known := l.places[id.key]
	switch way := l.at + separator + id.key; {
	case id.key == "" && !l.identity.sole:
		l.report.add(given, "remove: true needs the key of the %s to remove: add %s", l.identity.what, l.identity.needs())
	case known && !l.claimed[place]:
		l.result[place] = nil
		l.claimed[place] = true
		l.report.removed[way] = given
	case l.report.removed[way] == nil && l.report.removed[l.at] == nil:
		hint := ": remove the item"
		if id.text != "" && len(l.names) > 0 {
			hint = l.report.didYouMean(id.text, l.names, "there are")
		}
		l.report.add(given, "remove: true: there is no inherited %s%s", l.identity.named(id), hint)
	}
}

// strayMark explains a mark that merging has left on an item of a list of things that are told apart.
func strayMark(item *yaml.Node, key string) string {
	switch {
	case !marked(item, key):
		return fmt.Sprintf("%s is a mark, which is true or missing: write %s: true, or remove it", key, key)
	case key == replaceKey:
		return "replace: true replaces an inherited list, and stands alone in its first item: remove it here"
	}
	return "remove: true: nothing is inherited here: remove it"
}

// indexOf returns where the keys of a mapping are.
func indexOf(mapping *yaml.Node) map[string]int {
	index := make(map[string]int, len(mapping.Content)/2)
	for i := 0; i < len(mapping.Content); i += 2 {
		index[mapping.Content[i].Value] = i
	}
	return index
}

// valueOf returns the value of a mapping's entry, or nil if there is no entry or no mapping.
func valueOf(mapping *yaml.Node, key string) *yaml.Node {
	if isKind(mapping, yaml.MappingNode) {
		for i := 0; i < len(mapping.Content); i += 2 {
			if mapping.Content[i].Value == key {
				return mapping.Content[i+1]
			}
		}
	}
	return nil
}

// lookup returns the value at a path of keys and of places in lists, as far as it is there.
func lookup(n *yaml.Node, path ...string) *yaml.Node {
	for _, key := range path {
		if n.Kind == yaml.SequenceNode {
			if i, err := strconv.Atoi(key); err == nil && i < len(n.Content) {
				n = n.Content[i]
			}
		} else if value := valueOf(n, key); value != nil {
			n = value
		}
	}
	return n
}

// isKind reports whether a node is there and of a kind.
func isKind(n *yaml.Node, kind yaml.Kind) bool { return n != nil && n.Kind == kind }

// identity says how the items of a list are told apart.
type identity struct {
	what string // one item, in messages
	asks string // which keys it must have, in messages, if that is not one

	// by has the keys that identify an item. Of several alternatives, an item has the first of which it has all keys. A key is
	// the path to a value in the item. One that ends with ? may be missing, which identifies an item, too.
	by [][]string

	// sole is whether an item without a key stands for the inherited one without a key, or else for the only one that is
	// inherited. In other lists, such an item is a new one.
	sole bool
}

// keyed has the lists whose items are told apart, by the key of the list: they merge item by item, and are compared so.
var keyed = map[string]identity{
	"institutions":           {what: "institution", by: [][]string{{"institutionId"}}},
	"clients":                {what: "client", by: [][]string{{"sharedKey"}}},
	"users":                  {what: "user", by: [][]string{{"hostUserId"}}},
	"accounts":               {what: "account", by: [][]string{{"accountId"}}},
	"disclosures":            {what: "disclosure", by: [][]string{{"institutionDisclosureName"}}, sole: true},
	"tokens":                 {what: "token", by: [][]string{{"accessToken"}}},
	"groups":                 {what: "group", by: [][]string{{"groupName"}}},
	"jobs":                   {what: "job", by: [][]string{{"jobId"}}},
	"faults":                 {what: "fault", by: [][]string{{"name"}}},
	"institutionAlertTypes":  {what: "alert type", by: [][]string{{"alertTypeName"}}},
	"institutionDisclosures": {what: "disclosure", by: [][]string{{"institutionDisclosureName"}}},
	"institutionAlertPreferences": {what: "default alert preference", asks: "alertTypeName and channelTypeName",
		by: [][]string{{"alertTypeName", "channelTypeName"}}},
	"alertPreferences": {what: "alert preference", asks: "alertPrefId, or alertTypeName and channelTypeName", by: [][]string{
		{"alertPreferenceDetails.alertPrefId"},
		{"alertPreferenceDetails.alertTypeName", "alertPreferenceDetails.channelTypeName", "alertPreferenceAccountDetails.accountId?"},
	}},
}

// The keys that mark an item of a list: one that is removed, and one before those that replace the whole list.
const (
	removeKey  = "remove"
	replaceKey = "replace"
)

// marked reports whether an item has a mark: a key with the value true.
func marked(item *yaml.Node, key string) bool {
	value := valueOf(item, key)
	return value != nil && value.Tag == "!!bool" && value.Value == "true"
}

// replacesList reports whether an item says that its list replaces the inherited one.
func replacesList(item *yaml.Node) bool { return len(item.Content) == 2 && marked(item, replaceKey) }

// secretKeys are the keys whose values no message shows.
var secretKeys = map[string]bool{"secretKey": true, "password": true, "accessToken": true, "refreshToken": true}

// freeForm is the key of mappings that have any keys: a list in one is a value.
const freeForm = "additionalInfo"

// itemID is what identifies an item of a list.
type itemID struct {
	key  string // compares equal for items with the same identity
	text string // in messages; empty for a secret
}

// of returns the identities of an item, the best one first.
func (k identity) of(item *yaml.Node) []itemID {
	var ids []itemID
	for n, keys := range k.by {
		values := valuesOf(item, keys)
		if len(values) == 0 {
			continue
		}
		id := itemID{key: strings.Repeat(separator, n) + strings.Join(values, separator)}
		if !secretKeys[keys[0]] {
			id.text = strings.TrimSpace(strings.Join(values, " "))
		}
		ids = append(ids, id)
	}
	return ids
}

// valuesOf returns the values at paths of keys; none if one that is needed is missing.
func valuesOf(item *yaml.Node, keys []string) []string {
	values := make([]string, len(keys))
	for i, key := range keys {
		path, optional := strings.CutSuffix(key, "?")
		value := item
		for step := range strings.SplitSeq(path, ".") {
			value = valueOf(value, step)
		}
		switch {
		case isKind(value, yaml.ScalarNode) && value.Tag != "!!null":
			values[i] = value.Value
		case !optional:
			return nil
		}
	}
	return values
}

// needs says which keys an item must have.
func (k identity) needs() string { return cmp.Or(k.asks, k.by[0][0]) }

// named names an item in messages: group "Early adopters". A secret isn't shown.
func (k identity) named(id itemID) string {
	if id.text == "" {
		return k.what + " with this " + k.needs()
	}
	return k.what + " " + phrase.Quote(id.text)
}
