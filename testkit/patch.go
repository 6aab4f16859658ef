package testkit

import (
	"net/http"
	"net/url"
)

// InstitutionPatch is what to change of an institution. Nil: nothing.
type InstitutionPatch struct {
	Multistatement *bool `json:"multistatement,omitzero"`
}

// UserPatch is what to change of a user. Nil, or empty: nothing.
type UserPatch struct {
	Active           *bool  `json:"active,omitzero"`
	DisclosureStatus string `json:"disclosureStatus,omitzero"` // of all user-level disclosures: ACCEPTED or NOT_ACCEPTED
}

// AccountPatch is what to change of an account. Nil, or empty: nothing.
type AccountPatch struct {
	ActivateEstatement *bool  `json:"activateEstatement,omitzero"`
	DisclosureStatus   string `json:"disclosureStatus,omitzero"` // of all the account's disclosures: ACCEPTED or NOT_ACCEPTED
	UpdateFails        *bool  `json:"updateFails,omitzero"`      // see [Account]
}

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
