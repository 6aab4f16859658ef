package fault_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/fault"
)

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
