package contract_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/strictjson"
)

var update = flag.Bool("update", false, "write the answers to the examples into examples.json")

// The simulator answers each example as it says. With -update, examples.json gets the answers.
func TestExamples(t *testing.T) {
	all := map[string]map[sim.Dialect]contract.Example{}
	for _, op := range contract.AllOperations() {
		e, b := op.Example(), simtest.NewBank(t, simtest.FrozenRetail)
		res := simtest.ExampleOf(op).Send(b)
		got := e
		got.Status, got.Answer = res.StatusCode, nil
		if res.Body != "" {
			got.Answer = json.RawMessage(strings.ReplaceAll(res.Body, b.BaseURL(), "{base_url}"))
		}
		if all[op.Name] == nil {
			all[op.Name] = map[sim.Dialect]contract.Example{}
		}
		all[op.Name][op.Dialect] = got
		if *update {
			continue
		}
		assert.Less(t, got.Status, 300, op.ID)
		assert.Equal(t, e.Status, got.Status, op.ID)
		if e.Answer != nil {
			var want bytes.Buffer
			require.NoError(t, json.Compact(&want, e.Answer))
			assert.Equal(t, want.String(), string(got.Answer), op.ID)
		} else {
			assert.Empty(t, res.Body, op.ID)
		}
		assert.Equal(t, op.Dialect, contract.DialectOf(e.Path), op.ID)
	}
	if *update {
		data, err := strictjson.EncodeIndented(all)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile("examples.json", data, 0o644))
	}
}
