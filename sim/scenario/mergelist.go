package scenario

import (
	"fmt"
	"slices"

	"gopkg.in/yaml.v3"

	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

// Lists of things that are told apart merge item by item:
//
//   - An item with the identity of an inherited one merges into that, which keeps its place. With replace: true, it takes its
//     place instead; with remove: true, which has nothing but the keys that identify it beside it, it removes it.
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
	places    map[string][]int // of the inherited items that no item has claimed, by identity
	unnamed   []int            // of those without an identity
	result    []*yaml.Node     // the inherited items, as they are changed; nil: removed
	named     []string         // the names of the inherited items, once they are needed
}

func (m merger) lists(at *step, key string, inherited, own *yaml.Node) *yaml.Node {
	items := slices.DeleteFunc(slices.Clone(own.Content), func(item *yaml.Node) bool { return m.ignored[item] })
	merged := m.report.emptied(own)
	switch {
	case len(items) > 0 && replacesList(items[0]):
		m.removes(at)
		for _, item := range items[1:] {
			merged.Content = append(merged.Content, m.added(item))
		}
		return merged
	case len(own.Content) == 0 && len(inherited.Content) > 0:
		stay, them := "stay", "them"
		if len(inherited.Content) == 1 {
			stay, them = "stays", "it"
		}
		m.report.add(own, "%s: [] changes nothing, the %s of %s %s: write %s: null to remove %s, or remove the line",
			key, inNumbers(len(inherited.Content), keyed[key].what), m.report.fileOf(inherited.Content[0]), stay, key, them)
		return inherited
	}
	l := listMerger{merger: m, at: at, identity: keyed[key], inherited: inherited.Content, places: map[string][]int{}, result: slices.Clone(inherited.Content)}
	for i, item := range inherited.Content {
		ids := l.identity.of(item)
		for _, id := range ids {
			l.places[id.key] = append(l.places[id.key], i)
		}
		if len(ids) == 0 {
			l.unnamed = append(l.unnamed, i)
		}
	}
	for _, item := range items {
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
	case marked(own, replaceKey):
		if place < 0 {
			l.nothing(own, replaceKey, id, "remove the mark to add it")
			return
		}
		l.result[place] = l.unmarked(own)
	case place < 0:
		if !slices.Contains(l.inherited, own) { // a scenario that is extended in two ways adds its items once
			l.result = append(l.result, l.added(own))
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
		l.nothing(own, removeKey, id, "remove the item")
	default:
		l.result[place] = nil
		l.removes(l.at.to(id.key))
	}
}

// nothing reports a mark on an item that isn't inherited, unless another scenario removed it.
func (l *listMerger) nothing(own *yaml.Node, mark string, id itemID, remedy string) {
	switch at := l.at.to(id.key); {
	case mark == removeKey && (l.gone[at.String()] || l.gone[l.at.String()]):
		return
	case l.report.full():
		l.report.add(own, "%s: true: there is no such inherited %s: %s", mark, l.identity.what, remedy)
		return
	case id.key != "" && l.inherits(id):
		l.report.add(own, "%s: true: an item above is about the inherited %s already: remove one of them", mark, l.identity.named(id))
		return
	}
	if names := l.names(); id.text != "" && len(names) > 0 {
		remedy = phrase.DidYouMean(id.text, names, "there are")
	} else {
		remedy = ": " + remedy
	}
	l.report.add(own, "%s: true: there is no inherited %s%s", mark, l.identity.named(id), remedy)
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

// unmarked returns an item of its own without the mark.
func (l *listMerger) unmarked(own *yaml.Node) *yaml.Node {
	kept := l.report.emptied(own)
	kept.Content = slices.Clone(own.Content)
	remove(kept, replaceKey)
	return l.added(kept)
}

// strayMark explains a mark that merging has left, for a mapping with an unknown key. It returns false for another key, or in
// another place.
func (r *report) strayMark(item *yaml.Node, key, what string) (string, bool) {
	if what == "" || key != removeKey && key != replaceKey {
		return "", false
	}
	if !marked(item, key) {
		return fmt.Sprintf("%s is a mark, which is true or missing: write %s: true, or remove the line", key, key), true
	}
	if !r.extending {
		return fmt.Sprintf("%s works in a scenario that extends another, and this one extends nothing: remove the line, or add extends", key), true
	}
	return fmt.Sprintf("%s: true: no %s is inherited here: remove the line", key, what), true
}
