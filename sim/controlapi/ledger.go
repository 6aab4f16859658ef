package controlapi

import (
	"net/http"
	"slices"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/contract/openapi"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

// openapi answers with the OpenAPI document of the simulated interface.
func (a api) openapi(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(openapi.Document()) // it fails if the client has disconnected, and then nobody can be told
	return nil
}

// ledger takes ?operation=&basis= and answers {entries: [...]}: the entries of the ledger about an operation, or that rest on
// a basis.
func (a api) ledger(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	operation, basis := query.Get("operation"), contract.Basis(query.Get("basis"))
	if _, known := contract.Find(operation); !known && operation != "" {
		return refuse(http.StatusBadRequest, "there is no operation %s%s", phrase.Quote(operation),
			phrase.DidYouMean(operation, contract.Names(), "the operations are"))
	}
	if basis != "" && !slices.Contains(contract.Bases, basis) {
		return refuse(http.StatusBadRequest, "basis must be document, published, convention or choice")
	}
	return reply(w, struct {
		Entries []*contract.Entry `json:"entries"`
	}{contract.Select(operation, basis)})
}
