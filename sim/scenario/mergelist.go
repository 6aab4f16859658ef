package scenario

import (
	"fmt"
	"slices"

	"gopkg.in/yaml.v3"

	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

// Lists of things that are told apart merge item by item:
//
//   - An item with the identity of an inherited one merges into that, which keeps its place. With remove: true, which has nothing but
//     the keys that identify it beside it, it removes it.
//   - Other items are appended. Of several items with one identity, the first belongs to the first inherited one, the second to
//     the second, and so on.
//   - A list whose first item is nothing but replace: true takes the place of the inherited list.

// The keys that mark an item of a list as one that doesn't merge.
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

// listMerger merges a list into the inherited one.
type listMerger struct {
	merger
	at        *step
	identity  identity
	inherited []*yaml.Node
	there     map[*yaml.Node]bool // the inherited items
	places    map[string][]int    // of the inherited items that no item has claimed, by identity
	unnamed   []int               // of those without an identity
	result    []*yaml.Node        // the inherited items, as they are changed; nil: removed
	named     []string            // the names of the inherited items, once they are needed
}

func (m merger) lists(at *step, key string, inherited, own *yaml.Node) *yaml.Node {
	merged := m.report.emptied(own)
	switch {
	case len(own.Content) > 0 && replacesList(own.Content[0]):
		m.removes(at, own.Content[0], "")
		merged.Content = own.Content[1:]
		return merged
	case len(own.Content) == 0 && len(inherited.Content) > 0:
		m.report.add(own, "%s: [] changes nothing, what is inherited stays: write %s: null to remove it, or remove the line", key, key)
		return inherited
	}
	l := listMerger{merger: m, at: at, identity: keyed[key], inherited: inherited.Content, there: map[*yaml.Node]bool{},
		places: map[string][]int{}, result: slices.Clone(inherited.Content)}
	for i, item := range inherited.Content {
		l.there[item] = true
		ids := l.identity.of(item)
		for _, id := range ids {
			l.places[id.key] = append(l.places[id.key], i)
		}
		if len(ids) == 0 {
			l.unnamed = append(l.unnamed, i)
		}
	}
	for _, item := range own.Content {
		l.item(item)
	}
	merged.Content = slices.DeleteFunc(l.result, func(item *yaml.Node) bool { return item == nil })
	return merged
}

// item merges one item.
func (l *listMerger) item(own *yaml.Node) {
	var id itemID
	ids := l.identity.of(own)
	if len(ids) > 0 {
		id = ids[0]
	}
	switch {
	case replacesList(own):
		l.report.add(own, "replace: true without a key replaces the whole list, so it must be the first item: move it up, or add %s", l.identity.needs())
		return
	case marked(own, removeKey):
		l.remove(own, id)
		return
	}
	place, found := l.claim(own, id)
	switch {
	case place < 0 && !found: // which is reported
	case place < 0:
		if !l.there[own] { // a scenario that is extended in two ways adds its items once
			l.result = append(l.result, own)
		}
	default:
		l.result[place] = l.value(l.at.to(id.key), "", l.inherited[place], own)
	}
}

// claim returns the place of the inherited item that an item is about, and that no other item has claimed; -1: there is none.
// It returns false if that can't be told, which it reports.
func (l *listMerger) claim(own *yaml.Node, id itemID) (place int, ok bool) {
	if id.key != "" {
		for places := l.places[id.key]; len(places) > 0; places = l.places[id.key] {
			l.places[id.key] = places[1:]
			if l.unclaimed(places[0]) {
				return places[0], true
			}
		}
		return -1, true
	}
	switch {
	case !l.identity.sole:
	case len(l.unnamed) > 0:
		place, l.unnamed = l.unnamed[0], l.unnamed[1:]
		return place, true
	case len(l.inherited) == 1 && l.unclaimed(0):
		return 0, true
	case len(l.inherited) > 1:
		l.report.add(own, "it is unclear which inherited %s this changes: add %s, one of %s",
			l.identity.what, l.identity.needs(), phrase.Names(l.names()))
		return -1, false
	}
	return -1, true
}

// unclaimed reports whether an inherited item is as it was.
func (l *listMerger) unclaimed(place int) bool { return l.result[place] == l.inherited[place] }

// remove removes the inherited item that a marked one names.
func (l *listMerger) remove(own *yaml.Node, id itemID) {
	if other := l.identity.other(own, ""); other != nil {
		l.report.add(other, "remove: true removes the %s, so %s says nothing: remove one of the two lines", l.identity.what, other.Value)
		return
	}
	if id.key == "" && !l.identity.sole {
		l.report.add(own, "remove: true needs the key of the %s to remove: add %s", l.identity.what, l.identity.needs())
		return
	}
	switch place, ok := l.claim(own, id); {
	case !ok:
	case place < 0:
		l.nothing(own, id)
	default:
		l.result[place] = nil
		l.removes(l.at.to(id.key), own, id.text)
	}
}

// nothing reports that an item to remove isn't inherited, unless another scenario removed it.
func (l *listMerger) nothing(own *yaml.Node, id itemID) {
	switch at := l.at.to(id.key); {
	case l.gone[at.String()] || l.gone[l.at.String()]:
		return
	case l.report.full():
		l.report.add(own, "remove: true: there is no such inherited %s", l.identity.what)
		return
	case id.key != "" && l.inherits(id):
		l.report.add(own, "remove: true: an item above is about the inherited %s already: remove one of them", l.identity.named(id))
		return
	}
	remedy := ": remove the item"
	if names := l.names(); id.text != "" && len(names) > 0 {
		remedy = l.report.didYouMean(id.text, names, "there are")
	}
	l.report.add(own, "remove: true: there is no inherited %s%s", l.identity.named(id), remedy)
}

// inherits reports whether an item with the identity is inherited, whether it was claimed or not.
func (l *listMerger) inherits(id itemID) bool {
	_, inherits := l.places[id.key] // which keeps its key when all of its places are claimed
	return inherits
}

// names returns the names of the inherited items.
func (l *listMerger) names() []string {
	if l.named != nil {
		return l.named
	}
	l.named = []string{}
	for _, item := range l.inherited {
		if name := l.identity.name(item); name != "" {
			l.named = append(l.named, name)
		}
	}
	return l.named
}

// strayMark explains a mark that merging has left, for a mapping with an unknown key. It returns false for another key, or in
// another place.
func (r *report) strayMark(item *yaml.Node, key, what string) (string, bool) {
	if what == "" || key != removeKey && key != replaceKey {
		return "", false
	}
	if key == replaceKey {
		return "replace: true stands alone, as the first item of a list, and replaces the whole inherited one: write it so, or remove the line", true
	}
	if !marked(item, key) {
		return fmt.Sprintf("%s is a mark, which is true or missing: write %s: true, or remove the line", key, key), true
	}
	if !r.extending {
		return fmt.Sprintf("%s works in a scenario that extends another, and this one extends nothing: remove the line, or add extends", key), true
	}
	return fmt.Sprintf("%s: true: no %s is inherited here: remove the line", key, what), true
}
