package journal

import (
	"slices"
	"strconv"
	"strings"
)

// Query says which exchanges of a journal are asked for. The zero query asks for all that it holds.
type Query struct {
	Search Search
	After  uint64 // the query takes only exchanges with a larger number
	Limit  int    // the maximum number of exchanges, or 0 for no limit
	Newest bool   // with a limit, the query takes the last matches instead of the first
}

// find returns the first places where words in lower case occur in an exchange, and whether all do.
func (x *Exchange) find(words []string) (places []string, all bool) {
	left := slices.Clone(words)
	look := func(place string, texts ...string) {
		for i := 0; i < len(texts) && len(left) > 0; i++ {
			text := lower(texts[i])
			before := len(left)
			left = slices.DeleteFunc(left, func(word string) bool { return strings.Contains(text, word) })
			if len(left) < before && !slices.Contains(places, place) {
				places = append(places, place)
			}
		}
	}
	look("method", x.Request.Method)
	look("status", strconv.Itoa(x.Response.Status))
	look("path", x.Request.Path)
	look("query", string(x.Request.Query))
	for name, values := range x.Request.Query.Values() {
		look("query", append(values, name)...)
	}
	look("operation", x.Operation)
	look("user", x.User)
	look("decision", x.Decision.Outcome, x.Decision.Rule, x.Decision.Message, x.Decision.Row)
	if x.Fault != nil {
		look("fault", x.Fault.Fired...)
	}
	for _, l := range x.withReused().Lints {
		look("lint", l.Code, l.Message)
	}
	message := func(which string, headers Header, body string) {
		for name, value := range headers.All() {
			look(which+" header "+name, name, value)
		}
		look(which+" body", body)
	}
	message("request", x.Request.Headers, x.Request.Body)
	message("response", x.Response.Headers, x.Response.Body)
	return places, len(left) == 0
}

// lower returns a text as the journal shows it, in lower case.
func lower(text string) string { return strings.ToLower(valid(text)) }
