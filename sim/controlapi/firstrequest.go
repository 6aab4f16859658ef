package controlapi

import (
	"slices"

	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// firstRequest is a request to begin with: any access token may make it, and it changes nothing.
type firstRequest struct {
	Operation string            `json:"operation"`
	Method    string            `json:"method"`
	Path      string            `json:"path" about:"Below a base URL."`
	Headers   map[string]string `json:"headers" about:"Without Authorization."`
}

// newFirstRequest returns a request of the first operation that changes nothing and needs no input but headers.
func newFirstRequest() firstRequest {
	i := slices.IndexFunc(contract.Operations, func(op *contract.Operation) bool {
		return !op.Changes && op.Request == nil && op.Security != contract.Basic &&
			!slices.ContainsFunc(op.Parameters, func(p contract.Parameter) bool { return p.Required && p.In != "header" })
	})
	op := contract.Operations[i] // the tests fail without one
	first := firstRequest{op.Name, op.Method, op.Path, map[string]string{}}
	for _, p := range op.Parameters {
		if p.Required {
			first.Headers[p.Name] = "first-request"
		}
	}
	return first
}
