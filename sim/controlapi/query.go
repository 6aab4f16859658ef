package controlapi

import (
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// checkQuery refuses (400) a query parameter that the call doesn't have, that is given twice, or that has a wrong
// value. A misspelt filter must not look like one that matches everything. huma has checks of its own, but they
// don't suggest the right name.
func checkQuery(ctx huma.Context, next func(huma.Context)) {
	r, w := humago.Unwrap(ctx)
	if refused := checkParameters(ctx.Operation(), r.URL.RawQuery); refused != nil {
		writeProblem(w, refused)
		return
	}
	next(ctx)
}

func checkParameters(op *huma.Operation, query string) *refusal {
	values, err := url.ParseQuery(query)
	if err != nil {
		return refuse(http.StatusBadRequest, "the query is not name=value pairs, joined by & and escaped with %%")
	}
	known := map[string]*huma.Schema{}
	var names []string
	for _, p := range op.Parameters {
		if p.In == "query" {
			known[p.Name] = p.Schema
			names = append(names, p.Name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		schema, ok := known[name]
		switch {
		case len(names) == 0:
			return refuse(http.StatusBadRequest, "unknown query parameter %s: this call has none", wording.Quote(name))
		case !ok:
			return refuse(http.StatusBadRequest, "unknown query parameter %s%s", wording.Quote(name),
				wording.DidYouMean(name, names, "the parameters are"))
		case len(values[name]) > 1:
			return refuse(http.StatusBadRequest, "query parameter %s is given twice", name)
		}
		if refused := checkValue(name, values.Get(name), schema); refused != nil {
			return refused
		}
	}
	return nil
}

// checkValue refuses a value of a query parameter that its schema excludes.
func checkValue(name, value string, schema *huma.Schema) *refusal {
	words := wordsOf(schema)
	n, err := strconv.Atoi(value)
	switch {
	case words != nil && !slices.Contains(words, value):
		return refuse(http.StatusBadRequest, "%s can't be %s%s", name, wording.Quote(value),
			wording.DidYouMean(value, words, "it can be"))
	case schema.Type == huma.TypeInteger && (err != nil || n < int(*schema.Minimum) || n > int(*schema.Maximum)):
		return refuse(http.StatusBadRequest, "%s must be a whole number from %.0f to %.0f, not %s",
			name, *schema.Minimum, *schema.Maximum, wording.Quote(value))
	case schema.MinLength != nil && len(value) < *schema.MinLength:
		return refuse(http.StatusBadRequest, "%s must not be empty", name)
	}
	return nil
}

// wordsOf returns the values that a schema lists, or nil.
func wordsOf(schema *huma.Schema) []string {
	if schema.Type == huma.TypeBoolean {
		return []string{"false", "true"}
	}
	var words []string
	for _, word := range schema.Enum {
		words = append(words, word.(string))
	}
	return words
}

// limit is the query parameter ?limit= of a call that lists everything without it.
type limit struct {
	Rows    int // undefined unless IsGiven
	IsGiven bool
}

// Schema implements huma.SchemaProvider.
func (limit) Schema(r huma.Registry) *huma.Schema { return r.Schema(reflect.TypeFor[int](), false, "") }

// Receiver implements huma.ParamWrapper.
func (l *limit) Receiver() reflect.Value { return reflect.ValueOf(&l.Rows).Elem() }

// OnParamSet implements huma.ParamReactor.
func (l *limit) OnParamSet(isSet bool, _ any) { l.IsGiven = isSet }

// orElse returns the limit, or another one for a call without it.
func (l limit) orElse(other int) int {
	if l.IsGiven {
		return l.Rows
	}
	return other
}

// The words of query parameters that other packages list.
type (
	operationName string // the name of an operation of the interface
	dialectName   string // the name of a dialect of the interface
)

// Schema implements huma.SchemaProvider.
func (operationName) Schema(huma.Registry) *huma.Schema { return oneOf(contract.Names()) }

// Schema implements huma.SchemaProvider.
func (dialectName) Schema(huma.Registry) *huma.Schema {
	var names []string
	for _, i := range contract.Interfaces() {
		names = append(names, string(i.Dialect))
	}
	return oneOf(names)
}

func oneOf(words []string) *huma.Schema {
	s := &huma.Schema{Type: huma.TypeString}
	for _, word := range words {
		s.Enum = append(s.Enum, word)
	}
	return s
}
