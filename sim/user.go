package sim

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"time"
)

// The values of institutionDisclosureStatus. The interface document shows ACCEPTED (section 3). NOT_ACCEPTED is
// published. A scenario, the control API and the operations on disclosures can change a status.
const (
	Accepted    = "ACCEPTED"
	NotAccepted = "NOT_ACCEPTED"
)

// Disclosure is a user's answer to a disclosure of the institution (interface section 2.1). On an account, it is for
// the account. On a [User], it is for all accounts.
type Disclosure struct {
	Name         string    `json:"name,omitzero"`         // institutionDisclosureName
	Status       string    `json:"status,omitzero"`       // institutionDisclosureStatus
	StatusUpdate time.Time `json:"statusUpdate,omitzero"` // in UTC, as all times of a world
	PaperWaiver  bool      `json:"paperWaiver,omitzero"`
}

// User is a user of an institution. Callers know a user by its hostUserId.
type User struct {
	InstitutionID string `json:"institutionId,omitzero"`
	HostUserID    string `json:"hostUserId,omitzero"`
	// Username is for the password grant. It is unique in the institution, or empty.
	Username    string       `json:"username,omitzero"`
	Password    string       `json:"password,omitzero"`
	Active      bool         `json:"active,omitzero"`      // section 3, rule 2
	Disclosures []Disclosure `json:"disclosures,omitzero"` // user level (section 3, rule 3)
	// NoDestinations says that no alert can reach the user.
	NoDestinations bool        `json:"noDestinations,omitzero"`
	Status         *UserStatus `json:"status,omitzero"` // what else is known, or nil
}

// userTable has the users of all institutions.
var userTable = &tableSpec[User]{
	name:    "users",
	in:      func(w *World) *table[User] { return &tablesOf(w).users },
	key:     func(u *User) rowKey { return rowKey{&u.InstitutionID, &u.HostUserID} },
	before:  (*User).before,
	same:    (*User).same,
	indexes: []*index[User]{usersByUsername, usersByParent},
	weigh:   weigher[User](2),
}

// usersByUsername has the users of an institution that have a username, by username.
var usersByUsername = &index[User]{
	before:   (*User).beforeByUsername,
	includes: func(u *User) bool { return u.Username != "" },
}

// usersByParent has the sub-users of an institution, by the hostUserId of their primary user.
var usersByParent = &index[User]{
	before:   (*User).beforeByParent,
	includes: func(u *User) bool { return u.parent() != "" },
}

func (u *User) Row() string { return "users/" + u.InstitutionID + "/" + u.HostUserID }

func (u *User) before(other *User) bool {
	return cmp.Or(cmp.Compare(u.InstitutionID, other.InstitutionID), cmp.Compare(u.HostUserID, other.HostUserID)) < 0
}

func (u *User) beforeByUsername(other *User) bool {
	return cmp.Or(cmp.Compare(u.InstitutionID, other.InstitutionID), cmp.Compare(u.Username, other.Username)) < 0
}

func (u *User) beforeByParent(other *User) bool {
	return cmp.Or(cmp.Compare(u.InstitutionID, other.InstitutionID), cmp.Compare(u.parent(), other.parent()),
		cmp.Compare(u.HostUserID, other.HostUserID)) < 0
}

func (u *User) same(other *User) bool {
	return u.InstitutionID == other.InstitutionID && u.HostUserID == other.HostUserID &&
		u.Username == other.Username && u.Password == other.Password && u.Active == other.Active &&
		u.NoDestinations == other.NoDestinations &&
		slices.Equal(u.Disclosures, other.Disclosures) && sameRow(u.Status, other.Status)
}

// Account is one account of a user, with the user's preference for statements. Several users may have an account with
// the same id. Each has its own preference and disclosures.
type Account struct {
	InstitutionID string `json:"institutionId,omitzero"`
	HostUserID    string `json:"hostUserId,omitzero"`
	AccountID     string `json:"accountId,omitzero"`
	// ActivateEstatement says that statements are electronic. Otherwise they are mailed on paper.
	ActivateEstatement bool         `json:"activateEstatement,omitzero"`
	Disclosures        []Disclosure `json:"disclosures,omitzero"` // account level (section 3, rule 4)
	// UpdateFails marks an account that an update of all accounts leaves alone where the behaviour lets updates be
	// partial.
	UpdateFails bool `json:"updateFails,omitzero"`
}

// accountTable has the accounts of all users.
var accountTable = &tableSpec[Account]{
	name:   "accounts",
	in:     func(w *World) *table[Account] { return &tablesOf(w).accounts },
	key:    func(a *Account) rowKey { return rowKey{&a.InstitutionID, &a.HostUserID, &a.AccountID} },
	before: (*Account).before,
	same:   (*Account).same,
	weigh:  weigher[Account](1),
}

func (a *Account) Row() string {
	return "accounts/" + a.InstitutionID + "/" + a.HostUserID + "/" + a.AccountID
}

func (a *Account) before(other *Account) bool {
	return cmp.Or(cmp.Compare(a.InstitutionID, other.InstitutionID), cmp.Compare(a.HostUserID, other.HostUserID),
		cmp.Compare(a.AccountID, other.AccountID)) < 0
}

func (a *Account) same(other *Account) bool {
	return a.InstitutionID == other.InstitutionID && a.HostUserID == other.HostUserID &&
		a.AccountID == other.AccountID && a.ActivateEstatement == other.ActivateEstatement &&
		a.UpdateFails == other.UpdateFails && slices.Equal(a.Disclosures, other.Disclosures)
}

// AddUser adds a user to an institution. Its disclosures must not be written to afterwards.
func (w *World) AddUser(u User) error {
	if tablesOf(w).users.has(&u) {
		return fmt.Errorf("user %q of institution %s is there already", u.HostUserID, u.InstitutionID)
	}
	if other, taken := tablesOf(w).users.by(usersByUsername).get(&u); taken {
		return fmt.Errorf("username %q is taken by user %q", u.Username, other.HostUserID)
	}
	tablesOf(w).users.put(&u)
	return nil
}

// User returns a user of an institution.
func (w *World) User(institutionID, hostUserID string) (*User, bool) {
	return tablesOf(w).users.get(&User{InstitutionID: institutionID, HostUserID: hostUserID})
}

// userNamed returns the user of an institution with a username.
func (w *World) userNamed(institutionID, username string) (*User, bool) {
	return tablesOf(w).users.by(usersByUsername).get(&User{InstitutionID: institutionID, Username: username})
}

// Users yields the users of an institution, by hostUserId.
func (w *World) Users(institutionID string) iter.Seq[*User] {
	return tablesOf(w).users.between(&User{InstitutionID: institutionID}, &User{InstitutionID: after(institutionID)})
}

// AddAccount adds an account to a user. Its disclosures must not be written to afterwards.
func (w *World) AddAccount(a Account) error {
	if tablesOf(w).accounts.has(&a) {
		return fmt.Errorf("account %q of user %q is there already", a.AccountID, a.HostUserID)
	}
	tablesOf(w).accounts.put(&a)
	return nil
}

// Account returns an account of a user.
func (w *World) Account(institutionID, hostUserID, accountID string) (*Account, bool) {
	key := &Account{InstitutionID: institutionID, HostUserID: hostUserID, AccountID: accountID}
	return tablesOf(w).accounts.get(key)
}

// Accounts yields the accounts of a user, by accountId.
func (w *World) Accounts(institutionID, hostUserID string) iter.Seq[*Account] {
	return tablesOf(w).accounts.between(
		&Account{InstitutionID: institutionID, HostUserID: hostUserID},
		&Account{InstitutionID: institutionID, HostUserID: after(hostUserID)})
}

// UserPatch has the changes of a user. A member that is nil or empty changes nothing.
type UserPatch struct {
	Active           *bool
	Locked           *bool  // if false, wrong passwords are forgotten, too
	DisclosureStatus string // of all user-level disclosures, and of a new OLS if the user has none
}

// PatchUser changes a user from outside the bank. It refuses with InstitutionUnknown or UserUnknown.
func (w *World) PatchUser(institutionID, hostUserID string, p UserPatch, now time.Time) error {
	u, err := w.findUser(institutionID, hostUserID)
	if err != nil {
		return err
	}
	changed := *u
	if p.Active != nil {
		changed.Active = *p.Active
	}
	if p.DisclosureStatus != "" {
		changed.Disclosures = withStatus(u.Disclosures, p.DisclosureStatus, now)
		if len(aboutStatements(changed.Disclosures)) == 0 {
			changed.Disclosures = append(changed.Disclosures, withStatus(nil, p.DisclosureStatus, now)...)
		}
	}
	if p.Locked != nil {
		status := u.status()
		if status.Locked = *p.Locked; !status.Locked {
			status.FailedLogins = 0
		}
		changed.Status = &status
	}
	tablesOf(w).users.put(&changed)
	return nil
}

// AccountPatch has the changes of an account. A member that is nil or empty changes nothing.
type AccountPatch struct {
	ActivateEstatement *bool
	DisclosureStatus   string // of all disclosures of the account, or of a new one if there are no others
	UpdateFails        *bool
}

// PatchAccount changes an account from outside the bank, without any precondition. It refuses with InstitutionUnknown,
// UserUnknown or AccountUnknown.
func (w *World) PatchAccount(institutionID, hostUserID, accountID string, p AccountPatch, now time.Time) error {
	if _, err := w.findUser(institutionID, hostUserID); err != nil {
		return err
	}
	a, ok := w.Account(institutionID, hostUserID, accountID)
	if !ok {
		return Refuse(AccountUnknown, "user %q has no account %q", hostUserID, accountID)
	}
	changed := *a
	if p.DisclosureStatus != "" {
		changed.Disclosures = withStatus(a.Disclosures, p.DisclosureStatus, now)
	}
	if p.UpdateFails != nil {
		changed.UpdateFails = *p.UpdateFails
	}
	if p.ActivateEstatement != nil {
		changed.ActivateEstatement = *p.ActivateEstatement
	}
	if p.ActivateEstatement != nil || len(a.Disclosures) == 0 {
		changed.Disclosures = withPreference(changed.Disclosures, Preference{Activate: changed.ActivateEstatement})
	}
	tablesOf(w).accounts.put(&changed)
	return nil
}

func (w *World) findUser(institutionID, hostUserID string) (*User, error) {
	if _, ok := w.Institution(institutionID); !ok {
		return nil, Refuse(InstitutionUnknown, "there is no institution %q", institutionID)
	}
	u, ok := w.User(institutionID, hostUserID)
	if !ok {
		return nil, Refuse(UserUnknown, "institution %s has no user with hostUserId %q", institutionID, hostUserID)
	}
	return u, nil
}

// withStatus returns disclosures with another status from now on. Without any disclosures, it returns a new one.
func withStatus(disclosures []Disclosure, status string, now time.Time) []Disclosure {
	changed := slices.Clone(disclosures)
	if len(changed) == 0 {
		changed = []Disclosure{{Name: DisclosureOLS, Status: status, StatusUpdate: now}}
	}
	for i, d := range changed {
		if d.Status != status {
			changed[i].Status, changed[i].StatusUpdate = status, now
		}
	}
	return changed
}

// after returns the first string after s in the order of strings. It is the end of a range of rows that have s in
// their key.
func after(s string) string { return s + "\x00" }
