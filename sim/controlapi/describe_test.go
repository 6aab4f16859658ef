package controlapi_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/controlapi"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/journal"
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

// controlDocument is the OpenAPI document of the control API.
func controlDocument(t *testing.T) *openapi3.T {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData(controlapi.Document("/"))
	require.NoError(t, err)
	return doc
}

// The document of the control API describes every call.
func TestControlDocument(t *testing.T) {
	t.Parallel()
	doc := controlDocument(t)
	require.NoError(t, doc.Validate(t.Context(), openapi3.EnableExamplesValidation()))
	assert.Equal(t, "3.1.0", doc.OpenAPI)
	assert.Equal(t, "/", doc.Servers[0].URL)
	public := []string{"/healthz", "/readyz", "/ca.pem", "/v1/sandboxes/{sandbox}/keys"}
	for path, item := range doc.Paths.Map() {
		for method, call := range item.Operations() {
			assert.NotEmpty(t, call.Summary, "%s %s", method, path)
			needsNone := slices.Contains(public, path)
			assert.Equal(t, needsNone, len(*call.Security) == 0, "%s %s: only probes and public keys need no token", method, path)
			for _, parameter := range call.Parameters {
				assert.NotEmpty(t, parameter.Value.Description, "%s %s: %s", method, path, parameter.Value.Name)
			}
		}
	}
}

// variable is a variable in the path of a call.
var variable = regexp.MustCompile(`\{(\w+)\}`)

// Every call refuses a query parameter that it doesn't have, before it does anything.
func TestUnknownParameters(t *testing.T) {
	t.Parallel()
	b := simtest.StartScenario(t, simtest.FrozenRetail)
	simtest.ListGroups.Send(b)
	for path, item := range controlDocument(t).Paths.Map() {
		for method, call := range item.Operations() {
			request := method + " " + variable.ReplaceAllString(path, "default")
			before := seen(b)
			refused := decodeProblem(t, b.Control(400, request+"?colour=red", "")).Detail
			assert.Contains(t, refused, `unknown query parameter "colour"`, request)
			has := false
			for _, p := range call.Parameters {
				if p.Value.In != "query" {
					continue
				}
				has = true
				name := p.Value.Name
				assert.Contains(t, refused, `"`+name+`"`, request)
				assert.Equal(t, `unknown query parameter "`+name+`x": did you mean "`+name+`"?`,
					decodeProblem(t, b.Control(400, request+"?"+name+"x=1", "")).Detail, request)
			}
			assert.Equal(t, !has, strings.Contains(refused, "this call has none"), request)
			assert.Contains(t, decodeProblem(t, b.Control(400, request+"?=1", "")).Detail, `unknown query parameter ""`, request)
			assert.Equal(t, before, seen(b), "%s changed something", request)
		}
	}
	assert.EqualValues(t, 1, b.Journal().Last())
	assert.Len(t, b.Exchanges(journal.Query{}), 1, "nothing was cleared")
}
