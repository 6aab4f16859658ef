package fault_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/fault"
)

// named returns a rule that always fires for groups.list.
func named(name string) fault.Rule {
	r := does(always)
	r.Name = name
	return r
}

// summary returns the rules of a set as "name matched/fired".
func summary(s *fault.Set) (all string) {
	for _, c := range s.Counts() {
		all += fmt.Sprintf("%s %d/%d ", c.Name, c.Matched, c.Fired)
	}
	return all
}

func TestASetNeverChanges(t *testing.T) {
	other := rulesOf(t, `[{"name":"other","operation":"tokens.*","then":{"status":500}}]`)[0]
	first := fault.NewSet([]fault.Rule{named("a"), other}, 7)
	_, decided := first.Decide(list())
	_, twice := decided.Decide(list())
	added, _, err := decided.Add(named("b"))
	require.NoError(t, err)
	addedElse, _, err := decided.Add(named("c"))
	require.NoError(t, err)
	replaced, _, err := decided.Replace(named("other"))
	require.NoError(t, err)
	for _, c := range []struct {
		*fault.Set
		want    string
		removed bool // a rule that was removed may have given any answer
	}{
		{first, "a 0/0 other 0/0 ", false}, {decided, "a 1/1 other 0/0 ", false}, {twice, "a 2/2 other 0/0 ", false},
		{added, "a 1/1 other 0/0 b 0/0 ", false}, {addedElse, "a 1/1 other 0/0 c 0/0 ", false},
		{replaced, "other 0/0 ", true}, {decided.Remove("a", "nothing"), "other 0/0 ", true},
	} {
		assert.Equal(t, c.want, summary(c.Set))
		assert.Equal(t, c.removed, c.Removed(), c.want)
		assert.Equal(t, c.removed, c.Gives("tokens.revoke", 400), c.want)
	}
	assert.True(t, decided.Gives("tokens.revoke", 500))
}

// A rule without a name gets one that no rule has had, even if that one was removed: a name leads to what the rule did.
func TestNames(t *testing.T) {
	set := fault.NewSet([]fault.Rule{named("fault-3"), named("")}, 7)
	set, _, err := set.Add(named(""), named("fault-5"), named(""), named("fault-6"), named(""))
	require.NoError(t, err)
	want := "fault-3 0/0 fault-2 0/0 fault-4 0/0 fault-5 0/0 fault-7 0/0 fault-6 0/0 fault-8 0/0 "
	assert.Equal(t, want, summary(set))
	for _, rules := range [][]fault.Rule{{named("fault-4")}, {named("x"), named("x")}} {
		_, _, err = set.Add(rules...)
		assert.ErrorIs(t, err, fault.ErrNameTaken)
	}
	set = set.Remove("fault-8")
	set, added, err := set.Add(named(""))
	require.NoError(t, err)
	assert.Equal(t, "fault-9", added[0].Name)
	set, _, err = set.Replace()
	require.NoError(t, err)
	_, added, err = set.Add(named(""))
	require.NoError(t, err)
	assert.Equal(t, "fault-10", added[0].Name)
}

func TestWithSeed(t *testing.T) {
	drawn := does(always)
	drawn.When.Probability = 0.5
	set := counting([]fault.Rule{drawn}, 7)
	for range 20 {
		set.Decide(list())
	}
	other := &counter{set.WithSeed(8)}
	assert.Equal(t, set.Counts(), other.Counts())
	same := &counter{set.WithSeed(7)}
	var numbers [3][]uint64
	for range 100 {
		for i, c := range []*counter{set, same, other} {
			for _, f := range c.Decide(list()).Fired {
				numbers[i] = append(numbers[i], f.Number)
			}
		}
	}
	assert.Equal(t, numbers[0], numbers[1])
	assert.NotEqual(t, numbers[0], numbers[2])
}
