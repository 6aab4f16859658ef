package bankapi

import (
	"maps"
	"net/url"
	"slices"
	"strings"
)

// query is the parameters of a request's query in their order. Most requests have few and simple ones: those cost nothing beside the
// call that has the room for them.
type query []queryParameter

type queryParameter struct{ name, value string }

// maxSimpleQuery is how long a query may be that is not left to net/url (choice).
const maxSimpleQuery = 256

// parseQuery reads a query as net/url does: what can't be read is left out, and broken reports that.
func parseQuery(raw string, room query) (q query, broken bool) {
	if len(raw) > maxSimpleQuery || strings.ContainsAny(raw, "%+;") {
		values, err := url.ParseQuery(raw)
		for _, name := range slices.Sorted(maps.Keys(values)) {
			for _, value := range values[name] {
				room = append(room, queryParameter{name, value})
			}
		}
		return room, err != nil
	}
	for pair := range strings.SplitSeq(raw, "&") {
		if pair != "" {
			name, value, _ := strings.Cut(pair, "=")
			room = append(room, queryParameter{name, value})
		}
	}
	return room, false
}

// Get returns the first value of a parameter; empty: there is none.
func (q query) Get(name string) string {
	for _, p := range q {
		if p.name == name {
			return p.value
		}
	}
	return ""
}

// Count returns how many values a parameter has.
func (q query) Count(name string) (count int) {
	for _, p := range q {
		if p.name == name {
			count++
		}
	}
	return count
}

// Has reports whether a parameter is given.
func (q query) Has(name string) bool { return q.Count(name) > 0 }

// values returns the parameters as net/url has them.
func (q query) values() url.Values {
	values := make(url.Values, len(q))
	for _, p := range q {
		values.Add(p.name, p.value)
	}
	return values
}
