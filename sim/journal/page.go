package journal

import "iter"

// Page is what a query has found.
type Page struct {
	Exchanges []Exchange `json:"exchanges"` // the newest last; never nil
	Evicted   uint64     `json:"evicted"`   // how many exchanges were removed because there was no room for them
	Cleared   uint64     `json:"cleared"`   // how many were removed by Clear
	Next      string     `json:"next"`      // the id after which there is more; empty: there is none
}

// Selection is a [Page] whose exchanges are made one at a time.
type Selection struct {
	Evicted uint64
	Cleared uint64
	Next    string
	Looked  uint64 // the number up to which all exchanges were looked at
	Missed  uint64 // how many exchanges after the query's number are no longer held
	found   []hit
}

// hit is an entry that a query has found.
type hit struct {
	*Entry
	places []string // where the words of its text are
}

// Select returns the exchanges that match a query.
func (j *Journal) Select(q Query) Selection {
	j.mu.Lock()
	entries := append([]*Entry(nil), j.afterLocked(q.After)...)
	selected := Selection{Evicted: j.beforeLocked() - j.cleared, Cleared: j.cleared, Looked: max(q.After, j.last)}
	j.mu.Unlock()

	selected.Missed = selected.Looked - q.After - uint64(len(entries))
	searched := newSearch(q.Text)
	for _, e := range entries {
		places, ok := q.matches(e, searched)
		if !ok {
			continue
		}
		if q.Limit > 0 && len(selected.found) == q.Limit {
			if !q.Newest {
				selected.Looked = selected.found[q.Limit-1].number
				selected.Next = formatID(selected.Looked)
				break
			}
			selected.found = selected.found[1:]
		}
		selected.found = append(selected.found, hit{e, places})
	}
	return selected
}

// Exchanges yields the exchanges, the newest last. It can be called once: what it has yielded is free to be evicted.
func (s Selection) Exchanges() iter.Seq[Exchange] {
	return func(yield func(Exchange) bool) {
		for i, f := range s.found {
			s.found[i].Entry = nil
			x := f.exchange()
			if x.Matched = f.places; !yield(x) {
				return
			}
		}
	}
}
