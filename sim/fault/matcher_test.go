package fault_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/fault"
)

// A rule that is written in Go has numbers of any type; a request's are those of JSON.
func TestNumbersOfAnyType(t *testing.T) {
	var body any
	require.NoError(t, json.Unmarshal([]byte(`{"n":5,"deep":[{"n":5}],"half":0.5,"yes":true}`), &body))
	q := list()
	q.Body = func() any { return body }
	for name, test := range map[string]struct {
		want any
		is   bool
	}{
		"int": {5, true}, "int64": {int64(5), true}, "uint8": {uint8(5), true}, "float32": {float32(5), true}, "float64": {5.0, true},
		"another int": {6, false}, "boolean": {true, false}, "text": {"5", false},
	} {
		for _, members := range []map[string]any{{"n": test.want}, {"deep": []any{map[string]any{"n": test.want}}}} {
			when := fault.When{Request: &fault.Request{Body: members}}
			set := fault.NewSet([]fault.Rule{{When: when, Then: always}}, 7)
			assert.Equal(t, test.is, set.Decide(q).Fired != nil, "%s: %v", name, members)
		}
	}
}

// Of a header or a parameter that is given more than once, one value has to be as wanted.
func TestRepeatedValues(t *testing.T) {
	q := list()
	q.Header = map[string][]string{"X-A": {"1", "2"}, "X-B": {}}
	q.Values = map[string][]string{"size": {"5", "20"}, "empty": {""}}
	for name, test := range map[string]struct {
		request fault.Request
		is      bool
	}{
		"the first":              {fault.Request{Header: map[string]*string{"X-A": ptr("1")}}, true},
		"the last":               {fault.Request{Header: map[string]*string{"x-a": ptr("2")}}, true},
		"none of them":           {fault.Request{Header: map[string]*string{"x-a": ptr("3")}}, false},
		"not joined":             {fault.Request{Header: map[string]*string{"x-a": ptr("1, 2")}}, false},
		"each matches alone":     {fault.Request{Header: map[string]*string{"x-a": ptr("~^1.*2$")}}, false},
		"no values are absence":  {fault.Request{Header: map[string]*string{"x-b": nil}}, true},
		"the last of the query":  {fault.Request{Query: map[string]*string{"size": ptr("20")}}, true},
		"a pattern of one":       {fault.Request{Query: map[string]*string{"size": ptr("~^2")}}, true},
		"there, though empty":    {fault.Request{Query: map[string]*string{"empty": nil}}, false},
		"empty is equal":         {fault.Request{Query: map[string]*string{"empty": ptr("")}}, true},
		"not there is not empty": {fault.Request{Query: map[string]*string{"other": ptr("")}}, false},
	} {
		set := fault.NewSet([]fault.Rule{{When: fault.When{Request: &test.request}, Then: always}}, 7)
		assert.Equal(t, test.is, set.Decide(q).Fired != nil, name)
	}
}

// A condition that is given can't hold for a request that has no such thing.
func TestConditionsOnNothing(t *testing.T) {
	for _, r := range []fault.Request{
		{InstitutionID: "~"}, {HostUserID: "~"}, {Header: map[string]*string{"a": ptr("~")}}, {Query: map[string]*string{"a": ptr("~")}},
		{Body: map[string]any{"a": "~"}}, {Body: map[string]any{"a": nil}},
	} {
		set := fault.NewSet([]fault.Rule{{When: fault.When{Request: &r}, Then: always}}, 7)
		assert.Nil(t, set.Decide(list()).Fired, "%+v", r)
		q, none := list(), func() string { return "" }
		q.InstitutionID, q.HostUserID, q.Body = none, none, func() any { return nil }
		assert.Nil(t, set.Decide(q).Fired, "%+v", r)
	}
}
