package fault_test

import (
	"encoding/json"
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

// rulesOf reads rules as a user writes them, in JSON.
func rulesOf(t require.TestingT, text string) (rules []fault.Rule) {
	require.NoError(t, json.Unmarshal([]byte(text), &rules), text)
	return rules
}

// firings returns the numbers of the requests, of so many, for which a rule of a set fires.
func firings(set *counter, requests int) (fired []int) {
	for n := range requests {
		if set.Decide(list()).Fired != nil {
			fired = append(fired, n+1)
		}
	}
	return fired
}

func TestCounts(t *testing.T) {
	for when, want := range map[string][]int{
		`{}`:                              {1, 2, 3, 4, 5, 6, 7, 8},
		`{"first":3}`:                     {1, 2, 3},
		`{"nth":3}`:                       {3},
		`{"every":3}`:                     {3, 6},
		`{"after":6}`:                     {7, 8},
		`{"after":2,"first":5}`:           {3, 4, 5},
		`{"after":2,"every":2}`:           {4, 6, 8},
		`{"after":2,"every":2,"first":6}`: {4, 6},
		`{"nth":2,"first":2}`:             {2},
		`{"probability":1,"first":2}`:     {1, 2},
	} {
		rules := rulesOf(t, `[{"when":`+when+`,"then":{"delay":"1s"}}]`)
		require.Empty(t, fault.Check(rules))
		assert.Equal(t, want, firings(counting(rules, 7), 8), when)
	}
}

func TestProbability(t *testing.T) {
	firedFor := func(seed uint64, name string) []int {
		rules := rulesOf(t, `[{"name":"`+name+`","when":{"probability":0.2},"then":{"status":500}}]`)
		return firings(counting(rules, seed), 10_000)
	}
	first := firedFor(7, "f")
	assert.InDelta(t, 2000, len(first), 100, "within one point")
	assert.Equal(t, first, firedFor(7, "f"), "the same on every run")
	for other, draws := range map[string][]int{
		"seed": firedFor(8, "f"),
		"name": firedFor(7, "g"),
	} {
		both := slices.DeleteFunc(draws, func(n int) bool { return !slices.Contains(first, n) })
		assert.InDelta(t, 400, len(both), 80, "another %s draws independently", other)
	}
	for seed := range uint64(20) { // no seed is an unlucky one
		assert.InDelta(t, 2000, len(firedFor(seed, "f")), 160)
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
	of := func(delay string) fault.Rule {
		return rulesOf(t, `[{"name":"f","then":{"delay":`+delay+`}}]`)[0]
	}
	sorted := func(delay string) []float64 { return slices.Sorted(slices.Values(lengths(7, of(delay)))) }
	fixed := sorted(`"250ms"`)
	assert.Equal(t, []float64{0.25, 0.25}, []float64{fixed[0], fixed[9999]})
	uniform := sorted(`{"uniform":["100ms","2s"]}`)
	assert.InDelta(t, 0.1, uniform[0], 0.01)
	assert.InDelta(t, 1.05, uniform[5000], 0.05)
	assert.InDelta(t, 1.995, uniform[9999], 0.005)
	tail := sorted(`{"lognormal":{"median":"200ms","sigma":0.6}}`)
	assert.InDelta(t, 0.2, tail[5000], 0.01)
	assert.InDelta(t, 0.2*math.Exp(0.6*2.326), tail[9900], 0.08, "one in a hundred is longer")
	byShare := sorted(`{"p50":"200ms","p95":"800ms"}`)
	assert.InDelta(t, 0.2, byShare[5000], 0.01)
	assert.InDelta(t, 0.8, byShare[9500], 0.06)
	longest := sorted(`{"lognormal":{"median":"4m","sigma":3}}`)
	assert.Equal(t, fault.MaxDelay.Seconds(), longest[9999])
	assert.Positive(t, longest[0])

	slow := of(`{"lognormal":{"median":"1s","sigma":0.6}}`)
	other := rulesOf(t, `[{"name":"other","when":{"probability":0.5},"then":{"status":500}}]`)[0]
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

// Delays add up within their phase, and no request waits longer than MaxDelay, whatever its rules say.
func TestDelaysAreBounded(t *testing.T) {
	long, late := `{"then":{"delay":"4m59s"}}`, `{"phase":"after","then":{"delay":"600ms"}}`
	assertDelays(t, fault.MaxDelay-time.Second, time.Second,
		counting(rulesOf(t, "["+long+","+late+","+late+"]"), 7).Decide(list()))
	assertDelays(t, fault.MaxDelay, 0, counting(rulesOf(t, "["+long+","+late+","+long+"]"), 7).Decide(list()))
}

func assertDelays(t *testing.T, before, after time.Duration, of fault.Firings) {
	t.Helper()
	b, a := of.Delays()
	assert.Equal(t, []time.Duration{before, after}, []time.Duration{b, a})
}

// Several rules: the first that fires and answers gives the answer; delays add up, headers are all set.
func TestSeveralRules(t *testing.T) {
	set := counting(rulesOf(t, `[
		{"name":"slow","then":{"delay":"1s","headers":{"X-A":"1","X-B":"1"}}},
		{"name":"other","operation":"tokens.*","then":{"delay":"1h"}},
		{"name":"second","when":{"nth":2},"then":{"status":401,"headers":{"X-C":"2"},"delay":"2s"}},
		{"name":"late","operation":"groups.list","phase":"after","then":{"delay":"4s"}},
		{"name":"cut","operation":"groups.*","then":{"connection":"truncate"}}]`), 7)
	first := set.Decide(list())
	assert.Equal(t, "cut", first.Answer.Rule.Name)
	assert.Equal(t, fault.After, first.Answer.Phase, "there has to be an answer to cut")
	assertDelays(t, time.Second, 4*time.Second, first)
	assert.Equal(t, "[{X-A [1]} {X-B [1]}]", fmt.Sprint(headersOf(t, first)))
	second := set.Decide(list())
	assert.Equal(t, "second", second.Answer.Rule.Name)
	assertDelays(t, 3*time.Second, 4*time.Second, second)
	assert.Equal(t, "[{X-A [1]} {X-B [1]} {X-C [2]}]", fmt.Sprint(headersOf(t, second)))
	assert.Equal(t, []string{"slow", "second", "late", "cut"}, second.Names())

	own := list()
	own.First = rulesOf(t, `[{"name":"mine","then":{"status":500}}]`)
	for range 2 {
		mine := set.Decide(own).Answer
		assert.Equal(t, "mine", mine.Rule.Name)
		assert.EqualValues(t, 1, mine.Number, "counted nowhere")
	}
	assert.Nil(t, set.Decide(&fault.Query{Operation: "alerts.createPreference"}).Answer)
}

// The first rule that forwards does, unless one before it answers in its place. Then a rule in phase After answers.
func TestForwardAndAnswer(t *testing.T) {
	rules := map[byte]string{
		'f': `"then":{"forward":"http://a.example"}`,
		'c': `"then":{"forward":"http://a.example","connection":"close"}`,
		'b': `"then":{"status":204}`, 'a': `"phase":"after","then":{"status":204}`, 'd': `"then":{"delay":"1s"}`,
	}
	for order, want := range map[string]string{
		"b": "-0", "a": "-0", "d": "--", "f": "0-", "c": "00",
		"bf": "-0", "af": "10", "ff": "0-", "df": "1-", "fb": "0-", "fa": "01",
		"fab": "01", "ca": "00", "fc": "0-", "ac": "10",
	} {
		var all []fault.Rule
		for i := range len(order) {
			all = append(all, rulesOf(t, fmt.Sprintf(`[{"name":"%d","path":"/v1/x",%s}]`, i, rules[order[i]]))...)
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
