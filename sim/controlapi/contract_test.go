package controlapi_test

import (
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// loadContract reads an OpenAPI document of the simulated interface from the control API.
func loadContract(t *testing.T, b *simtest.Bank) *openapi3.T {
	t.Helper()
	res := b.Control(200, "GET /v1/openapi.json", "")
	assert.Equal(t, "application/json", res.Header.Get("Content-Type"))
	doc, err := openapi3.NewLoader().LoadFromData([]byte(res.Body))
	require.NoError(t, err)
	require.NoError(t, doc.Validate(t.Context()))
	return doc
}

// createdStatuses returns the statuses of a group that is created.
func createdStatuses(doc *openapi3.T) (statuses []string) {
	for _, status := range []string{"200", "201"} {
		if doc.Paths.Value(contract.GroupsCreate.Path).Post.Responses.Value(status) != nil {
			statuses = append(statuses, status)
		}
	}
	return statuses
}

// The document names the service as its server, not the control API that serves it.
func TestContractOfAllSandboxes(t *testing.T) {
	t.Parallel()
	b := simtest.StartScenario(t, simtest.FrozenRetail)
	doc := loadContract(t, b)
	assert.Equal(t, b.Server.ServiceURL(), doc.Servers[0].URL)
	assert.Equal(t, b.Server.ServiceURL()+"/sandboxes/{sandbox}", doc.Servers[1].URL)
	assert.Equal(t, []string{"200", "201"}, createdStatuses(doc))
	assert.NotNil(t, doc.Paths.Value(contract.GroupsCreate.Path).Post.Responses.Value("501"))
}
