package fault_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
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

func (c *counter) Decide(q *fault.Query) (v fault.Firings) {
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
		both := slices.DeleteFunc(draws, func(n int) bool { return !slices.Contains(first, n) })
		assert.InDelta(t, 400, len(both), 80, "another %s draws independently", other)
	}
	for seed := range uint64(20) { // no seed is an unlucky one
		assert.InDelta(t, 2000, len(firedFor(seed, "f", 0.2, 10_000)), 160)
	}
}

// Delays are as long as their distribution says, and depend on the seed, the rule and the number of the request alone.
func TestDelays(t *testing.T) {
	lengths := func(seed uint64, rules ...fault.Rule) (all []float64) {
		set := counting(rules, seed)
		for range 10_000 {
			for _, f := range set.Decide(list()).Fired {
				if f.Rule.Name == "f" {
					all = append(all, f.Delay.Seconds())
				}
			}
		}
		return all
	}
	of := func(d *fault.Delay) fault.Rule { return fault.Rule{Name: "f", Then: fault.Then{Delay: d}} }
	sorted := func(d *fault.Delay) []float64 { return slices.Sorted(slices.Values(lengths(7, of(d)))) }
	fixed := sorted(fixedDelay(250 * time.Millisecond))
	assert.Equal(t, []float64{0.25, 0.25}, []float64{fixed[0], fixed[9999]})
	uniform := sorted(uniform(100*time.Millisecond, 2*time.Second))
	assert.InDelta(t, 0.1, uniform[0], 0.01)
	assert.InDelta(t, 1.05, uniform[5000], 0.05)
	assert.InDelta(t, 1.995, uniform[9999], 0.005)
	tail := sorted(longTailed(200*time.Millisecond, 0.6))
	assert.InDelta(t, 0.2, tail[5000], 0.01)
	assert.InDelta(t, 0.2*math.Exp(0.6*2.326), tail[9900], 0.08, "one in a hundred is longer")
	longest := sorted(longTailed(4*time.Minute, 3))
	assert.Equal(t, fault.MaxDelay.Seconds(), longest[9999])
	assert.Positive(t, longest[0])

	slow := of(longTailed(time.Second, 0.6))
	other := fault.Rule{Name: "other", When: fault.When{Probability: 0.5}, Then: always}
	drawn := lengths(7, slow)
	assert.Equal(t, drawn, lengths(7, other, slow))
	assert.NotEqual(t, drawn, lengths(8, slow))
	changes := 0 // of sides of the median: nothing is left of the draw before in the next one
	for i, d := range drawn[1:] {
		if (d < 1) != (drawn[i] < 1) {
			changes++
		}
	}
	assert.InDelta(t, 5000, changes, 200)
}

// Delays add up within their phase, and no request waits longer than MaxDelay in one, whatever its rules say.
func TestDelaysAreBounded(t *testing.T) {
	most, late := does(fault.Then{Delay: fixedDelay(fault.MaxDelay)}), does(fault.Then{Delay: fixedDelay(time.Second)})
	late.Phase = fault.After
	verdict := counting([]fault.Rule{most, late, most, late}, 7).Decide(list())
	assert.Equal(t, fault.MaxDelay, verdict.Delay(fault.Before))
	assert.Equal(t, 2*time.Second, verdict.Delay(fault.After))
}

// Several rules: the first that fires and answers gives the answer; delays add up, headers are all set.
func TestSeveralRules(t *testing.T) {
	set := counting([]fault.Rule{
		{Name: "slow", Then: fault.Then{Delay: fixedDelay(time.Second),
			Headers: map[string]fault.HeaderValues{"X-A": {"1"}, "X-B": {"1"}}}},
		{Name: "other", Operation: fault.Operations{"tokens.*"}, Then: fault.Then{Delay: fixedDelay(time.Hour)}},
		{Name: "second", When: fault.When{Nth: 2}, Then: fault.Then{Status: 401,
			Headers: map[string]fault.HeaderValues{"X-C": {"2"}}, Delay: fixedDelay(2 * time.Second)}},
		{Name: "late", Operation: fault.Operations{"groups.list"}, Phase: fault.After,
			Then: fault.Then{Delay: fixedDelay(4 * time.Second)}},
		{Name: "cut", Operation: fault.Operations{"groups.*"},
			Then: fault.Then{Connection: &fault.Connection{Kind: fault.Truncate{}}}},
	}, 7)
	a := fault.AnswerHeader{Name: "X-A", Values: fault.HeaderValues{"1"}}
	b := fault.AnswerHeader{Name: "X-B", Values: fault.HeaderValues{"1"}}
	c := fault.AnswerHeader{Name: "X-C", Values: fault.HeaderValues{"2"}}
	first := set.Decide(list())
	assert.Equal(t, "cut", first.Answer.Rule.Name)
	assert.Equal(t, fault.After, first.Answer.Phase, "there has to be an answer to cut")
	assert.Equal(t, time.Second, first.Delay(fault.Before))
	assert.Equal(t, 4*time.Second, first.Delay(fault.After))
	assert.Equal(t, []fault.AnswerHeader{a, b}, headersOf(t, first))
	second := set.Decide(list())
	assert.Equal(t, "second", second.Answer.Rule.Name)
	assert.Equal(t, 3*time.Second, second.Delay(fault.Before))
	assert.Equal(t, []fault.AnswerHeader{a, b, c}, headersOf(t, second))
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
