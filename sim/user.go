package sim

import (
	"iter"
	"slices"
	"time"
)

// The values of institutionDisclosureStatus. The interface document shows ACCEPTED (section 3); NOT_ACCEPTED is
// published. Only a scenario or the control API changes a status.
const (
	Accepted    = "ACCEPTED"
	NotAccepted = "NOT_ACCEPTED"
)

// Disclosure is a user's answer to a disclosure of the institution, for one account or, on a [User], for all
// (interface section 2.1).
type Disclosure struct {
	Name         string // institutionDisclosureName
	Status       string // institutionDisclosureStatus
	StatusUpdate time.Time
	PaperWaiver  bool
}

// User is a user of an institution, known to callers by its hostUserId.
type User struct {
	InstitutionID string
	HostUserID    string
	Username      string // for the password grant; unique in the institution; empty: none
	Password      string
	Active        bool         // section 3, rule 2
	Disclosures   []Disclosure // user level (section 3, rule 3)
}

// Account is one account of a user, with the user's statement preference for it. Several users may have an
// account with the same id; each has a preference and disclosures of its own.
type Account struct {
	InstitutionID      string
	HostUserID         string
	AccountID          string
	ActivateEstatement bool         // true: electronic statement, false: paper mailing
	Disclosures        []Disclosure // account level (section 3, rule 4)
}

// AddUser adds a user to an institution.
func (w *World) AddUser(u User) error {
	if w.users.has(&u) {
		return Refuse(UserUnknown, "user %q of institution %s is there already", u.HostUserID, u.InstitutionID)
	}
	if u.Username != "" {
		if other, taken := w.usernames.get(&u); taken {
			return Refuse(UserUnknown, "username %q is taken by user %q", u.Username, other.HostUserID)
		}
	}
	u.Disclosures = slices.Clone(u.Disclosures)
	w.putUser(&u)
	return nil
}

func (w *World) putUser(u *User) {
	w.users.put(u)
	if u.Username != "" {
		w.usernames.put(u)
	}
}

// User returns a user of an institution.
func (w *World) User(institutionID, hostUserID string) (*User, bool) {
	return w.users.get(&User{InstitutionID: institutionID, HostUserID: hostUserID})
}

// Users yields the users of an institution, by hostUserId.
func (w *World) Users(institutionID string) iter.Seq[*User] {
	return w.users.between(&User{InstitutionID: institutionID}, &User{InstitutionID: after(institutionID)})
}

// AddAccount adds an account to a user.
func (w *World) AddAccount(a Account) error {
	if w.accounts.has(&a) {
		return Refuse(AccountUnknown, "account %q of user %q is there already", a.AccountID, a.HostUserID)
	}
	a.Disclosures = slices.Clone(a.Disclosures)
	w.accounts.put(&a)
	return nil
}

// Account returns an account of a user.
func (w *World) Account(institutionID, hostUserID, accountID string) (*Account, bool) {
	return w.accounts.get(&Account{InstitutionID: institutionID, HostUserID: hostUserID, AccountID: accountID})
}

// Accounts yields the accounts of a user, by accountId.
func (w *World) Accounts(institutionID, hostUserID string) iter.Seq[*Account] {
	return w.accounts.between(
		&Account{InstitutionID: institutionID, HostUserID: hostUserID},
		&Account{InstitutionID: institutionID, HostUserID: after(hostUserID)})
}

// after returns the first string that comes after s in the order of strings: the end of a range of rows whose
// key member is s.
func after(s string) string { return s + "\x00" }
