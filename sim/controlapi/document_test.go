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
	"github.com/digitalbanking-sim/banksim/sim/controlapi/openapi"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// The document of the simulated interface has the dialect that the query names, or both.
func TestContractDocument(t *testing.T) {
	t.Parallel()
	d := simtest.NewDetached(t, simtest.FrozenRetail)
	for query, want := range map[string][2]bool{
		"": {true, true}, "?dialect=document": {true, false}, "?dialect=public": {false, true},
	} {
		answer, _ := controlled(t, d, "GET /v1/openapi.json"+query, nil)
		doc, err := openapi3.NewLoader().LoadFromData([]byte(answer.Body))
		require.NoError(t, err)
		has := func(path string) bool { return doc.Paths.Value(path) != nil }
		assert.Equal(t, want, [2]bool{has("/digitalbanking/groups/v3/groups"), has("/v3/groups")}, query)
	}
}

// controlDocument is the OpenAPI document of the control API.
func controlDocument(t *testing.T) *openapi3.T {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData(openapi.Document("/"))
	require.NoError(t, err)
	return doc
}

// A bank of retail takes the example of each body.
func TestExamples(t *testing.T) {
	t.Parallel()
	for _, call := range controlapi.Calls() {
		if call.Takes == nil || call.Name == "inferScenario" { // a capture is long
			continue
		}
		target := strings.NewReplacer("{sandbox}", "default", "{institution}", "02688", "{user}", "1001",
			"{account}", "acc-1001-checking").Replace(call.Path)
		require.NotEmpty(t, call.Example, call.Name)
		d := simtest.NewDetached(t, simtest.FrozenRetail)
		answer, _ := controlled(t, d, call.Method+" "+target, []byte(call.Example))
		if target == "/v1/sandboxes/default" {
			assert.Contains(t, answer.Body, "the default sandbox can't expire")
			continue
		}
		assert.Equal(t, call.Status, answer.StatusCode, "%s: %s", call.Name, answer.Body)
	}
}

// The document of the control API describes every call.
func TestControlDocument(t *testing.T) {
	t.Parallel()
	doc := controlDocument(t)
	require.NoError(t, doc.Validate(t.Context(), openapi3.EnableExamplesValidation()))
	public := []string{"/healthz", "/readyz", "/ca.pem", "/v1/sandboxes/{sandbox}/keys"}
	for path, item := range doc.Paths.Map() {
		for method, call := range item.Operations() {
			assert.NotEmpty(t, call.Summary, "%s %s", method, path)
			needsNone := slices.Contains(public, path)
			assert.Equal(
				t, needsNone, len(*call.Security) == 0, "%s %s: only probes and public keys need no token", method,
				path,
			)
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
	d := simtest.NewDetached(t, simtest.FrozenRetail)
	for path, item := range controlDocument(t).Paths.Map() {
		for method, call := range item.Operations() {
			request := method + " " + variable.ReplaceAllString(path, "default")
			_, refused := controlled(t, d, request+"?colour=red", nil)
			assert.Contains(t, refused.Detail, `unknown query parameter "colour"`, request)
			has := false
			for _, p := range call.Parameters {
				if name := p.Value.Name; p.Value.In == "query" {
					has = true
					assert.Contains(t, refused.Detail, `"`+name+`"`, request)
					_, near := controlled(t, d, request+"?"+name+"x=1", nil)
					assert.Equal(
						t,
						`unknown query parameter "`+name+`x": did you mean "`+name+`"?`,
						near.Detail,
						request,
					)
				}
			}
			assert.Equal(t, !has, strings.Contains(refused.Detail, "this call has none"), request)
		}
	}
}
