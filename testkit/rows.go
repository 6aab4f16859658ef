package testkit

import (
	"net/http"
	"slices"

	"github.com/digitalbanking-sim/banksim/sim/api"
)

// User returns the first user of the bank with a hostUserId. Like [Bank.Account] and [Bank.Group], it ends the test if there is none.
func (b *Bank) User(hostUserID string) User {
	b.t.Helper()
	return first(b, "user with hostUserId", hostUserID, func(i Institution) []User { return i.Users },
		func(u User) bool { return u.HostUserID == hostUserID })
}

// Account returns the first account of the bank with an accountId.
func (b *Bank) Account(accountID string) Account {
	b.t.Helper()
	return first(b, "account with accountId", accountID, func(i Institution) (all []Account) {
		for _, u := range i.Users {
			all = append(all, u.Accounts...)
		}
		return all
	}, func(a Account) bool { return a.AccountID == accountID })
}

// Group returns the first group of the bank with a groupName. Deleted groups are left out.
func (b *Bank) Group(groupName string) Group {
	b.t.Helper()
	return first(b, "active group with groupName", groupName, func(i Institution) []Group { return i.Groups },
		func(g Group) bool { return g.GroupName == groupName && g.GroupStatus == "ACTIVE" })
}

// first returns the first row of the institutions that is the one which is meant.
func first[R any](b *Bank, what, id string, rows func(Institution) []R, isMeant func(R) bool) (none R) {
	b.t.Helper()
	for _, i := range b.State().Institutions {
		if at := slices.IndexFunc(rows(i), isMeant); at >= 0 {
			return rows(i)[at]
		}
	}
	b.t.Fatalf("testkit: the bank has no %s %q", what, id)
	return none
}

// TokenStatus returns what became of an access or refresh token: active, expired by the bank's clock, revoked, or unknown, as is a
// refresh token that was used.
func (b *Bank) TokenStatus(token string) string {
	b.t.Helper()
	var status api.TokenStatus
	b.in(http.MethodPost, "/token-status", api.TokenQuestion{Token: token}, &status)
	return status.Status
}
