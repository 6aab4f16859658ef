package controlapi_test

import (
	"encoding/json"
	"encoding/xml"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/report"
)

// A report has what was met so far: of a sandbox, or of all of them. It comes in each format.
func TestReport(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	require.Equal(t, 200, simtest.CreateGroup.Send(b).StatusCode)
	require.Equal(t, 400, simtest.CreateGroup.Send(b).StatusCode)
	of := "&sandbox=" + b.Sandbox.Name()

	text := b.Control(200, "GET /v1/report?format=text"+of, "")
	assert.Equal(t, "text/plain; charset=utf-8", text.Header.Get("Content-Type"))
	assert.Contains(t, text.Body, "of the answers of 1 operation: 2 of ")

	page := b.Control(200, "GET /v1/report?sandbox="+b.Sandbox.Name(), "")
	assert.Equal(t, "text/html; charset=utf-8", page.Header.Get("Content-Type"))
	assert.Contains(t, page.Header.Get("Content-Security-Policy"), "default-src 'none'", "it runs nothing in the origin of the control API")
	assert.Contains(t, page.Body, "400 2004 group-exists</th><td class=\"met\">met: naturally 1, by a fault 0")

	var whole report.Report
	require.NoError(t, json.Unmarshal([]byte(b.Control(200, "GET /v1/report?format=json", "").Body), &whole))
	assert.Equal(t, report.Format, whole.Format)
	for _, o := range whole.Coverage.Operations {
		if o.Operation == "groups.create" {
			assert.GreaterOrEqual(t, o.Answers.Met, 2)
		}
	}
	junit := b.Control(200, "GET /v1/report?format=junit"+of, "")
	assert.NoError(t, xml.Unmarshal([]byte(junit.Body), &struct{}{}))

	assert.Contains(t, b.Control(http.StatusBadRequest, "GET /v1/report?format=htlm", "").Body, `did you mean \"html\"?`)
	assert.Contains(t, b.Control(http.StatusNotFound, "GET /v1/report?sandbox=nobody", "").Body, "nobody")
}
