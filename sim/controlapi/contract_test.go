package controlapi_test

import (
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/server"
)

// loadContract reads an OpenAPI document of the simulated interface from the control API.
func loadContract(t *testing.T, b *simtest.Bank, query string) *openapi3.T {
	t.Helper()
	res := b.Control(200, "GET /v1/openapi.json"+query, "")
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
	doc := loadContract(t, b, "")
	assert.Equal(t, b.Server.ServiceURL(), doc.Servers[0].URL)
	assert.Equal(t, b.Server.ServiceURL()+"/sandboxes/{sandbox}", doc.Servers[1].URL)
	assert.Equal(t, []string{"200", "201"}, createdStatuses(doc))
	assert.NotNil(t, doc.Paths.Value(contract.GroupsCreate.Path).Post.Responses.Value("501"))
}

// A sandbox has a document of its own, which follows its scenario.
func TestContractOfOneSandbox(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail+"behavior: {groups: {createStatus: 201}}\n")
	query := "?sandbox=" + b.Sandbox.Name()
	doc := loadContract(t, b, query)
	require.Len(t, doc.Servers, 1)
	assert.Equal(t, b.BaseURL(), doc.Servers[0].URL)
	assert.Equal(t, []string{"201"}, createdStatuses(doc))
	assert.Nil(t, doc.Paths.Value(contract.GroupsCreate.Path).Post.Responses.Value("501"))

	b.ControlSandbox(200, "PUT /scenario", "extends: retail\nbehavior: {strict: true}\n")
	doc = loadContract(t, b, query)
	assert.Equal(t, []string{"200"}, createdStatuses(doc))
	assert.NotNil(t, doc.Paths.Value(contract.GroupsCreate.Path).Post.Responses.Value("501"))

	for _, unknown := range []string{"nope", ""} {
		assert.Contains(t, decodeProblem(t, b.Control(404, "GET /v1/openapi.json?sandbox="+unknown, "")).Detail, "there is no sandbox \""+unknown+"\"")
	}
}

func TestContractOfAStrictServerWithAPublicURL(t *testing.T) {
	simtest.Whole(t)
	t.Parallel()
	b := simtest.Start(t, server.Config{Strict: true, PublicURL: "https://bank.example/staging"})
	b.Control(201, "POST /v1/sandboxes", `{"name":"mine"}`)
	assert.Equal(t, "https://bank.example/staging", loadContract(t, b, "").Servers[0].URL)
	doc := loadContract(t, b, "?sandbox=mine")
	assert.Equal(t, "https://bank.example/staging/sandboxes/mine", doc.Servers[0].URL)
	assert.NotNil(t, doc.Paths.Value(contract.GroupsCreate.Path).Post.Responses.Value("501"))
}
