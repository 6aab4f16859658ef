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

// UserStatus has the facts about a user that have no effect in the bank (choice). They are only shown.
type UserStatus struct {
	InstitutionUserID string `json:"institutionUserId,omitzero"` // or empty, then it is made from the user's row
	CustomerID        string `json:"customerId,omitzero"`        // or empty, then it is made from the user's row
	ParentHostUserID  string `json:"parentHostUserId,omitzero"`  // the primary user of a sub-user, or empty

	OnHold     bool `json:"onHold,omitzero"`
	Locked     bool `json:"locked,omitzero"`
	Reset      bool `json:"reset,omitzero"`
	Registered bool `json:"registered,omitzero"`
	Approved   bool `json:"approved,omitzero"`
	Rejected   bool `json:"rejected,omitzero"`

	FailedLogins         int        `json:"failedLogins,omitzero"`
	FailedPasswordResets int        `json:"failedPasswordResets,omitzero"`
	LastLogin            *time.Time `json:"lastLogin,omitzero"`  // or nil if it isn't known
	HeldAt               *time.Time `json:"heldAt,omitzero"`     // of a user on hold
	HoldReason           string     `json:"holdReason,omitzero"` // of a user on hold
	HeldBy               string     `json:"heldBy,omitzero"`     // of a user on hold
}

// status returns the status of the user. A user without a status has a zero one.
func (u *User) status() UserStatus {
	if u.Status == nil {
		return UserStatus{}
	}
	return *u.Status
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

// userWith returns the user of an institution with an id that is not a key: the one of the row's status, or else the one
// that is made from the row. It looks at all users, because requests with such ids are rare.
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
			if sum := sha256.Sum256([]byte(u.Row())); [sha256.Size / 2]byte(sum[from:from+len(generated)]) == generated {
				return u, true
			}
		}
	}
	return nil, false
}

// SubUsers yields the sub-users of a user, by hostUserId.
func (w *World) SubUsers(u *User) iter.Seq[*User] {
	return func(yield func(*User) bool) {
		for sub := range w.Users(u.InstitutionID) {
			if sub.status().ParentHostUserID == u.HostUserID && !yield(sub) {
				return
			}
		}
	}
}

// Parent returns the primary user of a sub-user.
func (w *World) Parent(u *User) (*User, bool) {
	if u.status().ParentHostUserID == "" {
		return nil, false
	}
	return w.User(u.InstitutionID, u.status().ParentHostUserID)
}
