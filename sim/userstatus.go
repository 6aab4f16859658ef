package sim

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"
	"sync"
	"sync/atomic"
	"time"
)

// The values of userIdType: what kind of id names a user (published).
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

// UserStatus is what is known of a user besides whether it is active. It is shown, and has no effect in the bank (choice).
type UserStatus struct {
	InstitutionUserID string // empty: made from the user's row
	CustomerID        string // empty: made from the user's row
	ParentHostUserID  string // the primary user of a sub-user; empty: it is none

	OnHold, Locked, Reset, Registered, Approved, Rejected bool

	FailedLogins, FailedPasswordResets int
	LastLogin                          *time.Time // nil: not known
	HeldAt                             *time.Time // of a user on hold
	HoldReason, HeldBy                 string     // of a user on hold
}

func (s *UserStatus) same(other *UserStatus) bool {
	if s == nil || other == nil {
		return s == other
	}
	a, b := *s, *other
	a.LastLogin, a.HeldAt, b.LastLogin, b.HeldAt = nil, nil, nil, nil
	return a == b && sameTime(s.LastLogin, other.LastLogin) && sameTime(s.HeldAt, other.HeldAt)
}

func sameTime(a, b *time.Time) bool {
	return a == nil && b == nil || a != nil && b != nil && a.Equal(*b)
}

// status returns what is known of the user.
func (u *User) status() UserStatus {
	if u.Status == nil {
		return UserStatus{}
	}
	return *u.Status
}

// InstitutionUserID is the id that the institution gives to a user: 32 digits, made from its row unless it was given (choice).
func (u *User) InstitutionUserID() string {
	if given := u.status().InstitutionUserID; given != "" {
		return given
	}
	id, _ := u.madeIDs()
	return id
}

// CustomerID is an older id of a user: 32 digits, made from its row unless it was given (choice).
func (u *User) CustomerID() string {
	if given := u.status().CustomerID; given != "" {
		return given
	}
	_, id := u.madeIDs()
	return id
}

func (u *User) madeIDs() (institutionUserID, customerID string) {
	sum := sha256.Sum256([]byte(u.Row()))
	return fmt.Sprintf("%X", sum[:16]), fmt.Sprintf("%X", sum[16:])
}

// userIDs finds users by what isn't their key. Worlds that were forked from each other share it, because a user never gets
// another id or another parent. Each part is made when it is first asked for: almost nobody asks.
type userIDs struct {
	made          atomic.Bool // whether a part is
	byInstitution idIndex
	byCustomer    idIndex
	subs          struct {
		once sync.Once
		of   map[[2]string][]string // the hostUserIds of sub-users, by institution and primary user
	}
}

// idIndex has the users by ids of 32 hexadecimal digits. Its rows may be older than those of a world.
type idIndex struct {
	once sync.Once
	rows map[[16]byte]*User
}

// find returns the user of an institution that an id names.
func (ids *userIDs) find(w *World, institutionID, kind, id string) (*User, bool) {
	index, idOf := &ids.byInstitution, (*User).InstitutionUserID
	if kind == CustomerIDType {
		index, idOf = &ids.byCustomer, (*User).CustomerID
	}
	ids.made.Store(true)
	index.once.Do(func() {
		index.rows = make(map[[16]byte]*User, w.users.len())
		for u := range w.users.all() {
			if key, ok := idKey(idOf(u)); ok {
				index.rows[key] = u
			}
		}
	})
	key, ok := idKey(id)
	if !ok {
		return nil, false
	}
	found, ok := index.rows[key]
	if !ok || found.InstitutionID != institutionID {
		return nil, false
	}
	return w.users.get(found)
}

func idKey(id string) (key [16]byte, ok bool) {
	n, err := hex.Decode(key[:], []byte(id[:min(len(id), 32)]))
	return key, err == nil && n == len(key) && len(id) == 32
}

// subUsers returns the hostUserIds of the sub-users of a user, in order.
func (ids *userIDs) subUsers(w *World, u *User) []string {
	ids.made.Store(true)
	ids.subs.once.Do(func() {
		ids.subs.of = map[[2]string][]string{}
		for u := range w.users.all() {
			if parent := u.status().ParentHostUserID; parent != "" {
				key := [2]string{u.InstitutionID, parent}
				ids.subs.of[key] = append(ids.subs.of[key], u.HostUserID)
			}
		}
	})
	return ids.subs.of[[2]string{u.InstitutionID, u.HostUserID}]
}

// UserByID returns the user that an id of a kind names, if the caller may speak for it (published). It refuses with
// TokenOfAnotherUser or UserUnknown.
func (w *World) UserByID(caller Caller, kind, id string) (*User, error) {
	var user *User
	known := false
	switch kind {
	case HostUserIDType:
		user, known = w.User(caller.InstitutionID, id)
	case LoginIDType:
		if id != "" {
			user, known = w.usernames.get(&User{InstitutionID: caller.InstitutionID, Username: id})
		}
	default:
		user, known = w.ids.find(w, caller.InstitutionID, kind, id)
	}
	switch {
	case caller.HostUserID != "" && (!known || user.HostUserID != caller.HostUserID):
		return nil, Refuse(TokenOfAnotherUser, "the access token is bound to another user than the one that the path names")
	case !known:
		return nil, Refuse(UserUnknown, "institution %s has no user with the %s that the path gives", caller.InstitutionID, kind)
	}
	return user, nil
}

// SubUsers yields the sub-users of a user, by hostUserId.
func (w *World) SubUsers(u *User) iter.Seq[*User] {
	return func(yield func(*User) bool) {
		for _, id := range w.ids.subUsers(w, u) {
			if sub, ok := w.User(u.InstitutionID, id); ok && !yield(sub) {
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

// Flags yields the flags of a status besides active and whether they are set, in the order of [UserFlags].
func (s *UserStatus) Flags() iter.Seq2[string, bool] {
	return func(yield func(string, bool) bool) {
		for i, set := range []bool{s.OnHold, s.Locked, s.Reset, s.Registered, s.Approved, s.Rejected} {
			if !yield(UserFlags[i+1], set) {
				return
			}
		}
	}
}
