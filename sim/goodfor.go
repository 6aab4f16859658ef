package sim

import (
	"fmt"
	"slices"
	"time"
)

// accountsNamed is how many accounts a description names one by one.
const accountsNamed = 3

// GoodFor describes in words, for people who choose a user to test with, what the rules allow the user: whether it is active,
// what it has accepted, and what is special about its institution and its accounts.
func (w *World) GoodFor(u *User) []string {
	words := []string{"active"}
	if !u.Active {
		words[0] = "inactive"
	}
	var accounts, undisclosed, refused, electronic, failing int
	var undisclosedIDs, refusedIDs, electronicIDs, failingIDs []string
	note := func(count *int, ids *[]string, a *Account) {
		if *count++; *count <= accountsNamed {
			*ids = append(*ids, a.AccountID)
		}
	}
	for a := range w.Accounts(u.InstitutionID, u.HostUserID) {
		accounts++
		switch {
		case len(a.Disclosures) == 0:
			note(&undisclosed, &undisclosedIDs, a)
		case !allAccepted(a.Disclosures):
			note(&refused, &refusedIDs, a)
		}
		if a.ActivateEstatement {
			note(&electronic, &electronicIDs, a)
		}
		if a.UpdateFails && w.behavior.Estatements.PartialUpdate == PartialUpdateAllow {
			note(&failing, &failingIDs, a)
		}
	}
	add := func(format string, ids []string, count int) {
		if count > 0 {
			words = append(words, fmt.Sprintf(format, someOf(ids, count, accounts)))
		}
	}
	switch asked := ofStatements(u.Disclosures); {
	case len(asked) == 0 && undisclosed == accounts:
		words = append(words, "no disclosure")
	case allAccepted(asked) && accounts == 0:
		words = append(words, "user-level disclosure accepted")
	case allAccepted(asked) && undisclosed+refused == 0:
		words = append(words, "everything accepted")
	default:
		if len(asked) == 0 {
			words = append(words, "no user-level disclosure")
		} else if !allAccepted(asked) {
			words = append(words, "has not accepted the user-level disclosure")
		}
		add("no disclosure of %s", undisclosedIDs, undisclosed)
		add("has not accepted the account-level disclosure of %s", refusedIDs, refused)
	}
	if accounts == 0 {
		words = append(words, "no accounts")
	}
	add("electronic statements for %s", electronicIDs, electronic)
	add("an update of all accounts fails for %s", failingIDs, failing)
	if i, ok := w.Institution(u.InstitutionID); ok && !i.Multistatement {
		words = append(words, "multistatement is not configured for the institution")
	}
	if u.Active && u.Username != "" && u.Password != "" {
		words = append(words, "can log in")
	}
	return words
}

// someOf names accounts, or counts them if there are too many.
func someOf(ids []string, count, of int) string {
	switch {
	case count > accountsNamed:
		return fmt.Sprintf("%d of %d accounts", count, of)
	case count == 1:
		return ids[0]
	}
	text := ids[0]
	for i, id := range ids[1:] {
		separator := ", "
		if i == len(ids)-2 {
			separator = " and "
		}
		text += separator + id
	}
	return text
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

// Reaches reports whether the token may be used for a user of its institution.
func (t GivenToken) Reaches(hostUserID string) bool {
	return t.Grant.HostUserID == "" || t.Grant.HostUserID == hostUserID
}
