package controlapi

import (
	"net/http"
	"slices"

	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// ledgerPart are entries of the ledger.
type ledgerPart struct {
	Entries []*contract.Entry `json:"entries"`
}

// ledger takes ?operation=&basis= and answers {entries: [...]}: the entries of the ledger about an operation, or that
// rest on a basis.
func (a control) ledger(w http.ResponseWriter, r *http.Request) error {
	operation, err := operationOf(r)
	if err != nil {
		return err
	}
	basis := contract.Basis(r.URL.Query().Get("basis"))
	if basis != "" && !slices.Contains(contract.Bases, basis) {
		return refuse(http.StatusBadRequest, "basis must be document, published, convention or choice")
	}
	return reply(w, ledgerPart{contract.Select(operation, basis)})
}
