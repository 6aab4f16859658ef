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

// userStatus writes what is known of a user besides whether it is active.
func (s *saver) userStatus(indent int, u *sim.User) {
	if u.Status == nil {
		return
	}
	text := func(key, value string) {
		if value != "" {
			s.line(indent, "%s: %s", key, quoted(value))
		}
	}
	text("institutionUserId", u.Status.InstitutionUserID)
	text("customerId", u.Status.CustomerID)
	text("parentHostUserId", u.Status.ParentHostUserID)
	if m := statusMembers(u.Status); len(m) > 0 {
		s.line(indent, "status: %s", flow(m))
	}
}

func statusMembers(s *sim.UserStatus) members {
	var m members
	add := func(key string, value any, said bool) {
		if said {
			m = append(m, member{key, value})
		}
	}
	for name, set := range s.Flags() {
		add(name, true, set)
	}
	add("failedLoginCount", s.FailedLogins, s.FailedLogins != 0)
	add("failedPasswordResetCount", s.FailedPasswordResets, s.FailedPasswordResets != 0)
	if s.LastLogin != nil {
		add("lastLoginDateTime", literal(moment(*s.LastLogin)), true)
	}
	if s.HeldAt != nil {
		add("holdDateTime", literal(moment(*s.HeldAt)), true)
	}
	add("holdReason", s.HoldReason, s.HoldReason != "")
	add("holdInitiatedBy", s.HeldBy, s.HeldBy != "")
	return m
}
