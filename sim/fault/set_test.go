package fault_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/fault"
)

// Rules come and go while requests are decided; those that stay count every request all the same.
func TestChangesUnderConcurrency(t *testing.T) {
	set := fault.NewSet([]fault.Rule{{Name: "stays", When: fault.When{Every: 2}, Then: always}}, 7)
	var all sync.WaitGroup
	for worker := range 8 {
		all.Go(func() {
			name := fmt.Sprintf("comes-and-goes-%d", worker)
			for range 100 {
				_, err := set.Add(fault.Rule{Name: name, Then: always}, fault.Rule{Name: name + "-too", Then: always})
				assert.NoError(t, err)
				set.Decide(list())
				set.Counts()
				assert.True(t, set.Remove(name))
				assert.True(t, set.Remove(name+"-too"))
			}
		})
	}
	all.Wait()
	counts := set.Counts()
	require.Len(t, counts, 1)
	assert.EqualValues(t, 800, counts[0].Matched)
	assert.EqualValues(t, 400, counts[0].Fired)
}

// Sets know nothing of each other, even of the same rules.
func TestSetsAreApart(t *testing.T) {
	rules := []fault.Rule{{Name: "once", When: fault.When{First: 1}, Then: always}}
	one, other := fault.NewSet(rules, 7), fault.NewSet(rules, 7)
	assert.NotNil(t, one.Decide(list()).Fired)
	assert.Nil(t, one.Decide(list()).Fired)
	assert.Zero(t, other.Counts()[0].Matched)
	assert.NotNil(t, other.Decide(list()).Fired)
	one.Clear()
	assert.Len(t, other.Counts(), 1)
}
