package sim

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// accountsNamed is how many accounts a description names one by one.
const accountsNamed = 3

// Eligibility describes a user for people who look for one to test with. It says in words whether the user is active,
// what it has accepted, and what is special about its institution and its accounts.
func (w *World) Eligibility(p *Policy, u *User) []string {
	words := []string{"active"}
	if !u.Active {
		words[0] = "inactive"
	}
	var accounts int
	var undisclosed, unaccepted, electronic, failing []string
	for a := range w.Accounts(u.InstitutionID, u.HostUserID) {
		accounts++
		switch {
		case len(a.Disclosures) == 0:
			undisclosed = append(undisclosed, a.AccountID)
		case !allAccepted(a.Disclosures):
			unaccepted = append(unaccepted, a.AccountID)
		}
		if a.ActivateEstatement {
			electronic = append(electronic, a.AccountID)
		}
		if a.UpdateFails && p.Estatements.PartialUpdate == PartialUpdateAllow {
			failing = append(failing, a.AccountID)
		}
	}
	add := func(format string, ids []string) {
		if len(ids) > 0 {
			words = append(words, fmt.Sprintf(format, listAccounts(ids, accounts)))
		}
	}
	switch about := aboutStatements(u.Disclosures); {
	case len(about) == 0 && len(undisclosed) == accounts:
		words = append(words, "no disclosure")
	case allAccepted(about) && accounts == 0:
		words = append(words, "user-level disclosure accepted")
	case allAccepted(about) && len(undisclosed)+len(unaccepted) == 0:
		words = append(words, "everything accepted")
	default:
		if len(about) == 0 {
			words = append(words, "no user-level disclosure")
		} else if !allAccepted(about) {
			words = append(words, "has not accepted the user-level disclosure")
		}
		add("no disclosure of %s", undisclosed)
		add("has not accepted the account-level disclosure of %s", unaccepted)
	}
	if accounts == 0 {
		words = append(words, "no accounts")
	}
	add("electronic statements for %s", electronic)
	add("an update of all accounts fails for %s", failing)
	if u.NoDestinations {
		words = append(words, "no destinations for alerts")
	}
	if i, ok := w.Institution(u.InstitutionID); ok && !i.Multistatement {
		words = append(words, "multistatement is not configured for the institution")
	}
	if s := u.Status; s != nil {
		for _, state := range []struct {
			is   bool
			word string
		}{{s.Locked, "locked"}, {s.OnHold, "on hold"}, {s.Rejected, "rejected"}} {
			if state.is {
				words = append(words, state.word)
			}
		}
	}
	if u.Active && (u.Status == nil || !u.Status.Locked) && u.Username != "" && u.Password != "" {
		words = append(words, "can log in")
	}
	return words
}

// listAccounts names some of a number of accounts, or counts them if there are too many.
func listAccounts(ids []string, accounts int) string {
	last := len(ids) - 1
	switch {
	case len(ids) > accountsNamed:
		return fmt.Sprintf("%d of %d accounts", len(ids), accounts)
	case last == 0:
		return ids[0]
	}
	return strings.Join(ids[:last], ", ") + " and " + ids[last]
}

// ListedTokens returns the access tokens that the scenario lists, by institution and in the order of the scenario. The
// grant of a token that is bound to a user has the user's hostUserId.
func (w *World) ListedTokens(now time.Time) map[string][]ListedToken {
	listed := map[string][]ListedToken{}
	for t, g := range w.Tokens() {
		if !t.IsListed() || t.Refresh {
			continue
		}
		dead := ""
		switch {
		case t.Revoked || g.Revoked:
			dead = "is revoked"
		case t.expired(now):
			dead = "has expired"
		}
		listed[g.InstitutionID] = append(listed[g.InstitutionID], ListedToken{t, g, dead})
	}
	for _, tokens := range listed {
		slices.SortStableFunc(tokens, func(a, b ListedToken) int {
			return cmp.Compare(a.Grant.Sequence, b.Grant.Sequence)
		})
	}
	return listed
}

// ListedToken is an access token that the scenario lists, with its grant.
type ListedToken struct {
	*Token
	Grant *Grant
	Dead  string // why it doesn't work now, in words, or empty if it does
}
