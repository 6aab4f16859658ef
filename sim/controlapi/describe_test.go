package controlapi_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/controlapi"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// The document of the simulated interface has the dialect that the query names, or both.
func TestContractDocument(t *testing.T) {
	t.Parallel()
	b := simtest.StartScenario(t, simtest.FrozenRetail)
	hasPaths := func(query string) (document, public bool) {
		doc, err := openapi3.NewLoader().LoadFromData([]byte(b.Control(200, "GET /v1/openapi.json"+query, "").Body))
		require.NoError(t, err)
		return doc.Paths.Value("/digitalbanking/groups/v3/groups") != nil, doc.Paths.Value("/v3/groups") != nil
	}
	for query, want := range map[string][2]bool{
		"": {true, true}, "?dialect=document": {true, false}, "?dialect=public": {false, true},
	} {
		document, public := hasPaths(query)
		assert.Equal(t, want, [2]bool{document, public}, query)
	}
	refused := decodeProblem(t, b.Control(400, "GET /v1/openapi.json?dialect=publc", "")).Detail
	assert.Equal(t, `dialect can't be "publc": did you mean "public"?`, refused)
}

// The document of the control API has every call.
func TestControlDocument(t *testing.T) {
	t.Parallel()
	doc, err := openapi3.NewLoader().LoadFromData(controlapi.Document("/"))
	require.NoError(t, err)
	require.NoError(t, doc.Validate(t.Context(), openapi3.EnableExamplesValidation()))
	assert.Equal(t, "3.1.0", doc.OpenAPI)
	assert.Equal(t, "/", doc.Servers[0].URL)

	ids := map[string]bool{}
	for _, route := range controlapi.Routes() {
		call := doc.Paths.Value(route.Path).GetOperation(route.Method)
		require.NotNil(t, call, route)
		assert.False(t, ids[call.OperationID], "%s is used twice", call.OperationID)
		ids[call.OperationID] = true
		assert.NotEmpty(t, call.Summary, route)
		public := []string{"/healthz", "/readyz", "/ca.pem", "/v1/sandboxes/{sandbox}/keys"}
		needsNone := slices.Contains(public, route.Path)
		assert.Equal(t, needsNone, len(*call.Security) == 0, "%s: only probes and public keys need no token", route)
		for _, parameter := range call.Parameters {
			assert.NotEmpty(t, parameter.Value.Description, "%s: %s", route, parameter.Value.Name)
		}
		assert.Len(t, call.Parameters, strings.Count(route.Path, "{")+len(route.Query), route)
	}
}
