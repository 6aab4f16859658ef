package journal_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/journal"
)

// expensive is a journal of large bodies, and an expectation that takes minutes to compare with them.
func expensive(t *testing.T) (*journal.Journal, journal.Expectation) {
	t.Helper()
	j := journal.New(0, journal.NewBudget(0))
	body := []byte(`{"groupDescription":"` + strings.Repeat("a", 2_000) + `"}`)
	for range 2000 {
		j.Add(raw{Operation: "groups.create", Method: http.MethodPost,
			RequestHeader: http.Header{"Content-Type": {"application/json"}}, RequestBody: body}.record())
	}
	one := "~(a?){400}c"
	e := journal.Expectation{Body: json.RawMessage(`{"groupDescription":"` + one + `"}`)}
	return j, e
}

// The comparison ends with the context of its caller, soon.
func TestVerifyEndsWithTheContext(t *testing.T) {
	t.Parallel()
	j, e := expensive(t)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	began := time.Now()
	_, err := j.Verify(ctx, e, 0)
	assert.ErrorIs(t, err, context.DeadlineExceeded)
	assert.Less(t, time.Since(began), 20*time.Second, "at most one match more")

	ended, end := context.WithCancel(t.Context())
	end()
	_, err = j.Verify(ended, journal.Expectation{Operation: "nope"}, 0)
	assert.ErrorIs(t, err, context.Canceled)
}

// A regular expression has a limited size, because nothing can interrupt a match.
func TestVerifyRefusesLargeExpressions(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	for _, large := range []string{"~(a{0,100}){10}", "~((a?){30}){30}", "~" + strings.Repeat("a", 2001)} {
		_, err := j.Verify(t.Context(), journal.Expectation{Path: large}, 0)
		assert.ErrorContains(t, err, "path: the regular expression has ")
		assert.ErrorContains(t, err, "more than 2000: simplify it")
		assert.NotContains(t, err.Error(), "a{")
	}
	_, err := j.Verify(t.Context(), journal.Expectation{Path: "~^/[a-z/]{1,900}(x|y)*$"}, 0)
	require.NoError(t, err)
}
