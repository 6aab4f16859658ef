package journal

import "iter"

// Page is what a query has found.
type Page struct {
	Exchanges []Exchange `json:"exchanges"` // the newest last; never nil
	Evicted   uint64     `json:"evicted"`   // how many exchanges were removed because there was no room for them
	Cleared   uint64     `json:"cleared"`   // how many ClearTo has removed
	Next      string     `json:"next"`      // the id before the next page, or empty at the end
}

// Selection is a [Page] whose exchanges are made one at a time.
type Selection struct {
	Evicted uint64
	Cleared uint64
	Next    string
	Missed  uint64 // how many exchanges after the query's number were evicted
	Earlier uint64 // how many earlier exchanges match, but are left out because of the query's limit
	found   []hit
}

// hit is an exchange that a query has found.
type hit struct {
	*Exchange
	places []string // the places where the words of the query's text are
}

// Select returns the exchanges that match a query.
func (j *Journal) Select(q Query) Selection {
	j.lockSettled()
	all := exchangesOf(j.afterLocked(q.After))
	known := max(q.After, j.clearedTo)
	selected := Selection{Evicted: j.floor - j.cleared, Cleared: j.cleared, Missed: max(known, j.floor) - known}
	j.mu.Unlock()

	for _, x := range all {
		places, ok := q.Search.matches(x)
		if !ok {
			continue
		}
		if q.Limit > 0 && len(selected.found) == q.Limit {
			if !q.Newest {
				selected.Next = formatID(selected.found[q.Limit-1].number)
				break
			}
			selected.found = selected.found[1:]
			selected.Earlier++
		}
		selected.found = append(selected.found, hit{x, places})
	}
	return selected
}

// IsEmpty reports whether no exchange matches.
func (s Selection) IsEmpty() bool { return len(s.found) == 0 }

// Exchanges yields the exchanges, the newest last. It can be called once: the selection doesn't keep them.
func (s Selection) Exchanges() iter.Seq[Exchange] {
	return func(yield func(Exchange) bool) {
		for i, f := range s.found {
			s.found[i].Exchange = nil
			x := f.withReused()
			if x.Matched = f.places; !yield(x) {
				return
			}
		}
	}
}
