package controlapi

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

// parameters returns the query parameters of a request. It refuses (400) an unknown one, one that is given twice, and a query
// that can't be parsed: a misspelt filter must not look like one that matches everything.
func parameters(r *http.Request, names ...string) (url.Values, error) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, refuse(http.StatusBadRequest, "the query is not name=value pairs, joined by & and escaped with %%")
	}
	for name, given := range values {
		switch {
		case !slices.Contains(names, name):
			return nil, refuse(http.StatusBadRequest, "unknown query parameter %s: the parameters are %s", phrase.Quote(name), strings.Join(names, ", "))
		case len(given) > 1:
			return nil, refuse(http.StatusBadRequest, "query parameter %s is given twice", name)
		}
	}
	return values, nil
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
