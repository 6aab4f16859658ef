package sim

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// accountsNamed is how many accounts a description names one by one.
const accountsNamed = 3

// GoodFor describes in words, for people who choose a user to test with, what the rules allow the user: whether it is active,
// what it has accepted, and what is special about its institution and its accounts.
func (w *World) GoodFor(p *Policy, u *User) []string {
	words := []string{"active"}
	if !u.Active {
		words[0] = "inactive"
	}
	var accounts int
	var undisclosed, refused, electronic, failing []string
	for a := range w.Accounts(u.InstitutionID, u.HostUserID) {
		accounts++
		switch {
		case len(a.Disclosures) == 0:
			undisclosed = append(undisclosed, a.AccountID)
		case !allAccepted(a.Disclosures):
			refused = append(refused, a.AccountID)
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
			words = append(words, fmt.Sprintf(format, someOf(ids, accounts)))
		}
	}
	switch asked := ofStatements(u.Disclosures); {
	case len(asked) == 0 && len(undisclosed) == accounts:
		words = append(words, "no disclosure")
	case allAccepted(asked) && accounts == 0:
		words = append(words, "user-level disclosure accepted")
	case allAccepted(asked) && len(undisclosed)+len(refused) == 0:
		words = append(words, "everything accepted")
	default:
		if len(asked) == 0 {
			words = append(words, "no user-level disclosure")
		} else if !allAccepted(asked) {
			words = append(words, "has not accepted the user-level disclosure")
		}
		add("no disclosure of %s", undisclosed)
		add("has not accepted the account-level disclosure of %s", refused)
	}
	if accounts == 0 {
		words = append(words, "no accounts")
	}
	add("electronic statements for %s", electronic)
	add("an update of all accounts fails for %s", failing)
	if i, ok := w.Institution(u.InstitutionID); ok && !i.Multistatement {
		words = append(words, "multistatement is not configured for the institution")
	}
	if u.Active && u.Username != "" && u.Password != "" {
		words = append(words, "can log in")
	}
	return words
}

// someOf names accounts, or counts them if there are too many.
func someOf(ids []string, of int) string {
	last := len(ids) - 1
	switch {
	case len(ids) > accountsNamed:
		return fmt.Sprintf("%d of %d accounts", len(ids), of)
	case last == 0:
		return ids[0]
	}
	return strings.Join(ids[:last], ", ") + " and " + ids[last]
}

// GivenTokens returns the access tokens that a scenario gave to an institution's clients and that work at a time, in the
// order of the scenario. Those that are bound to a user have its hostUserId in the grant.
func (w *World) GivenTokens(now time.Time) map[string][]GivenToken {
	given := map[string][]GivenToken{}
	for t, g := range w.Tokens() {
		if t.Given() && !t.Refresh && !t.Revoked && !g.Revoked && !t.expired(now) {
			given[g.InstitutionID] = append(given[g.InstitutionID], GivenToken{t, g})
		}
	}
	for _, tokens := range given {
		slices.SortStableFunc(tokens, func(a, b GivenToken) int { return int(a.Grant.Sequence) - int(b.Grant.Sequence) })
	}
	return given
}

// GivenToken is an access token that a scenario gave, with its grant.
type GivenToken struct {
	*Token
	Grant *Grant
}
