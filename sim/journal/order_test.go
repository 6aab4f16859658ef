package journal_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/journal"
)

func TestOrder(t *testing.T) {
	j := newJournal(t)
	inOrder := func(expectations string) (journal.Verification, error) {
		var wants []journal.Expectation
		require.NoError(t, json.Unmarshal([]byte(expectations), &wants))
		return j.VerifyInOrder(t.Context(), wants, 0)
	}
	v, err := inOrder(`[{"operation":"groups.*"},{"operation":"groups.*"},{"status":201}]`)
	require.NoError(t, err)
	assert.Equal(t, []string{"1", "2", "4"}, v.Matches)
	assert.True(t, v.Verified)

	v, err = inOrder(`[{"operation":"groups.create"},{"operation":"groups.list"},{"status":201}]`)
	require.NoError(t, err)
	assert.False(t, v.Verified)
	assert.Equal(t, `expected requests in this order:
	1. (operation "groups.create"): exchange 2
	2. (operation "groups.list"): the bank had no such request after exchange 2
	3. (status 201): not looked for
	near miss: exchange 4, alerts.createPreference
		operation is "alerts.createPreference", not "groups.list"
	near miss: exchange 3, tokens.issue
		operation is "tokens.issue", not "groups.list"`, v.Text)

	for expectations, problem := range map[string]string{
		`[{"operation":"groups.list"}]`:             "at least two",
		`[{"status":1},{"status":200}]`:             "inOrder[0]: status is 1",
		`[{"status":200},{"status":4,"exactly":1}]`: "inOrder[1] has a count",
	} {
		_, err := inOrder(expectations)
		assert.ErrorContains(t, err, problem)
	}
}

// Only the exchanges after a number count.
func TestAfter(t *testing.T) {
	j := newJournal(t)
	for after, matched := range map[uint64]int{0: 2, 1: 1, 2: 0, 9: 0} {
		v, err := j.Verify(t.Context(), journal.Expectation{Operation: "groups.*", AtMost: new(int)}, after)
		require.NoError(t, err)
		assert.Equal(t, matched, v.Matched, after)
	}
	v, err := j.VerifyInOrder(t.Context(), []journal.Expectation{{Operation: "groups.list"}, {Status: 201}}, 1)
	require.NoError(t, err)
	assert.False(t, v.Verified)
}

// Members of a body that the journal has cut can't be compared: neither that they are there nor that they are not.
func TestCutBodies(t *testing.T) {
	j := newJournal(t)
	j.Add(raw{
		Operation: "groups.create", Method: http.MethodPost, Path: "/digitalbanking/groups/v3/groups", Status: 200,
		RequestHeader: http.Header{"Content-Type": {"application/json"}},
		RequestBody:   []byte(`{"x":"` + strings.Repeat("0", 100<<10) + `","groupName":"A"}`),
	}.record())
	_, err := verify(t, j, `{"operation":"groups.create","body":{"groupName":"A"},"exactly":0}`)
	assert.ErrorContains(t, err, "the journal has only the beginning of the body of exchange 5, which has 102")
	v, err := verify(t, j, `{"operation":"alerts.*","body":{"alertOpted":true}}`)
	require.NoError(t, err)
	assert.True(t, v.Verified)
}
