package testkit

import (
	"net/http"

	"github.com/digitalbanking-sim/banksim/sim/api"
)

// User returns the first user of the bank with a hostUserId. Like [Bank.Account] and [Bank.Group], it ends the test if there is none.
func (b *Bank) User(hostUserID string) User {
	b.t.Helper()
	for _, i := range b.State().Institutions {
		for _, u := range i.Users {
			if u.HostUserID == hostUserID {
				return u
			}
		}
	}
	b.t.Fatalf("testkit: the bank has no user with hostUserId %q", hostUserID)
	return User{}
}

// Account returns the first account of the bank with an accountId.
func (b *Bank) Account(accountID string) Account {
	b.t.Helper()
	for _, i := range b.State().Institutions {
		for _, u := range i.Users {
			for _, a := range u.Accounts {
				if a.AccountID == accountID {
					return a
				}
			}
		}
	}
	b.t.Fatalf("testkit: the bank has no account with accountId %q", accountID)
	return Account{}
}

// Group returns the first group of the bank with a groupName. Deleted groups are left out.
func (b *Bank) Group(groupName string) Group {
	b.t.Helper()
	for _, i := range b.State().Institutions {
		for _, g := range i.Groups {
			if g.GroupName == groupName && g.GroupStatus == "ACTIVE" {
				return g
			}
		}
	}
	b.t.Fatalf("testkit: the bank has no active group with groupName %q", groupName)
	return Group{}
}

// TokenStatus returns what became of an access or refresh token: active, expired by the bank's clock, revoked, or unknown, as is a
// refresh token that was used.
func (b *Bank) TokenStatus(token string) string {
	b.t.Helper()
	var status api.TokenStatus
	b.in(http.MethodPost, "/token-status", api.TokenQuestion{Token: token}, &status)
	return status.Status
}
