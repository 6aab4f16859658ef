package scenario

import (
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
)

// status returns what is known of a user besides whether it is active; nil: nothing.
func (u user) status() *sim.UserStatus {
	s := sim.UserStatus{InstitutionUserID: u.InstitutionUser, CustomerID: u.CustomerID, ParentHostUserID: u.Parent}
	if w := u.Status; w != nil {
		s.OnHold, s.Locked, s.Reset, s.Registered, s.Approved, s.Rejected = w.OnHold, w.Locked, w.Reset, w.Registered, w.Approved, w.Rejected
		s.FailedLogins, s.FailedPasswordResets = w.FailedLogins, w.FailedPasswordResets
		s.LastLogin, s.HeldAt, s.HoldReason, s.HeldBy = w.LastLogin.optional(), w.HeldAt.optional(), w.HoldReason, w.HeldBy
	}
	if s == (sim.UserStatus{}) {
		return nil
	}
	return &s
}

// optional returns the value of a checked timestamp, or nil if it was left out.
func (t timestamp) optional() *time.Time {
	if parsed, err := t.parse(); err == nil {
		return &parsed
	}
	return nil
}
