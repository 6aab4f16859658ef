package fault_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
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
	r.Off = rapid.Bool().Draw(t, "off")
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
			replica = replica.Apply(put, gone, set.Removed())
			restored := fault.RestoreSet(viaJSON(t, old.Stored()), old.Removed(), 7).Apply(put, gone, set.Removed())
			var rows []fault.StoredRule
			for _, r := range store {
				rows = append(rows, r)
			}
			for _, other := range []*fault.Set{replica, restored, fault.RestoreSet(rows, set.Removed(), 7)} {
				require.Equal(t, set.Stored(), other.Stored())
				require.Equal(t, set.Removed(), other.Removed())
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
		next, _ = set.Remove(rapid.SampledFrom([]string{"a", "b", "c", "fault-1", "fault-2"}).Draw(t, "name"))
	case "replace":
		next, _, err = set.Replace(rapid.SliceOfN(anyRule, 0, 4).Draw(t, "rules")...)
	case "decide":
		_, next = set.Decide(list())
	}
	if err != nil {
		return set
	}
	return next
}

func TestStoredSinceIsWhatChanged(t *testing.T) {
	other := named("other")
	other.Operation = fault.Operations{"tokens.*"}
	first := fault.NewSet([]fault.Rule{named("a"), other, named("b")}, 7)
	_, decided := first.Decide(list())
	put, gone := decided.StoredSince(first)
	assert.Equal(t, []fault.StoredRule{
		{Place: 0, Rule: named("a"), Matched: 1, Fired: 1},
		{Place: 2, Rule: named("b"), Matched: 1, Fired: 1},
	}, put)
	assert.Empty(t, gone)

	left, _ := decided.Remove("other")
	put, gone = left.StoredSince(decided)
	assert.Equal(t, []fault.StoredRule{{Place: 1, Rule: named("b"), Matched: 1, Fired: 1}}, put)
	assert.Equal(t, []string{"other"}, gone)

	same, _, err := decided.Replace(named("a"), other, named("b"))
	require.NoError(t, err)
	put, gone = same.StoredSince(decided)
	assert.Empty(t, put)
	assert.Empty(t, gone)
}

// A set and the sets that come from it share the compiled rules, with their Rule.
func TestCompiledOnce(t *testing.T) {
	set := fault.NewSet([]fault.Rule{named("a"), named("b")}, 7)
	verdict, next := set.Decide(list())
	put, gone := next.StoredSince(set)
	applied := set.Apply(viaJSON(t, put), gone, false)
	replaced, _, err := set.Replace(named("a"), named("b"))
	require.NoError(t, err)
	for _, s := range []*fault.Set{next, applied, replaced} {
		again, _ := s.Decide(list())
		require.Len(t, again.Fired, 2)
		for i, f := range again.Fired {
			assert.Same(t, verdict.Fired[i].Rule, f.Rule)
		}
	}
	rows := viaJSON(t, set.Stored())
	slices.Reverse(rows)
	assert.Equal(t, set.Stored(), fault.RestoreSet(rows, false, 7).Stored())
}

func BenchmarkCountedRequest(b *testing.B) {
	rules := manyRules()
	rules[500] = named("rule-500")
	set := fault.NewSet(rules, 7)
	q := list()
	b.Run("decide", func(b *testing.B) {
		for b.Loop() {
			set.Decide(q)
		}
	})
	_, next := set.Decide(q)
	put, gone := next.StoredSince(set)
	require.Len(b, put, 1)
	b.Run("since", func(b *testing.B) {
		for b.Loop() {
			next.StoredSince(set)
		}
	})
	b.Run("apply", func(b *testing.B) {
		for b.Loop() {
			set.Apply(put, gone, false)
		}
	})
}
