package contract

import (
	"cmp"
	"slices"
	"sync"
)

// declared has all entries in the order of their declarations. Only package-level declarations add to it.
var declared []*Entry

// ledger returns all entries, part by part.
var ledger = sync.OnceValue(func() []*Entry {
	position := map[string]int{} // of a part, by its name
	for i, p := range Parts() {
		position[p.Name] = i
	}
	return slices.SortedStableFunc(slices.Values(declared), func(a, b *Entry) int {
		return cmp.Compare(position[a.Part()], position[b.Part()])
	})
})

// Ledger returns all entries, part by part.
func Ledger() []*Entry { return slices.Clone(ledger()) }

var byID = sync.OnceValue(func() map[string]*Entry {
	all := map[string]*Entry{}
	for _, e := range declared {
		all[e.ID] = e
	}
	return all
})

// FindEntry returns an entry by its id.
func FindEntry(id string) (*Entry, bool) {
	e, ok := byID()[id]
	return e, ok
}

// Select returns the entries that concern an operation and have a basis. An empty text selects all.
func Select(operation string, basis Basis) []*Entry {
	selected := []*Entry{}
	for _, e := range ledger() {
		if (operation == "" || e.Concerns(operation)) && (basis == "" || e.Basis == basis) {
			selected = append(selected, e)
		}
	}
	return selected
}
