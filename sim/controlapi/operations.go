package controlapi

import (
	"net/http"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// encodedOperations returns the answer of getOperations: the contract as forms need it.
func encodedOperations() []byte {
	operations := []object{}
	for _, op := range contract.Operations {
		operations = append(operations, operationForm(op))
	}
	return append(wire.MustEncode(object{"operations": operations, "ledger": contract.Ledger(), "faults": faultForm()}), '\n')
}

// getOperations answers {operations, ledger, faults}.
func (a control) getOperations(w http.ResponseWriter, _ *http.Request) error {
	return writeDocument(w, a.operations())
}

// openapi answers with the OpenAPI document of the simulated interface: with what any behaviour does.
func (a control) openapi(w http.ResponseWriter, _ *http.Request) error {
	return writeDocument(w, a.contract())
}

func writeDocument(w http.ResponseWriter, document []byte) error {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(document) // it fails if the client has disconnected, and then nobody can be told
	return nil
}

// firstRequest is a request to begin with: any access token may make it, and it changes nothing.
type firstRequest struct {
	Operation string            `json:"operation"`
	Method    string            `json:"method"`
	Path      string            `json:"path" about:"Below a base URL."`
	Headers   map[string]string `json:"headers" about:"Without Authorization."`
}

// newFirstRequest returns a request that needs no input but a header.
func newFirstRequest() firstRequest {
	op := contract.GroupsList
	return firstRequest{op.Name, op.Method, op.Path, map[string]string{op.Family.RequestID: "first-request"}}
}
