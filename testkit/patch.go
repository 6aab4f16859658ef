package testkit

import (
	"net/http"
	"net/url"

	"github.com/digitalbanking-sim/banksim/sim/api"
)

// What to change of a row. Nil, or empty: nothing.
type (
	InstitutionPatch = api.InstitutionPatch
	UserPatch        = api.UserPatch
	AccountPatch     = api.AccountPatch
)

// PatchInstitution changes an institution. Like the other patches it applies no rule of the interface.
func (b *Bank) PatchInstitution(institutionID string, patch InstitutionPatch) {
	b.t.Helper()
	b.in(http.MethodPatch, institutionPath(institutionID), patch, nil)
	b.attempt.arranged(b)
}

// PatchUser changes a user.
func (b *Bank) PatchUser(institutionID, hostUserID string, patch UserPatch) {
	b.t.Helper()
	b.in(http.MethodPatch, userPath(institutionID, hostUserID), patch, nil)
	b.attempt.arranged(b)
}

// PatchAccount changes an account.
func (b *Bank) PatchAccount(institutionID, hostUserID, accountID string, patch AccountPatch) {
	b.t.Helper()
	b.in(http.MethodPatch, userPath(institutionID, hostUserID)+"/accounts/"+url.PathEscape(accountID), patch, nil)
	b.attempt.arranged(b)
}

func institutionPath(id string) string { return "/institutions/" + url.PathEscape(id) }

func userPath(institutionID, hostUserID string) string {
	return institutionPath(institutionID) + "/users/" + url.PathEscape(hostUserID)
}
