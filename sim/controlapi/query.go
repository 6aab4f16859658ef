package controlapi

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

// checkQuery refuses (400) a query parameter that is none of the known ones, one that is given twice, and a query that can't
// be parsed.
func checkQuery(r *http.Request, known []string) error {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return refuse(http.StatusBadRequest, "the query is not name=value pairs, joined by & and escaped with %%")
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		switch {
		case !slices.Contains(known, name):
			which := ": this call has none"
			if len(known) > 0 {
				which = phrase.DidYouMean(name, known, "the parameters are")
			}
			return refuse(http.StatusBadRequest, "unknown query parameter %s%s", phrase.Quote(name), which)
		case len(values[name]) > 1:
			return refuse(http.StatusBadRequest, "query parameter %s is given twice", name)
		}
	}
	return nil
}

// boolean returns a query parameter that is true or false, which it is if it is not given.
func boolean(values url.Values, name string) (bool, error) {
	switch text := values.Get(name); {
	case !values.Has(name), text == "false":
		return false, nil
	case text == "true":
		return true, nil
	}
	return false, refuse(http.StatusBadRequest, "%s must be true or false", name)
}

// number returns a query parameter that is a whole number between two bounds, or a default if it is not given.
func number(values url.Values, name string, least, most, byDefault int) (int, error) {
	if !values.Has(name) {
		return byDefault, nil
	}
	n, err := strconv.Atoi(values.Get(name))
	if err != nil || n < least || n > most {
		return 0, refuse(http.StatusBadRequest, "%s must be a whole number from %d to %d", name, least, most)
	}
	return n, nil
}
