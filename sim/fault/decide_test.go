package fault_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/fault"
)

// always is what happens in rules whose when is tried.
var always = fault.Then{Status: 500}

// fixedDelay returns a delay of a fixed time.
func fixedDelay(d time.Duration) *fault.Delay { return &fault.Delay{Fixed: fault.Duration(d)} }

// list is a request that all rules of these tests are for.
func list() *fault.Query {
	return &fault.Query{
		Operation: "groups.list",
		Scope:     func() (institutionID, hostUserID string) { return "", "" },
		Body:      func() any { return nil },
	}
}

// counter is a set that goes on to the next one with each request.
type counter struct{ *fault.Set }

func counting(rules []fault.Rule, seed uint64) *counter { return &counter{fault.NewSet(rules, seed)} }

func (c *counter) Decide(q *fault.Query) (v fault.Verdict) {
	v, c.Set = c.Set.Decide(q)
	return v
}

// firings returns the numbers of the requests, of so many, for which a rule fires.
func firings(t *testing.T, when fault.When, requests int) []int {
	t.Helper()
	rules := []fault.Rule{{Name: "f", When: when, Then: fault.Then{Delay: fixedDelay(time.Second)}}}
	require.Empty(t, fault.Check(rules))
	set := counting(rules, 7)
	var fired []int
	for n := range requests {
		if set.Decide(list()).Fired != nil {
			fired = append(fired, n+1)
		}
	}
	return fired
}

func TestCounts(t *testing.T) {
	for name, test := range map[string]struct {
		when fault.When
		want []int
	}{
		"always":                 {fault.When{}, []int{1, 2, 3, 4, 5, 6, 7, 8}},
		"first":                  {fault.When{First: 3}, []int{1, 2, 3}},
		"nth":                    {fault.When{Nth: 3}, []int{3}},
		"every":                  {fault.When{Every: 3}, []int{3, 6}},
		"after":                  {fault.When{After: 6}, []int{7, 8}},
		"after and first":        {fault.When{After: 2, First: 5}, []int{3, 4, 5}},
		"after and every":        {fault.When{After: 2, Every: 2}, []int{4, 6, 8}},
		"after, every and first": {fault.When{After: 2, Every: 2, First: 6}, []int{4, 6}},
		"nth among first":        {fault.When{Nth: 2, First: 2}, []int{2}},
		"certain":                {fault.When{Probability: 1, First: 2}, []int{1, 2}},
	} {
		assert.Equal(t, test.want, firings(t, test.when, 8), name)
	}
}

// Many goroutines decide on the same set and go on to the next one if no other did: each number is given once.
func TestExactUnderConcurrency(t *testing.T) {
	for range 100 {
		var set atomic.Pointer[fault.Set]
		set.Store(fault.NewSet([]fault.Rule{
			{Name: "three", When: fault.When{First: 3}, Then: always},
			{Name: "fifth", When: fault.When{Every: 5}, Then: always},
			{Name: "drawn", When: fault.When{Probability: 0.2}, Then: always},
		}, 7))
		decide := func() fault.Verdict {
			for {
				now := set.Load()
				if v, next := now.Decide(list()); set.CompareAndSwap(now, next) {
					return v
				}
			}
		}
		var all sync.WaitGroup
		var mu sync.Mutex
		numbers := map[string][]uint64{}
		for range 64 {
			all.Go(func() {
				for range 3 {
					for _, f := range decide().Fired {
						mu.Lock()
						numbers[f.Rule.Name] = append(numbers[f.Rule.Name], f.Number)
						mu.Unlock()
					}
				}
			})
		}
		all.Wait()
		for _, n := range numbers {
			slices.Sort(n)
		}
		require.Equal(t, []uint64{1, 2, 3}, numbers["three"])
		require.Len(t, numbers["fifth"], 192/5)
		require.Equal(t, uint64(190), numbers["fifth"][37])
		var alone []uint64
		for _, n := range firedFor(7, "drawn", 0.2, 192) {
			alone = append(alone, uint64(n))
		}
		require.Equal(t, alone, numbers["drawn"], "the same requests as when they come one by one")
		for _, counted := range set.Load().Counts() {
			require.EqualValues(t, 192, counted.Matched)
			require.EqualValues(t, len(numbers[counted.Name]), counted.Fired)
		}
	}
}

// firedFor returns the requests for which a rule fires that fires with a probability.
func firedFor(seed uint64, name string, probability float64, requests int) []int {
	set := counting([]fault.Rule{{Name: name, When: fault.When{Probability: probability}, Then: always}}, seed)
	var fired []int
	for n := range requests {
		if set.Decide(list()).Fired != nil {
			fired = append(fired, n+1)
		}
	}
	return fired
}

func TestProbability(t *testing.T) {
	first := firedFor(7, "f", 0.2, 10_000)
	assert.InDelta(t, 2000, len(first), 100, "within one point")
	assert.Equal(t, first, firedFor(7, "f", 0.2, 10_000), "the same on every run")
	for other, draws := range map[string][]int{
		"seed": firedFor(8, "f", 0.2, 10_000),
		"name": firedFor(7, "g", 0.2, 10_000),
	} {
		assert.NotEqual(t, first, draws, "another %s", other)
		assert.InDelta(t, 2000, len(draws), 100)
		both := 0
		for _, n := range draws {
			if _, found := slices.BinarySearch(first, n); found {
				both++
			}
		}
		assert.InDelta(t, 400, both, 80, "another %s draws independently", other)
	}
	for seed := range uint64(20) { // no seed is an unlucky one
		assert.InDelta(t, 2000, len(firedFor(seed, "f", 0.2, 10_000)), 160)
	}
}

func TestDelays(t *testing.T) {
	lengths := func(d *fault.Delay) []float64 {
		set := counting([]fault.Rule{{Name: "f", Then: fault.Then{Delay: d}}}, 7)
		var all []float64
		for range 10_000 {
			all = append(all, set.Decide(list()).Delay(fault.Before).Seconds())
		}
		slices.Sort(all)
		return all
	}
	fixed := lengths(fixedDelay(250 * time.Millisecond))
	assert.Equal(t, 0.25, fixed[0])
	assert.Equal(t, 0.25, fixed[9999])
	uniform := lengths(uniform(100*time.Millisecond, 2*time.Second))
	assert.InDelta(t, 0.1, uniform[0], 0.01)
	assert.InDelta(t, 1.05, uniform[5000], 0.05)
	assert.InDelta(t, 2, uniform[9999], 0.01)
	assert.LessOrEqual(t, uniform[9999], 2.0)
	tail := lengths(longTailed(200*time.Millisecond, 0.6))
	assert.InDelta(t, 0.2, tail[5000], 0.01)
	assert.InDelta(t, 0.2*math.Exp(0.6*2.326), tail[9900], 0.08, "one in a hundred is longer")
	assert.Equal(t, fault.MaxDelay.Seconds(), lengths(longTailed(4*time.Minute, 3))[9999])
}

// Several rules: the first that fires and answers gives the answer; delays add up, headers are all set.
func TestSeveralRules(t *testing.T) {
	set := counting([]fault.Rule{
		{Name: "slow", Then: fault.Then{Delay: fixedDelay(time.Second),
			Headers: map[string]fault.HeaderValues{"X-A": {"1"}, "X-B": {"1"}}}},
		{Name: "other", Operation: fault.Operations{"tokens.*"}, Then: fault.Then{Delay: fixedDelay(time.Hour)}},
		{Name: "second", When: fault.When{Nth: 2}, Then: fault.Then{Status: 401, Headers: map[string]fault.HeaderValues{"X-C": {"2"}},
			Delay: fixedDelay(2 * time.Second)}},
		{Name: "late", Operation: fault.Operations{"groups.list"}, Phase: fault.After,
			Then: fault.Then{Delay: fixedDelay(4 * time.Second)}},
		{Name: "cut", Operation: fault.Operations{"groups.*"},
			Then: fault.Then{Connection: &fault.Connection{Kind: fault.Truncate{}}}},
	}, 7)
	first := set.Decide(list())
	assert.Equal(t, "cut", first.Answer.Rule.Name)
	assert.Equal(t, fault.After, first.Answer.Phase, "there has to be an answer to cut")
	assert.Equal(t, time.Second, first.Delay(fault.Before))
	assert.Equal(t, 4*time.Second, first.Delay(fault.After))
	assert.Equal(t, []fault.AnswerHeader{{"X-A", fault.HeaderValues{"1"}}, {"X-B", fault.HeaderValues{"1"}}}, headersOf(t, first))
	second := set.Decide(list())
	assert.Equal(t, "second", second.Answer.Rule.Name)
	assert.Equal(t, 3*time.Second, second.Delay(fault.Before))
	assert.Equal(t, []fault.AnswerHeader{{"X-A", fault.HeaderValues{"1"}}, {"X-B", fault.HeaderValues{"1"}}, {"X-C", fault.HeaderValues{"2"}}}, headersOf(t, second))
	var names []string
	for _, f := range second.Fired {
		names = append(names, f.Rule.Name)
	}
	assert.Equal(t, []string{"slow", "second", "late", "cut"}, names)

	own := list()
	own.First = []fault.Rule{{Name: "mine", Then: fault.Then{Status: 500}}}
	for range 2 {
		mine := set.Decide(own).Answer
		assert.Equal(t, "mine", mine.Rule.Name)
		assert.EqualValues(t, 1, mine.Number, "counted nowhere")
	}
	assert.Nil(t, set.Decide(&fault.Query{Operation: "alerts.createPreference"}).Answer)
}

// The first rule that forwards does, unless one before it answers in its place. Then a rule in phase After answers.
func TestForwardAndAnswer(t *testing.T) {
	rules := map[byte]fault.Then{
		'f': {Forward: &fault.Forward{URL: "http://a.example"}},
		'c': {Forward: &fault.Forward{URL: "http://a.example"}, Connection: &fault.Connection{Kind: fault.Close{}}},
		'b': {Status: 204}, 'a': {Status: 204}, 'd': {Delay: fixedDelay(time.Second)},
	}
	for order, want := range map[string]string{
		"b": "-0", "a": "-0", "d": "--", "f": "0-", "c": "00",
		"bf": "-0", "af": "10", "ff": "0-", "df": "1-", "fb": "0-", "fa": "01",
		"fab": "01", "ca": "00", "fc": "0-", "ac": "10",
	} {
		var all []fault.Rule
		for i := range len(order) {
			rule := fault.Rule{Name: string(rune('0' + i)), Path: "/v1/x", Then: rules[order[i]]}
			if order[i] == 'a' {
				rule.Phase = fault.After
			}
			all = append(all, rule)
		}
		v, _ := fault.NewSet(all, 1).Decide(&fault.Query{Method: "GET", Path: "/v1/x"})
		got := ""
		for _, f := range []*fault.Firing{v.Forward, v.Answer} {
			if f == nil {
				got += "-"
			} else {
				got += f.Rule.Name
			}
		}
		assert.Equal(t, want, got, order)
		last := all[len(all)-1].Name
		isIdle := order != "d" && !strings.Contains(got, last)
		problems := fault.Check(all)
		assert.Equal(t, isIdle, strings.Contains(fmt.Sprint(problems), "can never answer"), order)
	}
}
