package sim

import (
	"slices"
	"time"
)

// MaySpeakFor returns the user that a request is about, if the caller may speak for it. It refuses with TokenOfAnotherUser or
// UserUnknown.
func (w *World) MaySpeakFor(caller Caller, hostUserID string) (*User, error) {
	if caller.HostUserID != "" && caller.HostUserID != hostUserID {
		return nil, Refuse(TokenOfAnotherUser, "the access token is bound to another user than hostUserId %q", hostUserID)
	}
	user, ok := w.User(caller.InstitutionID, hostUserID)
	if !ok {
		return nil, Refuse(UserUnknown, "institution %s has no user with hostUserId %q", caller.InstitutionID, hostUserID)
	}
	return user, nil
}

// EstatementUser returns the hostUserId of the user with a username, if the caller may speak for it. It refuses with
// TokenOfAnotherUser or UserUnknown.
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

// Disclosures returns the disclosures of one account of a user (interface section 4.1): none for an account that
// the user doesn't have. It refuses with TokenOfAnotherUser or UserUnknown.
//
// In the public dialect it returns those that have a preference, and refuses with DisclosuresWithoutMultistatement, too.
func (w *World) Disclosures(caller Caller, hostUserID, accountID string, in Dialect) (*User, []Disclosure, error) {
	user, err := w.MaySpeakFor(caller, hostUserID)
	if err != nil {
		return nil, nil, err
	}
	if i, _ := w.Institution(user.InstitutionID); in == DialectPublic && !i.Multistatement {
		return nil, nil, refuseOn(i, DisclosuresWithoutMultistatement,
			"multistatement is not configured for institution %s", i.InstitutionID)
	}
	account, ok := w.Account(user.InstitutionID, user.HostUserID, accountID)
	switch {
	case !ok:
		return user, nil, nil
	case in == DialectPublic:
		return user, slices.DeleteFunc(slices.Clone(account.Disclosures), func(d Disclosure) bool { return !isOLS(d) }), nil
	}
	return user, account.Disclosures, nil
}

// Preference is what an update says about electronic statements.
type Preference struct {
	Activate bool       // turn them on
	At       *time.Time // when the user answered the disclosures; nil: it isn't said
}

// under returns the preference without its time where the policy doesn't let an update say it.
func (to Preference) under(p *Policy) Preference {
	if p.Estatements.StatusUpdatedAt != StatusUpdatedAtStore {
		to.At = nil
	}
	return to
}

// UpdateAccountPreference turns the electronic statement of one account on or off (interface section 4.2).
// It refuses with TokenOfAnotherUser or UserUnknown, by the rules 1 and 2 of section 3, with AccountUnknown or
// AccountUndisclosed, and by rule 4, in that order.
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
		return refuseOn(account, notAccepted(account.Disclosures), "the disclosure of account %q is not in status %s", accountID, Accepted)
	}
	w.putPreference(account, to.under(p))
	return nil
}

// UpdateUserPreference turns the electronic statements of all accounts of a user on or off (interface section
// 4.3), and returns the ids of those that it has updated and of those that failed, as the scenario marks them where the
// behaviour lets updates be partial. It refuses with TokenOfAnotherUser or UserUnknown, by the rules 1, 2 and 3 of
// section 3, in that order, and with NoAccounts. The account-level disclosures play no part.
//
// In the public dialect rule 1 refuses nothing: where it doesn't hold, the update changes the user's own disclosures alone.
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
	if asked := ofStatements(user.Disclosures); !allAccepted(asked) {
		return nil, nil, refuseOn(user, notAccepted(asked),
			"the user-level disclosure of user %q is not in status %s", hostUserID, Accepted)
	}
	to = to.under(p)
	if isUserLevel {
		w.putUserDisclosures(user, withPreference(user.Disclosures, to))
		return nil, nil, nil
	}
	var accounts []*Account // gathered first: a table is not written to while it is walked
	for account := range w.Accounts(user.InstitutionID, user.HostUserID) {
		accounts = append(accounts, account)
	}
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
		return refuseOn(i, MultistatementNotConfigured, "multistatement is not configured for institution %s", i.InstitutionID)
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

// allAccepted wants at least one disclosure, and every one accepted (choice, the conservative reading).
func allAccepted(disclosures []Disclosure) bool {
	for _, d := range disclosures {
		if d.Status != Accepted {
			return false
		}
	}
	return len(disclosures) > 0
}

// ofStatements returns the user-level disclosures that rule 3 of section 3 is about: those that are OLS or have no name and,
// where there is none, those that aren't known to be about something else (choice).
func ofStatements(disclosures []Disclosure) []Disclosure {
	without := func(drop func(name string) bool) []Disclosure {
		return slices.DeleteFunc(slices.Clone(disclosures), func(d Disclosure) bool { return drop(d.Name) })
	}
	if about := without(func(name string) bool { return name != DisclosureOLS && name != "" }); len(about) > 0 {
		return about
	}
	return without(func(name string) bool { return name == DisclosureESIGN || name == DisclosureIB })
}

// notAccepted returns the rule by which disclosures are refused that are not all accepted.
func notAccepted(disclosures []Disclosure) Code {
	if len(disclosures) == 1 {
		return DisclosureNotAccepted
	}
	return DisclosuresNotAllAccepted
}

// putPreference stores an account's preference, which its disclosures follow.
func (w *World) putPreference(account *Account, to Preference) {
	changed := *account
	changed.ActivateEstatement = to.Activate
	changed.Disclosures = withPreference(account.Disclosures, to)
	w.accounts.put(&changed)
}

// withPreference returns copies of disclosures with the paper waiver and the time of a preference. Their status stays.
func withPreference(disclosures []Disclosure, to Preference) []Disclosure {
	changed := slices.Clone(disclosures) // nil stays nil: an account without any stays as it was
	for i := range changed {
		changed[i].PaperWaiver = to.Activate
		if to.At != nil {
			changed[i].StatusUpdate = *to.At
		}
	}
	return changed
}
