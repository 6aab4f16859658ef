package scenario

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// A scenario may extend others. They are merged from left to right before anything is validated. The scenario itself is
// merged last. These are the rules:
//
//   - Mappings merge key by key, recursively.
//   - Lists whose items have an identity (see [lists]) merge item by item. An item merges into the inherited item with
//     the same identity, at the place of the inherited item. With remove: true, it removes the inherited item. New
//     items are appended.
//   - A list whose first item is nothing but replace: true takes the place of the inherited list.
//   - Any other list or value replaces the inherited one.
//   - null removes an inherited value, so that the default applies.
//   - name, description and extends are not inherited.

// NotInherited are the keys that a scenario doesn't inherit.
var NotInherited = []string{"name", "description", "extends"}

// keyPath is the way from the root of a scenario to a value: a hash of its steps, so that a path costs no memory in a
// deep file. Two paths with one hash would only misplace a hint.
type keyPath struct {
	hash       uint64
	isFreeForm bool // whether the value is within a mapping that has any keys, so that its lists are values
}

// freeForms are the keys of such mappings.
var freeForms = []string{"additionalInfo", "body"}

// key returns the path to a key of a mapping.
func (p keyPath) key(key string) keyPath {
	return keyPath{p.step(key), p.isFreeForm || slices.Contains(freeForms, key)}
}

// item returns the path to the item of a list with an identity.
func (p keyPath) item(id string) keyPath { return keyPath{p.step(id), p.isFreeForm} }

// step hashes one more step (FNV-1a).
func (p keyPath) step(step string) uint64 {
	hash := (p.hash ^ 0xff) * 1099511628211
	for _, c := range []byte(step) {
		hash = (hash ^ uint64(c)) * 1099511628211
	}
	return hash
}

// merged is the result of merging a family.
type merged struct {
	tree      *yaml.Node
	inherited *yaml.Node             // what the scenario extends, or nil
	removed   map[keyPath]*yaml.Node // what removed an inherited value or item
}

// merge merges a family from left to right.
func (f family) merge() (merged, findings) {
	m := merger{files: f.files, removed: map[keyPath]*yaml.Node{}, partial: f.partial}
	tree := f.trees[0]
	var inherited *yaml.Node
	for _, next := range f.trees[1:] {
		inherited = tree
		tree = m.mappings(keyPath{}, inherited, next)
	}
	return merged{tree, inherited, m.removed}, m.findings
}

// merger merges scenarios.
type merger struct {
	findings
	files   []source
	removed map[keyPath]*yaml.Node // what removed an inherited value or item
	partial bool                   // whether something that is extended is missing
}

// mergeValue merges a value into the inherited value of the same key. Neither value is modified.
func (m *merger) mergeValue(p keyPath, key string, inherited, change *yaml.Node) *yaml.Node {
	switch _, merges := lists[key]; {
	case inherited.Kind == yaml.MappingNode && change.Kind == yaml.MappingNode:
		return m.mappings(p, inherited, change)
	case inherited.Kind == yaml.SequenceNode && change.Kind == yaml.SequenceNode && merges && !p.isFreeForm:
		return m.list(p, key, inherited, change)
	}
	return change
}

// mappings merges a mapping into the inherited one, key by key.
func (m *merger) mappings(p keyPath, inherited, change *yaml.Node) *yaml.Node {
	result := withContent(change, make([]*yaml.Node, 0, len(inherited.Content)+len(change.Content)))
	places, inherits := indexOf(change), indexOf(inherited)
	for i := 0; i < len(inherited.Content); i += 2 {
		key, value := inherited.Content[i], inherited.Content[i+1]
		at, isChanged := places[key.Value]
		switch {
		case p == (keyPath{}) && slices.Contains(NotInherited, key.Value):
			delete(inherits, key.Value)
		case !isChanged:
			result.Content = append(result.Content, key, value)
		case isNull(change.Content[at+1]):
			m.removed[p.key(key.Value)] = change.Content[at+1]
		default:
			value = m.mergeValue(p.key(key.Value), key.Value, value, change.Content[at+1])
			result.Content = append(result.Content, change.Content[at], value)
		}
	}
	for i := 0; i < len(change.Content); i += 2 {
		key, value := change.Content[i], change.Content[i+1]
		_, isInherited := inherits[key.Value]
		wasRemoved := m.removed[p.key(key.Value)] != nil
		switch {
		case isInherited:
		case !isNull(value):
			if wasRemoved { // so that its marks have nothing to remove or to replace
				value = m.mergeValue(p.key(key.Value), key.Value, &yaml.Node{Kind: value.Kind}, value)
			}
			result.Content = append(result.Content, key, value)
		case !wasRemoved && !m.partial:
			m.add(value, "%s: null removes nothing, the extended scenario doesn't have it: remove it",
				wording.Shorten(key.Value))
		}
	}
	return result
}

// withContent returns a copy of a mapping or a list with other content.
func withContent(n *yaml.Node, content []*yaml.Node) *yaml.Node {
	changed := *n
	changed.Content = content
	return &changed
}

// listMerger merges a list into the inherited one.
type listMerger struct {
	*merger
	path      keyPath
	identity  identity
	inherited int            // how many items are inherited
	result    []*yaml.Node   // the inherited items as they are changed, nil for those that are removed, and new ones
	places    map[string]int // of the inherited items in result, by identity, or by "" for an item without a key
	claimed   map[int]bool   // the places that an item was about
	names     []string       // of the inherited items
}

// list merges a list into the inherited one, item by item.
func (m *merger) list(p keyPath, key string, inherited, change *yaml.Node) *yaml.Node {
	switch {
	case len(change.Content) > 0 && replacesList(change.Content[0]):
		m.removed[p] = change.Content[0]
		return withContent(change, change.Content[1:])
	case len(change.Content) == 0 && len(inherited.Content) > 0:
		shown := wording.Shorten(key)
		m.add(change, "%s: [] changes nothing, the %s of %s stay: write %s: null to remove them, or remove the line",
			shown, shown, m.files[fileOf(inherited.Content[0])].file, shown)
		return inherited
	}
	l := listMerger{merger: m, path: p, identity: lists[key], inherited: len(inherited.Content),
		result: slices.Clone(inherited.Content), places: map[string]int{}, claimed: map[int]bool{}}
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
	for _, item := range change.Content {
		l.item(item)
	}
	return withContent(change, slices.DeleteFunc(l.result, func(item *yaml.Node) bool { return item == nil }))
}

// item merges one item.
func (l *listMerger) item(change *yaml.Node) {
	var id itemID
	if ids := l.identity.of(change); len(ids) > 0 {
		id = ids[0]
	}
	place, known := l.places[id.key]
	known = known && !l.claimed[place]
	switch {
	case !known && id.key == "" && l.identity.sole && l.inherited > 1:
		l.add(change, "it is unclear which inherited %s this changes: add %s, one of %s",
			l.identity.item, l.identity.needs(), wording.Names(l.names))
	case marked(change, removeKey):
		l.remove(change, id)
	case known:
		l.result[place] = l.mergeValue(l.path.item(id.key), "", l.result[place], change)
		l.claimed[place] = true
	default:
		l.result = append(l.result, change)
	}
}

// remove removes the inherited item that a marked one names. Removing it once more is no mistake.
func (l *listMerger) remove(change *yaml.Node, id itemID) {
	place, known := l.places[id.key]
	if extra := l.identity.extraKey(change); extra != nil {
		l.add(extra,
			"%s has no effect beside remove: true, which stands alone with the key of the %s: remove one of them",
			wording.Shorten(extra.Value), l.identity.item)
	}
	switch p := l.path.item(id.key); {
	case id.key == "" && !l.identity.sole:
		l.add(change, "remove: true needs the key of the %s to remove: add %s", l.identity.item, l.identity.needs())
	case known && !l.claimed[place]:
		l.result[place] = nil
		l.claimed[place] = true
		l.removed[p] = change
	case l.removed[p] == nil && l.removed[l.path] == nil && !l.partial && !l.full():
		hint := ": remove the item"
		if id.text != "" && len(l.names) > 0 {
			hint = l.didYouMean(id.text, l.names, "there are")
		}
		l.add(change, "remove: true: there is no inherited %s%s", l.identity.named(id), hint)
	}
}

// strayMark explains a mark that merging has left on an item.
func strayMark(item *yaml.Node, isFirst bool, key string) string {
	switch {
	case !marked(item, key):
		return fmt.Sprintf("%s is a mark, which is true or missing: write %s: true, or remove it", key, key)
	case isFirst && replacesList(item):
		return "replace: true: nothing is inherited here: remove it"
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

// identity says how the items of a list are told apart.
type identity struct {
	item string // what an item is called
	asks string // which keys an item must have, in messages, if that is not one

	// by has the keys that identify an item: the first alternative whose keys the item has. A key is the path to a
	// value in the item. If a key ends with ?, an item without it has an identity, too.
	by [][]string

	// sole is whether an item without a key stands for the inherited one without a key, or else for the only one that
	// is inherited. In other lists, such an item is a new one.
	sole bool
}

// lists has the lists whose items have an identity, by the key of the list: they merge item by item.
var lists = map[string]identity{
	"institutions":           {item: "institution", by: [][]string{{"institutionId"}}},
	"clients":                {item: "client", by: [][]string{{"sharedKey"}}},
	"users":                  {item: "user", by: [][]string{{"hostUserId"}}},
	"accounts":               {item: "account", by: [][]string{{"accountId"}}},
	"disclosures":            {item: "disclosure", by: [][]string{{"institutionDisclosureName"}}, sole: true},
	"tokens":                 {item: "token", by: [][]string{{"accessToken"}}},
	"groups":                 {item: "group", by: [][]string{{"groupName"}}},
	"jobs":                   {item: "job", by: [][]string{{"jobId"}}},
	"faults":                 {item: "fault", by: [][]string{{"name"}}},
	"institutionAlertTypes":  {item: "alert type", by: [][]string{{"alertTypeName"}}},
	"institutionDisclosures": {item: "disclosure", by: [][]string{{"institutionDisclosureName"}}},
	"institutionAlertPreferences": {item: "default alert preference", asks: "alertTypeName and channelTypeName",
		by: [][]string{{"alertTypeName", "channelTypeName"}}},
	"alertPreferences": {
		item: "alert preference",
		asks: "alertPrefId, or alertTypeName and channelTypeName",
		by: [][]string{
			{"alertPreferenceDetails.alertPrefId"},
			{
				"alertPreferenceDetails.alertTypeName",
				"alertPreferenceDetails.channelTypeName",
				"alertPreferenceAccountDetails.accountId?",
			},
		},
	},
}

// ItemName returns what messages call an item of a list that merges item by item, by the key of the list. It returns ""
// for any other list.
func ItemName(list string) string { return lists[list].item }

// ItemKeys returns the paths to the keys that tell the items of a list apart, with dots between keys. It returns none
// for a list that doesn't merge item by item.
func ItemKeys(list string) (paths []string) {
	for _, keys := range lists[list].by {
		for _, key := range keys {
			paths = append(paths, strings.TrimSuffix(key, "?"))
		}
	}
	return paths
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

// itemID is what identifies an item of a list.
type itemID struct {
	key  string // compares equal for items with the same identity
	text string // in messages, or "" for a secret
}

// of returns the identities of an item, the best one first.
func (k identity) of(item *yaml.Node) []itemID {
	var ids []itemID
	for n, keys := range k.by {
		values := valuesOf(item, keys)
		if len(values) == 0 {
			continue
		}
		id := itemID{key: strings.Repeat("\x00", n) + strings.Join(values, "\x00")}
		if !secretKeys[keys[0]] {
			id.text = strings.TrimSpace(strings.Join(values, " "))
		}
		ids = append(ids, id)
	}
	return ids
}

// valuesOf returns the values at paths of keys, or nothing if a needed one is missing.
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
		return k.item + " with this " + k.needs()
	}
	return k.item + " " + wording.Quote(id.text)
}

// extraKey returns the first key of a marked item that doesn't identify it, or nil.
func (k identity) extraKey(item *yaml.Node) *yaml.Node {
	identifies := map[string]bool{removeKey: true}
	for _, key := range slices.Concat(k.by...) {
		first, _, _ := strings.Cut(strings.TrimSuffix(key, "?"), ".")
		identifies[first] = true
	}
	for i := 0; i < len(item.Content); i += 2 {
		if !identifies[item.Content[i].Value] {
			return item.Content[i]
		}
	}
	return nil
}
