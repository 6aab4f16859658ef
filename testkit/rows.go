package testkit

import (
	"net/http"
	"net/url"
	"slices"

	"github.com/digitalbanking-sim/banksim/sim/api"
)

// State returns all that the bank holds now.
func (b *Bank) State() State {
	b.t.Helper()
	var state State
	b.must("State", http.MethodGet, "/state", nil, &state)
	return state
}

// User returns the first user of the bank with a hostUserId. Like [Bank.Account] and [Bank.Group], it ends the test if
// the bank has no such row.
func (b *Bank) User(hostUserID string) User {
	b.t.Helper()
	return find(b, "user", hostUserID, func(i Institution) []User { return i.Users },
		func(u User) bool { return u.HostUserID == hostUserID })
}

// Account returns the first account of the bank with an accountId.
func (b *Bank) Account(accountID string) Account {
	b.t.Helper()
	return find(b, "account", accountID, func(i Institution) (all []Account) {
		for _, u := range i.Users {
			all = append(all, u.Accounts...)
		}
		return all
	}, func(a Account) bool { return a.AccountID == accountID })
}

// Group returns the active group of the bank with a groupName.
func (b *Bank) Group(groupName string) Group {
	b.t.Helper()
	return find(b, "active group", groupName, func(i Institution) []Group { return i.Groups },
		func(g Group) bool { return g.GroupName == groupName && g.GroupStatus == "ACTIVE" })
}

// find returns the first row that is the one which is meant, of those that have an id somewhere.
func find[R any](b *Bank, kind, id string, rows func(Institution) []R, isMeant func(R) bool) (none R) {
	b.t.Helper()
	var state State
	b.must("reading the "+kind, http.MethodGet, "/state?text="+url.QueryEscape(id), nil, &state)
	for _, i := range state.Institutions {
		if at := slices.IndexFunc(rows(i), isMeant); at >= 0 {
			return rows(i)[at]
		}
	}
	b.fatalf("the bank has no %s %q", kind, id)
	return none
}

// NewUser adds an active user with accounts. The user and the accounts have an accepted disclosure: see
// [Bank.PatchUser] and [Bank.PatchAccount].
func (b *Bank) NewUser(institutionID, hostUserID string, accountIDs ...string) User {
	b.t.Helper()
	b.requireIDs("NewUser", institutionID, hostUserID)
	var added User
	b.must("NewUser", http.MethodPost, institutionPath(institutionID)+"/users",
		api.NewUser{HostUserID: hostUserID, Accounts: accountIDs}, &added)
	b.arranged()
	return added
}

// NewGroup adds a group.
func (b *Bank) NewGroup(institutionID, groupName string) Group {
	b.t.Helper()
	b.requireIDs("NewGroup", institutionID, groupName)
	var added Group
	b.must("NewGroup", http.MethodPost, institutionPath(institutionID)+"/groups",
		api.NewGroup{GroupName: groupName}, &added)
	b.arranged()
	return added
}

// UserPatch says what to change of a user. Members that are nil or empty change nothing. See [Bool].
type UserPatch struct {
	Active           *bool  `json:"active,omitzero"`
	Locked           *bool  `json:"locked,omitzero"`           // then the user gets no tokens by password
	DisclosureStatus string `json:"disclosureStatus,omitzero"` // of all user-level disclosures, such as NotAccepted
}

// AccountPatch says what to change of an account. Members that are nil or empty change nothing. See [Bool].
type AccountPatch struct {
	ActivateEstatement *bool  `json:"activateEstatement,omitzero"`
	DisclosureStatus   string `json:"disclosureStatus,omitzero"` // of all disclosures of the account
	UpdateFails        *bool  `json:"updateFails,omitzero"`      // see Account
}

// Bool returns a value for a [UserPatch] or an [AccountPatch].
func Bool(b bool) *bool { return &b }

// PatchUser changes a user. No rule of the interface applies.
func (b *Bank) PatchUser(institutionID, hostUserID string, patch UserPatch) {
	b.t.Helper()
	b.requireIDs("PatchUser", institutionID, hostUserID)
	b.must("PatchUser", http.MethodPatch, userPath(institutionID, hostUserID), patch, nil)
	b.arranged()
}

// PatchAccount changes an account. No rule of the interface applies.
func (b *Bank) PatchAccount(institutionID, hostUserID, accountID string, patch AccountPatch) {
	b.t.Helper()
	b.requireIDs("PatchAccount", institutionID, hostUserID, accountID)
	path := userPath(institutionID, hostUserID) + "/accounts/" + url.PathEscape(accountID)
	b.must("PatchAccount", http.MethodPatch, path, patch, nil)
	b.arranged()
}

func userPath(institutionID, hostUserID string) string {
	return institutionPath(institutionID) + "/users/" + url.PathEscape(hostUserID)
}

// requireIDs ends the test if an id that a method takes is empty.
func (b *Bank) requireIDs(of string, ids ...string) {
	b.t.Helper()
	if slices.Contains(ids, "") {
		b.fatalf("%s: an argument is empty: %q", of, ids)
	}
}
