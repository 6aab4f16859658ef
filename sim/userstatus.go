package sim

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"iter"
	"strings"
	"time"
)

// The values of userIdType: the kinds of ids that name a user (published).
const (
	InstitutionUserIDType = "INSTITUTION_USER_ID"
	HostUserIDType        = "HOST_USER_ID"
	LoginIDType           = "LOGIN_ID"
	CustomerIDType        = "CUSTOMER_ID"
)

// UserIDTypes are the kinds of ids that name a user (published).
var UserIDTypes = []string{InstitutionUserIDType, HostUserIDType, LoginIDType, CustomerIDType}

// UserFlags are the names of the flags in a status, in its order (published).
var UserFlags = []string{"active", "onHold", "locked", "reset", "registered", "approved", "rejected"}

// UserStatus has further facts about a user. Locked and FailedLogins decide about logins, and ParentHostUserID makes a
// sub-user; the others have no effect in the bank (choice). The comments and tags also describe the status of a user in
// a scenario, whose ids are keys of the user itself.
type UserStatus struct {
	InstitutionUserID string `json:"institutionUserId,omitzero" yaml:"-"` // or empty, then it is made from the user's row
	CustomerID        string `json:"customerId,omitzero" yaml:"-"`        // or empty, then it is made from the user's row
	ParentHostUserID  string `json:"parentHostUserId,omitzero" yaml:"-"`  // the primary user of a sub-user, or empty

	// Whether the user is on hold.
	OnHold bool `json:"onHold,omitzero" yaml:"onHold" jsonschema:"default=false"`
	// Whether the user is locked, and gets no tokens by password.
	Locked bool `json:"locked,omitzero" yaml:"locked" jsonschema:"default=false"`
	// Whether the user was reset.
	Reset bool `json:"reset,omitzero" yaml:"reset" jsonschema:"default=false"`
	// Whether the user is registered.
	Registered bool `json:"registered,omitzero" yaml:"registered" jsonschema:"default=false"`
	// Whether the user is approved.
	Approved bool `json:"approved,omitzero" yaml:"approved" jsonschema:"default=false"`
	// Whether the user is rejected.
	Rejected bool `json:"rejected,omitzero" yaml:"rejected" jsonschema:"default=false"`
	// How many wrong passwords came in a row.
	FailedLogins int `json:"failedLogins,omitzero" yaml:"failedLoginCount" jsonschema:"minimum=0,maximum=2147483647,default=0,example=3"`
	// How many password resets failed.
	FailedPasswordResets int `json:"failedPasswordResets,omitzero" yaml:"failedPasswordResetCount" jsonschema:"minimum=0,maximum=2147483647,default=0,example=1"`
	// When the user last logged in.
	LastLogin *time.Time `json:"lastLogin,omitzero" yaml:"lastLoginDateTime"`
	// When the user was put on hold.
	HeldAt *time.Time `json:"heldAt,omitzero" yaml:"holdDateTime"`
	// Why the user is on hold.
	HoldReason string `json:"holdReason,omitzero" yaml:"holdReason" jsonschema:"minLength=1,example=Lost card"`
	// Who put the user on hold.
	HeldBy string `json:"heldBy,omitzero" yaml:"holdInitiatedBy" jsonschema:"minLength=1,example=branch"`
}

// status returns the status of the user. A user without a status has a zero one.
func (u *User) status() UserStatus {
	if u.Status == nil {
		return UserStatus{}
	}
	return *u.Status
}

// parent returns the hostUserId of the primary user, or "".
func (u *User) parent() string {
	if u.Status == nil {
		return ""
	}
	return u.Status.ParentHostUserID
}

// InstitutionUserID returns the institution's id of the user: 32 digits. It is made from the user's row unless the
// scenario has one (choice).
func (u *User) InstitutionUserID() string {
	return cmp.Or(u.status().InstitutionUserID, u.generatedID(0))
}

// CustomerID returns an older id of the user: 32 digits. It is made from the user's row unless the scenario has one
// (choice).
func (u *User) CustomerID() string {
	return cmp.Or(u.status().CustomerID, u.generatedID(16))
}

func (u *User) generatedID(from int) string {
	sum := sha256.Sum256([]byte(u.Row()))
	return strings.ToUpper(hex.EncodeToString(sum[from : from+16]))
}

// UserByID returns the user with an id of a kind if the caller may speak for the user (published). It refuses with
// TokenOfAnotherUser or UserUnknown.
func (w *World) UserByID(caller Caller, kind, id string) (*User, error) {
	var user *User
	known := false
	switch kind {
	case HostUserIDType:
		user, known = w.User(caller.InstitutionID, id)
	case LoginIDType:
		user, known = w.userNamed(caller.InstitutionID, id)
	case InstitutionUserIDType:
		user, known = w.userWith(caller.InstitutionID, id, 0, func(s UserStatus) string { return s.InstitutionUserID })
	case CustomerIDType:
		user, known = w.userWith(caller.InstitutionID, id, 16, func(s UserStatus) string { return s.CustomerID })
	}
	switch {
	case caller.HostUserID != "" && (!known || user.HostUserID != caller.HostUserID):
		return nil, Refuse(TokenOfAnotherUser,
			"the access token is bound to another user than the one that the path names")
	case !known:
		return nil, Refuse(UserUnknown, "institution %s has no user with the %s that the path gives",
			caller.InstitutionID, kind)
	}
	return user, nil
}

// userWith returns the user of an institution with an id that is not a key: the one of the row's status, or else the
// one that is made from the row. It looks at all users, because requests with such ids are rare.
func (w *World) userWith(institutionID, id string, from int, given func(UserStatus) string) (*User, bool) {
	var generated [sha256.Size / 2]byte
	n, err := hex.Decode(generated[:], []byte(id)[:min(len(id), 2*len(generated))])
	canBeGenerated := err == nil && n == len(generated) && len(id) == 2*n
	for u := range w.Users(institutionID) {
		switch own := given(u.status()); {
		case own != "":
			if strings.EqualFold(own, id) {
				return u, true
			}
		case canBeGenerated:
			sum := sha256.Sum256([]byte(u.Row()))
			if [sha256.Size / 2]byte(sum[from:from+len(generated)]) == generated {
				return u, true
			}
		}
	}
	return nil, false
}

// SubUsers yields the sub-users of a user, by hostUserId.
func (w *World) SubUsers(u *User) iter.Seq[*User] {
	ofParent := func(hostUserID string) *User {
		return &User{InstitutionID: u.InstitutionID, Status: &UserStatus{ParentHostUserID: hostUserID}}
	}
	return tablesOf(w).users.by(usersByParent).between(ofParent(u.HostUserID), ofParent(after(u.HostUserID)))
}

// Parent returns the primary user of a sub-user.
func (w *World) Parent(u *User) (*User, bool) {
	if u.parent() == "" {
		return nil, false
	}
	return w.User(u.InstitutionID, u.parent())
}
