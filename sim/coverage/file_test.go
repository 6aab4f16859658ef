package coverage_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/coverage"
)

func TestDecodeRefuses(t *testing.T) {
	for name, test := range map[string]struct{ text, err string }{
		"mistyped": {`{"format":"banksim-coverage/1","runs":[{"id":"a","points":[{"byBank":-1}]}]}`,
			"runs.0.points.0.byBank is of another type"},
		"no run id": {`{"format":"banksim-coverage/1","runs":[{"id":"a"},{}]}`, "its member runs.1.id is missing"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := coverage.Decode([]byte(test.text))
			assert.ErrorContains(t, err, test.err)
		})
	}
}

// Of the entries of the ledger those stay that are about nothing else: the counts of others have other answers, too.
func TestOnlyAnOperation(t *testing.T) {
	run := coverage.Run{
		ID:     "a",
		Points: []coverage.PointCount{met(created, 1, 0), met(status, 1, 0)},
		Entries: map[string]uint64{
			"groups.create.status": 1, "groups.create.body": 1, "everywhere.messages": 1,
		},
	}
	only := run.Only("groups.create")
	assert.Equal(t, []coverage.PointCount{met(created, 1, 0)}, only.Points)
	assert.Equal(t, map[string]uint64{"groups.create.status": 1}, only.Entries)
	assert.Len(t, run.Points, 2, "the run itself stays")
}

// Whatever a file has, it is refused, or can be summed up and written.
func FuzzDecode(f *testing.F) {
	data, err := coverage.Encode([]coverage.Run{{ID: "a/1", Points: []coverage.PointCount{met(created, 1, 0)},
		Entries: map[string]uint64{"cards.new": 1}}})
	require.NoError(f, err)
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		read, err := coverage.Decode(data)
		if err != nil {
			return
		}
		text, err := coverage.Encode(read.Runs)
		require.NoError(t, err)
		again, err := coverage.Decode(text)
		require.NoError(t, err)
		require.Equal(t, coverage.Summarize(read, true), coverage.Summarize(again, true))
	})
}
