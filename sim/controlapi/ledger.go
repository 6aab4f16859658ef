package controlapi

import (
	"net/http"
	"slices"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

// ledgerPart are entries of the ledger.
type ledgerPart struct {
	Entries []*contract.Entry `json:"entries"`
}

// ledger takes ?operation=&basis= and answers {entries: [...]}: the entries of the ledger about an operation, or that
// rest on a basis.
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
	return reply(w, ledgerPart{contract.Select(operation, basis)})
}
