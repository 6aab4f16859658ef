package conformance

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/fixtures"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// A request whose id no answer gave is a drift of its exchange, also if no request comes before it. It isn't sent.
func TestUnknownIDWithoutAPrecedingRequest(t *testing.T) {
	sent := 0
	service := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { sent++ }))
	defer service.Close()
	check, err := newReplayer(Config{BaseURL: service.URL})
	require.NoError(t, err)
	defer check.close()
	request := fixtures.Request{Method: http.MethodGet, Path: contract.AlertsGetPreference.Path}
	result := check.tryExchange(t.Context(), fixtures.Exchange{Name: "alerts.getPreference/404", Request: request}, "")
	require.Len(t, result.Drifts, 1, "%+v", result)
	assert.Contains(t, result.Drifts[0].Message, "to answer with the alertPreferenceId of something new, got none")
	assert.Zero(t, sent)
}

// A job is read before its errors: so each run reports the same difference first.
func TestJobsAreReadInOrder(t *testing.T) {
	for range 20 {
		all := Config{}.jobsOf(fixtures.Request{})
		require.Len(t, all, 2)
		require.Equal(t, contract.JobsGetOperation, all[0].says)
	}
}
