package controlapi

import (
	"net/http"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/contract/openapi"
)

// openapi shows the OpenAPI document of the simulated interface.
func (a api) openapi(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(openapi.Document()) // a failed write means that the caller is gone
	return nil
}

// ledger shows what the simulator's answers rest on.
func (a api) ledger(w http.ResponseWriter, r *http.Request) error {
	given, err := parameters(r, "operation", "basis")
	if err != nil {
		return err
	}
	operation, basis := given.Get("operation"), contract.Basis(given.Get("basis"))
	if names := contract.Names(); operation != "" && !slices.Contains(names, operation) {
		return refuse(http.StatusBadRequest, "there is no operation %s: the operations are %s", shown(operation), strings.Join(names, ", "))
	}
	if basis != "" && !slices.Contains(contract.Bases, basis) {
		return refuse(http.StatusBadRequest, "basis must be document, published, convention or choice")
	}
	return reply(w, struct {
		Entries []*contract.Entry `json:"entries"`
	}{contract.Select(operation, basis)})
}
