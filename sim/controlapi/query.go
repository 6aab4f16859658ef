package controlapi

import (
	"cmp"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// parameter is a parameter of a call's query. Its field is a string, a bool, or a pointer to an int that is nil without
// the parameter.
type parameter struct {
	name      string
	field     []int    // the index of the field
	fallback  string   // the value without the parameter
	words     []string // the values that it can have, or nil
	isNumber  bool
	low, high int // of a number
	mayBeNone bool
}

// queryOf returns the parameters of the query of an input type.
func queryOf(input reflect.Type) []parameter {
	var all []parameter
	for _, field := range reflect.VisibleFields(input) {
		name := field.Tag.Get("query")
		if name == "" {
			continue
		}
		p := parameter{
			name: name, field: field.Index, fallback: field.Tag.Get("default"), words: Words(field),
			isNumber: field.Type.Kind() == reflect.Pointer, mayBeNone: field.Tag.Get("minLength") == "",
		}
		p.low, _ = strconv.Atoi(field.Tag.Get("minimum"))
		p.high, _ = strconv.Atoi(field.Tag.Get("maximum"))
		all = append(all, p)
	}
	return all
}

// Words returns the values that a parameter can have, or nil if it can have others.
func Words(field reflect.StructField) []string {
	switch list, isList := field.Tag.Lookup("enum"); {
	case isList:
		return strings.Split(list, ",")
	case field.Type.Kind() == reflect.Bool:
		return []string{"false", "true"}
	}
	if listed, ok := reflect.Zero(field.Type).Interface().(interface{ words() []string }); ok {
		return listed.words()
	}
	return nil
}

// set sets the field of the parameter to a value that check has let pass, or to the fallback.
func (p parameter) set(field reflect.Value, value string) {
	value = cmp.Or(value, p.fallback)
	switch {
	case p.isNumber:
		if n, err := strconv.Atoi(value); err == nil {
			field.Set(reflect.ValueOf(&n))
		}
	case field.Kind() == reflect.Bool:
		field.SetBool(value == "true")
	default:
		field.SetString(value)
	}
}

// readQuery returns the query of a call. It refuses (400) a parameter that the call doesn't have, that is given twice,
// or that has a wrong value. A misspelt filter must not look like one that matches everything.
func (c Call) readQuery(query string) (url.Values, *refusal) {
	values, err := url.ParseQuery(query)
	if err != nil {
		return nil, refuse(http.StatusBadRequest,
			"the query is not name=value pairs, joined by & and escaped with %%")
	}
	var names []string
	for _, p := range c.parameters {
		names = append(names, p.name)
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		i := slices.Index(names, name)
		switch {
		case len(names) == 0:
			return nil, refuse(http.StatusBadRequest,
				"unknown query parameter %s: this call has none", wording.Quote(name))
		case i < 0:
			return nil, refuse(http.StatusBadRequest, "unknown query parameter %s%s", wording.Quote(name),
				wording.DidYouMean(name, names, "the parameters are"))
		case len(values[name]) > 1:
			return nil, refuse(http.StatusBadRequest, "query parameter %s is given twice", name)
		}
		if refused := c.parameters[i].check(values.Get(name)); refused != nil {
			return nil, refused
		}
	}
	return values, nil
}

// check refuses a value that the parameter can't have.
func (p parameter) check(value string) *refusal {
	n, err := strconv.Atoi(value)
	switch {
	case p.words != nil && !slices.Contains(p.words, value):
		return refuse(http.StatusBadRequest, "%s can't be %s%s", p.name, wording.Quote(value),
			wording.DidYouMean(value, p.words, "it can be"))
	case p.isNumber && (err != nil || n < p.low || n > p.high):
		return refuse(http.StatusBadRequest, "%s must be a whole number from %d to %d, not %s",
			p.name, p.low, p.high, wording.Quote(value))
	case value == "" && !p.mayBeNone:
		return refuse(http.StatusBadRequest, "%s must not be empty", p.name)
	}
	return nil
}

// orElse returns a number of the query, or another one for a call without it.
func orElse(given *int, other int) int {
	if given == nil {
		return other
	}
	return *given
}

// The words of query parameters that other packages list.
type (
	operationName string // the name of an operation of the interface
	dialectName   string // the name of a dialect of the interface
)

func (operationName) words() []string { return contract.Names() }

func (dialectName) words() []string {
	var names []string
	for _, i := range contract.Interfaces() {
		names = append(names, string(i.Dialect))
	}
	return names
}
