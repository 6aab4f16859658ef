package bankapi

import (
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// The routes are those of the OpenAPI document, and of the list of operations.
func TestRoutesAreTheContracts(t *testing.T) {
	doc, err := openapi3.NewLoader().LoadFromData(contract.OpenAPI())
	require.NoError(t, err)
	described := 0
	for _, item := range doc.Paths.Map() {
		described += len(item.Operations())
	}
	assert.Len(t, operations, described)
	var names []string
	for _, op := range operations {
		names = append(names, op.name)
		item := doc.Paths.Value(op.path)
		if !assert.NotNil(t, item, "the contract has no path %s", op.path) {
			continue
		}
		other := item.GetOperation(op.method)
		if !assert.NotNil(t, other, "the contract has no %s %s", op.method, op.path) {
			continue
		}
		assert.Equal(t, op.name, other.OperationID)
		assert.Equal(t, op.body, other.RequestBody != nil, "%s: a body", op.name)
		var query []string
		for _, p := range other.Parameters {
			if p.Value.In == "query" {
				query = append(query, p.Value.Name)
			}
		}
		slices.Sort(query)
		assert.Equal(t, op.query, query, op.name)
		assert.Equal(t, contract.Answer(op.name).ID, op.entries[0], "%s: what decides its answer", op.name)
	}
	assert.Equal(t, sim.OperationNames(), names)
}

// Every refusal that a family knows has a status, and a code, that the contract has for one of its operations.
func TestRefusalsAreInTheContract(t *testing.T) {
	doc, err := openapi3.NewLoader().LoadFromData(contract.OpenAPI())
	require.NoError(t, err)
	for _, f := range families {
		var codes []string
		for path, item := range doc.Paths.Map() {
			if !strings.HasPrefix(path, f.prefix) {
				continue
			}
			for _, op := range item.Operations() {
				for status, res := range op.Responses.Map() {
					for _, media := range res.Value.Content {
						codes = append(codes, codesOf(status, media.Schema.Value)...)
					}
				}
			}
		}
		for code, face := range f.refusals {
			assert.Contains(t, codes, face.code, "%s: %s", f.prefix, code)
		}
	}
}

// codesOf returns the codes that an error body may have.
func codesOf(status string, body *openapi3.Schema) []string {
	if status < "3" {
		return nil
	}
	code := body.Properties["code"]
	if info := body.Properties["errorInfo"]; info != nil {
		code = info.Value.Properties["errorCode"]
	}
	var codes []string
	for _, value := range code.Value.Enum {
		codes = append(codes, value.(string))
	}
	return codes
}
