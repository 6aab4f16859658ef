package controlapi_test

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/controlapi"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/journal"
)

// variable is a variable in the path of a route.
var variable = regexp.MustCompile(`\{(\w+)\}`)

// Every route refuses a query parameter that it doesn't have, before it does anything.
func TestUnknownParameters(t *testing.T) {
	t.Parallel()
	b := simtest.StartScenario(t, simtest.FrozenRetail)
	simtest.ListGroups.Send(b)
	for _, route := range controlapi.Routes() {
		call := variable.ReplaceAllString(route.String(), "default")
		before := seen(b)
		refused := decodeProblem(t, b.Control(400, call+"?colour=red", "")).Detail
		assert.Contains(t, refused, `unknown query parameter "colour"`, route)
		if len(route.Query) == 0 {
			assert.Contains(t, refused, "this call has none", route)
		}
		for _, parameter := range route.Query {
			name := parameter.Name
			assert.Contains(t, refused, `"`+name+`"`, route)
			assert.Equal(t, `unknown query parameter "`+name+`x": did you mean "`+name+`"?`,
				decodeProblem(t, b.Control(400, call+"?"+name+"x=1", "")).Detail, route)
		}
		assert.Contains(t, decodeProblem(t, b.Control(400, call+"?=1", "")).Detail, `unknown query parameter ""`, route)
		assert.Equal(t, before, seen(b), "%s changed something", route)
	}
	assert.EqualValues(t, 1, b.Journal().Last())
	assert.Len(t, b.Exchanges(journal.Query{}), 1, "nothing was cleared")
}
