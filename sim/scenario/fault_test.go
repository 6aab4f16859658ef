package scenario_test

import (
	"os"
	"regexp"
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
