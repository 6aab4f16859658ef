package scenario_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// Every rule in the documentation loads.
func TestFaultsOfTheDocumentation(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/faults.md")
	require.NoError(t, err)
	blocks := regexp.MustCompile("(?ms)^```yaml\n(.*?)^```\n").FindAllStringSubmatch(string(text), -1)
	require.Greater(t, len(blocks), 8)
	for _, block := range blocks {
		rules, err := scenario.ParseFaults("faults.md", []byte(block[1]))
		assert.NoError(t, err, block[1])
		assert.NotEmpty(t, rules)
	}
}

// A body may be any JSON.
func TestFaultBody(t *testing.T) {
	t.Parallel()
	rules, err := scenario.ParseFaults("body.yaml", []byte("then: {status: 200, body: [[1, {a: [2]}]]}\n"))
	require.NoError(t, err)
	assert.JSONEq(t, `[[1, {"a": [2]}]]`, rules[0].Then.Body.Text)
}

// A long expression takes seconds to parse.
func TestLongExpression(t *testing.T) {
	t.Parallel()
	source := "{when: {request: {hostUserId: '~" + strings.Repeat("a{2}", 3000) + "'}}, then: {delay: 1s}}\n"
	_, err := scenario.ParseFaults("long.yaml", []byte(source))
	require.EqualError(
		t, err, "long.yaml:1:31: hostUserId: the regular expression has more than 10000 bytes: simplify it",
	)
}
