package controlapi_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/controlapi"
)

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
		assert.Equal(t, strings.HasSuffix(route.Path, "z") || route.Path == "/ca.pem", len(*call.Security) == 0, "%s: only probes and the certificate of the CA need no token", route)
		for _, parameter := range call.Parameters {
			assert.NotEmpty(t, parameter.Value.Description, "%s: %s", route, parameter.Value.Name)
		}
		assert.Len(t, call.Parameters, strings.Count(route.Path, "{")+len(route.Query), route)
	}
}

// Where a call has a limit or a rule of its own, the document has it.
func TestControlDocumentHasWhatTheTypesSay(t *testing.T) {
	t.Parallel()
	doc, err := openapi3.NewLoader().LoadFromData(controlapi.Document("http://127.0.0.1:8081"))
	require.NoError(t, err)
	schemas := doc.Components.Schemas
	info, plan, patch, rule := schemas["Sandbox"].Value, schemas["NewSandbox"].Value, schemas["UserPatch"].Value, schemas["FaultRule"].Value
	assert.ElementsMatch(t, []string{"name", "baseUrl", "scenario", "seed", "createdAt", "expiresAt", "lastReset", "forkedFrom"}, info.Required)
	assert.Nil(t, info.AdditionalProperties.Has, "later versions may answer with more members")
	assert.Empty(t, plan.Required)
	assert.False(t, *plan.AdditionalProperties.Has, "unknown members are refused")
	assert.Len(t, plan.Properties["ttl"].Value.AnyOf, 2, "null stands for a member that is left out")
	assert.Empty(t, patch.Properties["active"].Value.AnyOf, "a merge patch has no null")
	assert.Equal(t, []string{"client"}, schemas["NewToken"].Value.Required)
	operation, err := json.Marshal(rule.Properties["operation"])
	require.NoError(t, err)
	assert.Contains(t, string(operation), `"groups.create"`)
	assert.Equal(t, []string{"then"}, rule.Required)

	limit := doc.Paths.Value("/v1/sandboxes/{sandbox}/journal").Get.Parameters.GetByInAndName("query", "limit").Schema.Value
	assert.EqualValues(t, 1000, *limit.Max)
	assert.EqualValues(t, 100, limit.Default)
	create := doc.Paths.Value("/v1/sandboxes").Post.Responses
	assert.NotNil(t, create.Value("201").Value.Headers["Location"])
	assert.NotNil(t, create.Value("422").Value.Content["application/problem+json"])
}
