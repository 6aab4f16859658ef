package sim

import (
	"slices"
	"time"
)

// MaySpeakFor returns the user of a request if the caller may speak for the user. It refuses with TokenOfAnotherUser or
// UserUnknown.
func (w *World) MaySpeakFor(caller Caller, hostUserID string) (*User, error) {
	if caller.HostUserID != "" && caller.HostUserID != hostUserID {
		return nil, Refuse(TokenOfAnotherUser, "the access token is bound to another user than hostUserId %q",
			hostUserID)
	}
	user, ok := w.User(caller.InstitutionID, hostUserID)
	if !ok {
		return nil, Refuse(UserUnknown, "institution %s has no user with hostUserId %q", caller.InstitutionID,
			hostUserID)
	}
	return user, nil
}

// EstatementUser returns the hostUserId of the user with a username if the caller may speak for the user. It refuses
// with TokenOfAnotherUser or UserUnknown.
func (w *World) EstatementUser(caller Caller, username string) (hostUserID string, err error) {
	user, ok := w.userNamed(caller.InstitutionID, username)
	switch {
	case caller.HostUserID != "" && (!ok || user.HostUserID != caller.HostUserID):
		return "", Refuse(TokenOfAnotherUser, "the access token is bound to another user than loginId %q", username)
	case !ok:
		return "", Refuse(UserUnknown, "institution %s has no user with loginId %q", caller.InstitutionID, username)
	}
	return user.HostUserID, nil
}

// Disclosures returns a user, and the disclosures of one of its accounts (interface section 4.1). An account that the
// user doesn't have has no disclosures. It refuses with TokenOfAnotherUser or UserUnknown.
//
// In the public dialect it returns the disclosures that have a preference only, and also refuses with
// DisclosuresWithoutMultistatement.
func (w *World) Disclosures(
	caller Caller, hostUserID, accountID string, dialect Dialect,
) (*User, []Disclosure, error) {
	user, err := w.MaySpeakFor(caller, hostUserID)
	if err != nil {
		return nil, nil, err
	}
	if i, _ := w.Institution(user.InstitutionID); dialect == DialectPublic && !i.Multistatement {
		return nil, nil, refuseOn(i, DisclosuresWithoutMultistatement,
			"multistatement is not configured for institution %s", i.InstitutionID)
	}
	account, ok := w.Account(user.InstitutionID, user.HostUserID, accountID)
	switch {
	case !ok:
		return user, nil, nil
	case dialect == DialectPublic:
		isOther := func(d Disclosure) bool { return !isOLS(d) }
		return user, slices.DeleteFunc(slices.Clone(account.Disclosures), isOther), nil
	}
	return user, account.Disclosures, nil
}

// Preference is the content of an update of electronic statements.
type Preference struct {
	Activate bool       // whether statements become electronic
	At       *time.Time // when the user answered the disclosures, or nil if the update doesn't say it
}

// under returns the preference, without its time if the policy ignores the time.
func (to Preference) under(p *Policy) Preference {
	if p.Estatements.StatusUpdatedAt != StatusUpdatedAtStore {
		to.At = nil
	}
	return to
}

// UpdateAccountPreference turns the electronic statement of one account on or off (interface section 4.2).
// It refuses with TokenOfAnotherUser or UserUnknown, by the rules 1 and 2 of section 3, with AccountUnknown or
// AccountUndisclosed, and by rule 4, in this order.
func (w *World) UpdateAccountPreference(p *Policy, caller Caller, hostUserID, accountID string, to Preference) error {
	user, err := w.MaySpeakFor(caller, hostUserID)
	if err != nil {
		return err
	}
	if err := w.requireMultistatement(user); err != nil {
		return err
	}
	if err := requireActive(user); err != nil {
		return err
	}
	account, ok := w.Account(user.InstitutionID, user.HostUserID, accountID)
	if !ok {
		return refuseOn(user, AccountUnknown, "user %q has no account %q", hostUserID, accountID)
	}
	if len(account.Disclosures) == 0 {
		return refuseOn(account, AccountUndisclosed, "account %q has no disclosure", accountID)
	}
	if !allAccepted(account.Disclosures) {
		return refuseOn(account, notAccepted(account.Disclosures),
			"the disclosure of account %q is not in status %s", accountID, Accepted)
	}
	w.putPreference(account, to.under(p))
	return nil
}

// UpdateUserPreference turns the electronic statements of all accounts of a user on or off (interface section 4.3). It
// returns the ids of the updated accounts, and of the accounts that failed. An account fails if the scenario marks it
// with updateFails, and the policy allows partial updates. UpdateUserPreference refuses with TokenOfAnotherUser or
// UserUnknown, by the rules 1, 2 and 3 of section 3, in this order, and with NoAccounts. It doesn't look at
// account-level disclosures.
//
// In the public dialect rule 1 refuses nothing. Without multistatement, the update only changes the user's own
// disclosures.
func (w *World) UpdateUserPreference(
	p *Policy, caller Caller, hostUserID string, to Preference,
) (updated, failed []string, err error) {
	user, err := w.MaySpeakFor(caller, hostUserID)
	if err != nil {
		return nil, nil, err
	}
	err = w.requireMultistatement(user)
	isUserLevel := err != nil && p.Dialect == DialectPublic
	if err != nil && !isUserLevel {
		return nil, nil, err
	}
	if err := requireActive(user); err != nil {
		return nil, nil, err
	}
	if about := aboutStatements(user.Disclosures); !allAccepted(about) {
		return nil, nil, refuseOn(user, notAccepted(about),
			"the user-level disclosure of user %q is not in status %s", hostUserID, Accepted)
	}
	to = to.under(p)
	if isUserLevel {
		w.putUserDisclosures(user, withPreference(user.Disclosures, to))
		return nil, nil, nil
	}
	accounts := slices.Collect(w.Accounts(user.InstitutionID, user.HostUserID)) // the loop below writes to the table
	if len(accounts) == 0 {
		return nil, nil, refuseOn(user, NoAccounts, "user %q has no accounts", hostUserID)
	}
	for _, account := range accounts {
		if account.UpdateFails && p.Estatements.PartialUpdate == PartialUpdateAllow {
			failed = append(failed, account.AccountID)
			continue
		}
		w.putPreference(account, to)
		updated = append(updated, account.AccountID)
	}
	if len(updated) == 0 {
		return nil, failed, nil
	}
	w.putUserDisclosures(user, withPreference(user.Disclosures, to))
	return updated, failed, nil
}

// requireMultistatement checks rule 1 of section 3.
func (w *World) requireMultistatement(user *User) error {
	if i, _ := w.Institution(user.InstitutionID); !i.Multistatement {
		return refuseOn(i, MultistatementNotConfigured,
			"multistatement is not configured for institution %s", i.InstitutionID)
	}
	return nil
}

// requireActive checks rule 2 of section 3.
func requireActive(user *User) error {
	if !user.Active {
		return refuseOn(user, UserNotActive, "user %q is not active", user.HostUserID)
	}
	return nil
}

// allAccepted reports whether there are disclosures, and all are accepted (choice, the conservative reading).
func allAccepted(disclosures []Disclosure) bool {
	for _, d := range disclosures {
		if d.Status != Accepted {
			return false
		}
	}
	return len(disclosures) > 0
}

// aboutStatements returns the user-level disclosures that rule 3 of section 3 looks at.
func aboutStatements(disclosures []Disclosure) []Disclosure {
	return slices.DeleteFunc(slices.Clone(disclosures), func(d Disclosure) bool { return !d.isAboutStatements() })
}

// isAboutStatements reports whether a disclosure is about electronic statements: OLS (published), or one without a name
// (choice).
func (d Disclosure) isAboutStatements() bool { return d.Name == DisclosureOLS || d.Name == "" }

// notAccepted returns the rule that refuses disclosures if not all are accepted.
func notAccepted(disclosures []Disclosure) Code {
	if len(disclosures) == 1 {
		return DisclosureNotAccepted
	}
	return DisclosuresNotAllAccepted
}

// putPreference stores the preference of an account and of its disclosures.
func (w *World) putPreference(account *Account, to Preference) {
	changed := *account
	changed.ActivateEstatement = to.Activate
	changed.Disclosures = withPreference(account.Disclosures, to)
	tablesOf(w).accounts.put(&changed)
}

// withPreference returns copies of disclosures. Those about statements have the paper waiver and the time of a
// preference. Their status stays.
func withPreference(disclosures []Disclosure, to Preference) []Disclosure {
	changed := slices.Clone(disclosures) // nil stays nil, so an account without disclosures doesn't change
	for i := range changed {
		if !changed[i].isAboutStatements() {
			continue
		}
		changed[i].PaperWaiver = to.Activate
		if to.At != nil {
			changed[i].StatusUpdate = *to.At
		}
	}
	return changed
}
