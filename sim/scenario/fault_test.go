package scenario_test

import (
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// Every rule in the documentation loads.
func TestFaultsOfTheDocumentation(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/faults.md")
	require.NoError(t, err)
	blocks := regexp.MustCompile("(?ms)^```yaml\n(.*?)^```\n").FindAllStringSubmatch(string(text), -1)
	require.Greater(t, len(blocks), 10)
	for _, block := range blocks {
		rules, err := scenario.ParseFaults("faults.md", []byte(block[1]))
		assert.NoError(t, err, block[1])
		assert.NotEmpty(t, rules)
	}
}

// A scenario and the control API read rules the same way. An extending scenario changes a rule by its name.
func TestFaultsOfAScenario(t *testing.T) {
	t.Parallel()
	s := parse(t, `
extends: lost-answers
faults:
  - name: lost-group
    when: {first: 3}
  - name: lost-tokens
    phase: null
    then: {connection: {hang: 10s}}
  - {operation: groups.list, then: {status: 500}}
`)
	lost := load(t, "lost-answers")
	want := append([]fault.Rule(nil), lost.Faults...)
	want[0].When.First = 3
	tokens := slices.IndexFunc(want, func(r fault.Rule) bool { return r.Name == "lost-tokens" })
	want[tokens].Phase, want[tokens].Then.Connection = "", &fault.Connection{Kind: fault.Hang, Hang: 10e9}
	want = append(want, fault.Rule{Operation: fault.On("groups.list"), Then: fault.Then{Status: 500}})
	assert.Equal(t, want, s.Faults)

	same, err := scenario.ParseFaults("faults", []byte(`[{"operation":"groups.list","then":{"status":500}}]`))
	require.NoError(t, err)
	assert.Equal(t, want[len(want)-1:], same)
	assert.Empty(t, parse(t, "extends: lost-answers\nfaults: null\n").Faults)
}
