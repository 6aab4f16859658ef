package fault_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/digitalbanking-sim/banksim/sim/fault"
)

// viaJSON returns what is read back from the rules as JSON.
func viaJSON(t require.TestingT, rules []fault.StoredRule) (read []fault.StoredRule) {
	data, err := json.Marshal(rules)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &read))
	return read
}

// anyRule is a rule of few names, so that names and whole rules recur.
var anyRule = rapid.Custom(func(t *rapid.T) fault.Rule {
	r := does(always)
	r.Name = rapid.SampledFrom([]string{"", "a", "b", "c", "fault-1", "fault-2"}).Draw(t, "name")
	r.Off, r.Required = rapid.Bool().Draw(t, "off"), rapid.Bool().Draw(t, "required")
	r.When.First = rapid.IntRange(0, 2).Draw(t, "first")
	if rapid.Bool().Draw(t, "has a body") {
		r.When.Request = &fault.Request{Body: map[string]any{"n": json.Number("1")}}
	}
	return r
})

// A store that follows a set by its changes has the same rules, and so does another process.
func TestStoredSinceAndApply(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		set := fault.NewSet(nil, 7)
		store := map[string]fault.StoredRule{}
		replica := set
		for range rapid.IntRange(1, 5).Draw(t, "commits") {
			old := set
			for range rapid.IntRange(0, 4).Draw(t, "changes") {
				set = changed(t, set)
			}
			put, gone := set.StoredSince(old)
			put = viaJSON(t, put)
			for _, name := range gone {
				delete(store, name)
			}
			for _, r := range put {
				store[r.Rule.Name] = r
			}
			replica = replica.Apply(put, gone, set.Removed(), set.RemovedFindings())
			restored := fault.RestoreSet(viaJSON(t, old.Stored()), old.Removed(), old.RemovedFindings(), 7).
				Apply(put, gone, set.Removed(), set.RemovedFindings())
			var rows []fault.StoredRule
			for _, r := range store {
				rows = append(rows, r)
			}
			again := fault.RestoreSet(rows, set.Removed(), set.RemovedFindings(), 7)
			for _, other := range []*fault.Set{replica, restored, again} {
				require.Equal(t, set.Stored(), other.Stored())
				require.Equal(t, set.Removed(), other.Removed())
				require.Equal(t, set.Findings(), other.Findings())
			}
		}
	})
}

// changed returns the set after one change.
func changed(t *rapid.T, set *fault.Set) *fault.Set {
	next, err := set, error(nil)
	switch rapid.SampledFrom([]string{"add", "remove", "replace", "decide"}).Draw(t, "change") {
	case "add":
		next, _, err = set.Add(rapid.SliceOfN(anyRule, 0, 3).Draw(t, "rules")...)
	case "remove":
		next = set.Remove(rapid.SampledFrom([]string{"a", "b", "c", "fault-1", "fault-2"}).Draw(t, "name"))
	case "replace":
		next, _, err = set.Replace(rapid.SliceOfN(anyRule, 0, 4).Draw(t, "rules")...)
	case "decide":
		_, next = set.Decide(list())
		next = next.CountIdle([]fault.Idle{{Name: "a"}, {Name: "b", Rival: "c"}}[:rapid.IntRange(0, 2).Draw(t, "idle")])
	}
	if err != nil {
		return set
	}
	return next
}
